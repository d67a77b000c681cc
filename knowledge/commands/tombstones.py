"""Tombstones over what was refuted or erased: planted, lifted, and what they stopped recorded."""

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from knowledge import policies
from knowledge.commands import audit, deciding
from knowledge.erasing.scope import Reach
from knowledge.errors import BlockedByTombstone, Conflict, InvalidInput, NotFound
from knowledge.fingerprints import essential, fingerprint, name_forms, version_of
from knowledge.models import (
    Conversation,
    Decision,
    DecisionKind,
    ErasureKind,
    ErasureRequest,
    Outcome,
    Proposal,
    Subject,
    Tombstone,
    TombstoneCause,
    TombstoneEffect,
    TombstoneLevel,
    Version,
)
from knowledge.results import Actor, Decided
from knowledge.texts import check_text


@transaction.atomic(durable=True)
def record_stopped(error: BlockedByTombstone, *, space_id: int, by: Actor, action: str) -> None:
    """Put on record, after the refusal, what a tombstone stopped; without any of its words."""
    audit.append(
        space_id=space_id,
        by=by,
        action=action,
        outcome=Outcome.DENIED,
        object_type="tombstone",
        object_id=str(error.details["tombstone_id"]),
        reason_code=error.code,
    )


def plant_for_erasure(
    request: ErasureRequest, *, reach: Reach, decision: Decision
) -> list[Tombstone]:
    """Plant the tombstones an erasure asks for, before anything is emptied."""
    if not request.blocks:
        return []
    keys: set[tuple[str, int | None, str]] = set()
    for subject in Subject.objects.filter(pk__in=reach.subjects):
        name = name_forms("subject", subject.kind, subject.external_id)[0]
        keys.add((TombstoneLevel.SUBJECT, subject.pk, name))
    for row in Conversation.objects.filter(pk__in=reach.conversations):
        name = name_forms("conversation", row.source, row.external_id)[0]
        keys.add((TombstoneLevel.CONVERSATION, None, name))
    if request.kind in (ErasureKind.STATEMENT, ErasureKind.VALUE):
        for said in Proposal.objects.filter(pk__in=reach.proposals, redacted_at=None):
            for key in _all_keys(said):
                keys.add((TombstoneLevel.VALUE, said.subject_id, key))
    if request.kind == ErasureKind.VALUE:
        words = essential(request.words)
        for key in (fingerprint("value", "of", words), fingerprint("", words)):
            keys.add((TombstoneLevel.VALUE, request.subject_id, key))
    return _plant_all(keys, cause=TombstoneCause.ERASED, decision=decision)


def plant_again(stones: Iterable[Mapping[str, Any]], *, decision: Decision) -> list[Tombstone]:
    """Plant what an erasure planted before a backup took it back."""
    keys = {(stone["level"], stone["subject"], stone["key"]) for stone in stones}
    return _plant_all(keys, cause=TombstoneCause.ERASED, decision=decision)


def plant_for_refutation(version: Version, *, decision: Decision) -> None:
    """Set aside from now on what was said before a value was refuted; later words are flagged."""
    written = _written_keys(version.attribute, version.value, version.text)
    keys = {(TombstoneLevel.VALUE.value, version.subject_id, key) for key in written}
    _plant_all(keys, cause=TombstoneCause.REFUTED, decision=decision)


def lift_refutation(version: Version, *, decision: Decision) -> None:
    """End the tombstones of the refutation that ended a version, as a step of a decision."""
    planted = Tombstone.objects.filter(cause=TombstoneCause.REFUTED, lifted_by=None)
    planted.filter(decision__closed=version).update(lifted_by=decision)


def _plant_all(
    keys: Iterable[tuple[str, int | None, str]], *, cause: TombstoneCause, decision: Decision
) -> list[Tombstone]:
    """Plant tombstones of a decision; each decision has its own, and lifting one leaves others."""
    until = decision.at if cause == TombstoneCause.REFUTED else None
    return Tombstone.objects.bulk_create(
        Tombstone(
            space_id=decision.space_id,
            subject_id=subject_id,
            level=level,
            key_version=version_of(key),
            value_key=key,
            cause=cause,
            effect=TombstoneEffect.BLOCK,
            evidence_until=until,
            decision=decision,
        )
        for level, subject_id, key in sorted(keys, key=str)
    )


@transaction.atomic(durable=True)
def lift(
    *, tombstone_id: int, note: str, request_id: uuid.UUID, by: Actor, now: datetime
) -> Decided:
    """Let what a tombstone stops be learned again; what it stopped can then be brought to review.

    One value has several, for its attribute and for its words: those that the same erasure planted
    over the same subject are lifted with it.

    **Raises**: NotFound, NotAllowed, InvalidInput without a reason; Conflict when it was lifted.
    """
    stone = Tombstone.objects.select_for_update(no_key=True).filter(pk=tombstone_id).first()
    if stone is None:
        raise NotFound("There is no such tombstone.")
    policies.check_can_ask_erasure(user_id=by.user_id, space_id=stone.space_id, now=now)
    earlier = Decision.objects.filter(space_id=stone.space_id, request_id=request_id).first()
    if earlier is not None and stone.lifted_by_id == earlier.pk:
        return deciding.decided(earlier, replayed=True)
    if stone.lifted_by_id is not None:
        raise Conflict("This tombstone was lifted already.")
    if not note.strip():
        raise InvalidInput("Say in a few words why it may be remembered again.", field="note")
    decision = deciding.record(
        Decision(
            space_id=stone.space_id,
            kind=DecisionKind.LIFT_TOMBSTONE,
            by_id=by.user_id,
            channel=by.channel,
            note=check_text(note.strip(), field="note"),
            request_id=request_id,
        )
    )
    beside: dict[str, Any] = {"decision_id": stone.decision_id, "subject_id": stone.subject_id}
    lifted = Tombstone.objects.filter(**beside, level=stone.level, lifted_by=None)
    ids = sorted(lifted.values_list("pk", flat=True))
    Tombstone.objects.filter(pk__in=ids).update(lifted_by=decision)
    audit.append(
        space_id=stone.space_id,
        by=by,
        action="tombstone.lift_tombstone",
        object_type="tombstone",
        object_id=str(stone.pk),
        subject_id=stone.subject_id,
        decision_id=decision.pk,
        payload={"note": decision.note, "lifted": ids},
    )
    return Decided(decision.pk, decision.kind, 0)


def _written_keys(attribute: str, value: str, text: str) -> set[str]:
    value, text = essential(value), essential(text)
    return {fingerprint(attribute, value or text), fingerprint("", text)}


def _all_keys(said: Proposal) -> set[str]:
    """What a proposal says, and what it said as it came, before anyone edited it."""
    came = {name: str(said.original.get(name) or "") for name in ("attribute", "value", "text")}
    keys = _written_keys(said.attribute, said.value, said.text)
    return keys | _written_keys(**came) if came["text"] else keys
