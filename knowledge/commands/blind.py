"""Blind second reviews: drawn with a decision, answered by another person, believed by nobody."""

import uuid
from datetime import datetime

from django.db import IntegrityError, transaction

from knowledge import policies
from knowledge.blindness import DEFAULT_SHARE, is_drawn
from knowledge.commands import audit
from knowledge.errors import Conflict, Erased, InvalidInput, NotFound, UndoRefused
from knowledge.models import (
    BlindAnswer,
    BlindDraw,
    BlindVerdict,
    Decision,
    DecisionKind,
    Proposal,
    Version,
)
from knowledge.periods import check_instant
from knowledge.results import Actor
from knowledge.trust import REJECT_REASONS, TrustState, WhatHappened


def draw_for(decision: Decision, *, proposal: Proposal) -> None:
    """Lay a decision before a second reader where chance has it so, as a step of that decision.

    Only what one person alone approved or rejected; nothing in a space for evaluation.
    """
    final = decision.kind == DecisionKind.REJECT or (
        decision.kind == DecisionKind.APPROVE and decision.state_after == TrustState.APPROVED
    )
    policy = decision.policy_version
    share = DEFAULT_SHARE if policy is None else policy.blind_share
    if not final or not is_drawn(proposal.pk, share=share) or proposal.space.evaluation:
        return
    BlindDraw.objects.create(
        space_id=decision.space_id, decision=decision, proposal=proposal, share=share
    )


@transaction.atomic(durable=True)
def answer(
    *,
    draw_id: int,
    verdict: str,
    reason_code: str,
    request_id: uuid.UUID,
    by: Actor,
    now: datetime,
    target_version_id: int | None = None,
    opened_at: datetime | None = None,
) -> BlindAnswer:
    """Record what a second reader would have decided; nothing that is believed changes.

    ``reason_code`` is a word of ``WhatHappened`` for an approval, one of ``REJECT_REASONS`` for a
    rejection; ``target_version_id`` the version they took it to change or repeat.

    **Raises**: NotFound, NotAllowed, InvalidInput, Erased; UndoRefused where the first decision
    was taken back meanwhile; Conflict where somebody answered before.
    """
    draw, earlier = _open(draw_id, request_id=request_id, by=by, now=now)
    if earlier is not None:
        return earlier
    _check_open(draw)
    _check_answer(verdict, reason_code)
    made = _record(
        BlindAnswer(
            space_id=draw.space_id,
            draw=draw,
            by_id=by.user_id or 0,
            verdict=verdict,
            reason_code=reason_code,
            target=_target(target_version_id, draw=draw),
            request_id=request_id,
            opened_at=opened_at and check_instant(opened_at, field="opened_at"),
            created_at=now,
        )
    )
    audit.append(
        space_id=draw.space_id,
        by=by,
        action="blind_review.answer",
        object_type="blind_review",
        object_id=str(draw.pk),
        subject_id=draw.proposal.subject_id,
        reason_code=reason_code,
        payload={"verdict": verdict, "decision": str(draw.decision_id)},
    )
    return made


def _open(
    draw_id: int, *, request_id: uuid.UUID, by: Actor, now: datetime
) -> tuple[BlindDraw, BlindAnswer | None]:
    """Lock what is looked at; the first result where the same form came before."""
    draw = (
        BlindDraw.objects.select_for_update(of=("self",), no_key=True)
        .select_related("decision", "proposal")
        .filter(pk=draw_id)
        .first()
    )
    if draw is None:
        raise NotFound("There is no such second review.")
    policies.check_can_decide(user_id=by.user_id, space_id=draw.space_id, now=now)
    policies.check_can_be_second(
        user_id=by.user_id,
        first_id=draw.decision.by_id,
        contributor_ids=draw.proposal.contributors.values_list("pk", flat=True),
    )
    earlier = BlindAnswer.objects.filter(draw=draw).first()
    if earlier is not None and (earlier.request_id, earlier.by_id) != (request_id, by.user_id):
        raise Conflict("This second review was answered already.")
    return draw, earlier


def _check_open(draw: BlindDraw) -> None:
    if draw.proposal.redacted_at is not None:
        raise Erased("The words of this proposal were erased. There is nothing left to look at.")
    if Decision.objects.filter(undoes=draw.decision).exists():
        raise UndoRefused("The first decision was taken back, so there is none to compare with.")


def _check_answer(verdict: str, reason_code: str) -> None:
    allowed = {
        BlindVerdict.APPROVE: tuple(WhatHappened.values),
        BlindVerdict.REJECT: REJECT_REASONS,
    }
    if verdict not in allowed:
        raise InvalidInput("Approve it or reject it.", field="verdict")
    if reason_code not in allowed[BlindVerdict(verdict)]:
        raise InvalidInput("Say what happened, or why you would reject it.", field="reason_code")


def _target(version_id: int | None, *, draw: BlindDraw) -> Version | None:
    if version_id is None:
        return None
    found = Version.objects.filter(pk=version_id, space_id=draw.space_id).first()
    if found is None:
        raise InvalidInput("There is no such version of a statement.", field="target_seen")
    return found


def _record(made: BlindAnswer) -> BlindAnswer:
    try:
        with transaction.atomic():
            made.save(force_insert=True)
    except IntegrityError as error:
        if "one_blind_answer_per_request" not in str(error):
            raise
        raise Conflict("This form was used for something else. Open the page again.") from error
    return made
