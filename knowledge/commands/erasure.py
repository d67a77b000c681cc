"""Forgetting for good: one person asks, another confirms, a worker carries it out."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from knowledge import policies
from knowledge.commands import audit, deciding, forgetting, jobs, tombstones
from knowledge.erasing import places
from knowledge.erasing.certificate import certify
from knowledge.erasing.finding import Needle
from knowledge.erasing.plan import counts_of, digest_of, title_of
from knowledge.erasing.reach import reach_of
from knowledge.erasing.scope import ErasureScope, Reach
from knowledge.errors import Conflict, InvalidInput, NotFound
from knowledge.models import (
    Decision,
    DecisionKind,
    ErasureKind,
    ErasureReason,
    ErasureRequest,
    ErasureState,
    Statement,
    Version,
)
from knowledge.results import Actor, Lease
from knowledge.texts import check_text

ERASE = "erase"
REPLAY = "erasure_replay"
MOST_ATTEMPTS = 5


@transaction.atomic(durable=True)
def ask(
    *,
    scope: ErasureScope,
    reason_code: str,
    seen_digest: str,
    request_id: uuid.UUID,
    by: Actor,
    now: datetime,
    note: str = "",
    blocks: bool = True,
) -> uuid.UUID:
    """Ask for an erasure that was seen as a dry run; another person has to confirm it.

    ``blocks`` plants tombstones, so that the same is not learned again. The same form asked twice
    is one request.

    **Returns**: the erasure's id.
    **Raises**: NotAllowed, NotFound, InvalidInput; Conflict when it reaches other things by now.
    """
    policies.check_can_ask_erasure(user_id=by.user_id, space_id=scope.space_id, now=now)
    known = ErasureRequest.objects.filter(space_id=scope.space_id, request_id=request_id).first()
    if known is not None:
        return known.pk
    if reason_code not in ErasureReason.values:
        raise InvalidInput("Choose on whose account it is erased.", field="reason_code")
    if reason_code == ErasureReason.OTHER and not note.strip():
        raise InvalidInput("Say in a few words why, so that others can follow.", field="note")
    title_of(scope)
    reach = reach_of(scope)
    if reach.is_empty:
        raise InvalidInput("There is nothing of this to erase.", field="words")
    _check_as_seen(reach, seen_digest=seen_digest)
    request = ErasureRequest.objects.create(
        space_id=scope.space_id,
        kind=scope.kind,
        words=check_text(scope.words.strip(), field="words", most=500),
        blocks=blocks,
        whole_conversations=scope.whole_conversations,
        reason_code=reason_code,
        note=check_text(note.strip(), field="note"),
        manifest={"counts": counts_of(reach), "ids": _ids(reach)},
        digest=digest_of(reach),
        requested_by_id=by.user_id,
        requested_at=now,
        request_id=request_id,
        **_target(scope),
    )
    _log(request, by=by, action="erasure.ask", payload={"counts": request.manifest["counts"]})
    return request.pk


@transaction.atomic(durable=True)
def confirm(*, erasure_id: uuid.UUID, seen_digest: str, by: Actor, now: datetime) -> None:
    """Confirm what somebody else asked to be erased, as seen just now; a worker does it.

    **Raises**: NotFound, NotAllowed; Conflict when it was closed, or reaches other things by now.
    """
    request = _lock(erasure_id)
    policies.check_can_confirm_erasure(
        user_id=by.user_id, asked_by_id=request.requested_by_id, space_id=request.space_id, now=now
    )
    if request.state != ErasureState.ASKED:
        raise Conflict(f"This erasure is {request.get_state_display().lower()} already.")
    reach = reach_of(scope_of(request))
    _check_as_seen(reach, seen_digest=seen_digest)
    request.state = ErasureState.CONFIRMED
    request.confirmed_by_id = by.user_id
    request.confirmed_at = now
    request.manifest = {"counts": counts_of(reach), "ids": _ids(reach)}
    request.digest = seen_digest
    request.save()
    jobs.enqueue(
        space_id=request.space_id,
        kind=ERASE,
        key=str(request.pk),
        payload={"erasure_id": str(request.pk)},
        now=now,
    )
    _log(request, by=by, action="erasure.confirm", payload={"counts": request.manifest["counts"]})


@transaction.atomic(durable=True)
def withdraw(*, erasure_id: uuid.UUID, by: Actor, now: datetime) -> None:
    """Take back, or refuse, an erasure that is not confirmed yet; its words are cleared.

    **Raises**: NotFound, NotAllowed; Conflict when it was closed or confirmed meanwhile.
    """
    request = _lock(erasure_id)
    if by.user_id == request.requested_by_id:
        policies.check_can_ask_erasure(user_id=by.user_id, space_id=request.space_id, now=now)
    else:
        policies.check_can_confirm_erasure(
            user_id=by.user_id,
            asked_by_id=request.requested_by_id,
            space_id=request.space_id,
            now=now,
        )
    if request.state != ErasureState.ASKED:
        raise Conflict(f"This erasure is {request.get_state_display().lower()} already.")
    request.state = ErasureState.WITHDRAWN
    request.words = request.note = ""
    request.closed_by_id, request.closed_at = by.user_id, now
    request.save()
    _log(request, by=by, action="erasure.withdraw", payload=None)


def carry_out(*, erasure_id: uuid.UUID, now: datetime, held: Lease | None = None) -> dict[str, Any]:
    """Empty everything a confirmed erasure reaches, once, in one transaction.

    **Returns**: the certificate. A second call answers with the same and changes nothing.
    **Raises**: NotFound; Conflict when it is not confirmed, or others keep adding to it.
    """
    for _ in range(MOST_ATTEMPTS):
        try:
            return _carry_out(erasure_id, now=now, held=held)
        except Grown:
            continue
    raise Grown("Others keep adding to what is erased. It is tried again.")


@transaction.atomic(durable=True)
def _carry_out(erasure_id: uuid.UUID, *, now: datetime, held: Lease | None) -> dict[str, Any]:
    request = _lock(erasure_id)
    if request.certificate is not None:
        return dict(request.certificate)
    if request.state != ErasureState.CONFIRMED:
        raise Conflict("This erasure has not been confirmed.")
    scope = scope_of(request)
    jobs.check_held(held)
    return finish(request, find=lambda: reach_of(scope), now=now)


def finish(
    request: ErasureRequest,
    *,
    find: Callable[[], Reach],
    now: datetime,
    known_stones: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Lock what is found, erase it, and close the request, as a step of a command.

    ``known_stones`` are tombstones of an erasure that is done again: planted as they were.
    """
    reach = forgetting.lock_all(find)
    by = request.confirmed_by
    decision = deciding.record(
        Decision(
            space_id=request.space_id,
            kind=DecisionKind.ERASE,
            by=by,
            policy=REPLAY if request.replayed else "",
            channel="worker",
            reason_code=request.reason_code,
            request_id=uuid.uuid5(request.pk, ERASE),
        )
    )
    # Whoever held the ledger until now may have brought something back.
    found = find()
    if not forgetting.is_within(found, reach):
        raise Grown("More came in meanwhile.")
    reach = found
    if known_stones is None:
        planted = tombstones.plant_for_erasure(request, reach=reach, decision=decision)
    else:
        planted = tombstones.plant_again(known_stones, decision=decision)
    ledger = forgetting.what_to_replay(request, reach=reach, planted=planted, now=now)
    counts = counts_of(reach) | {"tombstones": len(planted)}
    forgetting.empty(reach, decision=decision, now=now)
    counts |= places.clear(reach)
    counts["payloads of the log"] = forgetting.empty_payloads(reach)
    certificate = certify(
        request,
        counts=counts,
        ids=_ids(reach),
        tombstones=[stone.pk for stone in planted],
        ledger=ledger,
        now=now,
    )
    _close(request, decision=decision, certificate=certificate, now=now)
    _close_others(request, reach=reach, now=now)
    _log_done(request, reach=reach, decision=decision, certificate=certificate)
    return certificate


class Grown(Conflict):
    """Something came in that an erasure reaches and had not locked: it begins again."""

    code = "erasure_grown"


def scope_of(request: ErasureRequest) -> ErasureScope:
    """Return what a request is about."""
    targets = {
        ErasureKind.STATEMENT: request.statement_id,
        ErasureKind.CONVERSATION: request.conversation_id,
    }
    return ErasureScope(
        space_id=request.space_id,
        kind=request.kind,
        target_id=targets.get(ErasureKind(request.kind), request.subject_id) or 0,
        words=request.words,
        whole_conversations=request.whole_conversations,
    )


def _target(scope: ErasureScope) -> dict[str, int]:
    if scope.kind == ErasureKind.STATEMENT:
        statement = Statement.objects.get(pk=scope.target_id)
        return {"statement_id": statement.pk, "subject_id": statement.subject_id}
    if scope.kind == ErasureKind.CONVERSATION:
        return {"conversation_id": scope.target_id}
    return {"subject_id": scope.target_id}


def _lock(erasure_id: uuid.UUID) -> ErasureRequest:
    request = (
        ErasureRequest.objects.select_for_update(no_key=True, of=("self",))
        .select_related("requested_by", "confirmed_by")
        .filter(pk=erasure_id)
        .first()
    )
    if request is None:
        raise NotFound("There is no such erasure.")
    return request


def _check_as_seen(reach: Reach, *, seen_digest: str) -> None:
    if digest_of(reach) != seen_digest:
        raise Conflict("This reaches other things than when you looked. Look at it again.")


def _ids(reach: Reach) -> dict[str, list[int]]:
    return {
        "subjects": sorted(reach.subjects),
        "conversations": sorted(reach.conversations),
        "statements": sorted(reach.statements),
        "proposals": sorted(reach.proposals),
    }


def _close(
    request: ErasureRequest, *, decision: Decision, certificate: dict[str, Any], now: datetime
) -> None:
    request.state = ErasureState.DONE
    request.words = request.note = ""
    request.decision = decision
    request.certificate = certificate
    request.closed_at = now
    request.save()


def _close_others(request: ErasureRequest, *, reach: Reach, now: datetime) -> None:
    """Withdraw other requests for what is gone now, with the words they held."""
    asked = ErasureRequest.objects.filter(space_id=request.space_id, state=ErasureState.ASKED)
    left = Version.objects.filter(statement_id__in=reach.statements, redacted_at=None)
    gone = reach.statements - set(left.values_list("statement_id", flat=True))
    same = asked.filter(
        Q(subject_id__in=reach.subjects)
        | Q(conversation_id__in=reach.conversations)
        | Q(statement_id__in=gone)
    )
    needles = [Needle(words) for words in reach.words]
    of_value = asked.filter(kind=ErasureKind.VALUE, subject_id__in=reach.owners)
    ids = {
        pk
        for pk, words, note in of_value.values_list("pk", "words", "note")
        if any(needle.within(words) or needle.within(note) for needle in needles)
    }
    ids |= set(same.values_list("pk", flat=True))
    ErasureRequest.objects.filter(pk__in=ids).update(
        state=ErasureState.WITHDRAWN, words="", note="", closed_at=now
    )


def _log(
    request: ErasureRequest, *, by: Actor, action: str, payload: dict[str, Any] | None
) -> None:
    audit.append(
        space_id=request.space_id,
        by=by,
        action=action,
        object_type="erasure",
        object_id=str(request.pk),
        reason_code=request.reason_code,
        payload=payload,
    )


def _log_done(
    request: ErasureRequest, *, reach: Reach, decision: Decision, certificate: dict[str, Any]
) -> None:
    """Write one event for each thing that went, and last the one that names emptied payloads."""
    confirmed = request.confirmed_by
    by = (
        Actor("user", confirmed.get_username(), "worker", user_id=confirmed.pk)
        if confirmed
        else Actor("system", REPLAY, "command")
    )
    went = {
        "conversation": reach.conversations,
        "statement": reach.statements,
        "proposal": reach.proposals,
    }
    for object_type, ids in went.items():
        for key in sorted(ids):
            audit.append(
                space_id=request.space_id,
                by=by,
                action=f"{object_type}.erase",
                object_type=object_type,
                object_id=str(key),
                decision_id=decision.pk,
                reason_code=request.reason_code,
            )
    audit.append(
        space_id=request.space_id,
        by=by,
        action="erasure.done",
        object_type="erasure",
        object_id=str(request.pk),
        decision_id=decision.pk,
        reason_code=request.reason_code,
        payload={"payloads": sorted(reach.payloads), "certificate": certificate["sha256"]},
    )
