"""What of a conversation is new, and whether it may come in: the same for a capture and its trial.

A capture writes the rows; a trial only counts them, so that a person sees before what comes after.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from knowledge.commands import recognising
from knowledge.errors import InvalidInput
from knowledge.fingerprints import content_forms
from knowledge.models import (
    Conversation,
    Message,
    MessageKind,
    Subject,
    SubjectKind,
    TombstoneLevel,
)
from knowledge.periods import check_instant
from knowledge.results import NewMessage, SubjectRef
from knowledge.texts import check_text, shorten

# What makes a message the same one within its conversation: its id, and its words' fingerprint.
MessageKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class WouldCapture:
    """What a capture would do. **Shape**: ``new`` are the keys of the messages it would add."""

    messages_known: int
    new: tuple[MessageKey, ...]


def would_capture(
    *,
    space_id: int,
    external_id: str,
    source: str,
    messages: Sequence[NewMessage],
    subjects: Sequence[SubjectRef],
    now: datetime,
    earlier: Container[MessageKey] = (),
) -> WouldCapture:
    """Try a capture without writing anything, also where no subject is named yet.

    ``earlier`` are messages of the same conversation that came before in the same trial.
    **Cost**: three queries, and one or two for each subject.

    **Raises**: as ``sources.capture``.
    """
    speakers: dict[str, Subject] = {}
    for ref in sorted(subjects, key=str):
        name = check_subject(space_id=space_id, ref=ref)
        speakers[str(ref)] = Subject(kind=ref.kind, external_id=ref.external_id, name=name)
    check_conversation(space_id=space_id, source=source, external_id=external_id)
    found = Conversation.objects.filter(space_id=space_id, source=source, external_id=external_id)
    conversation = found.first() or Conversation(space_id=space_id)
    rows = new_rows(conversation, messages=messages, speakers=speakers, now=now, earlier=earlier)
    return WouldCapture(
        messages_known=len(messages) - len(rows),
        new=tuple((row.external_id, row.content_hmac) for row in rows),
    )


def check_subject(*, space_id: int, ref: SubjectRef) -> str:
    """Refuse a subject that is none, or was erased; give its name as it is kept.

    **Raises**: InvalidInput, BlockedByTombstone.
    """
    if ref.kind not in SubjectKind.values or not ref.external_id.strip():
        raise InvalidInput(
            f"“{ref}” does not name a subject. Write kind:id, with kind one of "
            f"{', '.join(SubjectKind.values)}; for example user:ana.",
            field="subject",
        )
    check_text(ref.external_id, field="subject", most=200)
    name = shorten(ref.name or ref.external_id, field="subject", most=200)
    _check_not_erased(space_id, ref=ref)
    return name


def check_conversation(*, space_id: int, source: str, external_id: str) -> None:
    """Refuse a conversation whose name cannot be kept, or that was erased.

    **Raises**: InvalidInput, BlockedByTombstone.
    """
    check_text(source, field="source", most=64)
    check_text(external_id, field="external_id", most=300)
    recognising.check_name(
        space_id=space_id,
        level=TombstoneLevel.CONVERSATION,
        parts=(source, external_id),
        noun="conversation",
    )


def new_rows(
    conversation: Conversation,
    *,
    messages: Sequence[NewMessage],
    speakers: Mapping[str, Subject],
    now: datetime,
    earlier: Container[MessageKey] = (),
) -> list[Message]:
    """Make rows, not yet written, of those messages that the conversation does not have.

    **Cost**: two queries, none for a conversation that is not stored yet, and one for each speaker
    who is not among its subjects. **Raises**: InvalidInput, InvalidPeriod, BlockedByTombstone.
    """
    for message in messages:
        check_text(message.external_id, field="external_id", most=300)
    seen, ordinal = _stored(conversation, messages=messages)
    rows: list[Message] = []
    strangers: set[SubjectRef] = set()
    for message in messages:
        keys = [(message.external_id, digest) for digest in content_forms(message.text)]
        if any(key in seen or key in earlier for key in keys):
            continue
        seen.add(keys[0])
        if message.speaker is not None and str(message.speaker) not in speakers:
            strangers.add(message.speaker)
        row = _row(message, digest=keys[0][1], now=now)
        row.space_id, row.conversation = conversation.space_id, conversation
        row.ordinal = ordinal + len(rows)
        row.speaker = speakers.get(str(message.speaker)) if message.speaker else None
        rows.append(row)
    _check_strangers(conversation.space_id, refs=strangers)
    return rows


def _stored(
    conversation: Conversation, *, messages: Sequence[NewMessage]
) -> tuple[set[MessageKey], int]:
    """Read which of the messages are there, as far as ids tell, and where the next one stands."""
    if conversation.pk is None:
        return set(), 0
    # Those that could be the same alone: a long conversation grows by one message at a time.
    same_ids = conversation.messages.filter(external_id__in={m.external_id for m in messages})
    seen = set(same_ids.values_list("external_id", "content_hmac"))
    last = conversation.messages.aggregate(last=Max("ordinal"))["last"]
    return seen, 0 if last is None else last + 1


def _row(message: NewMessage, *, digest: str, now: datetime) -> Message:
    if message.kind not in MessageKind.values:
        raise InvalidInput(
            f"There is no message kind called {message.kind}. "
            f"Choose one of {', '.join(MessageKind.values)}.",
            field="kind",
        )
    sent_at = now if message.sent_at is None else check_instant(message.sent_at, field="sent_at")
    return Message(
        external_id=message.external_id,
        content_hmac=digest,
        speaker_name=shorten(message.speaker_name, field="speaker", most=200),
        kind=message.kind,
        text=check_text(message.text, field="text"),
        sent_at=sent_at,
        sent_at_known=message.sent_at is not None,
        captured_at=now,
    )


def _check_strangers(space_id: int, *, refs: Iterable[SubjectRef]) -> None:
    """Refuse words of an erased subject in whoever's conversation they stand.

    **Raises**: BlockedByTombstone.
    """
    for ref in refs:
        _check_not_erased(space_id, ref=ref)


def _check_not_erased(space_id: int, *, ref: SubjectRef) -> None:
    recognising.check_name(
        space_id=space_id,
        level=TombstoneLevel.SUBJECT,
        parts=(ref.kind, ref.external_id),
        noun="subject",
    )
