"""Messages on their way from a file to what is kept: their ids, and whom they may be about."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from extraction.importers.base import ImportedMessage, MessageKind, Participant
from extraction.importers.identity import MessageIds, content_id
from extraction.importers.wording import bounded, digest, id_from_name

NAMELESS_USER = "user"  # how a user is called whom the file does not name
USER_KINDS = frozenset({"user_message", "user_feedback"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A message before its id is settled. ``own_id`` is empty where the file gives none."""

    own_id: str
    speaker: str
    kind: MessageKind
    text: str
    sent_at: datetime | None


def settled(drafts: Sequence[Draft], *, line: int = 0) -> list[ImportedMessage]:
    """Give every message of a whole conversation its id; one sent twice comes once."""
    ids = MessageIds()
    return [message for draft in drafts for message in settle(draft, ids=ids, line=line)]


def settle(
    draft: Draft, *, ids: MessageIds, line: int, place: int | None = None
) -> list[ImportedMessage]:
    """Give the message of a draft, or nothing for one sent twice."""
    external_id = ids.settle(own_id=draft.own_id, content=content_of(draft), place=place)
    if external_id is None:
        return []
    return [
        ImportedMessage(
            external_id=external_id,
            speaker=draft.speaker,
            kind=draft.kind,
            text=draft.text,
            sent_at=draft.sent_at,
            line=line,
        )
    ]


def unforged(
    messages: Collection[ImportedMessage], *, users: Collection[str] = ()
) -> tuple[ImportedMessage, ...]:
    """Tell apart a model or tool that bears the name of a user here, or of one of ``users``."""
    users = {*users, *(message.speaker for message in messages if message.kind in USER_KINDS)}
    return tuple(
        replace(message, speaker=bounded(f"{message.speaker} ({message.kind})"))
        if message.kind not in USER_KINDS and message.speaker in users
        else message
        for message in messages
    )


def participants_of(
    messages: Collection[ImportedMessage], *, user: str = ""
) -> tuple[Participant, ...]:
    """List who spoke as a user: by the file's id for its user, by name, or as nobody known."""
    speakers = dict.fromkeys(m.speaker for m in messages if m.kind in USER_KINDS)
    return tuple(_participant(speaker, user=user) for speaker in speakers)


def participants_named(speakers: Collection[str]) -> tuple[Participant, ...]:
    """List who speaks as a user, by the names that the file's messages have."""
    return tuple(_participant(speaker, user="") for speaker in speakers)


def content_of(draft: Draft) -> str:
    """Give what stands for a draft's words."""
    return content_id(kind=draft.kind, speaker=draft.speaker, text=draft.text)


def opening_of(drafts: Sequence[Draft]) -> str:
    """Name a conversation that has no id by its words up to the user's first message.

    What follows may grow until the next export, so it must not count.
    """
    last = next((i for i, draft in enumerate(drafts) if draft.kind in USER_KINDS), 0)
    return digest(*(content_of(draft) for draft in drafts[: last + 1]), time_in_words(drafts[last]))


def time_in_words(draft: Draft) -> str:
    """Give a draft's time as text, empty where it has none."""
    return draft.sent_at.isoformat() if draft.sent_at else ""


def _participant(speaker: str, *, user: str) -> Participant:
    if speaker == user:
        return Participant(speaker=speaker, kind="user", external_id=user, name=user)
    external_id = "" if speaker == NAMELESS_USER else id_from_name(speaker)
    name = speaker if external_id else ""
    return Participant(speaker=speaker, kind="user", external_id=external_id, name=name)
