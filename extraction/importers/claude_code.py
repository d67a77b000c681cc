"""Claude Code's sessions: a line per message, file after file in one folder per project.

Beside what was said, the lines hold what the program notes for itself. What it puts into the
user's mouth, such as reminders, summaries and the output of commands, is left out: the user never
said it. So is what a model says to another in a side conversation.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportedMessage,
    ImportProblem,
    LeftOut,
    Why,
    as_problem,
    read_each,
)
from extraction.importers.claude_code_content import Json, drafts_of
from extraction.importers.drafts import participants_of, settle, unforged
from extraction.importers.errors import AtLine, BrokenLine
from extraction.importers.identity import MessageIds
from extraction.importers.lines import Line, parse_json, read_lines
from extraction.importers.opening import Fit, Opening
from extraction.importers.source import Member, Source
from extraction.importers.wording import Unfit, bounded, instant, stable_id, word

NAME = "claude_code"
_SPOKEN = frozenset({"user", "assistant"})
_NOTES = frozenset({"summary", "file-history-snapshot", "queue-operation", "system", "progress"})
_TITLES = {"summary": "summary", "custom-title": "customTitle", "ai-title": "aiTitle"}
_PART_OF_CONVERSATION = 500  # messages held at once


class ClaudeCode:
    """The importer of Claude Code's session files, alone or in their folder."""

    name = NAME
    expects = (
        'lines of a Claude Code session ("type", "uuid", "sessionId", "message"), or its folder'
    )
    members = re.compile(r"\.jsonl$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether one of the first lines is of a session."""
        is_lines = opening.shape == "lines"
        return Fit.SURE if is_lines and any(map(_is_line, opening.values)) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield the sessions of each file in parts, and what was wrong with lines."""
        yield from read_each(source, self.members, _read)


def _is_line(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    kind = word(value.get("type"))
    if kind in _SPOKEN:
        return isinstance(value.get("message"), Mapping) and bool(
            {"uuid", "sessionId"} & set(value)
        )
    return kind in _NOTES and bool({"leafUuid", "sessionId", "snapshot"} & set(value))


def _read(member: Member) -> Iterator[Imported]:
    reader = _FileReader(member)
    for line in read_lines(member):
        try:
            if isinstance(line, AtLine):
                raise line
            yield from reader.take(line)
        except AtLine as error:
            yield as_problem(error)
    yield from reader.rest()


@dataclass(slots=True)
class _FileReader:
    """What must be remembered from line to line: one part of one session."""

    member: Member
    title: str = ""
    session: str = ""
    ids: MessageIds = field(default_factory=MessageIds)
    messages: list[ImportedMessage] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    call_names: dict[str, str] = field(default_factory=dict)
    ends_at: int = 0

    def take(self, line: Line) -> Iterator[Imported]:
        """Read one line and yield the part that it completes. **Raises**: BrokenLine."""
        value = parse_json(line.text, line=line.number)
        if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
            raise BrokenLine(line.number, 'Expected a JSON object with a "type".')
        kind = value["type"]
        if kind in _TITLES:
            title = value.get(_TITLES[kind])
            self.title = bounded(title) if isinstance(title, str) else self.title
        if kind not in _SPOKEN:
            return  # a note of the program: nobody spoke
        session = _session(value) or self.session
        if self.messages and (
            session != self.session or len(self.messages) >= _PART_OF_CONVERSATION
        ):
            yield from self.rest()
        self.session, self.ends_at = session, line.ends_at
        yield from self._message(value, line=line)

    def rest(self) -> Iterator[ImportedConversation]:
        """Yield the part that is held, if it has messages."""
        if self.messages:
            yield ImportedConversation(
                external_id=self.session or stable_id(self.member.name),
                title=self.title,
                source=NAME,
                messages=unforged(self.messages),
                participants=participants_of(self.messages),
                without_words=sum(one.why == "without_words" for one in self.left_out),
                bytes_read=self.ends_at,
                left_out=tuple(self.left_out),
            )
            self.left_out = []
        self.ids, self.messages = MessageIds(), []

    def _message(self, raw: Json, *, line: Line) -> Iterator[ImportProblem]:
        """Take in one message; a time that cannot be read costs the time only."""
        own = raw.get("uuid")
        own_id = stable_id(own) if isinstance(own, str) else ""
        if (reason := _not_said(raw)) is not None:
            self.left_out.append(LeftOut(own_id, reason))
            return
        try:
            sent_at = _time(raw)
        except Unfit as error:
            yield ImportProblem(line.number, f"The message is kept without its time: {error}.")
            sent_at = None
        try:
            found, reasons = drafts_of(
                raw, own_id=own_id, sent_at=sent_at, call_names=self.call_names
            )
        except Unfit as error:
            said = str(error)
            raise BrokenLine(line.number, f"{said[:1].upper()}{said[1:]}.") from None
        self.left_out += [LeftOut(own_id, reason) for reason in reasons]
        for draft in found:
            self.messages += settle(draft, ids=self.ids, line=line.number)


def _session(raw: Json) -> str:
    own = raw.get("sessionId")
    return stable_id(own) if isinstance(own, str) and own.strip() else ""


def _not_said(raw: Json) -> Why | None:
    """Say why a whole line is nobody's words in this conversation."""
    if raw.get("isSidechain") is True:
        return "side_conversation"
    if raw.get("isMeta") is True or raw.get("isCompactSummary") is True:
        return "hidden"
    return "hidden" if raw.get("isVisibleInTranscriptOnly") is True else None


def _time(raw: Json) -> datetime | None:
    value = raw.get("timestamp")
    return None if value is None else instant(value)


IMPORTER = ClaudeCode()
