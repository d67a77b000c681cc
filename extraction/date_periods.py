"""Calendar arithmetic on whole days: the periods that date phrases stand for.

A period is half-open. Whatever lies outside the calendar is ``None``, never an exception: a
joke such as "9999 years ago" must not end a run.
"""

from dataclasses import dataclass, replace
from datetime import date, timedelta

_DAY = timedelta(days=1)
# Meteorological seasons of the northern half of the world, by first month.
SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days from ``start`` up to but not including ``end``.

    **Shape**: ``granularity`` is day, week, weekend, month, quarter, season, year or decade: how
    exactly the words fix it. ``relative`` says whether the message's time was needed to read it;
    ``yearless`` that only the year was missing; ``ambiguous`` that another reading is as good.
    ``literal`` is the period of who counts to the day: "two months ago" as that very day, "from
    May to July" up to the first of July.
    """

    start: date
    end: date
    granularity: str
    relative: bool = False
    yearless: bool = False
    ambiguous: bool = False
    literal: tuple[date, date] | None = None


def day(start: date, *, granularity: str = "day", relative: bool = False) -> Period | None:
    """Take one day as a period."""
    return period(start, add_days(start, 1), granularity, relative=relative)


def period(
    start: date | None, end: date | None, granularity: str, *, relative: bool = False
) -> Period | None:
    """Make a period of two days, if both are in the calendar."""
    if start is None or end is None or start >= end:
        return None
    return Period(start, end, granularity, relative=relative)


def add_days(start: date, days: int) -> date | None:
    """Move a day by a number of days; nothing outside the calendar."""
    try:
        return start + days * _DAY
    except OverflowError:
        return None


def add_months(start: date, months: int) -> date | None:
    """Move to the first of the month so many months away; nothing outside the
    calendar.
    """
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return date(year, month + 1, 1) if 1 <= year <= 9999 else None


def exact_day(year: int, month: int, day_of_month: int) -> Period | None:
    """Take a calendar day that may not exist (30 February)."""
    try:
        return day(date(year, month, day_of_month))
    except ValueError:
        return None


def month_of(year: int, month: int) -> Period | None:
    """Take one calendar month."""
    if not (1 <= month <= 12 and 1 <= year <= 9998):
        return None
    first = date(year, month, 1)
    return period(first, add_months(first, 1), "month")


def year_of(year: int) -> Period | None:
    """Take one calendar year."""
    if not 1 <= year <= 9998:
        return None
    return Period(date(year, 1, 1), date(year + 1, 1, 1), "year")


def season_of(year: int, season: str) -> Period | None:
    """Take the season that begins in a year."""
    first = date(year, SEASON_MONTHS[season], 1) if 1 <= year <= 9998 else None
    return period(first, first and add_months(first, 3), "season")


def quarter_of(year: int, quarter: int) -> Period | None:
    """Take quarter 1 to 4 of a year."""
    if not (1 <= quarter <= 4 and 1 <= year <= 9998):
        return None
    first = date(year, 3 * quarter - 2, 1)
    return period(first, add_months(first, 3), "quarter")


def unit_around(today: date, unit: str, steps: int) -> Period | None:
    """Take the whole day, week, weekend, month, quarter or year so many steps
    from today's.

    Weeks begin on Monday; a weekend is the Saturday and Sunday of its week.
    """
    if unit == "day":
        moved = add_days(today, steps)
        return day(moved) if moved else None
    if unit in {"week", "weekend"}:
        monday = add_days(today, 7 * steps - today.weekday())
        if monday is None:
            return None
        first = add_days(monday, 5) if unit == "weekend" else monday
        return period(first, add_days(monday, 7), unit)
    if unit == "month":
        first_of_month = add_months(today, steps)
        return month_of(first_of_month.year, first_of_month.month) if first_of_month else None
    if unit == "quarter":
        moved = add_months(today, 3 * steps)
        return quarter_of(moved.year, (moved.month + 2) // 3) if moved else None
    if unit == "decade":
        first_year = today.year - today.year % 10 + 10 * steps
        return decade_of(first_year)
    return year_of(today.year + steps)


def decade_of(first_year: int) -> Period | None:
    """Take ten years from their first."""
    if not 1 <= first_year <= 9988:
        return None
    return Period(date(first_year, 1, 1), date(first_year + 10, 1, 1), "decade")


def distance(today: date, unit: str, steps: int) -> Period | None:
    """Take what "so many units ago" or "in so many units" means.

    Days and weeks lead to a day (for weeks an approximate one), months and years to the whole
    month or year: the words are no more exact than that.
    """
    if unit in {"day", "week"}:
        moved = add_days(today, steps * (7 if unit == "week" else 1))
        return day(moved, granularity=unit) if moved else None
    whole, exact = unit_around(today, unit, steps), months_away(today, unit, steps)
    return replace(whole, literal=(exact, exact + _DAY)) if whole and exact else whole


def months_away(today: date, unit: str, steps: int) -> date | None:
    """Take the same day so many months, quarters, years or decades away."""
    months = {"month": 1, "quarter": 3, "decade": 120}.get(unit, 12)
    return _same_day(today, months=steps * months)


def stretch(today: date, unit: str, steps: int) -> Period | None:
    """Take the days up to today from so many units before (negative), or those
    that follow it.
    """
    if unit in {"quarter", "decade"}:
        return _whole_units(today, unit, steps)
    if unit in {"day", "week"}:
        moved = add_days(today, steps * (7 if unit == "week" else 1))
    else:
        moved = months_away(today, unit, steps)
    if moved is None:
        return None
    if steps < 0:
        return period(moved, today, unit)
    tomorrow, end = add_days(today, 1), add_days(moved, 1)
    return period(tomorrow, end, unit)


def run_from(start: date, unit: str, steps: int) -> Period | None:
    """Take so many units from a day on."""
    if unit in {"day", "week"}:
        return period(start, add_days(start, steps * (7 if unit == "week" else 1)), unit)
    return period(start, months_away(start, unit, steps), unit)


def _whole_units(today: date, unit: str, steps: int) -> Period | None:
    """Take the quarters or decades before today's, or those after it."""
    first = unit_around(today, unit, steps if steps < 0 else 1)
    last = unit_around(today, unit, -1 if steps < 0 else steps)
    return period(first.start, last.end, unit) if first and last else None


def _same_day(today: date, *, months: int) -> date | None:
    first = add_months(today, months)
    after = add_months(today, months + 1)
    if first is None or after is None:
        return None
    return date(first.year, first.month, min(today.day, (after - _DAY).day))


def weekday_near(today: date, weekday: int, *, weeks: int = 0, direction: int = 0) -> Period | None:
    """Take a weekday: of the week so many weeks away, or the nearest before (−1)
    or after (+1).

    ``direction`` never gives today itself.
    """
    ahead = (weekday - today.weekday()) % 7
    if direction < 0:
        moved = add_days(today, ahead - 7)
    elif direction > 0:
        moved = add_days(today, ahead or 7)
    else:
        moved = add_days(today, weekday - today.weekday() + 7 * weeks)
    return day(moved) if moved else None


def part_of(whole: Period, part: str) -> Period:
    """Take the first half ("early"), the middle ("mid") or the last half ("late").

    Halves meet at the 16th of a month, on 1 July of a year and on Thursday of a week; the middle
    is the 10th to the 20th of a month and May to August of a year.
    """
    half, begins, stops = _middles(whole)
    bounds = {
        "early": (whole.start, half),
        "mid": (begins, stops),
        "late": (half, whole.end),
    }
    start, end = bounds[part]
    return Period(start, end, whole.granularity, relative=whole.relative, yearless=whole.yearless)


def _middles(whole: Period) -> tuple[date, date, date]:
    """Give where the second half begins, and where the middle begins and stops."""
    start = whole.start
    if whole.granularity == "month":
        return start.replace(day=16), start.replace(day=10), start.replace(day=21)
    if whole.granularity == "year":
        return date(start.year, 7, 1), date(start.year, 5, 1), date(start.year, 9, 1)
    length = (whole.end - start).days
    half, quarter = timedelta(days=length // 2), timedelta(days=length // 4)
    return start + half, start + quarter, whole.end - quarter
