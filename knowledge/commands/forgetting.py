"""Emptying rows of words: the steps of an erasure, on rows it has locked."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Case, CharField, F, Q, Value, When
from django.db.models.functions import Concat

from knowledge.commands import indexing
from knowledge.commands.sources import PROCESS_CONVERSATION
from knowledge.erasing.finding import Needle, mask
from knowledge.erasing.scope import Reach
from knowledge.fingerprints import name_forms
from knowledge.models import (
    Contest,
    Conversation,
    Decision,
    EndReason,
    Episode,
    ErasureRequest,
    Evidence,
    ExtractionRun,
    Job,
    JobState,
    Message,
    PredictedStatement,
    Proposal,
    ProposalVector,
    SearchEntry,
    SearchSource,
    ShadowCandidate,
    Subject,
    Tombstone,
    Version,
)
from knowledge.trust import TrustState

_UNNAMED = Concat(Value("erased:"), F("pk"), output_field=CharField())
_TAKEN_BACK = frozenset(
    {TrustState.SET_ASIDE, TrustState.PENDING, TrustState.DEFERRED, TrustState.AWAITING_SECOND}
)
_QUOTES_ANEW = """
UPDATE knowledge_evidence e SET quote = substr(m.text, e.start + 1, e."end" - e.start)
FROM knowledge_message m WHERE m.id = e.message_id AND e.id = ANY (%s)
"""
_REASONS_AWAY = """
UPDATE knowledge_proposal SET reason = '', stale_reason = '', date_phrase = '', unexpected = '{}',
    original = CASE WHEN id = ANY (%s) THEN '{}' WHEN original ? 'reason'
        THEN original || '{"reason": ""}' ELSE original END
WHERE id = ANY (%s) AND redacted_at IS NULL
"""


def lock_sources(reach: Reach) -> None:
    """Lock subjects, then conversations, so that no capture or run adds to them meanwhile.

    Without their keys: whoever decides about something of the subject already may end first.
    """
    subjects = Subject.objects.select_for_update(no_key=True).filter(pk__in=reach.subjects)
    list(subjects.order_by("pk").values_list("pk", flat=True))
    touched = Message.objects.filter(pk__in=reach.touched).values("conversation_id")
    conversations = Conversation.objects.select_for_update(no_key=True).filter(
        Q(pk__in=reach.conversations) | Q(pk__in=touched)
    )
    list(conversations.order_by("pk").values_list("pk", flat=True))
    _quiet_jobs(reach, conversations=list(conversations.values_list("pk", flat=True)))


def _quiet_jobs(reach: Reach, *, conversations: Iterable[int]) -> None:
    """Clear errors of jobs, and overtake workers that hold words of these conversations.

    Errors may quote what a worker held in its hands, whichever job it was. Before the ledger, as
    captures and runs lock their jobs.
    """
    jobs = Job.objects.filter(space_id=reach.scope.space_id)
    jobs.exclude(error="").update(error="")
    held = Q(kind=PROCESS_CONVERSATION, key__in=[str(key) for key in conversations])
    jobs.filter(held | Q(kind=indexing.EMBED_ENTRIES), state=JobState.RUNNING).update(
        state=JobState.QUEUED, fence=F("fence") + 1, lease_until=None, delivered_at=None
    )


def lock_all(find: Callable[[], Reach]) -> Reach:
    """Lock sources until none is new, then proposals and versions, as decisions do.

    Looks again each time: whoever held one may have split it, or let it into belief.

    **Returns**: what is found at last, all of it locked.
    """
    reach = find()
    lock_sources(reach)
    found = find()
    while not (found.touched <= reach.touched and found.conversations <= reach.conversations):
        reach = found
        lock_sources(reach)
        found = find()
    _lock_rows(found)
    again = find()
    while not is_within(again, found):
        found = again
        _lock_rows(found)
        again = find()
    return again


def is_within(found: Reach, locked: Reach) -> bool:
    """Say whether all that was found is locked."""
    return (
        found.proposals | found.reasons <= locked.proposals | locked.reasons
        and found.versions <= locked.versions
        and found.touched <= locked.touched
    )


def _lock_rows(reach: Reach) -> None:
    told = reach.proposals | reach.reasons
    proposals = Proposal.objects.select_for_update(no_key=True).filter(pk__in=told)
    list(proposals.order_by("pk").values_list("pk", flat=True))
    versions = Version.objects.select_for_update(no_key=True).filter(pk__in=reach.versions)
    list(versions.order_by("pk").values_list("pk", flat=True))


def empty(reach: Reach, *, decision: Decision, now: datetime) -> None:
    """Empty every row of the core that the erasure reaches; identifiers and stamps stay."""
    _empty_proposals(reach, now=now)
    _end_and_empty_versions(reach, decision=decision, now=now)
    anew = _quotes_anew(reach)
    _empty_messages(reach, now=now)
    with connection.cursor() as cursor:
        cursor.execute(_QUOTES_ANEW, [sorted(reach.quotes)])
        cursor.execute(_REASONS_AWAY, [sorted(reach.originals), sorted(reach.reasons)])
    Evidence.objects.filter(proposal_id__in=reach.proposals).update(quote="")
    _index_anew(reach, quotes=anew, now=now)
    ProposalVector.objects.filter(proposal_id__in=reach.proposals).delete()
    Episode.objects.filter(pk__in=reach.episodes).update(title="", narrative="", redacted_at=now)
    PredictedStatement.objects.filter(pk__in=reach.predicted).update(text="")
    ShadowCandidate.objects.filter(pk__in=reach.shadows).update(text="")
    ExtractionRun.objects.filter(pk__in=reach.runs).update(error="", redacted_at=now)
    Decision.objects.filter(pk__in=reach.decisions).update(note="", card_digest="")
    Conversation.objects.filter(pk__in=reach.titles).update(title="")
    Conversation.objects.filter(pk__in=reach.conversations).update(
        external_id=_UNNAMED, title="", redacted_at=now
    )
    Subject.objects.filter(pk__in=reach.subjects).update(
        external_id=_UNNAMED, name="", redacted_at=now
    )


def empty_payloads(reach: Reach) -> int:
    """Empty payloads of the log by the one function that may; how many had words."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_erase(%s::uuid[])", [sorted(reach.payloads)])
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def what_to_replay(
    request: ErasureRequest, *, reach: Reach, planted: Iterable[Tombstone], now: datetime
) -> dict[str, Any]:
    """Say, in identifiers and keyed hashes, what a restored backup has to forget again.

    To be called before anything is emptied.
    """
    subjects = Subject.objects.filter(
        Q(pk__in=reach.subjects) | Q(pk=request.subject_id or 0)
    ).order_by("pk")
    conversations = Conversation.objects.filter(pk__in=reach.conversations).order_by("pk")
    parts = reach.masks or not (reach.subjects or reach.conversations)
    masked = Message.objects.filter(pk__in=reach.masks).select_related("conversation")
    prints = Proposal.objects.filter(pk__in=reach.proposals).values_list("pk", "fingerprint")
    return {
        "id": str(request.pk),
        "space": request.space.slug,
        "kind": request.kind,
        "done_at": now.isoformat(),
        "reason": request.reason_code,
        "blocks": request.blocks,
        "whole_conversations": request.whole_conversations,
        "target": request.statement_id or request.conversation_id or request.subject_id,
        "subjects": [
            {"id": row.pk, "key": name_forms("subject", row.kind, row.external_id)[0]}
            for row in subjects
        ],
        "conversations": [
            {"id": row.pk, "key": name_forms("conversation", row.source, row.external_id)[0]}
            for row in conversations
        ],
        "messages": [
            {
                "id": row.pk,
                "key": names_of(row)[0],
                "hmac": row.content_hmac,
                "spans": sorted(map(list, reach.masks[row.pk])),
            }
            for row in masked
        ],
        "decisions": sorted(reach.decisions) if parts else [],
        "payloads": sorted(reach.payloads) if parts else [],
        "proposals": [{"id": pk, "key": key} for pk, key in prints] if parts else [],
        "tombstones": [
            {
                "level": stone.level,
                "key": stone.value_key,
                "key_version": stone.key_version,
                "subject": stone.subject_id,
            }
            for stone in planted
        ],
    }


def names_of(message: Message) -> tuple[str, ...]:
    """Return the keyed fingerprints of a message's place: in which conversation, under which id."""
    place = message.conversation
    return name_forms("message", place.source, place.external_id, message.external_id)


def _empty_proposals(reach: Reach, *, now: datetime) -> None:
    rows = Proposal.objects.filter(pk__in=reach.proposals, redacted_at=None)
    rows.update(
        state=Case(
            When(state__in=_TAKEN_BACK, then=Value(TrustState.WITHDRAWN)), default=F("state")
        ),
        version=F("version") + 1,
        text="",
        value="",
        about="",
        attribute="",
        original={},
        unexpected=[],
        date_phrase="",
        reason="",
        stale_reason="",
        redacted_at=now,
    )


def _end_and_empty_versions(reach: Reach, *, decision: Decision, now: datetime) -> None:
    open_now = Version.objects.filter(pk__in=reach.versions, tx_to=None)
    ended = list(open_now.values_list("pk", flat=True))
    open_now.update(tx_to=decision.at, closed_by=decision, end_reason=EndReason.ERASED)
    Version.objects.filter(pk__in=reach.versions, redacted_at=None).update(
        text="", value="", about="", attribute="", slot_key=None, redacted_at=now
    )
    sides = Q(version_a_id__in=ended) | Q(version_b_id__in=ended)
    Contest.objects.filter(sides, resolved_by=None).update(resolved_by=decision)


def _empty_messages(reach: Reach, *, now: datetime) -> None:
    Message.objects.filter(pk__in=reach.messages).update(text="", speaker_name="", redacted_at=now)
    Message.objects.filter(conversation_id__in=reach.conversations).update(external_id=_UNNAMED)
    sought = [Needle(words) for words in reach.words]
    own = Message.objects.filter(pk__in=reach.messages).exclude(external_id__startswith="erased:")
    named = [
        pk
        for pk, name in own.values_list("pk", "external_id")
        if any(needle.within(name) for needle in sought)
    ]
    Message.objects.filter(pk__in=named).update(external_id=_UNNAMED)
    for row in Message.objects.filter(pk__in=reach.masks).iterator():
        text = mask(row.text, reach.masks[row.pk])
        if text != row.text:
            Message.objects.filter(pk=row.pk).update(text=text, redacted_at=now)


def _quotes_anew(reach: Reach) -> dict[tuple[int, str], str]:
    """Say what becomes of each quote that loses words, by its message and its words so far."""
    rows = Evidence.objects.filter(
        Q(pk__in=reach.quotes) | Q(proposal_id__in=reach.proposals)
    ).exclude(quote="")
    anew: dict[tuple[int, str], str] = {}
    for row in rows.iterator():
        kept = ""
        if row.pk in reach.quotes and row.message_id in reach.masks:
            spans = [(a - row.start, b - row.start) for a, b in reach.masks[row.message_id]]
            kept = mask(row.quote, spans)
        anew[row.message_id, row.quote] = kept
    # The same words may stand in the message twice: where one of them stays, so does its entry.
    staying = Evidence.objects.filter(message_id__in=reach.touched).exclude(
        Q(pk__in=reach.quotes) | Q(proposal_id__in=reach.proposals)
    )
    for place in staying.values_list("message_id", "quote"):
        anew.pop(place, None)
    return anew


def _index_anew(reach: Reach, *, quotes: dict[tuple[int, str], str], now: datetime) -> None:
    """Delete the entries of what fell, and write those of its neighbours without its words."""
    SearchEntry.objects.filter(version_id__in=reach.versions).delete()
    entries = (
        SearchEntry.objects.filter(
            version_id__in=reach.neighbours, message_ids__overlap=sorted(reach.touched)
        )
        .exclude(source=SearchSource.TEXT)
        .select_related("version")
    )
    for entry in entries:
        if entry.source == SearchSource.QUOTE:
            text = quotes.get((entry.message_ids[0], entry.text), entry.text)
        else:
            text = indexing.words_around(Message.objects.filter(pk__in=entry.message_ids))
        if text != entry.text:
            indexing.index_anew(entry, text=text)
    indexing.ask_for_vectors(space_id=reach.scope.space_id, now=now)
