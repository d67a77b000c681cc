"""Steps every decision shares: lock, recognise a replay, compare with what was seen, record."""

from datetime import datetime
from typing import Any

from knowledge import policies
from knowledge.commands import audit
from knowledge.errors import NotFound, StaleProposal
from knowledge.models import Decision, DecisionKind, Proposal, Version
from knowledge.results import Actor, Decided, Review
from knowledge.trust import TrustState, check_transition


def lock_proposal(review: Review, *, by: Actor, now: datetime) -> Proposal:
    """This function will lock the proposal, and refuse who may not decide about it.

    **Raises**: NotFound, NotAllowed.
    """
    proposal = (
        Proposal.objects.select_for_update(no_key=True, of=("self",))
        .select_related("subject")
        .filter(pk=review.proposal_id)
        .first()
    )
    if proposal is None:
        raise NotFound("There is no such proposal.")
    policies.check_can_decide(user_id=by.user_id, space_id=proposal.space_id, now=now)
    return proposal


def find_replay(proposal: Proposal, *, review: Review) -> Decided | None:
    """This function will answer a form that came twice with its first result."""
    earlier = Decision.objects.filter(
        space_id=proposal.space_id, request_id=review.request_id
    ).first()
    return None if earlier is None else decided(earlier, replayed=True)


def check_seen(proposal: Proposal, *, review: Review) -> None:
    """This function will refuse a decision about a proposal that changed since it was seen.

    **Raises**: StaleProposal.
    """
    if proposal.version != review.seen_version:
        last = proposal.decisions.order_by("-seq").first()
        raise StaleProposal(
            "This proposal was decided or changed since you opened it.",
            proposal_id=proposal.pk,
            decision_id=last.pk if last else None,
        )


def decide(
    proposal: Proposal,
    *,
    review: Review,
    kind: DecisionKind,
    to: TrustState,
    by: Actor,
    reason_code: str,
    changes: dict[str, Any],
) -> Decision:
    """This function will record the decision and move the locked proposal.

    The database stamps ``seq`` and ``at``; they are read back here.

    **Raises**: TransitionRefused.
    """
    before = proposal.state
    if to != before:
        check_transition(before, to)
    decision = Decision.objects.create(
        space_id=proposal.space_id,
        kind=kind,
        by_id=by.user_id,
        channel=by.channel,
        reason_code=reason_code,
        note=review.note,
        request_id=review.request_id,
        proposal=proposal,
        state_before=before,
        opened_at=review.opened_at,
        evidence_opened=review.evidence_opened,
    )
    decision.refresh_from_db(fields=["seq", "at"])
    proposal.state = to
    proposal.version += 1
    proposal.stale_reason = ""
    for name, value in changes.items():
        setattr(proposal, name, value)
    proposal.save(update_fields=["state", "version", "stale_reason", *changes])
    return decision


def log(decision: Decision, *, proposal: Proposal, by: Actor, payload: dict[str, Any]) -> None:
    """This function will append the decision's audit event, last in its command."""
    note = {"note": decision.note} if decision.note else {}
    audit.append(
        space_id=decision.space_id,
        by=by,
        action=f"proposal.{decision.kind}",
        object_type="proposal",
        object_id=str(proposal.pk),
        subject_id=proposal.subject_id,
        decision_id=decision.pk,
        reason_code=decision.reason_code,
        payload=payload | note,
    )


def decided(decision: Decision, *, replayed: bool = False) -> Decided:
    """This function will describe a decision by what it opened or confirmed."""
    version = (
        Version.objects.filter(opened_by=decision, derivation__isnull=True).order_by("pk").first()
    )
    confirmation = decision.confirmations.first()
    statement_id = version.statement_id if version else None
    if confirmation is not None:
        statement_id = confirmation.confirms_id
    return Decided(
        decision_id=decision.pk,
        kind=decision.kind,
        proposal_id=decision.proposal_id or 0,
        statement_id=statement_id,
        version_id=version.pk if version else None,
        replayed=replayed,
    )
