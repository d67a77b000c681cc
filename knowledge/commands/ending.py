"""How a belief ends without a successor, how an ended one comes back, how a contest is settled."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import transaction

from knowledge.commands import audit, belief, deciding, governing, indexing, recognising, tombstones
from knowledge.errors import Conflict, InvalidInput, NotFound, SlotTaken
from knowledge.models import (
    Confirmation,
    Contest,
    Decision,
    DecisionKind,
    Derivation,
    EndReason,
    Version,
)
from knowledge.results import SYSTEM, Actor, Decided, StatementReview
from knowledge.texts import check_text

RETRACT_REASONS = ("no_longer_needed", "should_not_be_kept", "asked_to", "other")
REFUTE_REASONS = ("not_true", "misread", "wrong_person", "other")
EXPIRY = "expiry"
RESTORABLE = frozenset({DecisionKind.RETRACT, DecisionKind.REFUTE, DecisionKind.EXPIRE})


@transaction.atomic(durable=True)
def retract(*, review: StatementReview, by: Actor, now: datetime) -> Decided:
    """Withdraw a belief without calling it wrong: it is no longer served, and has no successor.

    **Raises**: NotAllowed, NotFound, InvalidInput; TargetMoved when it ended meanwhile.
    """
    return _end(
        review, kind=DecisionKind.RETRACT, reason=EndReason.RETRACTED, among=RETRACT_REASONS,
        by=by, now=now,
    )  # fmt: skip


@transaction.atomic(durable=True)
def refute(*, review: StatementReview, by: Actor, now: datetime) -> Decided:
    """End a belief because it was wrong: it has no successor.

    **Raises**: as ``retract``.
    """
    return _end(
        review, kind=DecisionKind.REFUTE, reason=EndReason.REFUTED, among=REFUTE_REASONS,
        by=by, now=now,
    )  # fmt: skip


@transaction.atomic(durable=True)
def restore(*, review: StatementReview, by: Actor, now: datetime) -> Decided:
    """Believe again what was retracted, refuted or expired, as a new version of its statement.

    **Raises**: Conflict when it is believed, was replaced, or was erased; SlotTaken when another
    statement holds its place now; as ``retract``.
    """
    version = deciding.lock_version(review.version_id, by=by, now=now, believed=False)
    replayed = _replay(version, review=review, kind=DecisionKind.RESTORE, by=by)
    if replayed is not None:
        return replayed
    # What an undo took back has the end reason "retracted" too, but its origin stands for it.
    ended_by = version.closed_by.kind if version.closed_by else ""
    if ended_by not in RESTORABLE or version.redacted_at is not None:
        raise Conflict("Only what was retracted, refuted or expired can be restored.")
    if belief.brought_back(version) is not None:
        raise Conflict("It was restored already.")
    if version.proposal.state != "approved":
        raise Conflict("Its approval was undone: decide about the proposal in the queue.")
    decision = _decide(version, review=review, kind=DecisionKind.RESTORE, by=by)
    try:
        restored = belief.derive_version(
            version, decision=decision, valid=version.valid, derivation=Derivation.RESTORES
        )
    except SlotTaken as error:
        raise SlotTaken(
            f"“{version.text}” cannot come back: another statement holds its place now."
        ) from error
    tombstones.lift_refutation(version, decision=decision)
    indexing.ask_for_vectors(space_id=version.space_id, now=now)
    deciding.log_statement(
        decision, statement=version.statement, by=by, payload={"text": version.text}
    )
    return Decided(decision.pk, decision.kind, 0, version.statement_id, restored.pk)


@transaction.atomic(durable=True)
def merge(*, review: StatementReview, into_version_id: int, by: Actor, now: datetime) -> Decided:
    """Say that a statement is the same as another: it ends, its words count for the other.

    **Raises**: InvalidInput for one of another subject, or itself; as ``retract``.
    """
    for version_id in sorted({review.version_id, into_version_id}):
        deciding.lock_version(version_id, by=by, now=now, believed=False)
    version = deciding.lock_version(review.version_id, by=by, now=now, believed=False)
    replayed = _replay(version, review=review, kind=DecisionKind.MERGE, by=by)
    if replayed is not None:
        return replayed
    into = deciding.lock_version(into_version_id, by=by, now=now)
    deciding.check_believed(version)
    if (version.subject_id, version.space_id) != (into.subject_id, into.space_id) or (
        version.statement_id == into.statement_id
    ):
        raise InvalidInput("Choose another statement of the same subject.", field="into")
    recognising.check_believable(recognising.value_of(version))
    decision = _decide(version, review=review, kind=DecisionKind.MERGE, by=by)
    belief.close_version(version, decision=decision, reason=EndReason.MERGED, successor_id=into.pk)
    if not version.proposal.confirmations.filter(undone_by__isnull=True).exists():
        Confirmation.objects.create(
            space_id=version.space_id,
            proposal=version.proposal,
            confirms=into.statement,
            decision=decision,
        )
    evidence = list(version.proposal.evidence.select_related("message"))
    indexing.index_evidence(into, evidence=evidence, decision=decision)
    indexing.ask_for_vectors(space_id=version.space_id, now=now)
    payload = {"text": version.text, "into": into.statement_id}
    deciding.log_statement(decision, statement=version.statement, by=by, payload=payload)
    return Decided(decision.pk, decision.kind, 0, into.statement_id, into.pk)


@transaction.atomic(durable=True)
def settle(
    *, contest_id: int, right_version_id: int | None, review: StatementReview, by: Actor,
    now: datetime,
) -> Decided:  # fmt: skip
    """Resolve a contest: one side was right and corrects the other, or (None) both may stand.

    **Raises**: NotFound; Conflict when it was resolved meanwhile; as ``retract``.
    """
    contest = Contest.objects.filter(pk=contest_id).first()
    if contest is None:
        raise NotFound("There is no such contest.")
    sides = {
        version_id: deciding.lock_version(version_id, by=by, now=now, believed=False)
        for version_id in sorted([contest.version_a_id, contest.version_b_id])
    }
    contest = Contest.objects.select_for_update().get(pk=contest_id)
    seen = sides[contest.version_a_id]
    replayed = _replay(seen, review=review, kind=DecisionKind.RESOLVE, by=by)
    if replayed is not None:
        return replayed
    if contest.resolved_by_id is not None:
        raise Conflict("This contest was resolved meanwhile.")
    if right_version_id is not None and right_version_id not in sides:
        raise InvalidInput("Choose one of the two sides, or both.", field="right")
    decision = _decide(seen, review=review, kind=DecisionKind.RESOLVE, by=by)
    for version_id, version in sides.items():
        if right_version_id not in (None, version_id) and version.tx_to is None:
            belief.close_version(
                version,
                decision=decision,
                reason=EndReason.CORRECTED,
                successor_id=right_version_id,
            )
    Contest.objects.filter(pk=contest_id, resolved_by=None).update(resolved_by=decision)
    payload = {"contest": contest_id, "right": right_version_id}
    deciding.log_statement(decision, statement=seen.statement, by=by, payload=payload)
    return Decided(decision.pk, decision.kind, 0, seen.statement_id, right_version_id)


@transaction.atomic(durable=True)
def expire(*, space_id: int, now: datetime, limit: int = 500) -> list[UUID]:
    """End, by the space's policy, beliefs whose valid period ended long enough ago.

    **Returns**: the decisions made, at most ``limit``; call again while it gives any.
    """
    policy = governing.current_policy(space_id)
    if policy is None or policy.expire_after_days is None:
        return []
    before = now - timedelta(days=policy.expire_after_days)
    due = (
        Version.objects.current()
        .select_for_update(no_key=True, skip_locked=True, of=("self",))
        .select_related("statement")
        .filter(space_id=space_id, valid__endswith__lte=before)
        .order_by("pk")[:limit]
    )
    return [_expire_one(version) for version in due]


@transaction.atomic(durable=True)
def ask_again(*, space_id: int, now: datetime, delay: timedelta) -> None:
    """Ask for the next round of expiry."""
    governing.ask_for_expiry(space_id=space_id, now=now, delay=delay)


def _expire_one(version: Version) -> UUID:
    decision = deciding.record(
        Decision(
            space_id=version.space_id,
            kind=DecisionKind.EXPIRE,
            policy=EXPIRY,
            channel=SYSTEM.channel,
            request_id=uuid4(),
            statement=version.statement,
        )
    )
    belief.close_version(version, decision=decision, reason=EndReason.EXPIRED)
    audit.append(
        space_id=version.space_id,
        by=Actor(kind="system", id=EXPIRY, channel="worker"),
        action="statement.expire",
        object_type="statement",
        object_id=str(version.statement_id),
        subject_id=version.subject_id,
        decision_id=decision.pk,
    )
    return decision.pk


def _end(
    review: StatementReview,
    *,
    kind: DecisionKind,
    reason: EndReason,
    among: tuple[str, ...],
    by: Actor,
    now: datetime,
) -> Decided:
    if review.reason_code not in among:
        raise InvalidInput(f"Choose a reason: {', '.join(among)}.", field="reason_code")
    if review.reason_code == "other" and not review.note.strip():
        raise InvalidInput("Say in a few words why, so that others can follow.", field="note")
    version = deciding.lock_version(review.version_id, by=by, now=now, believed=False)
    replayed = _replay(version, review=review, kind=kind, by=by)
    if replayed is not None:
        return replayed
    deciding.check_believed(version)
    decision = _decide(version, review=review, kind=kind, by=by)
    belief.close_version(version, decision=decision, reason=reason)
    if reason == EndReason.REFUTED:
        tombstones.plant_for_refutation(version, decision=decision)
    deciding.log_statement(
        decision, statement=version.statement, by=by, payload={"text": version.text}
    )
    return Decided(decision.pk, decision.kind, 0, version.statement_id, version.pk)


def _decide(
    version: Version, *, review: StatementReview, kind: DecisionKind, by: Actor
) -> Decision:
    return deciding.record(
        Decision(
            space_id=version.space_id,
            kind=kind,
            by_id=by.user_id,
            channel=by.channel,
            reason_code=review.reason_code,
            note=check_text(review.note, field="note"),
            request_id=review.request_id,
            statement=version.statement,
            opened_at=review.opened_at,
        )
    )


def _replay(
    version: Version, *, review: StatementReview, kind: DecisionKind, by: Actor
) -> Decided | None:
    earlier = Decision.objects.filter(
        space_id=version.space_id, request_id=review.request_id
    ).first()
    if earlier is None:
        return None
    if (earlier.kind, earlier.by_id) != (kind, by.user_id):
        raise Conflict("This form was used for something else. Open the page again.")
    return deciding.decided(earlier, replayed=True)
