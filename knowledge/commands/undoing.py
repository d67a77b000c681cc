"""Undo: a new decision that inverts an earlier one and leaves both in the record."""

import uuid
from datetime import datetime

from django.db import IntegrityError, transaction

from knowledge import policies
from knowledge.commands import audit, belief, deciding, indexing, tombstones
from knowledge.errors import (
    NotAllowed,
    NotFound,
    SlotTaken,
    TargetMoved,
    UndoRefused,
    UndoTooLate,
)
from knowledge.models import (
    Confirmation,
    Contest,
    Decision,
    DecisionKind,
    Derivation,
    EndReason,
    Proposal,
    SearchEntry,
    Version,
)
from knowledge.results import Actor, Decided
from knowledge.trust import WAITING_STATES, TrustState, check_transition

UNDOABLE = frozenset(
    {
        DecisionKind.APPROVE,
        DecisionKind.CONFIRM,
        DecisionKind.REJECT,
        DecisionKind.DEFER,
        DecisionKind.RETRACT,
        DecisionKind.REFUTE,
        DecisionKind.RESTORE,
        DecisionKind.MERGE,
        DecisionKind.RESOLVE,
    }
)

_RETRACT = "Retract the statement instead, with a reason."
_SEND_BACK = "Ask the second person to send it back."
_WAY_ON = {
    DecisionKind.APPROVE: _RETRACT,
    DecisionKind.CONFIRM: _RETRACT,
    DecisionKind.REJECT: "Use “Propose anyway” on its card instead.",
    DecisionKind.DEFER: "Bring it back to the queue on its card instead.",
    DecisionKind.RETRACT: "Restore the statement instead, with a reason.",
    DecisionKind.REFUTE: "Restore the statement instead, with a reason.",
    DecisionKind.RESTORE: _RETRACT,
    DecisionKind.MERGE: "Restore the statement instead, with a reason.",
    DecisionKind.RESOLVE: "Settle it anew on the statement’s page instead.",
}


@transaction.atomic(durable=True)
def undo(*, decision_id: uuid.UUID, request_id: uuid.UUID, by: Actor, now: datetime) -> Decided:
    """Take back a decision of one's own and bring its proposal back.

    What the decision opened is closed as retracted; what it closed comes back as new versions.

    **Raises**: NotFound, NotAllowed; UndoRefused naming the decision that stands in the way;
    UndoTooLate 15 minutes after it, with the way on; SlotTaken when another statement holds the
    place now.
    """
    return undo_one(decision_id=decision_id, request_id=request_id, by=by, now=now)


def undo_one(
    *,
    decision_id: uuid.UUID,
    request_id: uuid.UUID,
    by: Actor,
    now: datetime,
    batch_id: uuid.UUID | None = None,
) -> Decided:
    """Do what ``undo`` does, as a step of a command that undoes several."""
    undone = Decision.objects.select_related("statement").filter(pk=decision_id).first()
    if undone is None:
        raise NotFound("There is no such decision.")
    if undone.proposal_id is None:
        return _undo_about_statement(undone, request_id=request_id, by=by, now=now)
    proposal = deciding.lock_proposal(undone.proposal_id, by=by, now=now)
    replayed = deciding.find_replay(
        proposal, request_id=request_id, kinds={DecisionKind.UNDO}, by=by
    )
    if replayed is not None:
        return replayed
    _check_undoable(undone, proposal=proposal, by=by, now=now)
    _lock_standing(undone)
    return _invert(
        undone, proposal=proposal, request_id=request_id, by=by, now=now, batch_id=batch_id
    )


def _undo_about_statement(
    undone: Decision, *, request_id: uuid.UUID, by: Actor, now: datetime
) -> Decided:
    """Take back a decision that was about a belief and not about a proposal."""
    policies.check_can_decide(user_id=by.user_id, space_id=undone.space_id, now=now)
    earlier = Decision.objects.filter(space_id=undone.space_id, request_id=request_id).first()
    if earlier is not None:
        return deciding.decided(earlier, replayed=True)
    _check_own(undone, by=by, now=now)
    _check_standing(undone)
    _lock_standing(undone)
    decision = _record(undone, request_id=request_id, by=by)
    _take_back_belief(undone, decision=decision)
    indexing.ask_for_vectors(space_id=undone.space_id, now=now)
    if undone.statement is not None:
        payload = {"undoes": str(undone.pk)}
        deciding.log_statement(decision, statement=undone.statement, by=by, payload=payload)
    return Decided(decision.pk, decision.kind, 0, undone.statement_id)


def _check_own(undone: Decision, *, by: Actor, now: datetime) -> None:
    if undone.by_id != by.user_id:
        raise NotAllowed("Only the person who decided can undo it.")
    if undone.kind not in UNDOABLE:
        raise UndoRefused(f"A decision of kind “{undone.get_kind_display()}” cannot be undone.")
    if Decision.objects.filter(undoes=undone).exists():
        raise UndoRefused("This decision was undone already.")
    if not policies.can_undo_freely(at=undone.at, now=now):
        raise _too_late(undone)


def _too_late(undone: Decision) -> UndoTooLate:
    """Say what to do instead, and about what."""
    found = deciding.decided(undone)
    way_on = _SEND_BACK if found.awaits_second else _WAY_ON[DecisionKind(undone.kind)]
    return UndoTooLate(
        f"Undo is free for 15 minutes, and they are over. {way_on}",
        statement_id=found.statement_id,
        proposal_id=found.proposal_id or None,
    )


def _check_undoable(undone: Decision, *, proposal: Proposal, by: Actor, now: datetime) -> None:
    _check_own(undone, by=by, now=now)
    later = proposal.decisions.filter(seq__gt=undone.seq).order_by("seq").first()
    if later is not None:
        raise UndoRefused(
            f"The proposal was {later.get_kind_display()} after that.", decision_id=later.pk
        )
    _check_standing(undone)


def _check_standing(undone: Decision) -> None:
    for version in undone.opened.order_by("pk"):
        if _standing(version) is None:
            raise UndoRefused(
                f"A later decision ended “{version.text}”. Undo that one first.",
                decision_id=version.closed_by_id,
            )
    for version in undone.closed.order_by("pk"):
        restored = belief.brought_back(version)
        if restored is not None:
            raise UndoRefused(
                f"“{version.text}” was brought back already.", decision_id=restored.opened_by_id
            )
    redacted = Version.objects.filter(closed_by=undone, redacted_at__isnull=False).exists()
    if redacted:
        raise UndoRefused("What this would bring back has been erased.")


def _standing(version: Version) -> Version | None:
    """The version itself, or what stands for it since whatever ended it was undone."""
    while version.tx_to is not None:
        restored = version.derived.filter(
            derivation=Derivation.RESTORES, opened_by__undoes_id=version.closed_by_id
        ).first()
        if restored is None:
            return None
        version = restored
    return version


def _lock_standing(undone: Decision) -> None:
    """Lock what will be closed, or come back, before the ledger is, as an approval does."""
    standing = [_standing(version) for version in undone.opened.all()]
    ids = {version.pk for version in standing if version is not None}
    back = set(Version.objects.filter(closed_by=undone).values_list("pk", flat=True))
    # With what would come back, so that it is not erased meanwhile.
    locked = Version.objects.select_for_update(no_key=True).filter(pk__in=ids | back)
    rows = list(locked.order_by("pk"))
    believed = [version.pk for version in rows if version.pk in ids and version.tx_to is None]
    if len(believed) != len(standing):
        raise TargetMoved("What this would take back was changed just now.")
    if any(version.redacted_at is not None for version in rows):
        raise UndoRefused("What this would bring back has been erased.")


def _invert(
    undone: Decision,
    *,
    proposal: Proposal,
    request_id: uuid.UUID,
    by: Actor,
    now: datetime,
    batch_id: uuid.UUID | None,
) -> Decided:
    check_transition(proposal.state, TrustState.PENDING)
    decision = _record(
        undone, request_id=request_id, by=by, state_before=proposal.state, batch_id=batch_id
    )
    proposal.state = TrustState.PENDING
    proposal.version += 1
    proposal.kind_decided = ""
    proposal.deferred_until = None
    proposal.first_approver = None
    proposal.save(
        update_fields=["state", "version", "kind_decided", "deferred_until", "first_approver"]
    )
    _take_back_belief(undone, decision=decision)
    followers = proposal.followers.filter(state__in=WAITING_STATES)
    deciding.not_in_other_hands(followers).update(target=None, target_seen=None)
    indexing.ask_for_vectors(space_id=proposal.space_id, now=now)
    audit.append(
        space_id=proposal.space_id,
        by=by,
        action="proposal.undo",
        object_type="proposal",
        object_id=str(proposal.pk),
        subject_id=proposal.subject_id,
        decision_id=decision.pk,
        payload={"undoes": str(undone.pk), "text": proposal.text},
    )
    return Decided(decision_id=decision.pk, kind=decision.kind, proposal_id=proposal.pk)


def _record(
    undone: Decision,
    *,
    request_id: uuid.UUID,
    by: Actor,
    state_before: str = "",
    batch_id: uuid.UUID | None = None,
) -> Decision:
    try:
        with transaction.atomic():
            return deciding.record(
                Decision(
                    space_id=undone.space_id,
                    kind=DecisionKind.UNDO,
                    by_id=by.user_id,
                    channel=by.channel,
                    request_id=request_id,
                    proposal_id=undone.proposal_id,
                    statement_id=undone.statement_id,
                    undoes=undone,
                    batch_id=batch_id,
                    state_before=state_before,
                    state_after=TrustState.PENDING if state_before else "",
                )
            )
    except IntegrityError as error:
        raise UndoRefused("This decision was undone already.") from error


def _take_back_belief(undone: Decision, *, decision: Decision) -> None:
    Contest.objects.filter(opened_by=undone, resolved_by__isnull=True).update(resolved_by=decision)
    confirmations = Confirmation.objects.filter(decision=undone, undone_by__isnull=True)
    if confirmations.update(undone_by=decision):
        # What was found by those words until now stays reproducible for an earlier known_at.
        SearchEntry.objects.filter(decision=undone).update(known_to=decision.at)
    standing = [_standing(version) for version in undone.opened.order_by("-pk")]
    for version in filter(None, standing):
        belief.close_version(version, decision=decision, reason=EndReason.RETRACTED)
    for version in Version.objects.filter(opened_by=undone, derived_from__end_reason="refuted"):
        tombstones.plant_for_refutation(version, decision=decision)
    closed = Version.objects.filter(closed_by=undone).order_by("pk")
    for version in closed:
        try:
            belief.derive_version(
                version, decision=decision, valid=version.valid, derivation=Derivation.RESTORES
            )
        except SlotTaken as error:
            raise SlotTaken(
                f"“{version.text}” cannot come back: another statement holds its place now."
            ) from error
        if undone.kind == DecisionKind.REFUTE:
            tombstones.lift_refutation(version, decision=decision)
    # A contest that was resolved as "both may stand" ended no side that could bring it back.
    both_stood = Contest.objects.filter(
        resolved_by=undone, version_a__tx_to=None, version_b__tx_to=None
    )
    for contest in both_stood if undone.kind == DecisionKind.RESOLVE else ():
        Contest.objects.create(
            space_id=undone.space_id,
            version_a=contest.version_a,
            version_b=contest.version_b,
            opened_by=decision,
        )
