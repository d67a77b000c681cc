"""One extraction run: what it was shown, what it expected, what it found and what was kept."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from knowledge.models import ExtractionRun, Proposal
from knowledge.queries.review import Expected, Rest, expected_of, resolve
from knowledge.queries.words import ExpectedWords, Mark, expected_in_run, marks_of_run


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a run proposed, and what the gates and people made of it. ``score`` 0..1."""

    id: int
    text: str
    kind: str
    state: str
    aside_reason: str
    flags: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A run in full. **Units**: ``duration_ms`` milliseconds."""

    id: int
    engine: str
    model: str
    prompt_version: str
    embedder: str
    subject: str
    conversation_id: int
    episode_title: str
    narrative: str
    cold_start: bool
    shadow: bool
    state: str
    error: str
    started_at: datetime
    duration_ms: int | None
    usage: dict[str, Any]
    shown: tuple[Rest, ...]
    shown_gone: int
    expected: tuple[Expected, ...]
    gaps: tuple[Mark, ...]
    covered: tuple[ExpectedWords, ...]
    candidates: tuple[Candidate, ...]


def space_of_run(run_id: int) -> int | None:
    """Return which space a run belongs to. One query."""
    return ExtractionRun.objects.filter(pk=run_id).values_list("space_id", flat=True).first()


def run(run_id: int, *, space_id: int) -> ReadRun | None:
    """Read a run, or None where the space has none. **Cost**: 11 queries."""
    row = (
        ExtractionRun.objects.filter(space_id=space_id, pk=run_id)
        .select_related("subject", "episode")
        .first()
    )
    if row is None:
        return None
    gaps = marks_of_run(row.pk, proposal_id=None)
    found = resolve(set(row.shown), space_id=space_id)
    return ReadRun(
        **{
            name: getattr(row, name)
            for name in (
                "id engine model prompt_version embedder cold_start shadow state error "
                "started_at duration_ms"
            ).split()
        },
        subject=row.subject.name,
        conversation_id=row.episode.conversation_id,
        episode_title=row.episode.title,
        narrative=row.episode.narrative,
        usage=dict(row.usage),
        shown=tuple(found[ref] for ref in row.shown if ref in found),
        shown_gone=sum(1 for ref in row.shown if ref not in found),
        expected=expected_of(row, gaps),
        gaps=gaps,
        covered=expected_in_run(row.pk),
        candidates=tuple(_candidate(item) for item in row.proposals.order_by("ordinal")),
    )


def _candidate(row: Proposal) -> Candidate:
    return Candidate(
        id=row.pk,
        text=row.text,
        kind=row.kind_suggested,
        state=row.state,
        aside_reason=row.aside_reason if row.state == "set_aside" else "",
        flags=tuple(row.flags),
        score=row.confidence,
    )
