"""What may not be learned again unnoticed: planting, recognising and lifting tombstones.

The one chokepoint: whatever may become, or become again, a belief passes ``admit`` when it is
proposed and ``check_believable`` when it is believed.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from knowledge import policies
from knowledge.commands import audit, deciding
from knowledge.erasing.scope import Reach
from knowledge.errors import BlockedByTombstone, Conflict, InvalidInput, NotFound
from knowledge.fingerprints import fingerprint, forms, name_forms, version_of
from knowledge.models import (
    Conversation,
    Decision,
    DecisionKind,
    ErasureKind,
    ErasureRequest,
    Message,
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
from knowledge.trust import TrustState

# Codes the rest of the product has words for.
BLOCKED = "blocked_by_tombstone"
REJECTED_BEFORE = "rejected_before"
TOMBSTONE_FLAG = "tombstone"


@dataclass(frozen=True, slots=True)
class Value:
    """What a statement says of whom, as far as it can be recognised again."""

    space_id: int
    subject_id: int
    attribute: str
    value: str
    text: str

    @property
    def keys(self) -> frozenset[str]:
        """Return what a tombstone over it would be planted under, by any installed key."""
        keys = {*forms(self.attribute, self.value or self.text), *forms("", self.text)}
        if self.value:
            keys |= {*forms("value", "of", self.value)}
        if self.attribute:
            keys |= {*forms("slot", "of", self.attribute)}
        return frozenset(keys)


def value_of(row: Proposal | Version) -> Value:
    """Return what a proposal or a version says."""
    return Value(row.space_id, row.subject_id, row.attribute, row.value, row.text)


def standing_over(value: Value) -> Tombstone | None:
    """Return the tombstone that stands over a value; an erasure's before a refutation's.

    What was refuted and is believed again needs none.
    """
    standing = (
        Tombstone.objects.filter(
            space_id=value.space_id,
            subject_id=value.subject_id,
            level__in=[TombstoneLevel.VALUE, TombstoneLevel.SLOT],
            value_key__in=value.keys,
            lifted_by=None,
        )
        .select_related("decision")
        .order_by("cause", "pk")
    )
    found = standing.first()
    if found is None or found.cause == TombstoneCause.ERASED:
        return found
    believed = Version.objects.current().filter(
        space_id=value.space_id,
        subject_id=value.subject_id,
        value_key__in=forms(value.attribute, value.value or value.text),
    )
    return None if believed.exists() else found


def admit(proposal: Proposal, *, message_ids: Iterable[int], by_hand: bool) -> None:
    """Set aside, or flag, a proposal about to be written that says what may not come back.

    Erased values are set aside whoever brings them. Of refuted and rejected ones, words that were
    there before are set aside (but what a person chose by hand), later ones are flagged.
    """
    if proposal.aside_reason not in ("", "near_duplicate"):
        return
    said_in = list(message_ids)
    stone = standing_over(value_of(proposal))
    if stone is not None:
        _stop(proposal, stone=stone, message_ids=said_in, by_hand=by_hand)
    if proposal.stopped_by is None and proposal.aside_reason == "":
        _recall_rejection(proposal, message_ids=said_in, by_hand=by_hand)


def check_believable(value: Value) -> None:
    """Refuse belief in what was erased.

    **Raises**: BlockedByTombstone.
    """
    stone = standing_over(value)
    if stone is not None and stone.cause == TombstoneCause.ERASED:
        raise BlockedByTombstone(
            f"This was erased on {_day(stone)} and is not to be remembered again. "
            "A privacy officer can lift the tombstone.",
            tombstone_id=stone.pk,
        )


def check_name(*, space_id: int, level: TombstoneLevel, parts: tuple[str, ...], noun: str) -> None:
    """Refuse words of a subject or a conversation that was erased.

    **Raises**: BlockedByTombstone.
    """
    stone = (
        Tombstone.objects.filter(
            space_id=space_id,
            level=level,
            value_key__in=name_forms(level.value, *parts),
            lifted_by=None,
        )
        .select_related("decision")
        .first()
    )
    if stone is not None:
        raise BlockedByTombstone(
            f"This {noun} was erased on {_day(stone)}, and nothing of it is taken in again. "
            "A privacy officer can lift the tombstone.",
            tombstone_id=stone.pk,
        )


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
            for key in _written_keys(said.attribute, said.value, said.text):
                keys.add((TombstoneLevel.VALUE, said.subject_id, key))
    if request.kind == ErasureKind.VALUE:
        for key in (fingerprint("value", "of", request.words), fingerprint("", request.words)):
            keys.add((TombstoneLevel.VALUE, request.subject_id, key))
    return [
        plant(
            request.space_id, subject_id=subject_id, level=level, key=key,
            cause=TombstoneCause.ERASED, decision=decision,
        )
        for level, subject_id, key in sorted(keys, key=str)
    ]  # fmt: skip


def plant_again(stones: Iterable[Mapping[str, Any]], *, decision: Decision) -> list[Tombstone]:
    """Plant what an erasure planted before a backup took it back."""
    return [
        plant(
            decision.space_id, subject_id=stone["subject"], level=stone["level"],
            key=stone["key"], cause=TombstoneCause.ERASED, decision=decision,
        )
        for stone in stones
    ]  # fmt: skip


def plant_for_refutation(version: Version, *, decision: Decision) -> None:
    """Set aside from now on what was said before a value was refuted; later words are flagged."""
    for key in _written_keys(version.attribute, version.value, version.text):
        plant(
            version.space_id, subject_id=version.subject_id, level=TombstoneLevel.VALUE, key=key,
            cause=TombstoneCause.REFUTED, decision=decision, evidence_until=decision.at,
        )  # fmt: skip


def lift_refutation(version: Version, *, decision: Decision) -> None:
    """End the tombstones of a refutation that no longer stands, as a step of a decision."""
    keys = value_of(version).keys
    Tombstone.objects.filter(
        space_id=version.space_id,
        subject_id=version.subject_id,
        cause=TombstoneCause.REFUTED,
        value_key__in=keys,
        lifted_by=None,
    ).update(lifted_by=decision)


def plant(
    space_id: int,
    *,
    subject_id: int | None,
    level: str,
    key: str,
    cause: TombstoneCause,
    decision: Decision,
    evidence_until: datetime | None = None,
) -> Tombstone:
    """Plant one tombstone, or return the one that stands there, as a step of a decision."""
    place: dict[str, Any] = {
        "space_id": space_id,
        "subject_id": subject_id,
        "level": level,
        "value_key": key,
        "cause": cause,
        "lifted_by": None,
    }
    stone, _ = Tombstone.objects.get_or_create(
        **place,
        defaults={
            "key_version": version_of(key),
            "effect": TombstoneEffect.BLOCK,
            "evidence_until": evidence_until,
            "decision": decision,
        },
    )
    return stone


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


def _written_keys(attribute: str, value: str, text: str) -> tuple[str, str]:
    return fingerprint(attribute, value or text), fingerprint("", text)


def _stop(proposal: Proposal, *, stone: Tombstone, message_ids: list[int], by_hand: bool) -> None:
    is_old = stone.evidence_until is not None and not _said_after(
        message_ids, until=stone.evidence_until
    )
    is_erased = stone.cause == TombstoneCause.ERASED
    if stone.effect == TombstoneEffect.BLOCK and (is_erased or (is_old and not by_hand)):
        proposal.state = TrustState.SET_ASIDE
        proposal.aside_reason = BLOCKED
        proposal.joined_to = None
        proposal.stopped_by = stone
    elif TOMBSTONE_FLAG not in proposal.flags:
        proposal.flags = [*proposal.flags, TOMBSTONE_FLAG]


def _said_after(message_ids: list[int], *, until: datetime) -> bool:
    return Message.objects.filter(pk__in=message_ids, sent_at__gt=until).exists()


def _recall_rejection(proposal: Proposal, *, message_ids: list[int], by_hand: bool) -> None:
    rejected = Proposal.objects.filter(
        space_id=proposal.space_id,
        subject_id=proposal.subject_id,
        state=TrustState.REJECTED,
        fingerprint__in=forms(proposal.attribute, proposal.value or proposal.text),
    )
    same_words = rejected.filter(evidence__message_id__in=message_ids).order_by("pk").first()
    if same_words is not None and not by_hand:
        proposal.state = TrustState.SET_ASIDE
        proposal.aside_reason = REJECTED_BEFORE
        proposal.rejected_as = same_words
    elif REJECTED_BEFORE not in proposal.flags and rejected.exists():
        proposal.flags = [*proposal.flags, REJECTED_BEFORE]


def _day(stone: Tombstone) -> str:
    return f"{stone.decision.at:%-d %B %Y}" if stone.decision.at else "an earlier day"
