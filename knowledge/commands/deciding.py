"""Steps every decision shares: lock, recognise a replay, compare with what was seen, record."""

from collections.abc import Container, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from knowledge import policies
from knowledge.commands import audit, blind, governing
from knowledge.errors import (
    Conflict,
    Erased,
    NotFound,
    StaleProposal,
    TargetMoved,
    TransitionRefused,
)
from knowledge.models import Decision, DecisionKind, Proposal, Statement, Version
from knowledge.periods import check_instant
from knowledge.results import Actor, Decided, Review
from knowledge.texts import check_text
from knowledge.trust import WAITING_STATES, TrustState, check_transition

# What each act starts from. The trust table alone would let “woken” take back an approval.
BEGINS = {
    DecisionKind.APPROVE: WAITING_STATES,
    DecisionKind.EDIT: WAITING_STATES,
    DecisionKind.REJECT: WAITING_STATES,
    DecisionKind.DEFER: WAITING_STATES,
    DecisionKind.WAKE: frozenset({TrustState.DEFERRED}),
    DecisionKind.RECONSIDER: frozenset({TrustState.SET_ASIDE, TrustState.REJECTED}),
    DecisionKind.CONFIRM: frozenset({TrustState.AWAITING_SECOND}),
    DecisionKind.SEND_BACK: frozenset({TrustState.AWAITING_SECOND}),
    DecisionKind.SPLIT: WAITING_STATES,
    DecisionKind.WITHDRAW: WAITING_STATES,
}


def lock_proposal(
    proposal_id: int, *, by: Actor, now: datetime, ending: int | None = None
) -> Proposal:
    """Lock the proposal, and refuse who may not decide about it.

    What waits on it, or on the version it would be ``ending``, is told of the decision later and
    so is locked with it: all at once, by id, before any version and before the ledger.

    **Raises**: NotFound, NotAllowed, Erased.
    """
    beside = Q(waits_on_id=proposal_id)
    if ending is not None:
        beside |= Q(target_seen_id=ending)
    rows = (
        Proposal.objects.select_for_update(no_key=True, of=("self",))
        .select_related("subject")
        .filter(Q(pk=proposal_id) | (beside & Q(state__in=WAITING_STATES)))
        .order_by("pk")
    )
    proposal = next((row for row in rows if row.pk == proposal_id), None)
    if proposal is None:
        raise NotFound("There is no such proposal.")
    policies.check_can_decide(user_id=by.user_id, space_id=proposal.space_id, now=now)
    if proposal.redacted_at is not None:
        raise Erased("The words of this proposal were erased. There is nothing left to decide.")
    return proposal


def lock_in_order(proposal_ids: Iterable[int]) -> None:
    """Lock several proposals, and what waits on them, at once and by id.

    What a single decision about each would lock as well, so that a batch waits here or never.
    """
    ids = list(proposal_ids)
    followers = Q(waits_on_id__in=ids, state__in=WAITING_STATES)
    rows = Proposal.objects.select_for_update(no_key=True).filter(Q(pk__in=ids) | followers)
    list(rows.order_by("pk").values_list("pk", flat=True))


def not_in_other_hands(rows: QuerySet[Proposal]) -> QuerySet[Proposal]:
    """Narrow proposals to those nobody else is deciding about right now.

    For what came to wait after ``lock_proposal``: to wait for it here would turn the order of
    locks round, and whoever decides about it looks at what is current anyway.
    """
    ids = rows.select_for_update(no_key=True, skip_locked=True).values_list("pk", flat=True)
    return Proposal.objects.filter(pk__in=list(ids))


def find_replay(
    proposal: Proposal, *, request_id: UUID, kinds: Container[str], by: Actor
) -> Decided | None:
    """Answer a form that came twice with its first result.

    **Raises**: Conflict when the id was used for another act or by another person.
    """
    earlier = Decision.objects.filter(space_id=proposal.space_id, request_id=request_id).first()
    if earlier is None:
        return None
    if (earlier.proposal_id, earlier.by_id) != (proposal.pk, by.user_id) or (
        earlier.kind not in kinds
    ):
        raise Conflict("This form was used for something else. Open the page again.")
    return decided(earlier, replayed=True)


def check_seen(proposal: Proposal, *, review: Review) -> None:
    """Refuse a decision about a proposal that changed since it was seen.

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
    """Record the decision and move the locked proposal.

    The database stamps ``seq`` and ``at``; they are read back here.

    **Raises**: TransitionRefused; Conflict when the form was used meanwhile for something else.
    """
    before = TrustState(proposal.state)
    check_begins(proposal, kind=kind)
    if to != before:
        check_transition(before, to)
    decision = record(
        Decision(
            space_id=proposal.space_id,
            kind=kind,
            by_id=by.user_id,
            channel=by.channel,
            reason_code=reason_code,
            note=check_text(review.note, field="note"),
            request_id=review.request_id,
            proposal=proposal,
            state_before=before,
            state_after=to,
            opened_at=review.opened_at and check_instant(review.opened_at, field="opened_at"),
            evidence_opened=review.evidence_opened,
            card_digest=check_text(review.card_digest, field="card_digest", most=64),
            batch_id=review.batch_id,
        )
    )
    proposal.state = to
    proposal.version += 1
    proposal.stale_reason = ""
    for name, value in changes.items():
        setattr(proposal, name, value)
    proposal.save(update_fields=["state", "version", "stale_reason", *changes])
    blind.draw_for(decision, proposal=proposal)
    return decision


def check_begins(proposal: Proposal, *, kind: DecisionKind) -> None:
    """Refuse an act that does not start from where the proposal stands.

    **Raises**: TransitionRefused.
    """
    state = TrustState(proposal.state)
    if state not in BEGINS[kind]:
        raise TransitionRefused(f"A proposal that is {state.label.lower()} cannot be {kind.label}.")


def record(decision: Decision) -> Decision:
    """Write a decision under the guideline and policy in force; the database stamps it.

    **Raises**: Conflict when the form was used meanwhile for something else.
    """
    policy = governing.current_policy(decision.space_id)
    decision.policy_version = policy
    decision.guideline_id = governing.current_guideline_id(decision.space_id)
    try:
        with transaction.atomic():
            decision.save(force_insert=True)
    except IntegrityError as error:
        if "one_decision_per_request" not in str(error):
            raise
        raise Conflict("This form was used for something else. Open the page again.") from error
    decision.refresh_from_db(fields=["seq", "at"])
    return decision


def log(decision: Decision, *, proposal: Proposal, by: Actor, payload: dict[str, Any]) -> None:
    """Append the decision's audit event, last in its command."""
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


def lock_version(version_id: int, *, by: Actor, now: datetime, believed: bool = True) -> Version:
    """Lock the version a decision about a statement is about, if it still stands as it was seen.

    **Raises**: NotFound, NotAllowed; TargetMoved naming what happened.
    """
    version = (
        Version.objects.select_for_update(no_key=True, of=("self",))
        .select_related("statement", "closed_by__by")
        .filter(pk=version_id)
        .first()
    )
    if version is None:
        raise NotFound("There is no such version of a statement.")
    policies.check_can_decide(user_id=by.user_id, space_id=version.space_id, now=now)
    if version.redacted_at is not None:
        raise Erased("The words of this statement were erased. There is nothing left to decide.")
    if believed:
        check_believed(version)
    return version


def check_believed(version: Version) -> None:
    """Refuse a version that ended since it was seen, saying what happened to it.

    **Raises**: TargetMoved.
    """
    if version.closed_by is None:
        return
    who = version.closed_by.by.get_username() if version.closed_by.by else "a policy"
    raise TargetMoved(
        f"“{version.text}” was {version.get_end_reason_display()} by {who} since you opened it.",
        version_id=version.pk,
        decision_id=version.closed_by_id,
    )


def log_statement(
    decision: Decision, *, statement: Statement, by: Actor, payload: dict[str, Any]
) -> None:
    """Append the audit event of a decision about a statement, last in its command."""
    note = {"note": decision.note} if decision.note else {}
    audit.append(
        space_id=decision.space_id,
        by=by,
        action=f"statement.{decision.kind}",
        object_type="statement",
        object_id=str(statement.pk),
        subject_id=statement.subject_id,
        decision_id=decision.pk,
        reason_code=decision.reason_code,
        payload=payload | note,
    )


def decided(decision: Decision, *, replayed: bool = False) -> Decided:
    """Describe a decision by what it opened or confirmed."""
    version = (
        Version.objects.filter(opened_by=decision, derivation__isnull=True).order_by("pk").first()
    )
    confirmation = decision.confirmations.first()
    statement_id = version.statement_id if version else decision.statement_id
    if confirmation is not None:
        statement_id = confirmation.confirms_id
    return Decided(
        decision_id=decision.pk,
        kind=decision.kind,
        proposal_id=decision.proposal_id or 0,
        statement_id=statement_id,
        version_id=version.pk if version else None,
        replayed=replayed,
        awaits_second=bool(decision.proposal_id and decision.state_after == "awaiting_second"),
    )
