"""Several decisions by one act: a frozen set, a result per item, one undo."""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction

from knowledge import policies
from knowledge.commands import audit, deciding, review, undoing
from knowledge.errors import Conflict, InvalidInput, KnowledgeError, NotAllowed, NotFound
from knowledge.models import Batch, Decision, DecisionKind, Proposal
from knowledge.results import Actor, BatchDone, BatchItem, Decided, Review
from knowledge.trust import TrustState, WhatHappened

MOST_ITEMS = 500

Act = Callable[[Review], Decided]


@transaction.atomic(durable=True)
def reject(
    *,
    space_id: int,
    items: Sequence[tuple[int, int]],
    reason_code: str,
    request_id: uuid.UUID,
    by: Actor,
    now: datetime,
    note: str = "",
) -> BatchDone:
    """Reject a frozen set of (proposal, version seen), each with a decision of its own.

    What changed meanwhile is left alone and named. **Raises**: NotAllowed, InvalidInput.
    """
    review.check_reject_reason(reason_code, note=note)

    def act(one: Review) -> Decided:
        return review.move_one(
            review=one, kind=DecisionKind.REJECT, to=TrustState.REJECTED, by=by, now=now,
            reason_code=reason_code, changes={"deferred_until": None},
        )  # fmt: skip

    return _each(
        act, kind=DecisionKind.REJECT, space_id=space_id, items=items, request_id=request_id,
        by=by, now=now, note=note,
    )  # fmt: skip


@transaction.atomic(durable=True)
def defer(
    *,
    space_id: int,
    items: Sequence[tuple[int, int]],
    until: datetime | None,
    request_id: uuid.UUID,
    by: Actor,
    now: datetime,
) -> BatchDone:
    """Put a frozen set off; as ``reject``."""
    review.check_until(until, now=now)

    def act(one: Review) -> Decided:
        return review.move_one(
            review=one, kind=DecisionKind.DEFER, to=TrustState.DEFERRED, by=by, now=now,
            reason_code="until" if until else "new_evidence", changes={"deferred_until": until},
        )  # fmt: skip

    return _each(
        act, kind=DecisionKind.DEFER, space_id=space_id, items=items, request_id=request_id,
        by=by, now=now,
    )  # fmt: skip


@transaction.atomic(durable=True)
def approve_new(
    *,
    space_id: int,
    items: Sequence[tuple[int, int]],
    request_id: uuid.UUID,
    by: Actor,
    now: datetime,
) -> BatchDone:
    """Approve, of a frozen set, what is new and carries no flag; the rest is named with why.

    What would replace, contest or confirm something is never approved in bulk.

    **Raises**: as ``reject``.
    """

    def act(one: Review) -> Decided:
        _check_plain(one.proposal_id)
        return review.approve_one(
            review=one, happened=WhatHappened.NEW, by=by, now=now, target_version_id=None,
            changed_at=None, edits=None,
        )  # fmt: skip

    return _each(
        act, kind=DecisionKind.APPROVE, space_id=space_id, items=items, request_id=request_id,
        by=by, now=now,
    )  # fmt: skip


@transaction.atomic(durable=True)
def undo(*, batch_id: uuid.UUID, request_id: uuid.UUID, by: Actor, now: datetime) -> BatchDone:
    """Take back a batch of one's own, newest first; what something depends on is named.

    **Raises**: NotFound, NotAllowed; Conflict when it was undone already.
    """
    batch = Batch.objects.select_for_update().filter(pk=batch_id).first()
    if batch is None:
        raise NotFound("There is no such batch.")
    policies.check_can_decide(user_id=by.user_id, space_id=batch.space_id, now=now)
    decisions = list(batch.decisions.order_by("-seq"))
    known = _replayed(space_id=batch.space_id, request_id=request_id)
    if known is not None:
        return known
    if Batch.objects.filter(undoes=batch).exists():
        raise Conflict("This batch was undone already.")
    deciding.lock_in_order([one.proposal_id for one in decisions if one.proposal_id])
    undoing_batch = _open(
        DecisionKind.UNDO, space_id=batch.space_id, size=len(decisions), request_id=request_id,
        by=by, now=now, undoes=batch,
    )  # fmt: skip
    results = [
        _attempt(
            partial(
                undoing.undo_one,
                decision_id=one.pk,
                request_id=uuid.uuid5(request_id, str(one.pk)),
                by=by,
                now=now,
                batch_id=undoing_batch.pk,
            ),
            proposal_id=one.proposal_id or 0,
        )
        for one in decisions
    ]
    return _close(undoing_batch, results=results, by=by)


def _each(
    act: Act,
    *,
    kind: DecisionKind,
    space_id: int,
    items: Sequence[tuple[int, int]],
    request_id: uuid.UUID,
    by: Actor,
    now: datetime,
    note: str = "",
) -> BatchDone:
    policies.check_can_decide(user_id=by.user_id, space_id=space_id, now=now)
    if not 1 <= len(items) <= MOST_ITEMS:
        raise InvalidInput(f"Choose from 1 to {MOST_ITEMS} proposals at once.", field="items")
    known = _replayed(space_id=space_id, request_id=request_id)
    if known is not None:
        return known
    found = set(
        Proposal.objects.filter(
            space_id=space_id, pk__in=[proposal_id for proposal_id, _ in items]
        ).values_list("pk", flat=True)
    )
    deciding.lock_in_order(found)
    batch = _open(kind, space_id=space_id, size=len(items), request_id=request_id, by=by, now=now)
    results: list[BatchItem] = []
    for proposal_id, seen_version in items:
        if proposal_id not in found:
            results.append(BatchItem(proposal_id, "failed", "There is no such proposal here."))
            continue
        one = Review(
            proposal_id,
            seen_version,
            uuid.uuid5(request_id, str(proposal_id)),
            note=note,
            batch_id=batch.pk,
        )
        results.append(_attempt(partial(act, one), proposal_id=proposal_id))
    return _close(batch, results=results, by=by)


def _attempt(act: Callable[[], Decided], *, proposal_id: int) -> BatchItem:
    try:
        with transaction.atomic():
            decided = act()
    except Conflict as error:
        return BatchItem(proposal_id, "changed", str(error))
    except KnowledgeError as error:
        return BatchItem(proposal_id, "failed", str(error))
    return BatchItem(proposal_id, "done", decision_id=decided.decision_id)


def _check_plain(proposal_id: int) -> None:
    proposal = Proposal.objects.get(pk=proposal_id)
    if proposal.flags:
        raise InvalidInput("It carries a flag, so it is decided on its own.", field="items")
    if proposal.kind_suggested != "new" or proposal.target_id or proposal.waits_on_id:
        raise InvalidInput("It is not simply new, so it is decided on its own.", field="items")


def _open(
    kind: DecisionKind,
    *,
    space_id: int,
    size: int,
    request_id: uuid.UUID,
    by: Actor,
    now: datetime,
    undoes: Batch | None = None,
) -> Batch:
    if by.user_id is None:
        raise NotAllowed("Only people decide.")
    return Batch.objects.create(
        space_id=space_id,
        kind=kind,
        by_id=by.user_id,
        request_id=request_id,
        size=size,
        undoes=undoes,
        created_at=now,
    )


def _close(batch: Batch, *, results: Sequence[BatchItem], by: Actor) -> BatchDone:
    outcomes = [item.outcome for item in results]
    audit.append(
        space_id=batch.space_id,
        by=by,
        action=f"batch.{batch.kind}",
        object_type="batch",
        object_id=str(batch.pk),
        payload={name: outcomes.count(name) for name in ("done", "changed", "failed")},
    )
    return BatchDone(batch.pk, tuple(results))


def _replayed(*, space_id: int, request_id: uuid.UUID) -> BatchDone | None:
    """The first result of a form that came twice: what it decided; the rest is not repeated."""
    batch = Batch.objects.filter(space_id=space_id, request_id=request_id).first()
    if batch is None:
        return None
    decisions = Decision.objects.filter(batch=batch).order_by("seq")
    items = [BatchItem(one.proposal_id or 0, "done", decision_id=one.pk) for one in decisions]
    return BatchDone(batch.pk, tuple(items), replayed=True)
