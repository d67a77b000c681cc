"""What an approved version is found by: steps of the commands that open versions."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from django.contrib.postgres.search import SearchVectorField
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Cast

from knowledge.commands import jobs
from knowledge.models import (
    Decision,
    Evidence,
    Message,
    Proposal,
    ProposalVector,
    SearchEntry,
    SearchSource,
    Version,
)
from knowledge.retrieval.lexemes import index_text

EMBED_ENTRIES = "embed_entries"
LOOK_FOR_VECTORS = "look_for_vectors"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def index_version(version: Version, *, decision: Decision) -> None:
    """Index a version's text, its quotes and the words around them."""
    evidence = list(version.proposal.evidence.select_related("message"))
    embedding = ProposalVector.objects.filter(proposal_id=version.proposal_id).first()
    _add_entry(
        version,
        decision=decision,
        source=SearchSource.TEXT,
        text=version.text,
        message_ids=[item.message_id for item in evidence],
        embedding=embedding,
    )
    index_evidence(version, evidence=evidence, decision=decision)


def index_evidence(version: Version, *, evidence: Sequence[Evidence], decision: Decision) -> None:
    """Index quotes, and the messages around them, from the decision on."""
    for item in evidence:
        _add_entry(
            version,
            decision=decision,
            source=SearchSource.QUOTE,
            text=item.quote,
            message_ids=[item.message_id],
        )
    around = _messages_around(evidence)
    if around:
        _add_entry(
            version,
            decision=decision,
            source=SearchSource.AROUND,
            text=words_around(around),
            message_ids=[message.pk for message in around],
        )


def words_around(messages: Iterable[Message]) -> str:
    """Return what an entry of the words around a quote holds, in the order they were said."""
    said = (message for message in messages if message.text)
    ordered = sorted(said, key=lambda message: (message.conversation_id, message.ordinal))
    return "\n".join(f"{message.speaker_name}: {message.text}" for message in ordered)


def index_anew(entry: SearchEntry, *, text: str) -> None:
    """Give an entry other words, as a step; without any it goes. Its vector follows by a job."""
    if not text.strip():
        entry.delete()
        return
    indexed = index_text(text, language=entry.version.language)
    SearchEntry.objects.filter(pk=entry.pk).update(
        text=text,
        lexemes=Cast(Value(indexed.literal), SearchVectorField()),
        length=indexed.length,
        model="",
        vector=None,
    )


def copy_index(version: Version, *, origin: Version, decision: Decision) -> None:
    """Give a remnant or restored version the entries of its origin.

    Each keeps the decision that let its words in, so that undoing a confirmation reaches it here.
    """
    for entry in origin.search_entries.filter(known_to__isnull=True):
        entry.pk = None
        entry.version = version
        entry.known_from = _stamp(decision)
        entry.save(force_insert=True)


def ask_for_vectors(*, space_id: int, now: datetime) -> None:
    """Ask the worker to embed what is not embedded yet."""
    jobs.enqueue(
        space_id=space_id,
        kind=EMBED_ENTRIES,
        key=f"space:{space_id}",
        payload={"space_id": space_id},
        now=now,
    )


@transaction.atomic(durable=True)
def ask_to_embed(*, space_id: int, now: datetime) -> None:
    """Ask the worker, as an act of its own, to embed what a space lacks of its model's vectors."""
    ask_for_vectors(space_id=space_id, now=now)


@transaction.atomic(durable=True)
def ask_to_look(*, now: datetime, every: timedelta, rounds_ahead: int = 0) -> None:
    """Ask the worker to look in this round of the clock, or a later one, what lacks a vector.

    Rounds are counted from 1970, so that whoever asks means the same ones, once each.
    """
    number = (now - _EPOCH) // every + rounds_ahead
    begins = _EPOCH + number * every
    jobs.enqueue(
        space_id=None,
        kind=LOOK_FOR_VECTORS,
        key=f"from {begins.isoformat()}",
        payload={},
        now=now,
        delay=max(begins - now, timedelta(0)),
    )


def _messages_around(evidence: Sequence[Evidence]) -> list[Message]:
    found: dict[int, Message] = {}
    for item in evidence:
        near = Message.objects.filter(
            conversation_id=item.message.conversation_id,
            ordinal__range=(item.message.ordinal - 1, item.message.ordinal + 1),
        ).exclude(text="")
        found.update({message.pk: message for message in near})
    return sorted(found.values(), key=lambda message: (message.conversation_id, message.ordinal))


def _add_entry(
    version: Version,
    *,
    decision: Decision,
    source: SearchSource,
    text: str,
    message_ids: list[int],
    embedding: ProposalVector | None = None,
) -> None:
    indexed = index_text(text, language=version.language)
    SearchEntry.objects.create(
        space_id=version.space_id,
        subject_id=version.subject_id,
        version=version,
        source=source,
        message_ids=message_ids,
        decision=decision,
        known_from=_stamp(decision),
        text=text,
        lexemes=Cast(Value(indexed.literal), SearchVectorField()),
        length=indexed.length,
        model=embedding.model if embedding else "",
        vector=embedding.vector if embedding else None,
    )


def _stamp(decision: Decision) -> datetime:
    if decision.at is None:
        raise RuntimeError("a decision is stamped by the database before it is used")
    return decision.at


@transaction.atomic(durable=True)
def store_vectors(
    *, vectors: Sequence[tuple[int, str, Sequence[float] | None]], model: str
) -> None:
    """Store the vectors of search entries, all of one embedder.

    Each comes with the text it was made of: an entry that says something else by now keeps none
    of it. None stands for a text of which the embedder makes no vector: words alone find it, and
    it is not tried again with this model.
    """
    for entry_id, text, vector in vectors:
        SearchEntry.objects.filter(pk=entry_id, text=text).update(
            model=model, vector=None if vector is None else list(vector)
        )


@transaction.atomic(durable=True)
def store_proposal_vectors(
    *, vectors: Sequence[tuple[int, str, Sequence[float]]], model: str
) -> None:
    """Store the vectors of proposals, all of one embedder, in place of another one's.

    The rows are locked as those who edit and erase lock them: words that went meanwhile leave
    no vector behind.
    """
    made = {proposal_id: (text, vector) for proposal_id, text, vector in vectors}
    rows = Proposal.objects.select_for_update(no_key=True).filter(pk__in=made).order_by("pk")
    for proposal in rows:
        text, vector = made[proposal.pk]
        if proposal.text != text or not text:
            continue
        ProposalVector.objects.update_or_create(
            proposal_id=proposal.pk,
            defaults={"model": model, "vector": list(vector)},
            create_defaults={
                "space_id": proposal.space_id,
                "subject_id": proposal.subject_id,
                "model": model,
                "vector": list(vector),
            },
        )
