"""Erasures done again on a restored backup, from identifiers and keyed hashes kept outside it."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from knowledge.commands import erasure, forgetting, recognising
from knowledge.erasing.finding import mask
from knowledge.erasing.reach import of_parts, reach_of
from knowledge.erasing.scope import ErasureScope, Reach, Span
from knowledge.errors import InvalidInput
from knowledge.fingerprints import content_forms, current, forms, name_forms, version_of
from knowledge.models import (
    AuditPayload,
    Conversation,
    Decision,
    ErasureKind,
    ErasureRequest,
    ErasureState,
    Message,
    Proposal,
    Space,
    Subject,
)
from knowledge.models.erasure_guards import MASK

Entry = Mapping[str, Any]
_WHOLE = (ErasureKind.SUBJECT, ErasureKind.CONVERSATION)
MOST_TIMES = 100
_KEYED = ("subjects", "conversations", "messages", "proposals", "tombstones")


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of one entry of the ledger.

    **Shape**: ``outcome`` is done | already | no_space | not_here (nothing of what is named is in
    this database, or not yet). ``certificate`` only where it was done.
    """

    entry_id: str
    outcome: str
    certificate: Mapping[str, Any] | None = None


def replay(*, entry: Entry, now: datetime) -> Replayed:
    """Forget again what an entry of the erasure ledger names, unless it is forgotten here.

    Rows are recognised by their keyed hashes, never by their numbers alone: a restored database
    may have given a number to something else since.

    **Raises**: KeyError for an entry that is not one of a ledger's; InvalidInput where a key that
    wrote it is not installed; Conflict where others keep adding to it.
    """
    for _ in range(erasure.MOST_ATTEMPTS):
        try:
            return _replay(entry, now=now)
        except erasure.Grown:
            continue
    raise erasure.Grown("Others keep adding to what is erased. Try again.")


@transaction.atomic(durable=True)
def _replay(entry: Entry, *, now: datetime) -> Replayed:
    space = Space.objects.filter(slug=entry["space"]).first()
    if space is None:
        return Replayed(str(entry["id"]), "no_space")
    own = uuid.UUID(entry["id"])
    ids = [own, *(uuid.uuid5(own, f"{erasure.REPLAY} {number}") for number in range(MOST_TIMES))]
    known = ErasureRequest.objects.filter(pk__in=ids)
    is_done = known.filter(state=ErasureState.DONE).exists()
    if is_done and entry["kind"] in _WHOLE:
        return Replayed(str(own), "already")
    _check_keys(entry)
    subjects = _subjects(entry, space=space)
    conversations = _conversations(entry, space=space)
    if entry["kind"] not in _WHOLE:
        if entry["subjects"] and not subjects:
            return Replayed(str(own), "not_here")
        # Words that came in later than the backup may be there by now, or not yet.
        if is_done and not _is_left(entry, space=space, subjects=subjects):
            return Replayed(str(own), "already")
    _withdraw_open(known, now=now)
    used = set(known.values_list("pk", flat=True))
    request = _request(
        entry, space=space, pk=next(pk for pk in ids if pk not in used), subjects=subjects,
        conversations=conversations, now=now,
    )  # fmt: skip
    stones = [
        {**stone, "subject": subjects.get(stone["subject"])}
        for stone in entry["tombstones"]
        if stone["subject"] is None or stone["level"] == "subject" or stone["subject"] in subjects
    ]
    certificate = erasure.finish(
        request, find=lambda: _reach(entry, request=request), now=now, known_stones=stones
    )
    return Replayed(str(own), "done", certificate)


def _check_keys(entry: Entry) -> None:
    """Refuse to look for what could not be recognised.

    **Raises**: InvalidInput naming the key that is missing.
    """
    written = [row["key"] for noun in _KEYED for row in entry[noun]]
    written += [row["hmac"] for row in entry["messages"]]
    lost = {version_of(key) for key in written} - set(current().keys)
    if lost:
        raise InvalidInput(
            f"The ledger was written with key {min(lost)} of FINGERPRINT_KEY, which is not here. "
            "Add it beside the others.",
            field="ledger",
        )


def _is_left(entry: Entry, *, space: Space, subjects: dict[int, int]) -> bool:
    """Say whether anything an entry of a value or statement names still has its words."""
    masks = _masks(entry, space_id=space.pk)
    texts = Message.objects.filter(pk__in=masks).values_list("pk", "text")
    unmasked = any(mask(text, masks[pk]) != text for pk, text in texts)
    return unmasked or bool(_proposals(entry, subject_ids=subjects.values()))


def _withdraw_open(known: Any, *, now: datetime) -> None:
    """An erasure that was asked for when the backup was made is closed: it is done here."""
    known.filter(state__in=[ErasureState.ASKED, ErasureState.CONFIRMED]).update(
        state=ErasureState.WITHDRAWN, words="", note="", closed_at=now
    )


def _subjects(entry: Entry, *, space: Space) -> dict[int, int]:
    """Map the subjects an entry names to those of this database."""
    keys = {row["key"]: int(row["id"]) for row in entry["subjects"]}
    found: dict[int, int] = {}
    for subject in Subject.objects.filter(space=space, redacted_at=None) if keys else ():
        for form in name_forms("subject", subject.kind, subject.external_id):
            if form in keys:
                found[keys[form]] = subject.pk
    return found


def _conversations(entry: Entry, *, space: Space) -> dict[int, int]:
    keys = {row["key"]: int(row["id"]) for row in entry["conversations"]}
    found: dict[int, int] = {}
    rows = Conversation.objects.filter(space=space, redacted_at=None) if keys else ()
    for row in rows:
        for form in name_forms("conversation", row.source, row.external_id):
            if form in keys:
                found[keys[form]] = row.pk
    return found


def _request(
    entry: Entry,
    *,
    space: Space,
    pk: uuid.UUID,
    subjects: dict[int, int],
    conversations: dict[int, int],
    now: datetime,
) -> ErasureRequest:
    named = next(iter(subjects.values()), None)
    is_conversation = entry["kind"] == ErasureKind.CONVERSATION
    return ErasureRequest.objects.create(
        id=pk,
        space=space,
        kind=entry["kind"],
        subject_id=None if is_conversation else named,
        conversation_id=next(iter(conversations.values()), None) if is_conversation else None,
        blocks=entry["blocks"],
        whole_conversations=entry["whole_conversations"],
        reason_code=entry["reason"],
        state=ErasureState.CONFIRMED,
        requested_at=datetime.fromisoformat(entry["done_at"]),
        confirmed_at=now,
        request_id=pk,
        replayed=True,
    )


def _reach(entry: Entry, *, request: ErasureRequest) -> Reach:
    target = request.subject_id if entry["kind"] != "conversation" else request.conversation_id
    scope = ErasureScope(
        space_id=request.space_id,
        kind=entry["kind"],
        target_id=target or 0,
        whole_conversations=request.whole_conversations,
    )
    if entry["kind"] in (ErasureKind.SUBJECT, ErasureKind.CONVERSATION):
        return reach_of(scope) if target else of_parts(scope, masks={}, proposals=())
    masks = _masks(entry, space_id=request.space_id)
    reach = of_parts(
        scope,
        masks=masks,
        proposals=_proposals(entry, subject_ids=[request.subject_id or 0]),
        words=_words(masks) if entry["kind"] == ErasureKind.VALUE else (),
    )
    return _with_rows(reach, entry=entry)


def _with_rows(reach: Reach, *, entry: Entry) -> Reach:
    """Add the notes and payloads the entry names: numbers of theirs are never given twice."""
    space_id = reach.scope.space_id
    decisions = Decision.objects.filter(space_id=space_id, pk__in=entry["decisions"])
    payloads = AuditPayload.objects.filter(pk__in=entry["payloads"], erased_at=None)
    here = payloads.filter(Q(space_id=space_id) | Q(space_id__isnull=True))
    return replace(
        reach,
        decisions=reach.decisions | {str(pk) for pk in decisions.values_list("pk", flat=True)},
        payloads=reach.payloads | {str(pk) for pk in here.values_list("pk", flat=True)},
    )


def _masks(entry: Entry, *, space_id: int) -> dict[int, tuple[Span, ...]]:
    """Recognise messages by what they say and where: the same sentence elsewhere is another's."""
    named = {row["key"]: row for row in entry["messages"]}
    found: dict[int, tuple[Span, ...]] = {}
    if not named:
        return found
    rows = Message.objects.filter(space_id=space_id).exclude(text="")
    for message in rows.select_related("conversation").iterator():
        row = next((named[key] for key in forgetting.names_of(message) if key in named), None)
        if row is not None and row["hmac"] in (message.content_hmac, *content_forms(message.text)):
            found[message.pk] = tuple((a, b) for a, b in row["spans"])
    return found


def _words(masks: dict[int, tuple[Span, ...]]) -> set[str]:
    """The ledger holds no words: what a value was is read where it stands in the messages."""
    rows = Message.objects.filter(pk__in=masks).values_list("pk", "text")
    said = {text[start:end] for pk, text in rows for start, end in masks[pk]}
    return {words for words in said if words.strip(MASK + " ")}


def _proposals(entry: Entry, *, subject_ids: Iterable[int]) -> list[int]:
    """Recognise proposals by number and value, or by a tombstone over what they say.

    The same value of another subject is another's, and what a tombstone stopped came later.
    """
    ids = {int(row["id"]): row["key"] for row in entry["proposals"]}
    stones = {stone["key"] for stone in entry["tombstones"]}
    rows = Proposal.objects.filter(
        subject_id__in=set(subject_ids), redacted_at=None, stopped_by=None
    )
    return [
        row.pk
        for row in rows.iterator()
        if ids.get(row.pk) in forms(row.attribute, row.value or row.text)
        or not stones.isdisjoint(recognising.value_of(row).keys)
    ]
