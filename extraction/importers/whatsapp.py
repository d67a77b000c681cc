"""A WhatsApp chat: the text file of “Export chat”, alone, in its zip or in a folder.

The app gives no ids and no zone. A message is known by its local time, its words, and how often
they were said at that time; not by the speaker's name, which changes when a contact is saved. A
chat is known by its first message. So a longer export of the same chat adds what is new, and a
message that was edited meanwhile comes beside its first words.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportedMessage,
    ImportProblem,
    LeftOut,
    Participant,
    as_problem,
)
from extraction.importers.errors import AtLine
from extraction.importers.limits import MIB
from extraction.importers.lines import Line, read_lines
from extraction.importers.local_times import LocalClock, zone_of
from extraction.importers.opening import Fit, Opening
from extraction.importers.source import Member, Source
from extraction.importers.whatsapp_headers import Header, day_of, header_of, moment_of
from extraction.importers.whatsapp_survey import Survey, split_name, survey
from extraction.importers.whatsapp_words import said
from extraction.importers.wording import bounded, digest, id_from_name, storable

NAME = "whatsapp"
_CHAT = re.compile(r"(?:_chat|whatsapp[^/]*)\.txt$", re.IGNORECASE)
_TITLE = re.compile(
    r"whatsapp[\s_-]*chat\W+(?:(?:with|mit|con|com|avec|met|med)\s+)?(.+)", re.IGNORECASE
)
_SNIFFED = 10
_PART = 500  # messages held at once
_REMEMBERED = 5_000  # latest messages that a repeated one is looked for among
_LONGEST_MESSAGE = MIB  # characters; the app itself stops at 65,536
_MOST_BLANKS = 20


class WhatsApp:
    """The importer of WhatsApp chats."""

    name = NAME
    expects = (
        'a WhatsApp chat: lines like "31/12/23, 23:59 - Ana: …" or "[31/12/23, 23:59:58] Ana: …"'
    )
    members = re.compile(r"\.txt$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether the first lines begin with a time, and somebody says something."""
        heads = [
            (header, line)
            for line in [text for text in opening.head.split("\n") if text.strip()][:_SNIFFED]
            if (header := header_of(line)) is not None
        ]
        if any(split_name(line[header.ends :]) for header, line in heads):
            return Fit.SURE
        return Fit.BEGINS if heads else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield each chat in parts, once the whole of it says how its dates are to be read."""
        members = source.matching(self.members)
        if source.kind != "file":
            members = source.matching(_CHAT) or members
        zone = zone_of(source)
        surveys = [(member, survey(member)) for member in members]
        orders = [found.order.settled(source) for _, found in surveys if found.style]
        for member, found in surveys:
            if found.style is None:
                words = "No line begins with a time, so this is no WhatsApp chat."
                yield ImportProblem(0, words, member=member.name)
                continue
            yield from _Chat(member, found, order=orders.pop(0), clock=LocalClock(zone)).read()


@dataclass(slots=True)
class _Draft:
    """A message whose lines are still being gathered."""

    header: Header
    line: int
    rest: str
    more: list[str] = field(default_factory=list)
    length: int = 0


class _Chat:
    """One chat being read, from its first line to its last."""

    def __init__(self, member: Member, found: Survey, *, order: str, clock: LocalClock) -> None:
        self._member = member
        self._survey = found
        self._order = order
        self._clock = clock
        self._external_id = _chat_id(found, order=order)
        self._participants = tuple(map(_participant, found.speakers()))
        self._title = _title(member, found.speakers())
        self._draft: _Draft | None = None
        self._last_line = 0
        self._messages: list[ImportedMessage] = []
        self._left_out: list[LeftOut] = []
        self._repeats: OrderedDict[str, int] = OrderedDict()
        self._is_doubt_said = False
        self._is_any_out = False

    def read(self) -> Iterator[Imported]:
        """Yield the chat in parts, and what could not be read of it."""
        ends_at = self._member.begins_at
        for line in read_lines(self._member):
            if isinstance(line, AtLine):
                self._last_line = line.line
                yield as_problem(line, member=self._member)
                continue
            yield from self._take(line)
            ends_at = line.ends_at
            if len(self._messages) > _PART:
                yield self._part(ends_at)
        yield from self._finish()
        if self._messages:
            yield self._part(ends_at, keeps=0)
        elif not self._is_any_out:
            yield self._problem(0, "Nobody says anything in this chat.")

    def _take(self, line: Line) -> Iterator[ImportProblem]:
        """Begin a message with the line, or add it to the one above."""
        text = line.text.rstrip("\r\n")
        header = header_of(text)
        blanks, self._last_line = line.number - self._last_line - 1, line.number
        if header is not None and header.style == self._survey.style:
            yield from self._finish()
            self._draft = _Draft(header, line.number, text[header.ends :])
            return
        if header is not None and split_name(text[header.ends :]):
            yield self._problem(
                line.number,
                "This line looks like a message, but its time is written differently from all "
                "others, so it was kept as words of the message above.",
            )
        if self._draft is None:
            yield self._problem(line.number, "This line stands before the first message.")
            return
        yield from self._continue(text, blanks=blanks, number=line.number)

    def _continue(self, text: str, *, blanks: int, number: int) -> Iterator[ImportProblem]:
        draft = self._draft
        if draft is None or draft.length > _LONGEST_MESSAGE:
            return
        draft.length += len(text) + 1
        if draft.length > _LONGEST_MESSAGE:
            yield self._problem(
                number, f"The message of line {draft.line} is too long; its rest was left out."
            )
            return
        draft.more += [""] * min(blanks, _MOST_BLANKS) + [text]

    def _finish(self) -> Iterator[ImportProblem]:
        """Turn the gathered lines into a message, or into one that is left out."""
        draft, self._draft = self._draft, None
        if draft is None:
            return
        day = day_of(draft.header, order=self._order)
        local = None if day is None else moment_of(draft.header, day=day)
        if local is None:
            yield self._problem(draft.line, "There is no such day; the message is kept without it.")
        elif draft.header.unread:
            local = None
            yield from self._doubt(draft)
        split = self._survey.named(draft.rest)
        name, first = split or ("", draft.rest)
        found = said("\n".join([first, *draft.more]))
        text = storable(found.text)
        external_id = self._id(draft.header, local=local, text=text)
        if not name or found.what == "system":
            self._left_out.append(LeftOut(external_id, "event"))
        elif not text.strip():
            self._left_out.append(LeftOut(external_id, "without_words"))
        else:
            self._messages.append(
                ImportedMessage(
                    external_id=external_id,
                    speaker=name,
                    kind="user_message",
                    text=text.strip("\n"),
                    sent_at=None if local is None else self._clock.utc(local),
                    line=draft.line,
                    edited=found.edited,
                )
            )

    def _id(self, header: Header, *, local: datetime | None, text: str) -> str:
        when = local.isoformat() if local else f"{header.numbers} {header.clock}"
        content = digest(when, text)
        count = self._repeats.pop(content, 0) + 1
        self._repeats[content] = count
        if len(self._repeats) > _REMEMBERED:
            self._repeats.popitem(last=False)
        return f"{content}-{count}"

    def _part(self, ends_at: int, *, keeps: int = 1) -> ImportedConversation:
        """Give what was gathered, but for the last: so the last part, too, has a message."""
        count = len(self._messages) - keeps
        messages, self._messages = tuple(self._messages[:count]), self._messages[count:]
        self._is_any_out = True
        left_out, self._left_out = tuple(self._left_out), []
        return ImportedConversation(
            external_id=self._external_id,
            title=self._title,
            source=NAME,
            messages=messages,
            participants=self._participants,
            without_words=sum(one.why == "without_words" for one in left_out),
            bytes_read=ends_at,
            left_out=left_out,
        )

    def _doubt(self, draft: _Draft) -> Iterator[ImportProblem]:
        """Say once that a word beside the times is not understood."""
        if not self._is_doubt_said:
            self._is_doubt_said = True
            yield self._problem(
                draft.line,
                f"“{bounded(draft.header.unread, limit=30)}” beside the time is not understood. "
                "Messages with it are kept without their time.",
            )

    def _problem(self, line: int, words: str) -> ImportProblem:
        named = self._member.name if "/" in self._member.name else ""
        return ImportProblem(line, words, member=named)


def _chat_id(found: Survey, *, order: str) -> str:
    """Name a chat by its first message; its file and its people may be called otherwise later."""
    if found.first is None:
        return f"whatsapp-{digest('nobody', str(found.order.example))}"
    day = day_of(found.first, order=order)
    when = moment_of(found.first, day=day).isoformat() if day else str(found.first.numbers)
    return f"whatsapp-{digest(when, found.first_words)}"


def _title(member: Member, speakers: tuple[str, ...]) -> str:
    """Call the chat what its file is called, where that says anything, else by its people."""
    stem = member.name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    match = _TITLE.match(stem)
    if match:
        return bounded(re.sub(r"\s\(\d{1,3}\)$", "", match[1]))
    named = ", ".join(speakers[:4])
    return bounded(f"{named} and {len(speakers) - 4} others" if len(speakers) > 4 else named)


def _participant(speaker: str) -> Participant:
    return Participant(
        speaker=speaker, kind="user", external_id=id_from_name(speaker), name=speaker
    )


IMPORTER = WhatsApp()
