"""Dates in words: found, and resolved on the time they were said in the speaker's zone.

Nothing is guessed. A phrase with two readings is marked ambiguous, one that cannot be resolved
is reported as it stands, and words that merely look like a date ("you may", "I sat") are none.
Spans are found by patterns; spelled dates in languages without word lists of our own go, one
span at a time, through ``dateparser.parse``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import dateparser

from extraction.date_forms import BLOCKED, UNREADABLE, WORDS, Answer, Form, Moment
from extraction.date_forms_cjk import forms_cjk
from extraction.date_forms_en import NOW
from extraction.date_found import FoundDate, zone_named
from extraction.date_patterns import forms, offset_before
from extraction.date_periods import (
    Period,
    add_days,
    add_months,
    day,
    distance,
    exact_day,
    run_from,
    unit_around,
)
from extraction.date_roles import Cue, Role, cue_before, is_yearly, joins, lean_at
from extraction.date_writing import absolute_text
from extraction.errors import NaiveInstant
from extraction.languages import guess_language

__all__ = ["FoundDate", "absolute_text", "find_dates"]


@dataclass(frozen=True, slots=True)
class _Hit:
    """A phrase as found, before it is placed on a clock."""

    start: int
    end: int
    cue: Cue
    period: Period | None

    @property
    def phrase_start(self) -> int:
        return self.cue.start if self.cue.start >= 0 else self.start


def find_dates(
    text: str, *, reference: datetime, zone: str, language: str | None = None
) -> tuple[FoundDate, ...]:
    """Find the dates of a text, in the order they stand.

    **Units**: ``reference`` is when the words were said; ``zone`` an IANA name.
    **Raises**: ``NaiveInstant``, ``UnknownZone``.
    """
    if reference.tzinfo is None:
        raise NaiveInstant
    clock = zone_named(zone)
    language = language or guess_language(text)
    today = reference.astimezone(clock).date()
    hits = _joined(text, sorted(_hits(text, today, language), key=lambda h: h.start), language)
    return tuple(_found(text, hit, today=today, clock=clock, language=language) for hit in hits)


def _hits(text: str, today: date, language: str) -> Iterator[_Hit]:
    """Try every form in order; a span once taken is not read again."""
    taken: list[tuple[int, int]] = []
    for pattern, reader in _forms_of(language):
        for found in pattern.finditer(text):
            start, end = found.span("body") if "body" in pattern.groupindex else found.span()
            if any(start < e and s < end for s, e in taken):
                continue
            cue = cue_before(text, start, end, language=language)
            lean = lean_at(text, start, end, cue=cue, language=language)
            if found.groupdict().get("since"):
                cue = Cue("since", start)
            yearly = is_yearly(text, start, end, language=language)
            moment = Moment(today=today, lean=lean, cued=cue.start >= 0, yearly=yearly)
            answer = reader(found, moment)
            if answer is None:
                continue
            taken.append((start, end))
            if answer is not BLOCKED:
                yield _Hit(start, end, cue, answer if isinstance(answer, Period) else None)


def _forms_of(language: str) -> tuple[Form, ...]:
    if language in {"zh", "ja"}:
        return (*forms(language), *forms_cjk(language))
    if language in WORDS:
        return forms(language)
    return (*forms(language), (_SPELLED, _SpelledReader(language)))


_SPELLED = re.compile(
    r"(?<!\w)\d{1,2}\.?\s+(?:de\s+)?[^\W\d_]{3,}\.?,?\s+(?:de\s+)?(?:1[89]|20|21)\d\d(?!\w)"
)


@dataclass(frozen=True, slots=True)
class _SpelledReader:
    """Reads "7 мая 2023" in a language we hold no words for."""

    language: str

    def __call__(self, found: re.Match[str], moment: Moment) -> Answer:
        try:
            parsed = dateparser.parse(
                found[0],
                languages=[self.language],
                settings={"REQUIRE_PARTS": ["day", "month", "year"]},
            )
        except ValueError:  # a language dateparser does not know
            return UNREADABLE
        return day(parsed.date()) if parsed else UNREADABLE


def _joined(text: str, hits: list[_Hit], language: str) -> list[_Hit]:
    """Make one hit of "from May to June", and of "two weeks before 9 June"."""
    joined: list[_Hit] = []
    for hit in (_shifted(text, h, language) for h in hits):
        last = joined[-1] if joined else None
        if hit.period and hit.period.granularity == NOW:
            if last and last.period:
                joined[-1] = _until_now(last, last.period, hit)
            continue
        if (
            last
            and last.period
            and hit.period
            and joins(text[last.end : hit.start], last.cue, language)
        ):
            whole = _between(last.period, hit.period)
            if whole:
                cue = replace(last.cue, role="between")
                joined[-1] = _Hit(last.start, hit.end, cue, whole)
                continue
        joined.append(hit)
    return joined


def _until_now(opened: _Hit, first: Period, hit: _Hit) -> _Hit:
    """Make "from 2014 to now" a claim that began and goes on."""
    today = hit.period.start if hit.period else first.end
    literal = (first.start, today) if first.start < today else None
    return _Hit(
        opened.phrase_start,
        hit.end,
        Cue("since", opened.phrase_start),
        replace(first, literal=literal, relative=True),
    )


def _between(first: Period, last: Period) -> Period | None:
    """Take all from one period to the end of another; one may borrow the other's year."""
    if first.yearless and not (last.relative and first.start < last.end):
        first = _in_year(first, last.start.year, before=last)
    elif last.yearless and not first.relative:
        last = _in_year(last, first.start.year, after=first)
    if first.start >= last.end:
        return None
    relative = last.relative or first.relative
    return Period(
        first.start,
        last.end,
        last.granularity,
        relative=relative,
        ambiguous=last.ambiguous,
        literal=_counted(first, last),
    )


def _counted(first: Period, last: Period) -> tuple[date, date] | None:
    """Give a run up to its last part, or to the end of one that is "the end of" something."""
    is_late_half = (
        last.granularity in {"month", "year"}
        and last.start.replace(day=1, month=1 if last.granularity == "year" else last.start.month)
        != last.start
    )
    stop = last.end if is_late_half else last.start
    return (first.start, stop) if first.start < stop else None


def _in_year(
    period: Period, year: int, *, before: Period | None = None, after: Period | None = None
) -> Period:
    """Put a period that named no year into one, or the year next to it that keeps the order."""
    for candidate in (year, year - 1 if before else year + 1):
        moved = exact_day(candidate, period.start.month, period.start.day)
        if moved is None:
            continue
        start = moved.start
        end = add_days(start, (period.end - period.start).days)
        if period.granularity == "month":
            end = add_months(start, 1)
        fits = (not before or start < before.end) and (not after or start >= after.start)
        if end and fits:
            return Period(start, end, period.granularity)
    return period


def _shifted(text: str, hit: _Hit, language: str) -> _Hit:
    """Move a date by the "two weeks before" or "the week of" that stands in front of it."""
    offset = offset_before(text, hit.start, language)
    if offset is None or hit.period is None:
        return hit
    base = hit.period.start
    moved = (
        run_from(base, offset.unit, offset.steps)
        if offset.runs
        else distance(base, offset.unit, offset.steps)
        if offset.steps
        else unit_around(base, offset.unit, 0)
    )
    cue = cue_before(text, offset.start, hit.end, language=language)
    if moved is None:
        return _Hit(offset.start, hit.end, cue, None)
    return _Hit(
        offset.start,
        hit.end,
        cue,
        replace(moved, relative=True, ambiguous=hit.period.ambiguous),
    )


def _found(text: str, hit: _Hit, *, today: date, clock: ZoneInfo, language: str) -> FoundDate:
    """Place a hit on the clock: whole days of the zone, in UTC."""
    start = hit.phrase_start
    end = max(hit.end, hit.cue.end)
    period = hit.period
    found = FoundDate(
        phrase=text[start:end],
        start=start,
        end=end,
        from_=_midnight(period.start, clock) if period else None,
        to=_midnight(period.end, clock) if period else None,
        granularity=period.granularity if period else "",
        role=_role(hit, language),
        language=language,
        resolved=False,
    )
    if period is None or found.from_ is None or found.to is None:
        return replace(found, from_=None, to=None, granularity="")
    return replace(
        found,
        resolved=True,
        future=period.start > today,
        ambiguous=period.ambiguous,
        relative=period.relative,
        yearless=period.yearless,
        exclusive=hit.cue.exclusive,
        literal=period.literal,
    )


def _role(hit: _Hit, language: str) -> Role:
    """Say how a hit bounds a claim: "from 2014 to 2018" on both sides."""
    words, literal = WORDS.get(language), hit.period and hit.period.literal
    is_run = hit.period and literal and literal[0] == hit.period.start
    is_opened = words and re.fullmatch(words.opens, hit.cue.word, re.IGNORECASE)
    return "between" if hit.cue.role == "on" and is_run and is_opened else hit.cue.role


def _midnight(start: date, clock: ZoneInfo) -> datetime | None:
    """Give the instant a day begins in a zone; nothing at the edges of the calendar."""
    try:
        return datetime.combine(start, time.min, tzinfo=clock).astimezone(UTC)
    except OverflowError:
        return None
