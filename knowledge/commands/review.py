"""What people decide about proposals: one durable command per act."""

from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from django.db import transaction

from knowledge import policies
from knowledge.commands import belief, believing, deciding, governing, indexing, recognising
from knowledge.commands.editing import apply_edits, only_set
from knowledge.errors import InvalidInput
from knowledge.models import (
    DecisionKind,
    Proposal,
    TombstoneCause,
)
from knowledge.periods import check_instant
from knowledge.results import Actor, Decided, Edits, Review
from knowledge.trust import REJECT_REASONS, TrustState, WhatHappened

# Flags under which an approval needs words that say why: secrets, and what was refuted.
NEEDS_REASON = frozenset({"secret", "card_number", recognising.TOMBSTONE_FLAG})

APPROVALS = frozenset({DecisionKind.APPROVE, DecisionKind.CONFIRM})


@transaction.atomic(durable=True)
def approve(
    *,
    review: Review,
    happened: WhatHappened,
    by: Actor,
    now: datetime,
    target_version_id: int | None = None,
    changed_at: datetime | None = None,
    edits: Edits | None = None,
) -> Decided:
    """Let a proposal into belief, as the curator says it happened.

    ``target_version_id`` is the version the curator **saw** as what this would replace,
    contest or confirm. ``changed_at`` is the instant from which a changed value holds
    (default: the proposal's start). ``edits`` are applied first and keep the extraction as it
    came in ``original``.

    **Raises**: NotAllowed, NotFound, InvalidInput, InvalidPeriod, StaleProposal, TargetMoved,
    SlotTaken, TransitionRefused.
    """
    return approve_one(
        review=review,
        happened=happened,
        by=by,
        now=now,
        target_version_id=target_version_id,
        changed_at=changed_at,
        edits=edits,
    )


def approve_one(
    *,
    review: Review,
    happened: WhatHappened,
    by: Actor,
    now: datetime,
    target_version_id: int | None,
    changed_at: datetime | None,
    edits: Edits | None,
) -> Decided:
    """Do what ``approve`` does, as a step of a command that decides about several."""
    proposal, replayed = _open(review, kinds=APPROVALS, by=by, now=now, ending=target_version_id)
    if replayed is not None:
        return replayed
    is_second = proposal.state == TrustState.AWAITING_SECOND
    before = apply_edits(proposal, edits=edits, by=by)
    _check_reason_for_secret(proposal, note=review.note)
    _check_reason_for_refuted(proposal, note=review.note)
    target = believing.lock_target(proposal, happened=happened, seen=target_version_id)
    policy = governing.current_policy(proposal.space_id)
    edited = {"before": before, "after": only_set(edits)} if before else {}
    payload: dict[str, Any] = {
        "text": proposal.text,
        "happened": happened.value,
        "target_version": target.pk if target else None,
        "changed_at": changed_at if happened == WhatHappened.CHANGED else None,
    } | edited
    # An edit begins anew: what the first person agreed to is no longer what would be believed.
    if (before and is_second) or (
        not is_second and governing.needs_second(policy, proposal=proposal, happened=happened)
    ):
        return _approve_first(proposal, review=review, happened=happened, by=by, payload=payload)
    if is_second:
        _check_second(proposal, by=by)
    decision = deciding.decide(
        proposal,
        review=review,
        kind=DecisionKind.CONFIRM if is_second else DecisionKind.APPROVE,
        to=TrustState.APPROVED,
        by=by,
        reason_code=happened.value,
        changes={"kind_decided": happened.value, "deferred_until": None},
    )
    held = believing.believe(
        proposal, decision=decision, happened=happened, target=target, changed_at=changed_at
    )
    believing.tell_others(proposal, target=target, held=held)
    indexing.ask_for_vectors(space_id=proposal.space_id, now=now)
    if held.opened_by_id == decision.pk:
        payload["version"] = belief.committed(held)
    deciding.log(decision, proposal=proposal, by=by, payload=payload)
    return Decided(
        decision_id=decision.pk,
        kind=decision.kind,
        proposal_id=proposal.pk,
        statement_id=held.statement_id,
        version_id=held.pk,
    )


def _approve_first(
    proposal: Proposal,
    *,
    review: Review,
    happened: WhatHappened,
    by: Actor,
    payload: dict[str, Any],
) -> Decided:
    decision = deciding.decide(
        proposal,
        review=review,
        kind=DecisionKind.APPROVE,
        to=TrustState.AWAITING_SECOND,
        by=by,
        reason_code=happened.value,
        changes={
            "kind_decided": happened.value,
            "deferred_until": None,
            "first_approver_id": by.user_id,
        },
    )
    deciding.log(decision, proposal=proposal, by=by, payload=payload | {"awaits_second": True})
    return deciding.decided(decision)


def _check_second(proposal: Proposal, *, by: Actor) -> None:
    policies.check_can_be_second(
        user_id=by.user_id,
        first_id=proposal.first_approver_id,
        contributor_ids=proposal.contributors.values_list("pk", flat=True),
    )


def _check_reason_for_secret(proposal: Proposal, *, note: str) -> None:
    secret = NEEDS_REASON.intersection(proposal.flags) - {recognising.TOMBSTONE_FLAG}
    if secret and not note.strip():
        raise InvalidInput(
            "This holds a secret. Say in a few words why agents may remember it.", field="note"
        )


def _check_reason_for_refuted(proposal: Proposal, *, note: str) -> None:
    if note.strip():
        return
    stone = recognising.standing_over(recognising.value_of(proposal))
    if stone is not None and stone.cause == TombstoneCause.REFUTED:
        raise InvalidInput(
            "This was refuted before. Say in a few words why it is true after all.", field="note"
        )


@transaction.atomic(durable=True)
def edit(*, review: Review, edits: Edits, by: Actor, now: datetime) -> Decided:
    """Change what would be approved and leave it waiting.

    A first approval no longer counts: it was given to other words.

    **Raises**: as ``approve``.
    """
    proposal, replayed = _open(review, kinds={DecisionKind.EDIT}, by=by, now=now)
    if replayed is not None:
        return replayed
    is_second = proposal.state == TrustState.AWAITING_SECOND
    before = apply_edits(proposal, edits=edits, by=by)
    if not before:
        raise InvalidInput("Nothing was changed.", field="text")
    decision = deciding.decide(
        proposal,
        review=review,
        kind=DecisionKind.EDIT,
        to=TrustState.PENDING if is_second else TrustState(proposal.state),
        by=by,
        reason_code="",
        changes={"first_approver_id": None, "kind_decided": ""},
    )
    # The decision holds the chain by now: no erasure of this can end between.
    recognising.check_believable(recognising.value_of(proposal))
    payload = {"before": before, "after": only_set(edits)}
    deciding.log(decision, proposal=proposal, by=by, payload=payload)
    return deciding.decided(decision)


@transaction.atomic(durable=True)
def reject(*, review: Review, reason_code: str, by: Actor, now: datetime) -> Decided:
    """Refuse a proposal with a reason; ``other`` needs words in the note.

    **Raises**: InvalidInput; as ``approve``.
    """
    check_reject_reason(reason_code, note=review.note)
    return move_one(
        review=review,
        kind=DecisionKind.REJECT,
        to=TrustState.REJECTED,
        by=by,
        now=now,
        reason_code=reason_code,
        changes={"deferred_until": None},
    )


@transaction.atomic(durable=True)
def defer(*, review: Review, until: datetime | None, by: Actor, now: datetime) -> Decided:
    """Put a proposal off until an instant, or (None) until new evidence.

    **Raises**: InvalidInput when the instant is not in the future; as ``approve``.
    """
    check_until(until, now=now)
    return move_one(
        review=review,
        kind=DecisionKind.DEFER,
        to=TrustState.DEFERRED,
        by=by,
        now=now,
        reason_code="until" if until else "new_evidence",
        changes={"deferred_until": until},
    )


@transaction.atomic(durable=True)
def wake(*, review: Review, by: Actor, now: datetime) -> Decided:
    """Bring a deferred proposal back to the queue before its time.

    **Raises**: as ``approve``.
    """
    return move_one(
        review=review,
        kind=DecisionKind.WAKE,
        to=TrustState.PENDING,
        by=by,
        now=now,
        reason_code="",
        changes={"deferred_until": None},
    )


@transaction.atomic(durable=True)
def send_back(*, review: Review, by: Actor, now: datetime) -> Decided:
    """Return what awaits a second person to the queue, with words to the first.

    **Raises**: InvalidInput without a note; as ``approve``.
    """
    if not review.note.strip():
        raise InvalidInput("Say in a few words what is to be looked at again.", field="note")
    return move_one(
        review=review,
        kind=DecisionKind.SEND_BACK,
        to=TrustState.PENDING,
        by=by,
        now=now,
        reason_code="",
        changes={"first_approver_id": None, "kind_decided": ""},
    )


@transaction.atomic(durable=True)
def propose_anyway(*, review: Review, by: Actor, now: datetime) -> Decided:
    """Bring to review what the gates set aside, or what was rejected.

    **Raises**: InvalidInput when there are no words to rest on; BlockedByTombstone for what was
    erased and not allowed again; as ``approve``.
    """
    proposal = deciding.lock_proposal(review.proposal_id, by=by, now=now)
    if not proposal.evidence.exists():
        raise InvalidInput(
            "No words of the conversation support this, so it cannot be proposed.",
            field="evidence",
        )
    recognising.check_believable(recognising.value_of(proposal))
    return move_one(
        review=review,
        kind=DecisionKind.RECONSIDER,
        to=TrustState.PENDING,
        by=by,
        now=now,
        reason_code=proposal.aside_reason or "reconsidered",
        changes={},
    )


def check_reject_reason(reason_code: str, *, note: str) -> None:
    """Refuse a rejection that others could not follow.

    **Raises**: InvalidInput.
    """
    if reason_code not in REJECT_REASONS:
        raise InvalidInput(f"Choose a reason: {', '.join(REJECT_REASONS)}.", field="reason_code")
    if reason_code == "other" and not note.strip():
        raise InvalidInput("Say in a few words why, so that others can follow.", field="note")


def check_until(until: datetime | None, *, now: datetime) -> None:
    """Refuse to put something off until the past.

    **Raises**: InvalidInput, InvalidPeriod.
    """
    if until is not None and check_instant(until, field="until") <= now:
        raise InvalidInput("Choose a time in the future.", field="until")


def move_one(
    *,
    review: Review,
    kind: DecisionKind,
    to: TrustState,
    by: Actor,
    now: datetime,
    reason_code: str,
    changes: dict[str, Any],
) -> Decided:
    """Move a proposal without touching belief, as a step of a command."""
    proposal, replayed = _open(review, kinds={kind}, by=by, now=now)
    if replayed is not None:
        return replayed
    decision = deciding.decide(
        proposal,
        review=review,
        kind=kind,
        to=to,
        by=by,
        reason_code=reason_code,
        changes=changes,
    )
    deciding.log(decision, proposal=proposal, by=by, payload={"text": proposal.text})
    return deciding.decided(decision)


def _open(
    review: Review,
    *,
    kinds: AbstractSet[DecisionKind],
    by: Actor,
    now: datetime,
    ending: int | None = None,
) -> tuple[Proposal, Decided | None]:
    """Lock what the act is about; the first result where the same form came before."""
    proposal = deciding.lock_proposal(review.proposal_id, by=by, now=now, ending=ending)
    replayed = deciding.find_replay(proposal, request_id=review.request_id, kinds=kinds, by=by)
    if replayed is None:
        deciding.check_seen(proposal, review=review)
        deciding.check_begins(proposal, kind=min(kinds))
    return proposal, replayed
