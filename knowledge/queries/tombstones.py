"""Tombstones: what may not be learned again unnoticed, by whom, and what each stopped since."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet

from knowledge.models import AuditEvent, Outcome, Proposal, Tombstone, Version
from knowledge.trust import TrustState

TOMBSTONES_A_PAGE = 50
MOST_STOPPED = 100
TOMBSTONE = "tombstone"
# Acts on a tombstone itself: being refused these is nothing that it stopped.
ITS_OWN = ("tombstone", "lift_tombstone", "tombstone.lift")


@dataclass(frozen=True, slots=True)
class Lifted:
    """Who allowed it again, when, and why."""

    by: str
    at: datetime | None
    note: str


@dataclass(frozen=True, slots=True)
class TombstoneRow:
    """One tombstone.

    **Shape**: ``level``, ``cause`` and ``effect`` in words; ``erasure_id`` or ``statement_id`` is
    what it came from; ``attempts`` counts refused acts, ``stopped`` proposals. ``said_until``
    narrows a block to words said before that instant.
    """

    id: int
    level: str
    cause: str
    effect: str
    subject: str
    subject_is_erased: bool
    said_until: datetime | None
    planted_at: datetime | None
    planted_by: str
    reason_code: str
    erasure_id: UUID | None
    statement_id: int | None
    stopped: int
    attempts: int
    lifted: Lifted | None

    @property
    def stopped_since(self) -> int:
        """Return how many times it did its work."""
        return self.stopped + self.attempts


@dataclass(frozen=True, slots=True)
class Stopped:
    """A proposal that a tombstone stopped or marked. ``can_return``: a person may propose it."""

    proposal_id: int
    text: str
    flags: tuple[str, ...]
    subject: str
    state: str
    aside_reason: str
    created_at: datetime
    can_return: bool
    is_erased: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """An act that was refused because of a tombstone."""

    at: datetime
    by: str
    channel: str
    action: str
    reason_code: str


def tombstones(
    *, space_id: int, lifted: bool = False, after: int | None = None
) -> tuple[TombstoneRow, ...]:
    """List tombstones, newest first; one row beyond a page. **Cost**: three queries."""
    rows = _rows(space_id).filter(lifted_by__isnull=not lifted)
    if after:
        rows = rows.filter(pk__lt=after)
    return _read(list(rows.order_by("-pk")[: TOMBSTONES_A_PAGE + 1]), space_id=space_id)


def tombstone(tombstone_id: int, *, space_id: int) -> TombstoneRow | None:
    """Read one, or None where the space has none. **Cost**: three queries."""
    rows = list(_rows(space_id).filter(pk=tombstone_id))
    return next(iter(_read(rows, space_id=space_id)), None)


def beside(tombstone_id: int, *, space_id: int) -> tuple[TombstoneRow, ...]:
    """List what else stands from the same decision: one value may have several. Three queries."""
    same = Tombstone.objects.filter(pk=tombstone_id).values("decision_id")
    rows = _rows(space_id).filter(decision_id__in=same, lifted_by__isnull=True)
    found = rows.exclude(pk=tombstone_id).order_by("pk")[:MOST_STOPPED]
    return _read(list(found), space_id=space_id)


def standing_count(space_id: int) -> int:
    """Count the tombstones that stand. One query."""
    return Tombstone.objects.filter(space_id=space_id, lifted_by__isnull=True).count()


def standing_key_versions() -> list[int]:
    """List the versions of the keys that standing tombstones were made with. One query."""
    standing = Tombstone.objects.filter(lifted_by__isnull=True)
    return list(standing.order_by("key_version").values_list("key_version", flat=True).distinct())


def space_of_tombstone(tombstone_id: int) -> int | None:
    """Return which space a tombstone belongs to. One query."""
    found = Tombstone.objects.filter(pk=tombstone_id)
    return found.values_list("space_id", flat=True).first()


def stopped_by(tombstone_id: int, *, space_id: int) -> tuple[Stopped, ...]:
    """List what a tombstone stopped or marked, newest first. One query."""
    rows = (
        Proposal.objects.filter(space_id=space_id, stopped_by_id=tombstone_id)
        .select_related("subject")
        .order_by("-pk")
    )
    return tuple(
        Stopped(
            proposal_id=row.pk,
            text=row.text,
            flags=tuple(row.flags),
            subject=row.subject.name,
            state=row.state,
            aside_reason=row.aside_reason,
            created_at=row.created_at,
            can_return=row.state == TrustState.SET_ASIDE and row.redacted_at is None,
            is_erased=row.redacted_at is not None,
        )
        for row in rows[:MOST_STOPPED]
    )


def attempts_at(tombstone_id: int, *, space_id: int) -> tuple[Attempt, ...]:
    """List the acts that were refused because of a tombstone, newest first. One query."""
    rows = _refused(space_id).filter(object_id=str(tombstone_id)).order_by("-seq")
    return tuple(
        Attempt(row.at, row.actor_id, row.channel, row.action, row.reason_code)
        for row in rows[:MOST_STOPPED]
    )


def _rows(space_id: int) -> QuerySet[Any]:
    return (
        Tombstone.objects.filter(space_id=space_id)
        .select_related("subject", "decision__by", "decision__erasure", "lifted_by__by")
        .annotate(number_stopped=Count("stopped"))
    )


def _refused(space_id: int) -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(
        ledger__space_id=space_id, object_type=TOMBSTONE, outcome=Outcome.DENIED
    ).exclude(action__in=ITS_OWN)


def _read(rows: list[Any], *, space_id: int) -> tuple[TombstoneRow, ...]:
    keys = [str(row.pk) for row in rows]
    refused = _refused(space_id).filter(object_id__in=keys).order_by()
    attempts = Counter(refused.values_list("object_id", flat=True))
    of = _statements(row.decision_id for row in rows) if rows else {}
    return tuple(
        _row(row, attempts=attempts[str(row.pk)], statement_id=of.get(row.decision_id))
        for row in rows
    )


def _statements(decisions: Iterable[UUID]) -> dict[UUID, int]:
    """Statements that decisions ended: what was refuted."""
    rows = Version.objects.filter(closed_by__in=set(decisions), redacted_at__isnull=True)
    return dict(rows.values_list("closed_by_id", "statement_id"))


def _row(row: Any, *, attempts: int, statement_id: int | None) -> TombstoneRow:
    decision, erasure = row.decision, getattr(row.decision, "erasure", None)
    return TombstoneRow(
        id=row.pk,
        level=row.get_level_display(),
        cause=row.get_cause_display(),
        effect=row.get_effect_display(),
        subject=row.subject.name if row.subject else "",
        subject_is_erased=row.subject is not None and row.subject.redacted_at is not None,
        said_until=row.evidence_until,
        planted_at=decision.at,
        planted_by=decision.by.get_username() if decision.by else decision.policy,
        reason_code=decision.reason_code,
        erasure_id=erasure.pk if erasure else None,
        statement_id=statement_id,
        stopped=row.number_stopped,
        attempts=attempts,
        lifted=_lifted(row),
    )


def _lifted(row: Tombstone) -> Lifted | None:
    decision = row.lifted_by
    if decision is None:
        return None
    by = decision.by.get_username() if decision.by else decision.policy
    return Lifted(by=by, at=decision.at, note=decision.note)
