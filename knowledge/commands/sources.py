"""Original words come in: conversations, messages, episodes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import QuerySet

from knowledge.commands import audit, incoming, jobs, turns
from knowledge.errors import Conflict, Erased, InvalidInput, NotFound
from knowledge.models import (
    Conversation,
    ConversationSubject,
    Episode,
    Message,
    Space,
    Subject,
)
from knowledge.results import Actor, Captured, Lease, NewMessage, SubjectRef
from knowledge.texts import keepable, shorten

PROCESS_CONVERSATION = turns.PROCESS_CONVERSATION
# When words captured live are processed: once nobody has spoken for so long, or so many wait.
IDLE_BEFORE_PROCESSING = timedelta(minutes=30)
BATCH_THRESHOLD = 10


def ensure_subject(*, space_id: int, ref: SubjectRef, now: datetime) -> Subject:
    """Find or make the subject, as a step of a command.

    **Raises**: InvalidInput for an unknown kind or an empty id.
    """
    name = incoming.check_subject(space_id=space_id, ref=ref)
    subject, _ = Subject.objects.get_or_create(
        space_id=space_id,
        kind=ref.kind,
        external_id=ref.external_id,
        defaults={"name": name, "created_at": now},
    )
    _hold(subject)
    return subject


def _hold(subject: Subject) -> None:
    """Keep the subject from being erased until this transaction ends; others may hold it too."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT redacted_at FROM knowledge_subject WHERE id = %s FOR SHARE", [subject.pk]
        )
        row = cursor.fetchone()
    if row is None or row[0] is not None:
        raise Erased("This subject was erased just now.")


def lock_conversations(rows: QuerySet[Conversation]) -> None:
    """Lock conversations by id, before jobs, runs and proposals: against captures and erasures."""
    ids = rows.values("pk")
    locked = Conversation.objects.select_for_update(no_key=True).filter(pk__in=ids)
    list(locked.order_by("pk").values_list("pk", flat=True))


@transaction.atomic(durable=True)
def capture(
    *,
    space_id: int,
    external_id: str,
    source: str,
    messages: Sequence[NewMessage],
    subjects: Sequence[SubjectRef],
    by: Actor,
    now: datetime,
    title: str = "",
    proposes_for: Sequence[SubjectRef] | None = None,
    process_after: timedelta = timedelta(0),
    batch_threshold: int | None = None,
    then: Callable[[Captured], None] | None = None,
) -> Captured:
    """Store what is new of a conversation and ask for its processing.

    At once; or when it has been idle for ``process_after``, which each new message puts off, or
    as soon as ``batch_threshold`` messages wait.

    Idempotent by the messages' external ids and content: the same again adds nothing, a longer
    one adds its tail. ``proposes_for`` narrows whose statements are proposed (default: all
    ``subjects``). A message without a time takes ``now`` and says so. ``then`` is told what was
    done, last of all and within the transaction: what it writes stands and falls with it.

    **Raises**: NotFound for an unknown space; InvalidInput; InvalidPeriod for a naive time.
    """
    if not Space.objects.filter(pk=space_id).exists():
        raise NotFound("There is no such space.")
    if not subjects:
        raise InvalidInput("A conversation needs a subject: whose memory is it?", field="subject")
    known = _ensure_subjects(space_id=space_id, subjects=subjects, now=now)
    conversation = _ensure_conversation(
        space_id=space_id, external_id=external_id, source=source, title=title, now=now
    )
    _link_subjects(conversation, subjects=known, proposes_for=proposes_for)
    added = _add_messages(conversation, messages=messages, speakers=known, now=now)
    job_id = None
    if added:
        is_full = batch_threshold is not None and _waiting(conversation) >= batch_threshold
        delay = timedelta(0) if is_full else process_after
        job_id = _ask_for_processing(conversation, now=now, delay=delay)
        audit.append(
            space_id=space_id,
            by=by,
            action="conversation.capture",
            object_type="conversation",
            object_id=str(conversation.pk),
            payload={"messages_new": added, "source": source},
        )
    captured = Captured(
        conversation_id=conversation.pk,
        messages_new=added,
        messages_known=len(messages) - added,
        job_id=job_id,
    )
    if then is not None:
        then(captured)
    return captured


@transaction.atomic(durable=True)
def process_now(*, conversation_id: int, by: Actor, now: datetime) -> int:
    """Ask for a conversation to be processed at once, however long it would have waited.

    **Returns**: the job's id. **Raises**: NotFound; Erased.
    """
    rows = Conversation.objects.select_for_update(no_key=True).filter(pk=conversation_id)
    conversation = rows.first()
    if conversation is None:
        raise NotFound("There is no such conversation.")
    if conversation.redacted_at is not None:
        raise Erased("This conversation was erased.")
    job_id = _ask_for_processing(conversation, now=now, delay=timedelta(0))
    audit.append(
        space_id=conversation.space_id,
        by=by,
        action="conversation.process",
        object_type="conversation",
        object_id=str(conversation.pk),
    )
    return job_id


def _ask_for_processing(conversation: Conversation, *, now: datetime, delay: timedelta) -> int:
    return jobs.enqueue(
        space_id=conversation.space_id,
        kind=PROCESS_CONVERSATION,
        key=str(conversation.pk),
        payload={"conversation_id": conversation.pk},
        now=now,
        delay=delay,
        until_idle=delay > timedelta(0),
    ).pk


def _waiting(conversation: Conversation) -> int:
    """Count messages no episode has taken, whose words are there."""
    rows = conversation.messages.filter(episode__isnull=True)
    return rows.exclude(text="", redacted_at__isnull=False).count()


def _ensure_subjects(
    *, space_id: int, subjects: Sequence[SubjectRef], now: datetime
) -> dict[str, Subject]:
    """Find, make and hold subjects before their conversation, as an erasure locks them.

    By name, so that two conversations that bring the same new subjects cannot block each other.
    """
    return {
        str(ref): ensure_subject(space_id=space_id, ref=ref, now=now)
        for ref in sorted(subjects, key=str)
    }


def _ensure_conversation(
    *, space_id: int, external_id: str, source: str, title: str, now: datetime
) -> Conversation:
    incoming.check_conversation(space_id=space_id, source=source, external_id=external_id)
    Conversation.objects.get_or_create(
        space_id=space_id,
        source=source,
        external_id=external_id,
        defaults={"title": shorten(title, field="title", most=300), "created_at": now},
    )
    # Two captures of one conversation take turns, so that ordinals stay dense.
    held = Conversation.objects.select_for_update(no_key=True).filter(
        space_id=space_id, source=source, external_id=external_id
    )
    conversation = held.first()
    if conversation is None:
        raise Erased("This conversation was erased just now.")
    return conversation


def _link_subjects(
    conversation: Conversation,
    *,
    subjects: Mapping[str, Subject],
    proposes_for: Sequence[SubjectRef] | None,
) -> None:
    wanted = None if proposes_for is None else {str(ref) for ref in proposes_for}
    for name, subject in subjects.items():
        ConversationSubject.objects.get_or_create(
            space_id=conversation.space_id,
            conversation=conversation,
            subject=subject,
            defaults={"proposes": wanted is None or name in wanted},
        )


def _add_messages(
    conversation: Conversation,
    *,
    messages: Sequence[NewMessage],
    speakers: dict[str, Subject],
    now: datetime,
) -> int:
    rows = incoming.new_rows(conversation, messages=messages, speakers=speakers, now=now)
    Message.objects.bulk_create(rows, batch_size=500)
    return len(rows)


@transaction.atomic(durable=True)
def open_episodes(
    *,
    conversation_id: int,
    segments: Sequence[Sequence[int]],
    now: datetime,
    held: Lease | None = None,
    continuing: Collection[int] = (),
) -> list[int]:
    """Turn runs of unprocessed message ids into episodes.

    ``continuing`` names, by its first message, each that goes on with the topic of the episode
    before it: a part of its own, with runs and evidence of its own, which is read after it.

    **Raises**: Conflict when a message has been taken meanwhile; nothing is then written.
    """
    # The conversation before its job, as a capture locks them.
    conversation = Conversation.objects.select_for_update(no_key=True).get(pk=conversation_id)
    jobs.check_held(held)
    wanted = [message_id for segment in segments for message_id in segment]
    free = (
        conversation.messages.filter(pk__in=wanted, episode__isnull=True)
        .exclude(text="", redacted_at__isnull=False)
        .count()
    )
    if free != len(wanted):
        raise Conflict("Another worker has taken some of these messages, or they were erased.")
    before = conversation.episodes.order_by("-pk").first()
    opened: list[int] = []
    for segment in segments:
        before = Episode.objects.create(
            space_id=conversation.space_id,
            conversation=conversation,
            first_id=segment[0],
            last_id=segment[-1],
            continues=before if segment[0] in continuing else None,
            created_at=now,
        )
        Message.objects.filter(pk__in=segment).update(episode=before)
        opened.append(before.pk)
    return opened


@transaction.atomic(durable=True)
def describe_episode(*, episode_id: int, title: str, narrative: str) -> None:
    """Give an episode the title and narrative it is found by."""
    Episode.objects.filter(pk=episode_id, redacted_at=None).update(
        title=keepable(title)[:300], narrative=keepable(narrative)
    )
