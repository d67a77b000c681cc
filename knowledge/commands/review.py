"""What people decide about proposals: one durable command per act."""

from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from django.db import transaction

from knowledge import policies
from knowledge.commands import belief, deciding, governing, indexing
from knowledge.commands.editing import apply_edits, only_set
from knowledge.errors import InvalidInput
from knowledge.models import (
    Confirmation,
    Contest,
    Decision,
    DecisionKind,
    Proposal,
    Statement,
    Version,
)
from knowledge.periods import check_instant
from knowledge.results import Actor, Decided, Edits, Review
from knowledge.trust import WAITING_STATES, TrustState, WhatHappened

REJECT_REASONS = ("not_said", "misread", "not_durable", "sensitive", "someone_else", "other")

# Flags under which an approval needs words that say why.
NEEDS_REASON = frozenset({"secret", "card_number"})

APPROVALS = frozenset({DecisionKind.APPROVE, DecisionKind.CONFIRM})

NEEDS_TARGET = frozenset(
    {
        WhatHappened.CHANGED,
        WhatHappened.NEVER_SO,
        WhatHappened.CANNOT_TELL,
        WhatHappened.CONFIRMATION,
    }
)


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
    proposal, replayed = _open(review, kinds=APPROVALS, by=by, now=now, ending=target_version_id)
    if replayed is not None:
        return replayed
    is_second = proposal.state == TrustState.AWAITING_SECOND
    before = apply_edits(proposal, edits=edits, by=by)
    _check_reason_for_secret(proposal, note=review.note)
    target = _lock_target(proposal, happened=happened, seen=target_version_id)
    policy = governing.current_policy(proposal.space_id)
    edited = {"before": before, "after": only_set(edits)} if before else {}
    payload: dict[str, Any] = {"text": proposal.text, "happened": happened.value} | edited
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
    held = _believe(
        proposal, decision=decision, happened=happened, target=target, changed_at=changed_at
    )
    _tell_others(proposal, target=target, held=held)
    indexing.ask_for_vectors(space_id=proposal.space_id, now=now)
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
    if NEEDS_REASON.intersection(proposal.flags) and not note.strip():
        raise InvalidInput(
            "This holds a secret. Say in a few words why agents may remember it.", field="note"
        )


def _tell_others(proposal: Proposal, *, target: Version | None, held: Version) -> None:
    if target is not None:
        _warn_siblings(proposal, target=target)
    followers = proposal.followers.filter(state__in=WAITING_STATES)
    deciding.not_in_other_hands(followers).update(target=held.statement_id, target_seen=held)


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
    payload = {"before": before, "after": only_set(edits)}
    deciding.log(decision, proposal=proposal, by=by, payload=payload)
    return deciding.decided(decision)


@transaction.atomic(durable=True)
def reject(*, review: Review, reason_code: str, by: Actor, now: datetime) -> Decided:
    """Refuse a proposal with a reason; ``other`` needs words in the note.

    **Raises**: InvalidInput; as ``approve``.
    """
    if reason_code not in REJECT_REASONS:
        raise InvalidInput(f"Choose a reason: {', '.join(REJECT_REASONS)}.", field="reason_code")
    if reason_code == "other" and not review.note.strip():
        raise InvalidInput("Say in a few words why, so that others can follow.", field="note")
    return _move(
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
    if until is not None and check_instant(until, field="until") <= now:
        raise InvalidInput("Choose a time in the future.", field="until")
    return _move(
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
    return _move(
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
    return _move(
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

    **Raises**: InvalidInput when there are no words to rest on; as ``approve``.
    """
    proposal = deciding.lock_proposal(review.proposal_id, by=by, now=now)
    if not proposal.evidence.exists():
        raise InvalidInput(
            "No words of the conversation support this, so it cannot be proposed.",
            field="evidence",
        )
    return _move(
        review=review,
        kind=DecisionKind.RECONSIDER,
        to=TrustState.PENDING,
        by=by,
        now=now,
        reason_code=proposal.aside_reason or "reconsidered",
        changes={},
    )


def _move(
    *,
    review: Review,
    kind: DecisionKind,
    to: TrustState,
    by: Actor,
    now: datetime,
    reason_code: str,
    changes: dict[str, Any],
) -> Decided:
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


def _lock_target(proposal: Proposal, *, happened: WhatHappened, seen: int | None) -> Version | None:
    if seen is None:
        if happened in NEEDS_TARGET:
            raise InvalidInput(
                "Name the statement this would replace, contest or confirm.", field="target"
            )
        return None
    target = (
        Version.objects.select_for_update(no_key=True, of=("self",))
        .select_related("closed_by__by")
        .filter(space_id=proposal.space_id, subject_id=proposal.subject_id, pk=seen)
        .first()
    )
    if target is None:
        raise InvalidInput("There is no such statement of this subject.", field="target")
    deciding.check_believed(target)
    return target if happened in NEEDS_TARGET else None


def _believe(
    proposal: Proposal,
    *,
    decision: Decision,
    happened: WhatHappened,
    target: Version | None,
    changed_at: datetime | None,
) -> Version:
    if happened == WhatHappened.NEW:
        slot_key = belief.slot_of(proposal)
        return belief.begin_statement(proposal, decision=decision, slot_key=slot_key)
    if happened == WhatHappened.BOTH_TRUE:
        return belief.begin_statement(proposal, decision=decision, slot_key=None)
    if target is None:
        raise InvalidInput("Name the statement this is about.", field="target")
    if happened == WhatHappened.CHANGED:
        start = check_instant(changed_at or proposal.valid_from, field="changed_at")
        return belief.replace_from(proposal, decision=decision, target=target, start=start)
    if happened == WhatHappened.NEVER_SO:
        return belief.correct(proposal, decision=decision, target=target)
    if happened == WhatHappened.CANNOT_TELL:
        version = belief.begin_statement(proposal, decision=decision, slot_key=None)
        Contest.objects.create(
            space_id=proposal.space_id, version_a=target, version_b=version, opened_by=decision
        )
        return version
    _confirm(proposal, decision=decision, statement=target.statement, version=target)
    return target


def _confirm(
    proposal: Proposal, *, decision: Decision, statement: Statement, version: Version
) -> None:
    Confirmation.objects.create(
        space_id=proposal.space_id, proposal=proposal, confirms=statement, decision=decision
    )
    evidence = list(proposal.evidence.select_related("message"))
    indexing.index_evidence(version, evidence=evidence, decision=decision)


def _warn_siblings(proposal: Proposal, *, target: Version) -> None:
    """Others that wait on the same statement are shown against what it has become."""
    current = (
        Version.objects.current()
        .filter(statement_id=target.statement_id)
        .order_by("-valid")
        .first()
    )
    siblings = Proposal.objects.filter(
        space_id=proposal.space_id, target_seen=target, state__in=WAITING_STATES
    ).exclude(pk=proposal.pk)
    deciding.not_in_other_hands(siblings).update(
        target_seen=current,
        stale_reason=f"What this would replace changed meanwhile: “{proposal.text}” was approved.",
    )
