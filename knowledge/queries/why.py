"""Why a version is believed: what was predicted, what the words said beyond it, who decided how."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from knowledge.models import Decision, DecisionKind, ExtractionRun, Gap, Proposal, Version
from knowledge.queries.kept import Confidence, kept_of
from knowledge.queries.queue import confidence_of
from knowledge.queries.review import Expected, expected_of

_APPROVALS = (DecisionKind.APPROVE, DecisionKind.CONFIRM)


@dataclass(frozen=True, slots=True)
class GapWords:
    """Words a proposal was made from. **Shape**: ``predicted`` is '' where nothing was expected."""

    quote: str
    kind: str
    predicted: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Grounds:
    """A decision with what the person had before their eyes.

    **Shape**: ``guideline_id`` and ``policy_id`` are the versions then in force, None where the
    space had none; ``opened_at`` is None for a decision made without a card; ``card_digest`` is
    '' where no card was shown.
    """

    id: str
    kind: str
    by: str
    at: datetime | None
    channel: str
    reason_code: str
    note: str
    first_of_two: bool
    opened_at: datetime | None
    evidence_opened: bool
    card_digest: str
    guideline_id: int | None
    guideline_set_at: datetime | None
    policy_id: int | None
    policy: str


@dataclass(frozen=True, slots=True)
class Why:
    """What stands behind one version."""

    proposal_id: int
    run_id: int | None
    engine: str
    shown: int
    cold_start: bool
    gaps: tuple[GapWords, ...]
    confidence: Confidence
    surprise: float
    unexpected: tuple[str, ...]
    flags: tuple[str, ...]
    edited: bool
    grounds: tuple[Grounds, ...]


def why(version_id: int, *, space_id: int) -> Why | None:
    """Read what stands behind a version, or None where the space has none. Four queries."""
    version = (
        Version.objects.filter(pk=version_id, space_id=space_id)
        .select_related("proposal__run")
        .first()
    )
    if version is None:
        return None
    proposal, run = version.proposal, version.proposal.run
    return Why(
        proposal_id=proposal.pk,
        run_id=run.pk if run else None,
        engine=run.engine if run else "",
        shown=len(run.shown) if run else 0,
        cold_start=run.cold_start if run else False,
        gaps=_gaps(proposal),
        confidence=confidence_of(proposal, kept_of(space_id)),
        surprise=proposal.surprise,
        unexpected=tuple(proposal.unexpected),
        flags=tuple(proposal.flags),
        edited=proposal.original.get("text", proposal.text) != proposal.text,
        grounds=_grounds(version),
    )


def predictions_behind(behind: Why) -> tuple[Expected, ...]:
    """List what was expected where the proposal came from. **Cost**: seven queries at most."""
    if behind.run_id is None:
        return ()
    run = ExtractionRun.objects.get(pk=behind.run_id)
    return expected_of(run, ())


def _gaps(proposal: Proposal) -> tuple[GapWords, ...]:
    rows = (
        Gap.objects.filter(proposals=proposal)
        .select_related("message", "predicted")
        .order_by("message__sent_at", "message__ordinal", "start")
    )
    return tuple(
        GapWords(
            quote=row.message.text[row.start : row.end],
            kind=row.get_kind_display(),
            predicted=row.predicted.text if row.predicted else "",
            outcome=row.predicted.outcome if row.predicted else "",
        )
        for row in rows
    )


def _grounds(version: Version) -> tuple[Grounds, ...]:
    rows = (
        Decision.objects.filter(
            Q(pk=version.opened_by_id) | Q(proposal_id=version.proposal_id, kind__in=_APPROVALS),
            undone_by__isnull=True,
        )
        .select_related("by", "guideline", "policy_version")
        .order_by("seq")
    )
    return tuple(_ground(row) for row in rows)


def _ground(row: Decision) -> Grounds:
    return Grounds(
        id=str(row.pk),
        kind=row.kind,
        by=row.by.get_username() if row.by else row.policy,
        at=row.at,
        channel=row.channel,
        reason_code=row.reason_code,
        note=row.note,
        first_of_two=row.kind == DecisionKind.APPROVE and row.state_after == "awaiting_second",
        opened_at=row.opened_at,
        evidence_opened=row.evidence_opened,
        card_digest=row.card_digest,
        guideline_id=row.guideline_id,
        guideline_set_at=row.guideline.created_at if row.guideline else None,
        policy_id=row.policy_version_id,
        policy=row.policy_version.get_four_eyes_display() if row.policy_version else "",
    )
