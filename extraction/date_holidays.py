"""Holidays that fall on another day each year."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import partial

from extraction.date_periods import Period, day


def easter(year: int) -> date:
    """Give Easter Sunday of a year.

    **Source**: the anonymous Gregorian computus, as in Meeus, Astronomical Algorithms.
    """
    golden, (century, rest) = year % 19, divmod(year, 100)
    leaps = century - century // 4 - (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + leaps + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, before = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, before + 1)


def nth_weekday(year: int, month: int, weekday: int, *, nth: int) -> date | None:
    """Give the first, second … weekday of a month; −1 is its last."""
    if nth > 0:
        first = date(year, month, 1)
        found = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
        return found if found.month == month else None
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def _around_easter(year: int, *, days: int) -> date | None:
    return easter(year) + timedelta(days=days)


def _nth(year: int, *, month: int, weekday: int, nth: int, days: int = 0) -> date | None:
    found = nth_weekday(year, month, weekday, nth=nth)
    return found + timedelta(days=days) if found else None


_THANKSGIVING = partial(_nth, month=11, weekday=3, nth=4)
# English names; in a calendar of the United States where countries differ.
MOVABLE: Mapping[str, Callable[[int], date | None]] = {
    r"easter monday": partial(_around_easter, days=1),
    r"good friday": partial(_around_easter, days=-2),
    r"easter(?: sunday)?": partial(_around_easter, days=0),
    r"thanksgiving(?: day)?": _THANKSGIVING,
    r"black friday": partial(_THANKSGIVING, days=1),
    r"labou?r day": partial(_nth, month=9, weekday=0, nth=1),
    r"memorial day": partial(_nth, month=5, weekday=0, nth=-1),
    r"mother['\u2019]?s day": partial(_nth, month=5, weekday=6, nth=2),
    r"father['\u2019]?s day": partial(_nth, month=6, weekday=6, nth=3),
}


def movable(name_pattern: str, year: int) -> Period | None:
    """Take a movable holiday of a year, by its pattern in the table."""
    found = MOVABLE[name_pattern](year)
    return day(found) if found else None
