"""What the English date patterns are made of, and how their parts are read."""

import re

from extraction.date_forms import any_of, meaning, which
from extraction.date_words import EN

MONTH = rf"(?P<month>{any_of(EN.months)})"
MONTH2 = rf"(?P<month2>{any_of(EN.months)})"
WEEKDAY = rf"(?P<weekday>{any_of(EN.weekdays)})"
DAY = rf"\d{{1,2}}(?:st|nd|rd|th)?|{any_of(EN.ordinals)}"
DASH = r"[-\u2013\u2014~]"
TURN = rf"(?:(?P<last>{EN.last})|(?P<this>{EN.this})|(?P<next>{EN.next}))"
ORDINAL = r"(?P<nth>first|1st|second|2nd|third|3rd|fourth|4th|fifth|5th|last|final)"
NTH = {
    "first|1st": 1,
    "second|2nd": 2,
    "third|3rd": 3,
    "fourth|4th": 4,
    "fifth|5th": 5,
    "last|final": -1,
}


def month_number(text: str) -> int:
    """Tell which month an English name is."""
    return which(EN.months, text) + 1


def day_number(text: str) -> int:
    """Read the number of a day: "7th", "seventh"."""
    digits = re.match(r"\d+", text)
    return int(digits[0]) if digits else meaning(EN.ordinals, text)


def steps_of(found: re.Match[str]) -> int:
    """Say which way "last", "this" or "next" turns."""
    return -1 if found["last"] else 1 if found["next"] else 0
