"""Weeks, halves, quarters, holidays and longer spans, as English names them."""

import re
from dataclasses import replace
from datetime import date, timedelta

from extraction.date_forms import (
    UNREADABLE,
    Answer,
    Moment,
    Reader,
    any_of,
    meaning,
    name_of,
    nearest_year,
    relative,
    which,
)
from extraction.date_holidays import MOVABLE, movable, nth_weekday
from extraction.date_periods import (
    Period,
    add_days,
    day,
    decade_of,
    month_of,
    months_away,
    part_of,
    period,
    quarter_of,
    run_from,
    unit_around,
    year_of,
)
from extraction.date_pieces_en import MONTH, NTH, ORDINAL, TURN, WEEKDAY, month_number, steps_of
from extraction.date_words import EN
from extraction.date_years import YEAR, year_in

# "the month" something lies in: named, or counted from now.
_WHOLE = (
    rf"(?:{MONTH}(?:\s*,?\s*(?:of |in )?(?P<year>{YEAR}))?"
    rf"|(?P<year_alone>{YEAR})|(?:the|{TURN})\s+(?P<unit>month|year))"
)
_WHOLE2 = _WHOLE.replace("<unit>", "<whole>")
_TIME_OF_DAY = (
    r"(?:(?:in the )?(?:morning|afternoon|evening|night)|(?:at|around) (?:\d{1,2}|noon|midnight))"
)
_DECADES = "thirties forties fifties sixties seventies eighties nineties"
# How the last part of "from 2014 to now" is marked until it is joined to the first.
NOW = "now"


def week_shapes() -> tuple[tuple[str, Reader], ...]:
    """List what counts or halves weeks, months and years."""
    n = (
        rf"(?:(?P<n>\d{{1,4}}|{any_of(EN.numbers)})|(?P<fuzzy>{EN.fuzzy}))"
        rf"\s+(?P<unit>{any_of(EN.units.values())})"
    )
    half = r"(?:(?P<early>earlier|earlier on)|(?P<late>later|later on))"
    end_of = r"(?:the )?(?:(?P<late>end)|(?P<early>start|beginning)) of"
    return (
        (rf"(?:the )?{ORDINAL} week (?:of|in) {_WHOLE}", _read_week_of),
        (rf"(?:the )?{ORDINAL} {WEEKDAY} (?:of|in) {_WHOLE}", _read_weekday_of),
        (
            rf"{half} (?:in )?(?:the|{TURN}) (?P<unit>week|month|year)",
            _read_half,
        ),
        (
            rf"{end_of}(?: (?:the|{TURN}))? (?P<unit>month|year|week)(?!\s+(?:of|\w+end))",
            _read_half,
        ),
        (rf"(?:this |the )?(?:upcoming|coming) {WEEKDAY}", _read_coming),
        (
            rf"(?:{TURN} )?{WEEKDAY} {_TIME_OF_DAY}(?! (?:{EN.last}|this|next) week)",
            _read_weekday,
        ),
        (rf"within (?:the )?(?:next )?{n}", _read_within),
        (r"tonite", _read_today),
        (
            rf"(?:{EN.pair})\s+(?:the\s+)?(?P<body>now|present(?: day)?|date|current date)",
            _read_now,
        ),
        (rf"(?:the )?(?P<nth>first|last) {n} (?:of|in) {_WHOLE2}", _read_some_of),
        (rf"(?:the )?week (?P<number>\d{{1,2}}) of {_WHOLE}", _read_numbered_week),
    )


def longer_shapes() -> tuple[tuple[str, Reader], ...]:
    """List quarters, movable holidays, decades and centuries."""
    quarter = r"(?P<nth>first|1st|second|2nd|third|3rd|fourth|4th|last) quarter"
    holiday = rf"(?P<movable>{'|'.join(MOVABLE)})"
    return (
        (
            rf"(?:the )?{quarter} (?:of|in) (?:(?P<year>{YEAR})|(?:the|{TURN}) year)",
            _read_nth_quarter,
        ),
        (rf"(?P<year>{YEAR})[\s-]?H(?P<half>[12])", _read_half_year),
        (rf"(?:(?:the )?{TURN}\s+)?{holiday}(?:\s+(?:of |in )?(?P<year>{YEAR}))?", _read_movable),
        (r"(?:in |the |in the |['\u2019])(?P<tens>[3-9]0) ?s", _read_decade),
        (rf"(?:in |the |in the )(?P<word>{_DECADES.replace(' ', '|')})", _read_decade),
        (r"(?:the )?(?P<century>\d{1,2})(?:st|nd|rd|th)\s+century", _read_century),
    )


def _whole(found: re.Match[str], moment: Moment) -> Period | None:
    """Take the month or year that "the first week of …" speaks of."""
    if found["year_alone"]:
        return year_of(year_in(found["year_alone"]))
    unit = found.groupdict().get("whole") or found.groupdict().get("unit")
    if unit in {"month", "year"}:
        whole = unit_around(moment.today, unit, steps_of(found))
        return replace(whole, relative=True) if whole else None
    month = month_number(found["month"])
    if found["year"]:
        return month_of(year_in(found["year"]), month)
    answer = nearest_year(lambda year: month_of(year, month), moment)
    return answer if isinstance(answer, Period) else None


def _as_of(whole: Period, found: Period | None) -> Answer:
    if found is None:
        return UNREADABLE
    return replace(found, relative=whole.relative, ambiguous=whole.ambiguous)


def _read_week_of(found: re.Match[str], moment: Moment) -> Answer:
    """Read "the first week of May": a week is of the month its Thursday is in."""
    whole = _whole(found, moment)
    if whole is None:
        return UNREADABLE
    nth = meaning(NTH, found["nth"])
    if nth > 0:
        thursday = add_days(whole.start, (3 - whole.start.weekday()) % 7 + 7 * (nth - 1))
    else:
        last = whole.end - timedelta(days=1)
        thursday = add_days(last, -((last.weekday() - 3) % 7))
    week = unit_around(thursday, "week", 0) if thursday and thursday < whole.end else None
    return _as_of(whole, week)


def _read_weekday_of(found: re.Match[str], moment: Moment) -> Answer:
    """Read "the first Monday of next month"."""
    whole = _whole(found, moment)
    if whole is None or whole.granularity != "month":
        return UNREADABLE
    weekday = which(EN.weekdays, found["weekday"])
    nth = meaning(NTH, found["nth"])
    the_day = nth_weekday(whole.start.year, whole.start.month, weekday, nth=nth)
    return _as_of(whole, day(the_day) if the_day else None)


def _read_half(found: re.Match[str], moment: Moment) -> Answer:
    """Read "later this week" and "the end of the month"; what is earlier or later than now."""
    whole = unit_around(moment.today, found["unit"].lower(), steps_of(found))
    if whole is None:
        return UNREADABLE
    half = part_of(whole, "early" if found["early"] else "late")
    start, end = half.start, half.end
    if whole.start <= moment.today < whole.end:
        word = (found["early"] or found["late"]).lower()
        start = max(start, moment.today) if word.startswith("later") else start
        end = min(end, moment.today) if word.startswith("earlier") else end
    return relative(period(start, end, whole.granularity) or whole)


def _read_coming(found: re.Match[str], moment: Moment) -> Answer:
    """Read "this coming Friday" as the nearest one ahead."""
    return relative(_next_weekday(found, moment.today, ahead=True))


def _read_weekday(found: re.Match[str], moment: Moment) -> Answer:
    """Read "friday at 4" and "Tuesday afternoon"; of "next Friday" another reader knows more."""
    if found["last"] or found["this"] or found["next"]:
        return None
    ahead = moment.lean == "future"
    return relative(_next_weekday(found, moment.today, ahead=ahead), ambiguous=not moment.lean)


def _next_weekday(found: re.Match[str], today: date, *, ahead: bool) -> Period | None:
    distance = (which(EN.weekdays, found["weekday"]) - today.weekday()) % 7
    moved = add_days(today, (distance or 7) if ahead else distance - 7)
    return day(moved) if moved else None


def _read_within(found: re.Match[str], moment: Moment) -> Answer:
    """Read "within two weeks" as from now on; done within two weeks is how long it took."""
    if moment.lean == "past":
        return None
    if found["fuzzy"]:
        return UNREADABLE
    unit, n = name_of(EN.units, found["unit"]), found["n"]
    count = int(n) if n.isdecimal() else meaning(EN.numbers, n)
    return relative(run_from(moment.today, unit, count))


def _read_now(found: re.Match[str], moment: Moment) -> Answer:
    """Read the end of "from 2014 to now"."""
    return day(moment.today, granularity=NOW)


def _read_some_of(found: re.Match[str], moment: Moment) -> Answer:
    """Read "the first two weeks of 2021" and "the last 3 days of May"."""
    whole = _whole(found, moment)
    if whole is None or found["fuzzy"]:
        return UNREADABLE
    unit, n = name_of(EN.units, found["unit"]), found["n"]
    count = int(n) if n.isdecimal() else meaning(EN.numbers, n)
    if unit not in {"day", "week", "month"} or not count:
        return UNREADABLE
    if found["nth"].lower() == "first":
        first = _edge(whole, unit, last=False)
        return _as_of(whole, period(first, _moved(first, unit, count), unit))
    end = _edge(whole, unit, last=True)
    return _as_of(whole, period(_moved(end, unit, -count), end, unit))


def _edge(whole: Period, unit: str, *, last: bool) -> date:
    """Give where the first whole unit begins, or the last ends: a week is where its Thursday is."""
    if unit != "week":
        return whole.end if last else whole.start
    inside = whole.end - timedelta(days=4) if last else whole.start + timedelta(days=3)
    monday = inside - timedelta(days=inside.weekday())
    return monday + timedelta(days=7) if last else monday


def _moved(start: date, unit: str, count: int) -> date | None:
    if unit == "month":
        return months_away(start, "month", count)
    return add_days(start, count * (7 if unit == "week" else 1))


def _read_numbered_week(found: re.Match[str], moment: Moment) -> Answer:
    """Read "week 3 of 2027"."""
    whole = _whole(found, moment)
    if whole is None or whole.granularity != "year":
        return UNREADABLE
    first = unit_around(whole.start + timedelta(days=3), "week", int(found["number"]) - 1)
    return _as_of(whole, first)


def _read_today(found: re.Match[str], moment: Moment) -> Answer:
    return relative(day(moment.today))


def _read_nth_quarter(found: re.Match[str], moment: Moment) -> Answer:
    """Read "the first quarter of 2013"."""
    nth = meaning(NTH, found["nth"])
    year = year_in(found["year"]) if found["year"] else moment.today.year + steps_of(found)
    answer = quarter_of(year, 4 if nth < 0 else nth)
    return answer if answer and found["year"] else relative(answer)


def _read_half_year(found: re.Match[str], moment: Moment) -> Answer:
    """Read "2019 H2"."""
    whole = year_of(year_in(found["year"]))
    return part_of(whole, "early" if found["half"] == "1" else "late") if whole else UNREADABLE


def _read_movable(found: re.Match[str], moment: Moment) -> Answer:
    """Read "last Easter" and "Thanksgiving 2023"; "I love Easter" names no day."""
    pattern = next(p for p in MOVABLE if re.fullmatch(p, found["movable"], re.IGNORECASE))
    if found["year"]:
        return movable(pattern, year_in(found["year"])) or UNREADABLE
    lean = "past" if found["last"] else "future" if found["next"] else moment.lean
    if not (lean or moment.cued):
        return None
    return nearest_year(lambda year: movable(pattern, year), replace(moment, lean=lean))


def _read_decade(found: re.Match[str], moment: Moment) -> Answer:
    """Read "the 90s" and "the nineties"; of "the 20s" nobody can say which."""
    named = found.groupdict()
    if named.get("tens"):
        return decade_of(1900 + int(named["tens"]))
    return decade_of(1930 + 10 * _DECADES.split().index(found["word"].lower()))


def _read_century(found: re.Match[str], moment: Moment) -> Answer:
    """Read "the 15th century"."""
    first = 100 * (int(found["century"]) - 1)
    if not 1 <= first <= 9800:
        return None
    return Period(date(first, 1, 1), date(first + 100, 1, 1), "century")
