"""Recognising what may not come back: the one chokepoint of everything that enters.

Whatever may become, or become again, a belief passes ``admit`` when it is proposed and
``check_believable`` when it is believed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from knowledge.errors import BlockedByTombstone
from knowledge.fingerprints import essential, forms, name_forms
from knowledge.models import (
    Message,
    Proposal,
    Tombstone,
    TombstoneCause,
    TombstoneEffect,
    TombstoneLevel,
    Version,
)
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
        text, value = essential(self.text), essential(self.value)
        keys = {*forms(self.attribute, value or text), *forms("", text)}
        if value:
            keys |= {*forms("value", "of", value)}
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
        .order_by("cause", "-evidence_until", "pk")
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
