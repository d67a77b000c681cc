"""What a person decided lately, and what of it can still be taken back."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from knowledge.models import Decision, DecisionKind

FREE_UNDO = timedelta(minutes=15)
SHOWN = 50
_UNDOABLE = (DecisionKind.APPROVE, DecisionKind.REJECT, DecisionKind.DEFER)


@dataclass(frozen=True, slots=True)
class OwnDecision:
    """One of a person's decisions. **Shape**: ``can_undo`` while undo is free and unspent."""

    id: str
    at: datetime | None
    kind: str
    reason_code: str
    note: str
    proposal_id: int | None
    text: str
    flags: tuple[str, ...]
    undone: bool
    can_undo: bool


def decisions_of(*, user_id: int, space_id: int, now: datetime) -> tuple[OwnDecision, ...]:
    """List a person's last decisions in a space, newest first. One query."""
    rows = (
        Decision.objects.filter(space_id=space_id, by_id=user_id)
        .select_related("proposal", "undone_by")
        .order_by("-seq")[:SHOWN]
    )
    return tuple(_own(row, now=now) for row in rows)


def space_of_decision(decision_id: UUID) -> int | None:
    """Return which space a decision belongs to. One query."""
    return Decision.objects.filter(pk=decision_id).values_list("space_id", flat=True).first()


def _own(row: Decision, *, now: datetime) -> OwnDecision:
    undone = hasattr(row, "undone_by")
    fresh = row.at is not None and now - row.at <= FREE_UNDO
    return OwnDecision(
        id=str(row.pk),
        at=row.at,
        kind=row.kind,
        reason_code=row.reason_code,
        note=row.note,
        proposal_id=row.proposal_id,
        text=row.proposal.text if row.proposal else "",
        flags=tuple(row.proposal.flags) if row.proposal else (),
        undone=undone,
        can_undo=row.kind in _UNDOABLE and fresh and not undone,
    )
