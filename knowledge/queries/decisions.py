"""What a person decided lately, and what of it can still be taken back."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Prefetch

from knowledge.models import Decision, DecisionKind, Version
from knowledge.policies import can_undo_freely

SHOWN = 50
UNDOABLE = frozenset(
    {
        DecisionKind.APPROVE,
        DecisionKind.CONFIRM,
        DecisionKind.REJECT,
        DecisionKind.DEFER,
        DecisionKind.RETRACT,
        DecisionKind.REFUTE,
        DecisionKind.RESTORE,
        DecisionKind.MERGE,
        DecisionKind.RESOLVE,
    }
)
"""Kinds a screen offers to undo; the command that undoes has the last word."""


@dataclass(frozen=True, slots=True)
class OwnDecision:
    """One of a person's decisions, about a proposal or about a statement.

    **Shape**: ``can_undo`` while undo is free and unspent.
    """

    id: str
    at: datetime | None
    kind: str
    reason_code: str
    note: str
    proposal_id: int | None
    statement_id: int | None
    text: str
    flags: tuple[str, ...]
    awaits_second: bool
    undone: bool
    can_undo: bool


def decisions_of(*, user_id: int, space_id: int, now: datetime) -> tuple[OwnDecision, ...]:
    """List a person's last decisions in a space, newest first. Two queries."""
    versions = Version.objects.select_related("proposal").order_by("-pk")
    rows = (
        Decision.objects.filter(space_id=space_id, by_id=user_id)
        .select_related("proposal", "statement", "undone_by")
        .prefetch_related(Prefetch("statement__versions", queryset=versions))
        .order_by("-seq")[:SHOWN]
    )
    return tuple(_own(row, now=now) for row in rows)


def space_of_decision(decision_id: UUID) -> int | None:
    """Return which space a decision belongs to. One query."""
    return Decision.objects.filter(pk=decision_id).values_list("space_id", flat=True).first()


def _own(row: Decision, *, now: datetime) -> OwnDecision:
    undone = hasattr(row, "undone_by")
    fresh = can_undo_freely(at=row.at, now=now)
    text, flags = _words(row)
    return OwnDecision(
        id=str(row.pk),
        at=row.at,
        kind=row.kind,
        reason_code=row.reason_code,
        note=row.note,
        proposal_id=row.proposal_id,
        statement_id=row.statement_id,
        text=text,
        flags=flags,
        awaits_second=row.kind == DecisionKind.APPROVE and row.state_after == "awaiting_second",
        undone=undone,
        can_undo=row.kind in UNDOABLE and fresh and not undone,
    )


def _words(row: Decision) -> tuple[str, tuple[str, ...]]:
    """Return what a decision was about in words, and what to be careful about in them."""
    if row.proposal is not None:
        return row.proposal.text, tuple(row.proposal.flags)
    version = next(iter(row.statement.versions.all()), None) if row.statement else None
    return (version.text, tuple(version.proposal.flags)) if version else ("", ())
