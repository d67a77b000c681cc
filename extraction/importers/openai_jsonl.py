"""OpenAI chat messages: one conversation per line, or one message per line, or one JSON list.

The plain form has neither ids nor times. Many exports add them: ``id`` or ``conversation_id``,
``title``, ``user`` and ``created_at`` of a conversation, ``id``, ``name`` and ``created_at`` of a
message. Where ids are absent they are made from the words, so that a second import of the same
file, or of a longer export, finds what is already there.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportedMessage,
    as_problem,
    read_each,
)
from extraction.importers.drafts import (
    Draft,
    content_of,
    opening_of,
    participants_of,
    settle,
    settled,
    time_in_words,
    unforged,
)
from extraction.importers.errors import AtLine, BrokenItem, BrokenLine
from extraction.importers.identity import MessageIds
from extraction.importers.json_items import read_values
from extraction.importers.lines import Line, looks_like, parse_json, read_lines
from extraction.importers.openai_messages import (
    Json,
    Surroundings,
    drafts_of,
    own_id_of,
    time_of,
)
from extraction.importers.opening import Fit, Opening, look
from extraction.importers.source import Member, Source
from extraction.importers.wording import Unfit, bounded, digest

NAME = "openai_jsonl"
_BEGINS = re.compile(r'\{[ \t]*"messages"[ \t]*:[ \t]*\[')
_PART_OF_CONVERSATION = 500  # messages held at once where a conversation comes line by line


class OpenAiJsonl:
    """The importer of OpenAI chat messages."""

    name = NAME
    expects = (
        'lines, or a JSON list, of {"messages": [{"role": …, "content": …}]} or of single'
        " such messages"
    )
    members = re.compile(r"\.(jsonl|ndjson|json)$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether the first lines or items are chats, even if the first is cut."""
        if any(_is_chat(value) or _is_message(value) for value in opening.values):
            return Fit.SHAPE
        is_cut = opening.shape == "lines" and looks_like(opening.head, _BEGINS)
        return Fit.BEGINS if is_cut else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield the conversations of each file and what was wrong with lines or items."""
        yield from read_each(source, self.members, _read)


def _read(member: Member) -> Iterator[Imported]:
    reader = _FileReader()
    for piece in _pieces(member):
        try:
            if isinstance(piece, AtLine):
                raise piece
            yield from reader.take(piece)
        except AtLine as error:
            yield as_problem(error)
    yield from reader.rest()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A value of the file: of a line, 1-based, or of an item, whose ``line`` is 0."""

    value: object
    line: int
    item: int
    ends_at: int

    def unfit(self, error: Unfit) -> AtLine:
        """Say what is wrong with it as a sentence, with its place."""
        said = str(error)
        if self.line:
            return BrokenLine(self.line, f"{said[:1].upper()}{said[1:]}.")
        return BrokenItem(0, f"Item {self.item}: {said}.")


def _pieces(member: Member) -> Iterator[_Piece | AtLine]:
    """Give the values of a file, be they on lines, in one list, or one."""
    if look(member).shape in {"list", "document"}:
        for item in read_values(member):
            if isinstance(item, AtLine):
                yield item
            else:
                yield _Piece(item.value, 0, item.number, item.ends_at)
        return
    for line in read_lines(member):
        yield line if isinstance(line, AtLine) else _parsed(line)


def _parsed(line: Line) -> _Piece | AtLine:
    try:
        return _Piece(parse_json(line.text, line=line.number), line.number, 0, line.ends_at)
    except BrokenLine as error:
        return error


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
    wordless: int = 0  # messages without words before the first that has some
    group: _Group | None = None

    def take(self, piece: _Piece) -> Iterator[ImportedConversation]:
        """Read one value and yield what it completes.

        **Raises**: BrokenLine, BrokenItem.
        """
        value = piece.value
        try:
            if not isinstance(value, dict):
                raise Unfit(f"expected a JSON object, found {type(value).__name__}")
            if "messages" in value:
                conversation = self._conversation(value, piece=piece)
                yield from self.rest()
                yield conversation
            elif "role" in value:
                yield from self._single(value, piece=piece)
            else:
                keys = ", ".join(repr(str(key)[:40]) for key in list(value)[:6]) or "none"
                raise Unfit(f'expected "messages" or "role"; the keys are {keys}')
        except Unfit as error:
            raise piece.unfit(error) from None

    def rest(self) -> Iterator[ImportedConversation]:
        """Yield the group that is still held, if it has messages."""
        group, self.group = self.group, None
        if group is not None and group.messages:
            yield ImportedConversation(
                external_id=group.external_id,
                title=group.title,
                source=NAME,
                messages=unforged(group.messages),
                participants=participants_of(group.messages, user=group.around.user),
                without_words=group.without_words,
                bytes_read=group.ends_at,
            )

    def _conversation(self, raw: Json, *, piece: _Piece) -> ImportedConversation:
        """Read a line that is a whole conversation."""
        rows = raw["messages"]
        if not isinstance(rows, list):
            raise Unfit(f'"messages" must be a list, not {type(rows).__name__}')
        own_id = own_id_of(raw, keys=("conversation_id", "id"))
        around = Surroundings(user=_user(raw), sent_at=time_of(raw))
        drafts, without_words = _all_drafts(rows, around)
        if not drafts:
            raise Unfit("the conversation holds no message with words")
        messages = settled(drafts, line=piece.line)
        return ImportedConversation(
            external_id=own_id or self._id_by_opening(drafts),
            title=_title(raw),
            source=NAME,
            messages=unforged(messages),
            participants=participants_of(messages, user=around.user),
            without_words=without_words,
            bytes_read=piece.ends_at,
        )

    def _single(self, raw: Json, *, piece: _Piece) -> Iterator[ImportedConversation]:
        """Add a line that is one message to its conversation's group."""
        key = own_id_of(raw, keys=("conversation_id",))
        group = self.group
        if group is not None and group.external_id != (key or self.nameless):
            group = None
        around = group.around if group else Surroundings(user=_user(raw))
        drafts = drafts_of(raw, around)
        if not (drafts or group or key or self.nameless):
            self.wordless += 1
            return
        if group is None or len(group.messages) >= _PART_OF_CONVERSATION:
            yield from self.rest()
            group = _Group(key or self._nameless(drafts), title=_title(raw), around=around)
            self.group = group
        group.without_words += (not drafts) + self.wordless
        self.wordless = 0
        group.ends_at = piece.ends_at
        for draft in drafts:
            # A counter per conversation is all that is kept between parts: interleaved
            # conversations of any length need little memory.
            self.places[group.external_id] += 1
            place = self.places[group.external_id]
            found = settle(draft, ids=group.ids, line=piece.line, place=place)
            group.messages += found

    def _id_by_opening(self, drafts: Sequence[Draft]) -> str:
        """Tell conversations that open alike apart by their order in the file."""
        opening = opening_of(drafts)
        self.openings[opening] += 1
        return f"{opening}-{self.openings[opening]}"

    def _nameless(self, drafts: Sequence[Draft]) -> str:
        """Name the one conversation of all the lines that name none."""
        if not self.nameless:
            self.nameless = digest("lines", *map(_with_time, drafts))
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


def _with_time(draft: Draft) -> str:
    return content_of(draft) + time_in_words(draft)


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
