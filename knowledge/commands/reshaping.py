"""One proposal becomes two, or turns out to say what another one says already."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F

from knowledge.commands import deciding, recognising
from knowledge.commands.content import check_content
from knowledge.errors import Conflict, InvalidInput, NotFound
from knowledge.fingerprints import fingerprint
from knowledge.models import DecisionKind, Evidence, Proposal, ProposalGap
from knowledge.results import Actor, Decided, Review
from knowledge.trust import WAITING_STATES, TrustState

FEWEST_PARTS = 2
MOST_PARTS = 4


@transaction.atomic(durable=True)
def split(*, review: Review, texts: Sequence[str], by: Actor, now: datetime) -> Decided:
    """Replace a proposal by several that each say a part of it and keep all of its evidence.

    The original is withdrawn and named by its parts; who split it contributed to them.

    **Raises**: InvalidInput for too few, too many, empty or equal parts; NotFound, NotAllowed,
    StaleProposal, TransitionRefused.
    """
    wanted = [text.strip() for text in texts if text.strip()]
    if not FEWEST_PARTS <= len(set(wanted)) == len(wanted) <= MOST_PARTS:
        raise InvalidInput(
            f"Write {FEWEST_PARTS} to {MOST_PARTS} statements, each different.", field="texts"
        )
    proposal = deciding.lock_proposal(review.proposal_id, by=by, now=now)
    replayed = deciding.find_replay(
        proposal, request_id=review.request_id, kinds={DecisionKind.SPLIT}, by=by
    )
    if replayed is not None:
        return replayed
    deciding.check_seen(proposal, review=review)
    decision = deciding.decide(
        proposal, review=review, kind=DecisionKind.SPLIT, to=TrustState.WITHDRAWN, by=by,
        reason_code="", changes={},
    )  # fmt: skip
    parts = [_part(proposal, text=text, by=by, now=now) for text in wanted]
    payload = {"text": proposal.text, "parts": [part.pk for part in parts]}
    deciding.log(decision, proposal=proposal, by=by, payload=payload)
    return deciding.decided(decision)


@transaction.atomic(durable=True)
def same_as_waiting(*, review: Review, other_id: int, by: Actor, now: datetime) -> Decided:
    """Say that a proposal repeats another that waits: it is withdrawn, and lends it its words.

    **Raises**: InvalidInput for one of another subject, or itself; Conflict when the other was
    decided meanwhile; as ``split``.
    """
    if other_id == review.proposal_id:
        raise InvalidInput("Choose another proposal.", field="other")
    ids = sorted([review.proposal_id, other_id])
    list(Proposal.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk"))
    proposal = deciding.lock_proposal(review.proposal_id, by=by, now=now)
    replayed = deciding.find_replay(
        proposal, request_id=review.request_id, kinds={DecisionKind.WITHDRAW}, by=by
    )
    if replayed is not None:
        return replayed
    deciding.check_seen(proposal, review=review)
    other = Proposal.objects.filter(space_id=proposal.space_id, pk=other_id).first()
    if other is None:
        raise NotFound("There is no such proposal in this space.")
    if other.subject_id != proposal.subject_id:
        raise InvalidInput("Choose a proposal of the same subject.", field="other")
    if other.state not in WAITING_STATES:
        raise Conflict(f"That proposal was {other.get_state_display().lower()} meanwhile.")
    _copy_evidence(proposal, to=other)
    # Who has the other one open has not seen these words yet.
    Proposal.objects.filter(pk=other.pk).update(version=F("version") + 1)
    decision = deciding.decide(
        proposal, review=review, kind=DecisionKind.WITHDRAW, to=TrustState.WITHDRAWN, by=by,
        reason_code="same_as", changes={"joined_to_id": other.pk},
    )  # fmt: skip
    payload = {"text": proposal.text, "same_as": other.pk}
    deciding.log(decision, proposal=proposal, by=by, payload=payload)
    return deciding.decided(decision)


def _part(proposal: Proposal, *, text: str, by: Actor, now: datetime) -> Proposal:
    part = Proposal.objects.get(pk=proposal.pk)
    part.pk = None
    part.run = None
    part.ordinal = None
    part.state = TrustState.PENDING
    part.version = 1
    part.text = text
    part.attribute = part.value = part.kind_decided = ""
    part.split_from = proposal
    part.first_approver = None
    part.deferred_until = None
    part.original = proposal.original | {"text": text, "split_from": proposal.pk}
    part.fingerprint = fingerprint("", text)
    part.created_at = now
    check_content(part)
    said_in = proposal.evidence.values_list("message_id", flat=True)
    recognising.admit(part, message_ids=said_in, by_hand=True)
    part.save(force_insert=True)
    _copy_evidence(proposal, to=part)
    ProposalGap.objects.bulk_create(
        ProposalGap(space_id=part.space_id, proposal=part, gap_id=gap_id)
        for gap_id in proposal.gaps.values_list("pk", flat=True)
    )
    if by.user_id is not None:
        part.contributors.add(by.user_id)
    return part


def _copy_evidence(proposal: Proposal, *, to: Proposal) -> None:
    Evidence.objects.bulk_create(
        (
            Evidence(
                space_id=to.space_id,
                proposal=to,
                run_id=item.run_id,
                message_id=item.message_id,
                start=item.start,
                end=item.end,
                quote=item.quote,
                role=item.role,
            )
            for item in proposal.evidence.all()
        ),
        ignore_conflicts=True,
    )
