"""Everything one review card shows, read at once."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from knowledge.models import (
    Decision,
    Evidence,
    ExtractionRun,
    PredictedStatement,
    Proposal,
    Version,
)
from knowledge.queries.kept import Confidence, Kept, kept_of
from knowledge.queries.near import Near, nearest_to
from knowledge.queries.queue import confidence_of
from knowledge.queries.second import FirstApproval, first_approval
from knowledge.queries.siblings import waiting_in_topics
from knowledge.queries.targets import Target, target_of
from knowledge.queries.words import (
    Mark,
    Words,
    expected_in_run,
    marks_of_run,
    messages_around,
    quotes_of,
)
from knowledge.trust import WAITING_STATES, TrustState


@dataclass(frozen=True, slots=True)
class Rest:
    """What a prediction rests on: a statement, or a proposal that waited then.

    **Shape**: ``state`` is the proposal's state now; empty for a statement.
    """

    what: str
    id: int
    text: str
    state: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """One prediction, its outcome, and the gaps that went against or beyond it."""

    text: str
    outcome: str
    rests_on: tuple[Rest, ...]
    gaps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Which engine proposed it, and what that took. **Units**: ``duration_ms`` milliseconds."""

    id: int
    engine: str
    model: str
    prompt_version: str
    cold_start: bool
    shown: int
    duration_ms: int | None
    usage: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PastDecision:
    """A decision on this proposal. ``first_of_two`` ones wait for another person to agree."""

    id: str
    kind: str
    by: str
    at: datetime | None
    reason_code: str
    note: str
    undone: bool
    proposal_id: int | None
    first_of_two: bool
    by_id: int | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """Words a proposal rests on. **Shape**: ``id`` grows with every quote that joins."""

    id: int
    text: str


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """One proposal with all that is needed to decide on it.

    **Shape**: ``siblings`` counts what else waits in its topic, read in ``episode_id``.
    """

    id: int
    version: int
    space_id: int
    state: str
    kind: str
    kind_decided: str
    text: str
    original: dict[str, Any]
    subject: str
    about: str
    attribute: str
    value: str
    memory_type: str
    criticality: str
    modality: str
    language: str
    valid_from: datetime
    valid_to: datetime | None
    start_basis: str
    date_phrase: str
    reason: str
    flags: tuple[str, ...]
    aside_reason: str
    stale_reason: str
    deferred_until: datetime | None
    confidence: Confidence
    surprise: float
    unexpected: tuple[str, ...]
    target: Target | None
    waits_on: Rest | None
    expected: tuple[Expected, ...]
    words: Words
    nearest: tuple[Near, ...]
    run: RunFacts | None
    conversation_id: int | None
    conversation_title: str
    said_at: datetime | None
    siblings: int
    episode_id: int | None
    elsewhere: tuple[Mark, ...]
    decisions: tuple[PastDecision, ...]
    first: FirstApproval | None
    quotes: tuple[Quote, ...] = ()

    @property
    def is_open(self) -> bool:
        """Tell whether the proposal still waits for a decision."""
        return self.state in WAITING_STATES

    @property
    def awaits_second(self) -> bool:
        """Tell whether one person approved and another must agree."""
        return self.state == TrustState.AWAITING_SECOND

    @property
    def is_aside(self) -> bool:
        """Tell whether the gates set it aside."""
        return self.state == TrustState.SET_ASIDE

    @property
    def is_edited(self) -> bool:
        """Tell whether a person changed the words of the extraction."""
        return bool(self.original.get("text", self.text) != self.text)


def space_of_proposal(proposal_id: int) -> int | None:
    """Return which space a proposal belongs to. One query."""
    return Proposal.objects.filter(pk=proposal_id).values_list("space_id", flat=True).first()


def card(
    proposal_id: int,
    *,
    space_id: int,
    before: int = 0,
    after: int = 0,
    kept: Kept | None = None,
) -> ReviewCard | None:
    """Read a review card, or None where the space has no such proposal.

    **Shape**: ``before`` and ``after`` open further messages; ``kept`` is given where the list
    beside it was told by it already: it counts all that was ever decided in the space.
    **Cost**: at most 23 queries.
    """
    proposal = (
        Proposal.objects.filter(space_id=space_id, pk=proposal_id, redacted_at__isnull=True)
        .select_related("subject", "run__episode__conversation", "target_seen", "waits_on")
        .first()
    )
    if proposal is None:
        return None
    evidence = list(
        Evidence.objects.filter(proposal=proposal)
        .select_related("message__conversation")
        .order_by("message__sent_at", "message__ordinal", "start")
    )
    words, elsewhere, conversation_id = _words(proposal, evidence, before=before, after=after)
    conversation = evidence[0].message.conversation if evidence else None
    read_in = evidence[0].message.episode_id if evidence else None
    episode_id = proposal.run.episode_id if proposal.run else read_in
    return ReviewCard(
        **_plain(proposal),
        confidence=confidence_of(proposal, kept or kept_of(space_id)),
        target=target_of(proposal),
        waits_on=_waits_on(proposal),
        expected=expected_of(proposal.run, words.marks) if proposal.run else (),
        words=words,
        nearest=nearest_to(
            proposal.text,
            space_id=space_id,
            subject_id=proposal.subject_id,
            besides=proposal.pk,
        ),
        run=_run(proposal.run) if proposal.run else None,
        conversation_id=conversation_id,
        conversation_title=conversation.title if conversation else "",
        said_at=evidence[0].message.sent_at if evidence else None,
        siblings=_siblings(proposal, episode_id=episode_id),
        episode_id=episode_id,
        elsewhere=elsewhere,
        decisions=decisions_on(proposal.pk),
        first=first_approval(proposal),
        quotes=tuple(Quote(row.pk, row.quote) for row in sorted(evidence, key=lambda row: row.pk)),
    )


def decisions_on(
    *proposal_ids: int, statement_id: int | None = None, besides: Collection[UUID] = ()
) -> tuple[PastDecision, ...]:
    """List what was decided on proposals, newest first. One query.

    **Shape**: with ``statement_id`` also on that statement; ``besides`` names further ones.
    """
    wanted = Q(proposal_id__in=proposal_ids) | Q(pk__in=besides)
    if statement_id is not None:
        wanted |= Q(statement_id=statement_id)
    rows = Decision.objects.filter(wanted).select_related("by", "undone_by").order_by("-seq")
    return tuple(
        PastDecision(
            id=str(row.pk),
            kind=row.kind,
            by=row.by.get_username() if row.by else row.policy,
            at=row.at,
            reason_code=row.reason_code,
            note=row.note,
            undone=hasattr(row, "undone_by"),
            proposal_id=row.proposal_id,
            first_of_two=row.kind == "approve" and row.state_after == TrustState.AWAITING_SECOND,
            by_id=row.by_id,
        )
        for row in rows
    )


def quotes_after(proposal_id: int, *, last: int) -> tuple[Quote, ...]:
    """Return the quotes that joined a proposal after the one with the id ``last``. One query."""
    rows = Evidence.objects.filter(proposal_id=proposal_id, pk__gt=last).order_by("pk")
    return tuple(Quote(pk, text) for pk, text in rows.values_list("pk", "quote"))


def _plain(proposal: Proposal) -> dict[str, Any]:
    names = (
        "id version space_id state kind_decided text original about attribute value memory_type "
        "criticality modality language valid_from valid_to start_basis date_phrase reason "
        "aside_reason stale_reason deferred_until surprise"
    )
    return {
        **{name: getattr(proposal, name) for name in names.split()},
        "kind": proposal.kind_suggested,
        "subject": proposal.subject.name,
        "flags": tuple(proposal.flags),
        "unexpected": tuple(proposal.unexpected),
    }


def _words(
    proposal: Proposal, evidence: list[Evidence], *, before: int, after: int
) -> tuple[Words, tuple[Mark, ...], int | None]:
    numbered = marks_of_run(proposal.run_id, proposal_id=proposal.pk) if proposal.run_id else ()
    quotes = quotes_of(proposal.pk, beside=numbered)
    if proposal.run:
        conversation_id: int | None = proposal.run.episode.conversation_id
    else:
        conversation_id = evidence[0].message.conversation_id if evidence else None
    anchors = {mark.message_id for mark in numbered if mark.tone == "this"}
    anchors |= {row.message_id for row in evidence}
    shown, earlier, later = messages_around(
        anchors,
        conversation_id=conversation_id or 0,
        marks=(*numbered, *quotes),
        subject_id=proposal.subject_id,
        before=before,
        after=after,
    )
    here = {message.id for message in shown}
    return (
        Words(
            messages=shown,
            marks=numbered,
            expected=expected_in_run(proposal.run_id) if proposal.run_id else (),
            earlier=earlier,
            later=later,
        ),
        tuple(quote for quote in quotes if quote.message_id not in here),
        conversation_id,
    )


def expected_of(run: ExtractionRun, marks: tuple[Mark, ...]) -> tuple[Expected, ...]:
    """Return a run's predictions with what they rest on. Four queries."""
    rows = list(PredictedStatement.objects.filter(run=run).prefetch_related("gaps"))
    rests = resolve({ref for row in rows for ref in row.rests_on}, space_id=run.space_id)
    numbers = {mark.gap_id: mark.number for mark in marks}
    return tuple(
        Expected(
            text=row.text,
            outcome=row.outcome,
            rests_on=tuple(rests[ref] for ref in row.rests_on if ref in rests),
            gaps=tuple(sorted(numbers[gap.pk] for gap in row.gaps.all() if gap.pk in numbers)),
        )
        for row in rows
    )


def resolve(refs: set[str], *, space_id: int) -> dict[str, Rest]:
    """Return the words behind refs of one space. **Cost**: two queries."""
    ids: dict[str, list[int]] = {"statement": [], "proposal": []}
    for ref in refs:
        what, _, number = ref.partition(":")
        if what in ids and number.isdigit():
            ids[what].append(int(number))
    found: dict[str, Rest] = {}
    versions = Version.objects.filter(space_id=space_id, statement_id__in=ids["statement"])
    for version in versions.order_by("tx_from", "pk"):
        found[f"statement:{version.statement_id}"] = Rest(
            "statement", version.statement_id, version.text
        )
    for proposal in Proposal.objects.filter(space_id=space_id, pk__in=ids["proposal"]):
        found[f"proposal:{proposal.pk}"] = Rest(
            "proposal", proposal.pk, proposal.text, proposal.get_state_display().lower()
        )
    return found


def _waits_on(proposal: Proposal) -> Rest | None:
    """Return what this would replace while that still waits itself."""
    first = proposal.waits_on
    if first is None or first.state not in WAITING_STATES:
        return None
    return Rest("proposal", first.pk, first.text)


def _run(run: ExtractionRun) -> RunFacts:
    return RunFacts(
        id=run.pk,
        engine=run.engine,
        model=run.model,
        prompt_version=run.prompt_version,
        cold_start=run.cold_start,
        shown=len(run.shown),
        duration_ms=run.duration_ms,
        usage=dict(run.usage),
    )


def _siblings(proposal: Proposal, *, episode_id: int | None) -> int:
    """Count what else waits for a first decision in the same topic."""
    if episode_id is None:
        return 0
    counted = proposal.run_id is not None and proposal.state == TrustState.PENDING
    return waiting_in_topics([episode_id]).get(episode_id, 0) - counted
