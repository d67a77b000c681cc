"""The shapes date phrases take in a language with words and spaces, and how each is read.

A form is a pattern and a reader. A reader returns a period; ``UNREADABLE`` where the words are a
date that cannot be resolved; or nothing where they are no date after all.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from functools import partial
from typing import TypeVar

from extraction.date_periods import (
    Period,
    distance,
    exact_day,
    month_of,
    part_of,
    season_of,
    stretch,
    unit_around,
    weekday_near,
    year_of,
)
from extraction.date_words import DE, EN, DateWords
from extraction.date_words_romance import ES, FR, IT
from extraction.date_years import year_in

WORDS: Mapping[str, DateWords] = {"en": EN, "de": DE, "fr": FR, "es": ES, "it": IT}


class NotADate(Enum):
    """Why a phrase that looks like a date has no period."""

    UNREADABLE = "unreadable"  # a date, but nobody can say which
    BLOCKED = "blocked"  # no date (every Monday, an address): nothing inside it is one either


UNREADABLE = NotADate.UNREADABLE
BLOCKED = NotADate.BLOCKED
Answer = Period | NotADate | None


@dataclass(frozen=True, slots=True)
class Moment:
    """When and how a phrase is said.

    **Shape**: ``today`` is the speaker's day; ``lean`` is past, future or empty: where the
    sentence around the phrase looks; ``cued`` says that a preposition of time stands before it;
    ``yearly`` that it speaks of a birthday or the like.
    """

    today: date
    lean: str = ""
    cued: bool = False
    yearly: bool = False


T = TypeVar("T")
Reader = Callable[[re.Match[str], Moment], Answer]
Form = tuple[re.Pattern[str], Reader]

_MODALS = frozenset({"may", "march", "mar"})  # also a modal verb, a verb, and short for neither
_LASTS = re.compile(
    r"(?:\b(?:will|would|to|can|could|should|may|might)|['\u2019]ll) $", re.IGNORECASE
)
_PERFECT = re.compile(r"(?:\bhave|\bhas|['\u2019]ve|['\u2019]s)\b[^.!?;]*$", re.IGNORECASE)


def compile_words(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that begins and ends at a word's edge, whatever its
    case.
    """
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)


def any_of(patterns: Iterable[str]) -> str:
    """Join patterns as alternatives, longest first, so that a month wins over
    its abbreviation.
    """
    return "|".join(f"(?:{p})" for p in sorted(patterns, key=len, reverse=True))


def which(patterns: Sequence[str], text: str) -> int:
    """Say which of several patterns a text is."""
    return next(i for i, p in enumerate(patterns) if re.fullmatch(p, text, re.IGNORECASE))


def meaning(table: Mapping[str, T], text: str) -> T:
    """Look a text up in a table from patterns to what they mean."""
    return next(v for p, v in table.items() if re.fullmatch(p, text, re.IGNORECASE))


def name_of(table: Mapping[str, str], text: str) -> str:
    """Say under which name a table holds the pattern of a text."""
    return next(k for k, p in table.items() if re.fullmatch(p, text, re.IGNORECASE))


def nearest_year(make: Callable[[int], Period | None], moment: Moment) -> Answer:
    """Choose the year of a date that names none: the last one past, or the next
    where it leans on.

    Where the sentence leans nowhere the past is taken and the reading marked ambiguous.
    """
    around = range(moment.today.year - 8, moment.today.year + 9)  # 29 February has long gaps
    options = [p for p in map(make, around) if p]
    past = [p for p in options if p.start <= moment.today]
    ahead = [p for p in options if p.end > moment.today]
    if not past or not ahead:
        return UNREADABLE
    chosen = ahead[0] if moment.lean == "future" else past[-1]
    unsure = moment.yearly or not moment.lean
    return replace(chosen, relative=True, yearless=True, ambiguous=unsure)


def relative(answer: Period | None, *, ambiguous: bool = False) -> Answer:
    """Mark a period as one that needed the message's time, or say that it does
    not exist.
    """
    return replace(answer, relative=True, ambiguous=ambiguous) if answer else UNREADABLE


class Readers:
    """The readers that need a language's words."""

    def __init__(self, words: DateWords) -> None:
        self.words = words

    def _month(self, text: str) -> int:
        return which(self.words.months, text) + 1

    def day_and_month(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "7 May 2023" or "May 7", but not "may 7 people"."""
        month, day_of_month = self._month(found["month"]), self._day(found["day"])
        if found["month"] in _MODALS and self.words is EN and not (found["year"] or moment.cued):
            return None
        if found["year"]:
            return exact_day(year_in(found["year"]), month, day_of_month) or UNREADABLE
        return nearest_year(lambda year: exact_day(year, month, day_of_month), moment)

    def _day(self, text: str) -> int:
        digits = re.match(r"\d+", text)
        return int(digits[0]) if digits else meaning(self.words.ordinals, text)

    def days_of_month(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "5 to 9 May 2023"."""
        month = self._month(found["month"])

        def run(year: int) -> Period | None:
            first = exact_day(year, month, self._day(found["first"]))
            last = exact_day(year, month, self._day(found["last"]))
            if first is None or last is None or first.start >= last.start:
                return None
            return Period(first.start, last.end, "day", literal=(first.start, last.start))

        if found["year"]:
            return run(year_in(found["year"])) or UNREADABLE
        return nearest_year(run, moment)

    def month_and_year(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "early May 2023"."""
        whole = month_of(year_in(found["year"]), self._month(found["month"]))
        return self._part(found, whole)

    def season_and_year(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "summer 2022"."""
        return season_of(year_in(found["year"]), name_of(self.words.seasons, found["season"]))

    def year_alone(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "2023" after a word of time."""
        return self._part(found, year_of(year_in(found["year"])))

    def bare_month(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "in May", but not "and may"."""
        if found["month"] in _MODALS and not moment.cued and self.words is EN:
            return None
        month = self._month(found["month"])
        answer = nearest_year(lambda year: month_of(year, month), moment)
        return self._part(found, answer) if isinstance(answer, Period) else answer

    def bare_season(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "in the summer"; "by autumn" and "about summer" name no date in
        English.
        """
        cue = found[0].split()[0].lower()
        if self.words is EN and cue not in {"in", "during", "over", "since", "until", "last"}:
            return None
        season = name_of(self.words.seasons, found["season"])
        return nearest_year(lambda year: season_of(year, season), moment)

    def holiday(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "Christmas 2022" or "last Christmas"."""
        month, day_of_month = meaning(self.words.holidays, found["holiday"])
        if found["year"]:
            return exact_day(year_in(found["year"]), month, day_of_month)
        lean = "past" if found["last"] else "future" if found["next"] else moment.lean
        if not (lean or moment.cued):
            return BLOCKED  # "I love Christmas" names no day
        return nearest_year(
            lambda year: exact_day(year, month, day_of_month), replace(moment, lean=lean)
        )

    def bare_weekday(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "on Monday"; an abbreviation or a lower-case name needs the
        preposition.
        """
        name = found["weekday"]
        if self.words is EN and (name.islower() and (len(name) < 6 or not moment.cued)):
            return None
        if self.words is EN and not moment.cued and len(name.rstrip(".")) < 6:
            return None
        direction = 1 if moment.lean == "future" else -1
        answer = weekday_near(moment.today, which(self.words.weekdays, name), direction=direction)
        return relative(answer, ambiguous=not moment.lean)

    def named_day(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "yesterday"."""
        return relative(unit_around(moment.today, "day", meaning(self.words.days, found[0])))

    def counted(self, found: re.Match[str], moment: Moment, *, sign: int) -> Answer:
        """Read "3 weeks ago" or "in 3 weeks"; "a few weeks ago" cannot be
        resolved.
        """
        if sign > 0 and moment.lean == "past":
            return BLOCKED  # "I finished it in two weeks" is a duration
        if found["fuzzy"]:
            return UNREADABLE
        return relative(
            distance(
                moment.today, name_of(self.words.units, found["unit"]), sign * self._count(found)
            )
        )

    def lasting(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "have lived here for 3 years" as since then; "stayed for 3 weeks"
        is no date.
        """
        before = found.string[max(0, found.start() - 80) : found.start()]
        to_now = re.search("last|past", found["since"], re.IGNORECASE) or _PERFECT.search(before)
        if self.words is EN and not to_now:
            return BLOCKED
        answer = self.counted(found, moment, sign=-1)
        if not isinstance(answer, Period) or not to_now:
            return answer
        unit = name_of(self.words.units, found["unit"])
        run = stretch(moment.today, unit, -self._count(found))
        return replace(answer, literal=(run.start, run.end)) if run else answer

    def run_of(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "the last 3 weeks" or "the next two months"."""
        if found["fuzzy"]:
            return UNREADABLE
        if self.words is EN and _LASTS.search(found.string[: found.start()]):
            return BLOCKED  # "it will last three weeks"
        sign = -1 if found["last"] else 1
        unit = name_of(self.words.units, found["unit"])
        return relative(stretch(moment.today, unit, sign * self._count(found)))

    def _count(self, found: re.Match[str]) -> int:
        text = found["n"]
        return int(text) if text.isdecimal() else meaning(self.words.numbers, text)

    def two_away(self, found: re.Match[str], moment: Moment, *, steps: int) -> Answer:
        """Read "the week before last"."""
        return relative(unit_around(moment.today, name_of(self.words.units, found["unit"]), steps))

    def turned(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "last week", "next Friday", "this summer", "la semaine
        derni\u00e8re".
        """
        steps = -1 if found["last"] else 1 if found["next"] else 0
        named = found.groupdict()
        if named.get("unit"):
            answer = self._turned_unit(name_of(self.words.units, named["unit"]), steps, moment)
        elif named.get("weekday"):
            answer = self._turned_weekday(
                which(self.words.weekdays, named["weekday"]), steps, moment
            )
        elif named.get("month") in _MODALS and found["this"] and self.words is EN:
            return BLOCKED  # "this may take longer"
        elif named.get("month"):
            month = self._month(named["month"])
            answer = _turned_year(partial(_month_in, month), steps, moment)
        else:
            season = name_of(self.words.seasons, named["season"])
            answer = _turned_year(partial(_season_in, season), steps, moment)
        return self._part(found, answer) if isinstance(answer, Period) else answer

    def _turned_unit(self, unit: str, steps: int, moment: Moment) -> Answer:
        if unit == "day":
            return None
        return relative(unit_around(moment.today, unit, steps))

    def _turned_weekday(self, weekday: int, steps: int, moment: Moment) -> Answer:
        """Read "last Friday" as the nearest one behind; marked where last week's would differ."""
        if steps < 0:
            nearest = weekday_near(moment.today, weekday, direction=-1)
            other = weekday_near(moment.today, weekday, weeks=-1)
            return relative(nearest, ambiguous=nearest != other)
        chosen = weekday_near(moment.today, weekday, weeks=steps)
        nearest = weekday_near(moment.today, weekday, direction=1)
        return relative(chosen, ambiguous=steps > 0 and chosen != nearest)

    def weekday_of_week(self, found: re.Match[str], moment: Moment) -> Answer:
        """Read "Monday of last week"."""
        steps = -1 if found["last"] else 1 if found["next"] else 0
        weekday = which(self.words.weekdays, found["weekday"])
        return relative(weekday_near(moment.today, weekday, weeks=steps))

    def _part(self, found: re.Match[str], whole: Period | None) -> Answer:
        part = found.groupdict().get("part")
        if whole is None or not part:
            return whole
        return replace(part_of(whole, name_of(self.words.parts, part)), ambiguous=whole.ambiguous)


def _month_in(month: int, year: int) -> Period | None:
    return month_of(year, month)


def _season_in(season: str, year: int) -> Period | None:
    return season_of(year, season)


def _turned_year(make: Callable[[int], Period | None], steps: int, moment: Moment) -> Answer:
    """Read "last May" as the latest one over, "next May" as the first not begun."""
    around = range(moment.today.year - 2, moment.today.year + 3)
    options = [p for p in map(make, around) if p]
    if steps < 0:
        options = [p for p in options if p.end <= moment.today][-1:]
    elif steps > 0:
        options = [p for p in options if p.start > moment.today][:1]
    else:
        options = [p for p in options if p.start.year == moment.today.year]
    return relative(options[0] if options else None)


def blocked(found: re.Match[str], moment: Moment) -> Answer:
    """Read nothing, and let nothing inside be read as a date."""
    return BLOCKED


def read_unresolved(found: re.Match[str], moment: Moment) -> Answer:
    """Read words that say no time one could name: "recently"."""
    return UNREADABLE
