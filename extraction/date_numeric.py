"""Dates of digits alone, read the same in every language but for the order of day and month."""

import re
from dataclasses import replace

from extraction.date_forms import BLOCKED, UNREADABLE, Answer, Moment, nearest_year
from extraction.date_periods import (
    Period,
    decade_of,
    exact_day,
    month_of,
    quarter_of,
    year_of,
)


def read_iso(found: re.Match[str], moment: Moment) -> Answer:
    """Read 2023-05-07."""
    year, month, day_of_month = (int(part) for part in found.groups())
    return exact_day(year, month, day_of_month) or UNREADABLE


def read_iso_month(found: re.Match[str], moment: Moment) -> Answer:
    """Read 2023-05."""
    return month_of(int(found[1]), int(found[2]))


def read_month_of(found: re.Match[str], moment: Moment) -> Answer:
    """Read 12/2015."""
    return month_of(int(found[2]), int(found[1]))


def read_years(found: re.Match[str], moment: Moment) -> Answer:
    """Read "2014–2018"."""
    first, last = year_of(int(found[1])), year_of(int(found[2]))
    if first is None or last is None or first.start >= last.start:
        return None
    return Period(first.start, last.end, "year", literal=(first.start, last.start))


def read_day_month(found: re.Match[str], moment: Moment) -> Answer:
    """Read the German "28.10."."""
    day_of_month, month = int(found[1]), int(found[2])
    if not 1 <= month <= 12:
        return None
    return nearest_year(lambda year: exact_day(year, month, day_of_month), moment)


def read_numeric(found: re.Match[str], moment: Moment, *, day_first: bool) -> Answer:
    """Read 7/5/2023: the order of the language, unless only one order exists;
    else ambiguous.
    """
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    year += 0 if year > 99 else 2000 if year < 70 else 1900
    day_month = exact_day(year, second, first)
    if found[2] == ".":
        return day_month or BLOCKED
    month_day = exact_day(year, first, second)
    chosen = (day_month or month_day) if day_first else (month_day or day_month)
    if chosen is None:
        return UNREADABLE
    return replace(chosen, ambiguous=bool(day_month and month_day) and day_month != month_day)


def read_quarter(found: re.Match[str], moment: Moment) -> Answer:
    """Read "Q1 2017" or "2017 Q1"."""
    return quarter_of(int(found["y1"] or found["y2"]), int(found["q1"] or found["q2"]))


def read_decade(found: re.Match[str], moment: Moment) -> Answer:
    """Read "the 1990s"."""
    return decade_of(int(found[1]))
