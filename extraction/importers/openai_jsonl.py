"""OpenAI chat JSONL: one conversation per line, or one message per line.

The plain form has neither ids nor times. Many exports add them: ``id`` or ``conversation_id``,
``title``, ``user`` and ``created_at`` of a conversation, ``id``, ``name`` and ``created_at`` of a
message. Where ids are absent they are made from the words, so that a second import of the same
file, or of a longer export, finds what is already there.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportedMessage,
    Participant,
    as_problem,
)
from extraction.importers.errors import AtLine, BrokenLine
from extraction.importers.identity import MessageIds, content_id
from extraction.importers.lines import Line, looks_like, parse_json, read_lines
from extraction.importers.openai_messages import (
    NAMELESS_USER,
    USER_KINDS,
    Draft,
    Json,
    Surroundings,
    drafts_of,
    own_id_of,
    time_of,
)
from extraction.importers.opening import Fit, Opening
from extraction.importers.source import Member, Source
from extraction.importers.wording import Unfit, bounded, digest, id_from_name

NAME = "openai_jsonl"
_BEGINS = re.compile(r'\{[ \t]*"messages"[ \t]*:[ \t]*\[')
_PART_OF_CONVERSATION = 500  # messages held at once where a conversation comes line by line


class OpenAiJsonl:
    """The importer of OpenAI chat JSONL."""

    name = NAME
    expects = 'lines of {"messages": [{"role": …, "content": …}]} or of single such messages'

    members = re.compile(r"\.(jsonl|ndjson)$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether the first lines are chats, even if the first is cut."""
        if opening.shape != "lines":
            return Fit.NO
        if any(_is_chat(value) or _is_message(value) for value in opening.values):
            return Fit.SHAPE
        return Fit.BEGINS if looks_like(opening.head, _BEGINS) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield the conversations of each file and what was wrong with lines."""
        for member in source.matching(self.members):
            yield from _read(member)


def _read(member: Member) -> Iterator[Imported]:
    reader = _FileReader()
    for line in read_lines(member):
        try:
            if isinstance(line, AtLine):
                raise line
            yield from reader.take(line)
        except AtLine as error:
            yield as_problem(error, member=member)
    yield from reader.rest()


@dataclass(slots=True)
class _Group:
    """Messages of one conversation that came one per line, not yet given on."""

    external_id: str
    title: str
    around: Surroundings
    ids: MessageIds = field(default_factory=MessageIds)
    messages: list[ImportedMessage] = field(default_factory=list)
    without_words: int = 0
    ends_at: int = 0


@dataclass(slots=True)
class _FileReader:
    """What must be remembered from line to line.

    **Cost**: a number per conversation, and the messages of one unfinished group.
    """

    openings: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    nameless: str = ""
    group: _Group | None = None

    def take(self, line: Line) -> Iterator[ImportedConversation]:
        """Read one line and yield what it completes.

        **Raises**: BrokenLine.
        """
        value = parse_json(line.text, line=line.number)
        try:
            if not isinstance(value, dict):
                raise Unfit(f"expected a JSON object, found {type(value).__name__}")
            if "messages" in value:
                conversation = self._conversation(value, line=line)
                yield from self.rest()
                yield conversation
            elif "role" in value:
                yield from self._single(value, line=line)
            else:
                keys = ", ".join(repr(str(key)[:40]) for key in list(value)[:6]) or "none"
                raise Unfit(f'expected "messages" or "role"; the keys are {keys}')
        except Unfit as error:
            said = str(error)
            raise BrokenLine(line.number, f"{said[:1].upper()}{said[1:]}.") from None

    def rest(self) -> Iterator[ImportedConversation]:
        """Yield the group that is still held, if it has messages."""
        group, self.group = self.group, None
        if group is not None and group.messages:
            yield ImportedConversation(
                external_id=group.external_id,
                title=group.title,
                source=NAME,
                messages=_unforged(group.messages),
                participants=_participants(group.messages, user=group.around.user),
                without_words=group.without_words,
                bytes_read=group.ends_at,
            )

    def _conversation(self, raw: Json, *, line: Line) -> ImportedConversation:
        """Read a line that is a whole conversation."""
        rows = raw["messages"]
        if not isinstance(rows, list):
            raise Unfit(f'"messages" must be a list, not {type(rows).__name__}')
        own_id = own_id_of(raw, keys=("conversation_id", "id"))
        around = Surroundings(user=_user(raw), sent_at=time_of(raw))
        drafts, without_words = _all_drafts(rows, around)
        if not drafts:
            raise Unfit("the conversation holds no message with words")
        messages = _settled(drafts, line=line.number)
        return ImportedConversation(
            external_id=own_id or self._id_by_opening(drafts),
            title=_title(raw),
            source=NAME,
            messages=_unforged(messages),
            participants=_participants(messages, user=around.user),
            without_words=without_words,
            bytes_read=line.ends_at,
        )

    def _single(self, raw: Json, *, line: Line) -> Iterator[ImportedConversation]:
        """Add a line that is one message to its conversation's group."""
        key = own_id_of(raw, keys=("conversation_id",))
        group = self.group
        if group is not None and group.external_id != (key or self.nameless):
            group = None
        around = group.around if group else Surroundings(user=_user(raw))
        drafts = drafts_of(raw, around)
        if group is None or len(group.messages) >= _PART_OF_CONVERSATION:
            yield from self.rest()
            group = _Group(key or self._nameless(drafts), title=_title(raw), around=around)
            self.group = group
        group.without_words += not drafts
        group.ends_at = line.ends_at
        for draft in drafts:
            # A counter per conversation is all that is kept between parts: interleaved
            # conversations of any length need little memory.
            self.places[group.external_id] += 1
            place = self.places[group.external_id]
            found = _message(draft, ids=group.ids, line=line.number, place=place)
            group.messages += found

    def _id_by_opening(self, drafts: Sequence[Draft]) -> str:
        """Name a conversation by its words up to the user's first message.

        What follows may grow until the next export, so it must not count. Several conversations
        that open alike are told apart by their order in the file.
        """
        last = next((i for i, draft in enumerate(drafts) if draft.kind in USER_KINDS), 0)
        opening = digest(*(_content(draft) for draft in drafts[: last + 1]), _at(drafts[last]))
        self.openings[opening] += 1
        return f"{opening}-{self.openings[opening]}"

    def _nameless(self, drafts: Sequence[Draft]) -> str:
        """Name the one conversation of all the lines that name none."""
        if not self.nameless:
            self.nameless = digest("lines", *(_content(draft) + _at(draft) for draft in drafts))
        return self.nameless


def _all_drafts(rows: Sequence[object], around: Surroundings) -> tuple[list[Draft], int]:
    """Read a conversation's messages and count those without words.

    **Raises**: Unfit naming the message by its place, 1-based.
    """
    drafts: list[Draft] = []
    without_words = 0
    for place, row in enumerate(rows, start=1):
        try:
            found = drafts_of(row, around)
        except Unfit as error:
            raise Unfit(f"message {place}: {error}") from None
        drafts += found
        without_words += not found
    return drafts, without_words


def _settled(drafts: Sequence[Draft], *, line: int) -> list[ImportedMessage]:
    """Give every message of a whole conversation its id."""
    ids = MessageIds()
    return [message for draft in drafts for message in _message(draft, ids=ids, line=line)]


def _message(
    draft: Draft, *, ids: MessageIds, line: int, place: int | None = None
) -> list[ImportedMessage]:
    """Give the message of a draft, or nothing for one sent twice."""
    external_id = ids.settle(own_id=draft.own_id, content=_content(draft), place=place)
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


def _unforged(messages: Sequence[ImportedMessage]) -> tuple[ImportedMessage, ...]:
    """Tell apart a model or tool that bears the name of a user here."""
    users = {message.speaker for message in messages if message.kind in USER_KINDS}
    return tuple(
        replace(message, speaker=f"{message.speaker} ({message.kind})")
        if message.kind not in USER_KINDS and message.speaker in users
        else message
        for message in messages
    )


def _participants(messages: Sequence[ImportedMessage], *, user: str) -> tuple[Participant, ...]:
    """List who spoke as a user: by the file's id for its user, by name, or as nobody known."""
    speakers = dict.fromkeys(m.speaker for m in messages if m.kind in USER_KINDS)
    return tuple(_participant(speaker, user=user) for speaker in speakers)


def _participant(speaker: str, *, user: str) -> Participant:
    if speaker == user:
        return Participant(speaker=speaker, kind="user", external_id=user, name=user)
    external_id = "" if speaker == NAMELESS_USER else id_from_name(speaker)
    name = speaker if external_id else ""
    return Participant(speaker=speaker, kind="user", external_id=external_id, name=name)


def _content(draft: Draft) -> str:
    return content_id(kind=draft.kind, speaker=draft.speaker, text=draft.text)


def _at(draft: Draft) -> str:
    return draft.sent_at.isoformat() if draft.sent_at else ""


def _title(raw: Json) -> str:
    title = raw.get("title")
    return bounded(title) if isinstance(title, str) else ""


def _user(raw: Json) -> str:
    user = raw.get("user")
    return bounded(user) if isinstance(user, str) else ""


def _is_chat(value: object) -> bool:
    rows = value.get("messages") if isinstance(value, Mapping) else None
    return isinstance(rows, list) and (not rows or any(_has_role(row) for row in rows))


def _is_message(value: object) -> bool:
    return isinstance(value, Mapping) and _has_role(value) and "content" in value


def _has_role(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("role"), str)


IMPORTER = OpenAiJsonl()
