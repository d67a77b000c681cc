"""The patterns of the date forms, built from a language's words, in the order they are tried."""

import re
from dataclasses import dataclass
from functools import lru_cache, partial

from extraction.date_forms import (
    WORDS,
    Form,
    Reader,
    Readers,
    any_of,
    blocked,
    compile_words,
    meaning,
    name_of,
    read_unresolved,
)
from extraction.date_forms_en import english_forms
from extraction.date_numeric import (
    read_day_month,
    read_decade,
    read_iso,
    read_iso_month,
    read_month_of,
    read_numeric,
    read_quarter,
    read_years,
)
from extraction.date_words import EN, DateWords
from extraction.date_years import DIGITS, YEAR

_YEAR = DIGITS
_DASH = r"[-\u2013\u2014~]"
# Inside these nothing is a date: addresses, paths, code.
_OPAQUE = re.compile(r"https?://\S+|www\.\S+|\S+@\S+\.\w+|```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
# After a number these say it counts things, so it is no year.
_COUNTED = (
    r"(?!\s*(?:[%$\u20ac\u00a3]|words?|people|dollars?|euros?|users?|rows?|lines?|items?|pieces|steps"
    r"|miles|km|kcal|calories|px|ms|mb|gb|bytes|tokens|points|votes|feet|meters|metres|kg|square)\b)"
    r"(?![.,:/]\d)"
)
# "$12 December 27" and "12:30 December 27" name the 27th.
_NO_PRICE = r"(?<![$\u20ac\u00a3:.])(?<![$\u20ac\u00a3] )"
# "the last week of July" is not last week.
_NOT_OF = r"(?!\s+(?:of|des|der|vom|de|du|del|di|dell['\u2019])\b)"
_NUMERIC = re.compile(r"(?<![\w./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\w/-])(?!\.\d)")
_DOTTED = re.compile(
    r"(?:(?<![\w./-])|(?<=\d{4}-))(\d{1,2})([./-])(\d{1,2})\2(\d{4}|(?<=/)\d{2})(?!\w|/|-(?!\d{1,2}[/-]\d))(?!\.\d)"
)


@lru_cache(maxsize=16)
def forms(language: str) -> tuple[Form, ...]:
    """List the forms of a language; of an unknown one only those that need no
    words.
    """
    numeric = _NUMERIC if language == "de" else _DOTTED
    common: tuple[Form, ...] = (
        (_OPAQUE, blocked),
        (re.compile(r"(?<![\w./-])(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d|[./-]\d)"), read_iso),
        (numeric, partial(read_numeric, day_first=language != "en")),
        (re.compile(r"(?<![\w./-])((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![\w-])"), read_iso_month),
        (re.compile(r"(?<![\w./-])(0?[1-9]|1[0-2])[-/]((?:19|20)\d\d)(?![\w/-])"), read_month_of),
    )
    words = WORDS.get(language)
    if language == "de":
        common += ((re.compile(r"(?<![\w.])(\d{1,2})\.\s?(\d{1,2})\.(?!\d)"), read_day_month),)
    return common + (_spoken(words) if words else ())


def _spoken(words: DateWords) -> tuple[Form, ...]:
    read = Readers(words)
    return (
        (compile_words(_recurring(words)), blocked),
        *(english_forms() if words is EN else ()),
        *_absolute(words, read),
        *_relative(words, read),
        (compile_words(words.unresolved), read_unresolved),
        *_bare(words, read),
    )


def _recurring(words: DateWords) -> str:
    """Match "every Monday", and in English "on Mondays"."""
    nouns = any_of([*words.units.values(), *words.weekdays, *words.months, *words.seasons.values()])
    plural = rf"|(?:on )?(?:{any_of(words.weekdays)})s" if words is EN else ""
    return rf"(?:{words.recurring})\s+(?:{nouns})s?{plural}"


def _day_number(words: DateWords) -> str:
    """Match the number of a day: "7", "7th", "seventh"."""
    spelled = f"|{any_of(words.ordinals)}" if words.ordinals else ""
    return rf"\d{{1,2}}(?:{words.ordinal})?{spelled}"


def _named(words: DateWords) -> dict[str, str]:
    """Name the pieces every pattern is made of."""
    last, this, following = words.last, words.this, words.next
    return {
        "month": rf"(?P<month>{any_of(words.months)})",
        "weekday": rf"(?P<weekday>{any_of(words.weekdays)})",
        "season": rf"(?P<season>{any_of(words.seasons.values())})",
        "unit": rf"(?P<unit>{any_of(words.units.values())})",
        "year": rf"(?P<year>{YEAR if words is EN else _YEAR})",
        "day": rf"(?P<day>{_day_number(words)})",
        "turn": rf"(?:(?P<last>{last})|(?P<this>{this})|(?P<next>{following}))",
        "part": rf"(?:(?P<part>{any_of(words.parts.values())})\s*)?",
        "of": rf"(?:\s*,\s*|\s+){words.of and words.of + '?'}",
        "n": (
            rf"(?:(?P<n>\d{{1,6}}|{any_of(words.numbers)})|(?P<fuzzy>{words.fuzzy}))"
            rf"[\s-]*(?P<unit>{any_of(words.units.values())})"
        ),
    }


def _absolute(words: DateWords, read: Readers) -> tuple[Form, ...]:
    """Dates that name a month, a season, a quarter or a holiday and mostly a year."""
    p = _named(words)
    month, day, year, of = p["month"], p["day"], p["year"], p["of"]
    lead = rf"(?:(?:{any_of(words.weekdays)}),?\s+(?:(?:{words.on})\s*)?)?"
    to = rf"\s*(?:{_DASH}|{words.pair})\s*"
    link = words.of and f"{words.of}?"
    first, last = (rf"(?P<{n}>{_day_number(words)})" for n in ("first", "last"))
    holiday = rf"(?P<holiday>{any_of(words.holidays)})"
    shapes = (
        (
            rf"{first}{to}(?:the\s+)?{last}\s+{link}{month}(?:{of}{year})?",
            read.days_of_month,
        ),
        (rf"{month}\s+{first}{to}{last}(?:{of}{year})?", read.days_of_month),
        (
            rf"{_NO_PRICE}{lead}(?:the\s+)?{day}[\s/-]*{link}{month}(?:(?:[/-]|{of}){year})?",
            read.day_and_month,
        ),
        (
            rf"{lead}{month}(?:[\s/-]+(?:the\s+)?|(?=\d)){day}(?![:\d]|\s*%)(?:(?:-|{of}){year})?",
            read.day_and_month,
        ),
        (rf"{p['part']}{month}(?:[/-]|{of}){year}", read.month_and_year),
        (rf"{year}\s+{month}", read.month_and_year),
        (rf"{p['season']}{of}{year}", read.season_and_year),
        (rf"(?:{p['turn']}\s+)?{holiday}(?:{of}{year})?", read.holiday),
        (
            rf"Q(?P<q1>[1-4])(?:-|{of})(?P<y1>{_YEAR})|(?P<y2>{_YEAR})[\s-]*Q(?P<q2>[1-4])",
            read_quarter,
        ),
        (rf"(?<!-)({_YEAR})\s*(?:{_DASH}|{words.run})\s*({_YEAR})(?!{_DASH})", read_years),
        (r"(?:the\s+)?((?:1[89]|20|21)\d0)s", read_decade),
    )
    return tuple((compile_words(pattern), reader) for pattern, reader in shapes)


def _relative(words: DateWords, read: Readers) -> tuple[Form, ...]:
    """Phrases that count from the day they are said."""
    p = _named(words)
    turn, n = p["turn"], p["n"]
    nouns = ("unit", "weekday", "season", "month")
    both = rf"(?:(?P<last>{words.last})|(?P<next>{words.next}))"
    week = words.units["week"]
    link = words.of and f"{words.of}?"
    shapes: list[tuple[str, Reader]] = [
        (
            rf"{p['weekday']}(?:\s+{words.day_part})?\s+{link}{turn}\s+(?:{week})",
            read.weekday_of_week,
        ),
        (
            rf"{turn}\s+(?:{week})(?:\s*[,-])?\s+(?:(?:{words.on})\s+)?{p['weekday']}",
            read.weekday_of_week,
        ),
        (words.before_last.replace("{u}", p["unit"]), partial(read.two_away, steps=-2)),
        (words.after_next.replace("{u}", p["unit"]), partial(read.two_away, steps=2)),
        (rf"(?P<since>{words.lasting})\s+{n}", read.lasting),
        *((ago.replace("{n}", n), partial(read.counted, sign=-1)) for ago in words.ago),
        (rf"{both}\s+{n}", read.run_of),
        (n.replace(r"[\s-]*", rf"\s+{both}\s+"), read.run_of),
        (rf"{n}\s+{both}", read.run_of),
        *((ahead.replace("{n}", n), partial(read.counted, sign=1)) for ahead in words.ahead),
        (any_of(words.days), read.named_day),
        *((rf"{p['part']}{turn}\s*{p[noun]}{_NOT_OF}", read.turned) for noun in nouns),
        *((rf"{p[noun]}\s+{both}", read.turned) for noun in nouns if words is not EN),
    ]
    return tuple((compile_words(pattern), reader) for pattern, reader in shapes)


def _bare(words: DateWords, read: Readers) -> tuple[Form, ...]:
    """Names and years that are dates only where a word of time stands before them."""
    p = _named(words)
    prepositions = any_of(
        (words.since, words.after, words.until, words.before, words.on, words.opens, words.pair)
    )
    cue = rf"(?:{prepositions}|of|year)"
    article = r"(?:\s+(?:the|the year|der|dem|den|die|das|le|la|el|il|los)|(?<=\s)l['\u2019])?"
    body = rf"{cue}{article}\s*(?P<body>{{}})"
    shapes = (
        (p["weekday"], read.bare_weekday),
        (rf"(?P<part>{any_of(words.parts.values())})\s*{p['year']}" + _COUNTED, read.year_alone),
        (body.format(rf"{p['part']}{p['month']}(?!\s+\d)"), read.bare_month),
        (
            body.format(rf"{p['season']}(?!\s+(?:break|camp|vacation|school|job|house|olympics))"),
            read.bare_season,
        ),
        (body.format(rf"{p['part']}{p['year']}") + _COUNTED, read.year_alone),
    )
    return tuple((compile_words(pattern), reader) for pattern, reader in shapes)


@dataclass(frozen=True, slots=True)
class Offset:
    """How far a date is moved by the words before it; no steps means "the week of".

    **Shape**: ``runs`` says that the date begins so many units instead of being moved by them.
    """

    start: int
    unit: str
    steps: int
    runs: bool = False


@lru_cache(maxsize=16)
def _offset_pattern(words: DateWords) -> re.Pattern[str]:
    n, units = any_of(words.numbers), any_of(words.units.values())
    article = r"(?:\s+(?:the|dem|der|le|la|el|il|al))?"
    return re.compile(
        rf"(?<!\w)(?:(?P<n>\d{{1,4}}|{n})|the|der|die|la|le|el|il)\s+(?P<unit>{units})\s+"
        rf"(?:(?P<after>{words.after}|from)|(?P<before>{words.before})"
        rf"|(?P<runs>(?:beginning|starting|commencing)(?: on| from)?)|of|vom|del?|du){article}\s+$",
        re.IGNORECASE,
    )


def offset_before(text: str, start: int, language: str) -> Offset | None:
    """Find "two weeks before" or "the week of" right before a date."""
    words = WORDS.get(language)
    before = text[max(0, start - 48) : start]
    found = _offset_pattern(words).search(before) if words else None
    if words is None or found is None:
        return None
    runs = bool(found["runs"] and found["n"])
    sign = 1 if found["after"] or runs else -1 if found["before"] else 0
    count = found["n"] or "1"
    steps = int(count) if count.isdecimal() else meaning(words.numbers, count)
    place = start - len(before) + found.start()
    return Offset(place, name_of(words.units, found["unit"]), sign * steps, runs=runs)
