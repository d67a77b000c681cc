"""Erasures: who asked, who confirmed, how far each came, and which of them emptied a thing."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import Q, QuerySet

from knowledge.models import ErasureKind, ErasureRequest, ErasureState, Job, JobState, Message

ERASURES_A_PAGE = 50
MOST_OPEN = 50
ERASE_JOB = "erase"
Thing = Literal["subjects", "conversations", "statements", "proposals"]


@dataclass(frozen=True, slots=True)
class ErasureRow:
    """One erasure.

    **Shape**: ``target_id`` is the id of what is named, for a value of its subject; ``words`` and
    ``note`` are empty once it is closed; ``counts`` by noun, as they were when last written down.
    """

    id: UUID
    space_id: int
    kind: str
    target_id: int
    words: str
    whole_conversations: bool
    blocks: bool
    reason: str
    note: str
    state: str
    asked_by_id: int | None
    asked_by: str
    asked_at: datetime
    confirmed_by_id: int | None
    confirmed_by: str
    confirmed_at: datetime | None
    closed_by: str
    closed_at: datetime | None
    replayed: bool
    digest: str
    counts: Mapping[str, int]
    certificate: Mapping[str, Any] | None

    @property
    def is_open(self) -> bool:
        """Tell whether it waits for a second person."""
        return self.state == ErasureState.ASKED

    @property
    def is_under_way(self) -> bool:
        """Tell whether it was confirmed, and a worker is about to do it."""
        return self.state == ErasureState.CONFIRMED

    @property
    def is_done(self) -> bool:
        """Tell whether everything it reached is empty."""
        return self.state == ErasureState.DONE


@dataclass(frozen=True, slots=True)
class Gone:
    """When a thing lost its words, and by which erasure; None where that cannot be told."""

    at: datetime
    erasure_id: UUID | None


def erasure(erasure_id: UUID, *, space_id: int) -> ErasureRow | None:
    """Read one erasure, or None where the space has none. One query."""
    row = _rows(space_id).filter(pk=erasure_id).first()
    return _row(row) if row else None


def open_erasures(space_id: int) -> tuple[ErasureRow, ...]:
    """List what waits for a second person or for the worker, oldest first. One query."""
    waiting = [ErasureState.ASKED, ErasureState.CONFIRMED]
    rows = _rows(space_id).filter(state__in=waiting).order_by("requested_at", "pk")
    return tuple(_row(row) for row in rows[:MOST_OPEN])


def erasures(*, space_id: int, after: UUID | None = None) -> tuple[ErasureRow, ...]:
    """List every erasure, newest first; one row beyond a page. Two queries.

    **Shape**: ``after`` is the erasure the page before ended with.
    """
    rows = _rows(space_id)
    last = rows.filter(pk=after).first() if after else None
    if last:
        rows = rows.filter(
            Q(requested_at__lt=last.requested_at)
            | Q(requested_at=last.requested_at, pk__lt=last.pk)
        )
    return tuple(_row(row) for row in rows[: ERASURES_A_PAGE + 1])


def space_of_erasure(erasure_id: UUID) -> int | None:
    """Return which space an erasure belongs to. One query."""
    found = ErasureRequest.objects.filter(pk=erasure_id)
    return found.values_list("space_id", flat=True).first()


def is_withdrawn(erasure_id: UUID) -> bool:
    """Say whether an erasure was closed undone. One query."""
    found = ErasureRequest.objects.filter(pk=erasure_id, state=ErasureState.WITHDRAWN)
    return found.exists()


def ledger_entries() -> list[dict[str, Any]]:
    """List what the ledger should hold of every erasure that was done, oldest first. One query."""
    done = ErasureRequest.objects.filter(state=ErasureState.DONE).order_by("closed_at", "pk")
    return [dict(row["ledger"]) for row in done.values_list("certificate", flat=True) if row]


def failure_of(erasure_id: UUID) -> str:
    """Return what went wrong the last time a worker tried; '' where nothing did. One query."""
    tried = Job.objects.filter(kind=ERASE_JOB, key=str(erasure_id)).exclude(state=JobState.DONE)
    return tried.order_by("-pk").values_list("error", flat=True).first() or ""


def erasure_of(thing: Thing, thing_id: int, *, space_id: int) -> ErasureRow | None:
    """Return the erasure that emptied a thing, the first of them. One query."""
    emptied = {f"certificate__ids__{thing}__contains": thing_id}
    row = _rows(space_id).filter(state=ErasureState.DONE, **emptied).last()
    return _row(row) if row else None


def gone_messages(message_ids: Collection[int], *, space_id: int) -> dict[int, Gone]:
    """Say of messages that lost words when that was, and to which erasure. Two queries."""
    rows = Message.objects.filter(
        pk__in=message_ids, space_id=space_id, redacted_at__isnull=False
    ).values_list("pk", "redacted_at")
    when = {pk: at for pk, at in rows if at is not None}
    by_instant = _by_instant(space_id, when.values())
    return {pk: Gone(at=at, erasure_id=by_instant.get(at)) for pk, at in when.items()}


def _by_instant(space_id: int, instants: Collection[datetime]) -> dict[datetime, UUID]:
    """Erasures by when they were done; several at once, after a restore, cannot be told apart."""
    done = ErasureRequest.objects.filter(
        space_id=space_id, state=ErasureState.DONE, closed_at__in=set(instants)
    ).values_list("closed_at", "pk")
    found: dict[datetime, list[UUID]] = {}
    for at, pk in done:
        if at is not None:
            found.setdefault(at, []).append(pk)
    return {at: keys[0] for at, keys in found.items() if len(keys) == 1}


def _rows(space_id: int) -> QuerySet[ErasureRequest]:
    rows = ErasureRequest.objects.filter(space_id=space_id)
    return rows.select_related("requested_by", "confirmed_by", "closed_by")


def _row(row: ErasureRequest) -> ErasureRow:
    return ErasureRow(
        id=row.pk,
        space_id=row.space_id,
        kind=row.kind,
        target_id=_target_id(row),
        words=row.words,
        whole_conversations=row.whole_conversations,
        blocks=row.blocks,
        reason=row.get_reason_code_display(),
        note=row.note,
        state=row.state,
        asked_by_id=row.requested_by_id,
        asked_by=row.requested_by.get_username() if row.requested_by else "",
        asked_at=row.requested_at,
        confirmed_by_id=row.confirmed_by_id,
        confirmed_by=row.confirmed_by.get_username() if row.confirmed_by else "",
        confirmed_at=row.confirmed_at,
        closed_by=row.closed_by.get_username() if row.closed_by else "",
        closed_at=row.closed_at,
        replayed=row.replayed,
        digest=row.digest,
        counts=(row.certificate or row.manifest).get("counts", {}),
        certificate=row.certificate,
    )


def _target_id(row: ErasureRequest) -> int:
    if row.kind == ErasureKind.STATEMENT:
        return row.statement_id or 0
    if row.kind == ErasureKind.CONVERSATION:
        return row.conversation_id or 0
    return row.subject_id or 0
