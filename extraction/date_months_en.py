"""Dates that name a month and its days, as English has them beyond the common shapes."""

import re
from dataclasses import replace

from extraction.date_forms import (
    UNREADABLE,
    Answer,
    Moment,
    Reader,
    any_of,
    nearest_year,
    relative,
    which,
)
from extraction.date_periods import Period, exact_day, month_of, months_away, unit_around
from extraction.date_pieces_en import (
    DASH,
    DAY,
    MONTH,
    MONTH2,
    TURN,
    WEEKDAY,
    day_number,
    month_number,
    steps_of,
)
from extraction.date_words import EN
from extraction.date_years import YEAR, year_in

# After a bare day of the month: nothing that it could count.
_NOTHING_COUNTED = (
    r"(?=\s*(?:[.,;:!?)](?!\d)|$)|\s+(?:at|and|from|between|with|because|so|but|around)\b)"
)
_SLASHED = r"(?P<m>\d{1,2})/(?P<d>\d{1,2})(?:/(?P<y>\d{4}))?"
_SLASHED2 = r"(?P<m2>\d{1,2})/(?P<d2>\d{1,2})(?:(?:/|, ?)(?P<y2>\d{4}))?"
_YEARLESS = (
    r"(?P<first>\d{1,2})/(?P<second>\d{1,2})(?![\d/]|\s+(?:of|cups?|full|done|stars?|points?)\b)"
)


def month_shapes() -> tuple[tuple[str, Reader], ...]:
    """List the shapes, the longer before those they contain."""
    year = rf"(?:\s*,?\s*(?:of |in )?(?P<year>{YEAR}))?"
    to = rf"\s*(?:{DASH}|to|through|thru|until|till)\s*"
    cue = r"(?:on|by|until|till|before|since|after|week of|weekend of)"
    numbered = rf"\d{{1,2}}(?:st|nd|rd|th)|{any_of(EN.ordinals)}"
    or_and = rf"(?:{DASH}|to|and|until|till|through)"
    cue_or_more = rf"(?:{cue}|from|between)"
    return (
        (
            rf"{MONTH}\s+(?P<day>{DAY}){to}{MONTH2}\s+(?P<day2>{DAY})(?!:){year}",
            _read_days_of_months,
        ),
        (rf"{MONTH}{to}{MONTH2}(?!\s+\d{{1,2}}(?!\d)){year}", _read_months),
        (
            rf"(?<!\d )(?P<year>{YEAR})[\s/-]+{MONTH}[\s/-]+(?P<day>{DAY})",
            _read_day_in_month,
        ),
        (rf"(?:the )?(?P<day>{DAY})(?: day)? (?:of )?{TURN} month", _read_day_of_turned),
        (rf"(?:the )?(?P<day>{DAY}) day of {MONTH}{year}", _read_day_in_month),
        (
            rf"(?:{TURN}\s+)?{WEEKDAY},?\s+(?:\(?{_YEARLESS}\)?)",
            _read_yearless,
        ),
        (
            rf"{WEEKDAY},?\s+(?:the\s+)?(?P<day>{numbered}|\d{{1,2}}{_NOTHING_COUNTED})",
            _read_weekday_and_day,
        ),
        (
            rf"(?:from|between)\s+(?P<body>{_SLASHED}\s*{or_and}\s*{_SLASHED2}(?![\d/]| of\b))",
            _read_slashed_run,
        ),
        (rf"{cue_or_more}\s*(?P<body>{_YEARLESS})", _read_yearless),
        (
            rf"{cue} (?:the )?(?P<body>(?P<day>\d{{1,2}}(?:st|nd|rd|th)){_NOTHING_COUNTED})",
            _read_day_alone,
        ),
    )


def _run(first: Period | None, last: Period | None, granularity: str) -> Period | None:
    if first is None or last is None or first.start >= last.start:
        return None
    return Period(first.start, last.end, granularity, literal=(first.start, last.start))


def _read_days_of_months(found: re.Match[str], moment: Moment) -> Answer:
    """Read "Nov 18-Dec 19, 2015"."""
    first, last = month_number(found["month"]), month_number(found["month2"])

    def run(year: int) -> Period | None:
        begins = exact_day(year - (first > last), first, day_number(found["day"]))
        return _run(begins, exact_day(year, last, day_number(found["day2"])), "day")

    if found["year"]:
        return run(year_in(found["year"])) or UNREADABLE
    return nearest_year(run, moment)


def _read_months(found: re.Match[str], moment: Moment) -> Answer:
    """Read "Nov–Feb 2017" and "from June to August", but not "may march"."""
    first, last = month_number(found["month"]), month_number(found["month2"])
    if found["month"].islower() and found["month"] in {"may", "march", "mar"}:
        return None

    def run(year: int) -> Period | None:
        return _run(month_of(year - (first > last), first), month_of(year, last), "month")

    if found["year"]:
        return run(year_in(found["year"])) or UNREADABLE
    return nearest_year(run, moment)


def _read_day_in_month(found: re.Match[str], moment: Moment) -> Answer:
    """Read "2019/Aug/1" and "the 15th day of June"."""
    month, number = month_number(found["month"]), day_number(found["day"])
    if found["year"]:
        return exact_day(year_in(found["year"]), month, number) or UNREADABLE
    return nearest_year(lambda year: exact_day(year, month, number), moment)


def _read_day_of_turned(found: re.Match[str], moment: Moment) -> Answer:
    """Read "the 15th of next month"."""
    whole = unit_around(moment.today, "month", steps_of(found))
    number = day_number(found["day"])
    return relative(exact_day(whole.start.year, whole.start.month, number) if whole else None)


def _read_yearless(found: re.Match[str], moment: Moment) -> Answer:
    """Read "on 22/04" and "Friday 7/6": the month first, unless only the day can be."""
    first, second = int(found["first"]), int(found["second"])
    if max(first, second) > 31 or min(first, second) > 12 or not (first and second):
        return None
    month, number = (first, second) if first <= 12 else (second, first)
    answer = nearest_year(lambda year: exact_day(year, month, number), moment)
    is_either = first <= 12 and second <= 12 and first != second
    return replace(answer, ambiguous=True) if isinstance(answer, Period) and is_either else answer


def _read_slashed_run(found: re.Match[str], moment: Moment) -> Answer:
    """Read "from 10/1 to 11/7/2018"; the first may borrow the other's year."""
    first, last = ((int(found[m]), int(found[d])) for m, d in (("m", "d"), ("m2", "d2")))

    def run(year: int) -> Period | None:
        begins = int(found["y"]) if found["y"] else year - (first > last)
        return _run(exact_day(begins, *first), exact_day(year, *last), "day")

    answer = run(int(found["y2"])) or UNREADABLE if found["y2"] else nearest_year(run, moment)
    is_either = first[1] <= 12 and last[1] <= 12
    return replace(answer, ambiguous=True) if isinstance(answer, Period) and is_either else answer


def _read_day_alone(found: re.Match[str], moment: Moment) -> Answer:
    """Read "on the 18th": of the month that the sentence's direction gives."""
    return _nearest_in_months(day_number(found["day"]), moment, weekday=None)


def _read_weekday_and_day(found: re.Match[str], moment: Moment) -> Answer:
    """Read "Friday the 13th": the nearest month where the two meet."""
    weekday = which(EN.weekdays, found["weekday"])
    return _nearest_in_months(day_number(found["day"]), moment, weekday=weekday)


def _nearest_in_months(number: int, moment: Moment, *, weekday: int | None) -> Answer:
    today = moment.today
    firsts = (months_away(today.replace(day=1), "month", step) for step in range(-24, 25))
    days = [exact_day(first.year, first.month, number) for first in firsts if first]
    fits = [d for d in days if d and weekday in {None, d.start.weekday()}]
    past = [d for d in fits if d.start <= today]
    ahead = [d for d in fits if d.end > today]
    if not past or not ahead:
        return UNREADABLE
    chosen = ahead[0] if moment.lean == "future" else past[-1]
    return relative(chosen, ambiguous=not moment.lean)
