"""When a candidate holds: the model says which words tell it, the words say when.

A model's own date is never taken on its word: the phrase it quotes is resolved on the time its
message was sent, and where that gives nothing, the phrase stays and is flagged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from extraction.dates import FoundDate, find_dates
from extraction.engines.base import EpisodeMessage
from extraction.engines.openai.answers import ColdCandidateAnswer
from extraction.quotes import locate

UNRESOLVED = "unresolved_date"


@dataclass(frozen=True, slots=True)
class Period:
    """When a statement holds and the words that say so. **Units**: aware UTC, half-open."""

    valid_from: datetime | None = None
    valid_to: datetime | None = None
    phrase: str = ""
    notes: tuple[str, ...] = ()


def is_relative(text: str, *, said_at: datetime, zone: str) -> bool:
    """Say whether a statement tells a time that only its day explains ("last month")."""
    found = find_dates(text, reference=said_at, zone=zone)
    return any(date.relative and not date.yearless for date in found)


def period_of(
    candidate: ColdCandidateAnswer, quoted: Sequence[EpisodeMessage], *, zone: str
) -> Period:
    """Work out when a candidate holds, from the messages it quotes."""
    claims = candidate.valid_from is not None or candidate.valid_to is not None
    found = _in_words(candidate, quoted, zone=zone)
    if found is None:
        return Period(notes=(UNRESOLVED,) if claims else ())
    phrase, told = found
    if not claims:
        return Period(phrase=phrase)
    starts = [date.starts_at for date in told if date.starts_at is not None]
    ends = [date.ends_at for date in told if date.ends_at is not None]
    start = starts[0] if starts and candidate.valid_from is not None else None
    end = ends[0] if ends and candidate.valid_to is not None else None
    if start is not None and end is not None and start >= end:
        start = end = None
    is_dated = start is not None or end is not None
    return Period(start, end, phrase, () if is_dated else (UNRESOLVED,))


def _in_words(
    candidate: ColdCandidateAnswer, quoted: Sequence[EpisodeMessage], *, zone: str
) -> tuple[str, tuple[FoundDate, ...]] | None:
    """Find the phrase in a quoted message, and the dates it stands for there."""
    for message in quoted:
        span = locate(candidate.date_phrase, message.text)
        if span is None:
            continue
        found = find_dates(message.text, reference=message.sent_at, zone=zone)
        told = tuple(
            date
            for date in found
            if date.start < span.end
            and span.start < date.end
            and date.resolved
            and not date.ambiguous
        )
        return message.text[span.start : span.end], told
    return None
