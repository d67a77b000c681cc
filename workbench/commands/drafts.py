"""Words a person is writing over a proposal: kept until they decide, whatever ends in between."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Q

from knowledge.commands import audit
from knowledge.models import Decision, Proposal
from knowledge.trust import WAITING_STATES
from workbench.models import Draft

FIELDS = (
    "text about attribute value memory_type criticality valid_from valid_to was_from was_to "
    "change changed_from target_seen note"
).split()
"""What of the edit form is kept."""

LONGEST = 4_000
KEPT_AFTER_DECISION = timedelta(days=14)
KEPT_AT_MOST = timedelta(days=90)

_SAME_AS_CARD = "text about attribute value memory_type criticality".split()


@transaction.atomic(durable=True)
def save(
    *, proposal_id: int, given: Mapping[str, str], version: int, by_id: int, now: datetime
) -> datetime | None:
    """Keep what a person has written so far, in place of what they had written before.

    What says the same as the proposal is no draft, and a late save does not bring back the draft
    of what the person decided meanwhile. **Shape**: when it was saved; None where nothing is kept.
    """
    found = Proposal.objects.filter(pk=proposal_id).values_list("space_id", flat=True).first()
    if found is None:
        return None
    audit.hold(found)  # no erasure ends between looking at the proposal and writing
    proposal = Proposal.objects.get(pk=proposal_id)
    fields = {name: _clean(given[name]) for name in FIELDS if name in given}
    own = Draft.objects.filter(user_id=by_id, proposal_id=proposal_id)
    sweep(now=now)
    if proposal.redacted_at is not None or _decided_by(by_id, proposal=proposal):
        own.delete()
        return None
    if not _differs(fields, proposal=proposal):
        own.delete()
        return None
    Draft.objects.update_or_create(
        user_id=by_id,
        proposal_id=proposal_id,
        defaults={
            "space_id": proposal.space_id,
            "version": version,
            "fields": fields,
            "saved_at": now,
            "proposed": None,
        },
    )
    return now


def discard(*, proposal_id: int, by_id: int) -> bool:
    """Throw a person's draft away; say whether there was one."""
    return bool(Draft.objects.filter(user_id=by_id, proposal_id=proposal_id).delete()[0])


def spend(*, proposal_id: int, by_id: int, proposed_id: int) -> None:
    """Note what was made of a draft; it is no longer offered."""
    Draft.objects.filter(user_id=by_id, proposal_id=proposal_id).update(
        proposed_id=proposed_id, fields={}
    )


def sweep(*, now: datetime) -> int:
    """Delete drafts of what was decided long ago, and those nobody came back to."""
    closed = Q(saved_at__lt=now - KEPT_AFTER_DECISION) & ~Q(proposal__state__in=WAITING_STATES)
    old = Draft.objects.filter(closed | Q(saved_at__lt=now - KEPT_AT_MOST))
    return old.delete()[0]


@contextmanager
def one_at_a_time(*, proposal_id: int, by_id: int) -> Iterator[None]:
    """Let one request at a time make something of a person's draft of a card.

    A lock of the connection, not of a transaction: what is made is made durably inside.
    """
    name = f"draft of {by_id} over {proposal_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])


def _clean(text: str) -> str:
    return text[:LONGEST].replace("\x00", "")


def _decided_by(by_id: int, *, proposal: Proposal) -> bool:
    """Say whether this person's own decision closed the proposal."""
    if proposal.state in WAITING_STATES:
        return False
    last = Decision.objects.filter(proposal=proposal).order_by("-seq").first()
    return last is not None and last.by_id == by_id


def _differs(fields: Mapping[str, str], *, proposal: Proposal) -> bool:
    said = any(
        fields[name].strip() != getattr(proposal, name) for name in _SAME_AS_CARD if name in fields
    )
    moved = any(
        fields.get(name, "") != fields.get(was, "")
        for name, was in (("valid_from", "was_from"), ("valid_to", "was_to"))
    )
    return said or moved or bool(fields.get("note", "").strip())
