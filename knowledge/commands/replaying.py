"""Erasures done again on a restored backup, from identifiers and keyed hashes kept outside it."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from knowledge.commands import erasure, forgetting
from knowledge.erasing.reach import of_parts, reach_of
from knowledge.erasing.scope import ErasureScope, Reach, Span
from knowledge.fingerprints import name_forms
from knowledge.models import (
    Conversation,
    ErasureKind,
    ErasureRequest,
    ErasureState,
    Message,
    Proposal,
    Space,
    Subject,
)

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of one entry of the ledger.

    **Shape**: ``outcome`` is done | already | no_space. ``certificate`` only where it was done.
    """

    entry_id: str
    outcome: str
    certificate: Mapping[str, Any] | None = None


@transaction.atomic(durable=True)
def replay(*, entry: Entry, now: datetime) -> Replayed:
    """Forget again what an entry of the erasure ledger names, unless it is forgotten here.

    Rows are recognised by their keyed hashes, never by their numbers alone: a restored database
    may have given a number to something else since.

    **Raises**: KeyError for an entry that is not one of a ledger's.
    """
    space = Space.objects.filter(slug=entry["space"]).first()
    if space is None:
        return Replayed(str(entry["id"]), "no_space")
    own = uuid.UUID(entry["id"])
    again = uuid.uuid5(own, erasure.REPLAY)
    known = ErasureRequest.objects.filter(pk__in=[own, again])
    if known.filter(state=ErasureState.DONE).exists():
        return Replayed(str(own), "already")
    _withdraw_open(known, now=now)
    subjects = _subjects(entry, space=space)
    conversations = _conversations(entry, space=space)
    request = _request(
        entry, space=space, pk=again if known.exists() else own, subjects=subjects,
        conversations=conversations, now=now,
    )  # fmt: skip
    forgetting.lock_sources(_reach(entry, request=request))
    stones = [
        {**stone, "subject": subjects.get(stone["subject"])}
        for stone in entry["tombstones"]
        if stone["subject"] is None or stone["level"] == "subject" or stone["subject"] in subjects
    ]
    certificate = erasure.finish(
        request, find=lambda: _reach(entry, request=request), now=now, known_stones=stones
    )
    return Replayed(str(own), "done", certificate)


def _withdraw_open(known: Any, *, now: datetime) -> None:
    """An erasure that was asked for when the backup was made is closed: it is done here."""
    known.exclude(state=ErasureState.WITHDRAWN).update(
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
    return of_parts(
        scope,
        masks=masks,
        proposals=_proposals(entry, space_id=request.space_id),
        texts=_words(masks) if entry["kind"] == ErasureKind.VALUE else (),
    )


def _masks(entry: Entry, *, space_id: int) -> dict[int, tuple[Span, ...]]:
    spans = {row["hmac"]: tuple((a, b) for a, b in row["spans"]) for row in entry["messages"]}
    rows = Message.objects.filter(space_id=space_id, content_hmac__in=spans, redacted_at=None)
    return {pk: spans[digest] for pk, digest in rows.values_list("pk", "content_hmac")}


def _words(masks: dict[int, tuple[Span, ...]]) -> set[str]:
    """The ledger holds no words: what a value was is read where it stands in the messages."""
    rows = Message.objects.filter(pk__in=masks).values_list("pk", "text")
    return {text[start:end] for pk, text in rows for start, end in masks[pk]}


def _proposals(entry: Entry, *, space_id: int) -> list[int]:
    keys = [row["key"] for row in entry["proposals"]]
    ids = {int(row["id"]): row["key"] for row in entry["proposals"]}
    rows = Proposal.objects.filter(space_id=space_id, fingerprint__in=keys, redacted_at=None)
    # The same value of another subject is another's: only its own number says whose it was.
    return [pk for pk, key in rows.values_list("pk", "fingerprint") if ids.get(pk) == key]
