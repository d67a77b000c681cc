"""Anchors: that the end of a chain was written down outside the database, and the asking for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import transaction

from knowledge.commands import jobs
from knowledge.models import Anchor

ANCHOR_AUDIT = "anchor_audit"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Anchored:
    """The event of a chain that was written down."""

    ledger_id: int
    seq: int
    hash: bytes


@transaction.atomic(durable=True)
def record(*, written: Sequence[Anchored], place: str, now: datetime) -> None:
    """Keep that these events were written down at a place, after they were.

    The proof is out there; this only tells when there was last one. No event of the log says so:
    it would move the end that was just anchored.
    """
    Anchor.objects.bulk_create(
        Anchor(
            ledger_id=each.ledger_id,
            seq=each.seq,
            hash=each.hash,
            place=place[:500],
            made_at=now,
        )
        for each in written
    )


@transaction.atomic(durable=True)
def ask(*, now: datetime, every: timedelta, rounds_ahead: int = 0) -> None:
    """Ask the worker to anchor in this round of the clock, or in a later one; once for each.

    Rounds are counted from 1970, so that whoever asks means the same ones.
    """
    number = (now - _EPOCH) // every + rounds_ahead
    begins = _EPOCH + number * every
    jobs.enqueue(
        space_id=None,
        kind=ANCHOR_AUDIT,
        key=f"from {begins.isoformat()}",
        payload={},
        now=now,
        delay=max(begins - now, timedelta(0)),
    )
