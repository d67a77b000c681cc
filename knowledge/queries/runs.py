"""One extraction run: what it was shown, what it expected, what it found and what was kept."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from knowledge.models import (
    Arm,
    Evidence,
    ExtractionRun,
    Message,
    Proposal,
    ShadowCandidate,
    ShadowQuote,
)
from knowledge.queries.review import Expected, Rest, expected_of, resolve
from knowledge.queries.usage import Usage, usage_of
from knowledge.queries.words import ExpectedWords, Mark, expected_in_run, marks_of_run
from knowledge.trust import TrustState

# Kinds a person speaks in; anything else is never the subject's own words.
PERSONAL_KINDS = frozenset({"user_message", "user_feedback"})
# What a candidate of a shadow run would have become.
WOULD_WAIT = "would_wait"

Place = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a run found, and what the gates and people made of it. ``score`` 0..1.

    **Shape**: ``proposal_id`` is None for a candidate of a shadow run, which proposes nothing.
    ``aside_reason`` is the gates' word, whatever a person did since. ``places`` are message,
    start and end of its quotes, in code points; ``target_id`` is the statement it speaks to.
    """

    id: int
    proposal_id: int | None
    text: str
    kind: str
    state: str
    aside_reason: str
    flags: tuple[str, ...]
    score: float
    target_id: int | None
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Yield:
    """How many messages of the subject a run read, and how many gave something not set aside."""

    messages: int
    yielding: int

    @property
    def rate(self) -> float | None:
        """Return the extraction rate, 0..1; None without a message."""
        return self.yielding / self.messages if self.messages else None


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A run in full. **Units**: ``duration_ms`` milliseconds.

    **Shape**: a ``shadow`` run stands ``beside_id`` another and was ``asked_by`` somebody;
    ``expects`` is False with prediction off.
    """

    id: int
    engine: str
    model: str
    predict_model: str
    prompt_version: str
    embedder: str
    subject_id: int
    subject: str
    episode_id: int
    conversation_id: int
    episode_title: str
    narrative: str
    cold_start: bool
    expects: bool
    shadow: bool
    beside_id: int | None
    asked_by: str
    state: str
    error: str
    started_at: datetime
    duration_ms: int | None
    usage: Usage
    shown: tuple[Rest, ...]
    shown_gone: int
    expected: tuple[Expected, ...]
    gaps: tuple[Mark, ...]
    covered: tuple[ExpectedWords, ...]
    candidates: tuple[Candidate, ...]
    yielded: Yield

    @property
    def is_open(self) -> bool:
        """Tell whether it is still to be worked out."""
        return self.state in {"queued", "running"}

    @property
    def found(self) -> tuple[Candidate, ...]:
        """Return the candidates the gates let pass."""
        return tuple(one for one in self.candidates if not one.aside_reason)


def space_of_run(run_id: int) -> int | None:
    """Return which space a run belongs to. One query."""
    return ExtractionRun.objects.filter(pk=run_id).values_list("space_id", flat=True).first()


def run(run_id: int, *, space_id: int) -> ReadRun | None:
    """Read a run, or None where the space has none. **Cost**: 13 queries."""
    row = (
        ExtractionRun.objects.filter(space_id=space_id, pk=run_id)
        .select_related("subject", "episode", "asked_by")
        .first()
    )
    if row is None:
        return None
    gaps = marks_of_run(row.pk, proposal_id=None)
    found = resolve(set(row.shown), space_id=space_id)
    candidates = _shadow_candidates(row) if row.shadow else _candidates(row)
    return ReadRun(
        **{
            name: getattr(row, name)
            for name in (
                "id engine model predict_model prompt_version embedder subject_id episode_id "
                "cold_start shadow beside_id state error started_at duration_ms"
            ).split()
        },
        subject=row.subject.name,
        conversation_id=row.episode.conversation_id,
        episode_title=row.episode.title,
        narrative=row.episode.narrative,
        expects=row.arm == Arm.PREDICT,
        asked_by=row.asked_by.get_username() if row.asked_by else "",
        usage=usage_of(row.usage),
        shown=tuple(found[ref] for ref in row.shown if ref in found),
        shown_gone=sum(1 for ref in row.shown if ref not in found),
        expected=expected_of(row, gaps),
        gaps=gaps,
        covered=expected_in_run(row.pk),
        candidates=candidates,
        yielded=_yielded(row, candidates),
    )


def _candidates(run: ExtractionRun) -> tuple[Candidate, ...]:
    quotes = Evidence.objects.filter(proposal__run=run, run=run).order_by("message_id", "start")
    places = _by_owner(quotes.values_list("proposal_id", "message_id", "start", "end"))
    return tuple(
        Candidate(
            id=row.pk,
            proposal_id=row.pk,
            text=row.text,
            kind=row.kind_suggested,
            state=row.state,
            aside_reason=row.aside_reason,
            flags=tuple(row.flags),
            score=row.confidence,
            target_id=row.target_id,
            places=places.get(row.pk, ()),
        )
        for row in Proposal.objects.filter(run=run).order_by("ordinal")
    )


def _shadow_candidates(run: ExtractionRun) -> tuple[Candidate, ...]:
    quotes = ShadowQuote.objects.filter(candidate__run=run).order_by("message_id", "start")
    places = _by_owner(quotes.values_list("candidate_id", "message_id", "start", "end"))
    return tuple(
        Candidate(
            id=row.pk,
            proposal_id=None,
            text=row.text,
            kind=row.kind,
            state=TrustState.SET_ASIDE if row.aside_reason else WOULD_WAIT,
            aside_reason=row.aside_reason,
            flags=tuple(row.flags),
            score=row.confidence,
            target_id=row.target_id,
            places=places.get(row.pk, ()),
        )
        for row in ShadowCandidate.objects.filter(run=run).order_by("ordinal")
    )


def _by_owner(rows: "QuerySet[Any, tuple[int, int, int, int]]") -> dict[int, tuple[Place, ...]]:
    found: dict[int, tuple[Place, ...]] = {}
    for owner, *place in rows:
        message_id, start, end = place
        found[owner] = (*found.get(owner, ()), (message_id, start, end))
    return found


def _yielded(run: ExtractionRun, candidates: tuple[Candidate, ...]) -> Yield:
    """Count the subject's messages of the episode, and those that gave something. One query."""
    by_subject = Q(speaker_id=run.subject_id)
    if run.subject.kind != "user":
        by_subject |= Q(speaker_id__isnull=True)
    own = set(
        Message.objects.filter(by_subject, episode_id=run.episode_id, kind__in=PERSONAL_KINDS)
        .exclude(text="")
        .values_list("pk", flat=True)
    )
    gave = {place[0] for one in candidates if not one.aside_reason for place in one.places}
    return Yield(messages=len(own), yielding=len(own & gave))
