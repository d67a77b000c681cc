"""Messages of LangChain, and the states of threads that LangGraph keeps.

LangChain writes a chat as a list of messages in one of three shapes, which ``langchain_messages``
reads. LangGraph writes a thread's state, with the messages under ``values``, or a list of states,
newest first. The messages carry no time. A state has one, of when it was kept; its messages may be
far older, so it dates none of them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportedMessage,
    ImportProblem,
    LeftOut,
    as_problem,
    read_each,
)
from extraction.importers.drafts import Draft, opening_of, participants_of, settled, unforged
from extraction.importers.errors import AtLine
from extraction.importers.langchain_messages import Chat, is_message, read_chat
from extraction.importers.lines import parse_json, read_document, read_lines
from extraction.importers.opening import Fit, Opening, look
from extraction.importers.source import Member, Source
from extraction.importers.wording import bounded, stable_id

NAME = "langchain"
_THREAD_IN = (("metadata",), ("checkpoint",), ("config", "configurable"), ("configurable",))


class LangChain:
    """The importer of LangChain's messages and LangGraph's states."""

    name = NAME
    expects = (
        'a JSON list of LangChain messages ("type" and "data", or "lc" and "kwargs"), or a'
        ' LangGraph state with "values"'
    )
    members = re.compile(r"\.(json|jsonl|ndjson)$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether messages of LangChain are there, alone, in a chat or in a state."""
        if any(map(is_message, opening.values)):
            return Fit.SURE
        rows = (row for value in opening.values for row in _rows(value) or ())
        return Fit.SURE if any(map(is_message, rows)) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield the chats of each file, and what was wrong with their messages."""
        yield from read_each(source, self.members, _read)


def _read(member: Member) -> Iterator[Imported]:
    is_lines = look(member).shape == "lines"
    yield from _read_lines(member) if is_lines else _read_document(member)


@dataclass(slots=True)
class _Thread:
    """What the states of one thread hold together, by the ids of their messages."""

    thread_id: str
    title: str = ""
    messages: dict[str, ImportedMessage] = field(default_factory=dict)
    drafts: list[Draft] = field(default_factory=list)
    left_out: dict[LeftOut, None] = field(default_factory=dict)

    def add(self, chat: Chat) -> None:
        """Take in a later state: what it repeats is there already."""
        self.drafts = self.drafts or chat.drafts
        for message in settled(chat.drafts):
            self.messages.setdefault(message.external_id, message)
        self.left_out |= dict.fromkeys(chat.left_out)
        for one in chat.left_out:
            if one.why == "removed":
                self.messages.pop(one.external_id, None)

    def conversation(self, *, ends_at: int) -> ImportedConversation:
        """Give the thread as a conversation."""
        messages = list(self.messages.values())
        return ImportedConversation(
            external_id=self.thread_id or opening_of(self.drafts),
            title=self.title,
            source=NAME,
            messages=unforged(messages),
            participants=participants_of(messages),
            without_words=sum(one.why == "without_words" for one in self.left_out),
            bytes_read=ends_at,
            left_out=tuple(self.left_out),
        )


def _read_lines(member: Member) -> Iterator[Imported]:
    """Read a file with a chat or a state per line, or with a message per line."""
    loose: list[object] = []
    ends_at = member.begins_at
    for line in read_lines(member):
        try:
            if isinstance(line, AtLine):
                raise line
            value = parse_json(line.text, line=line.number)
        except AtLine as error:
            yield as_problem(error)
            continue
        ends_at = line.ends_at
        if is_message(value):
            loose.append(value)
        else:
            yield from _read_states([value], ends_at=ends_at, line=line.number)
    if loose:
        yield from _read_states([loose], ends_at=ends_at, line=0)


def _read_document(member: Member) -> Iterator[Imported]:
    """Read a file that is one document: a chat, a state, or a list of states or chats."""
    try:
        document = read_document(member)
    except AtLine as error:
        yield as_problem(error)
        return
    ends_at = member.begins_at + member.size
    states = document if isinstance(document, list) and not _is_chat(document) else [document]
    # A history comes newest first. The oldest goes first here, so that what later states have
    # dropped, as summaries do, is kept in its place.
    is_history = all(isinstance(state, Mapping) for state in states)
    yield from _read_states(states[::-1] if is_history else states, ends_at=ends_at, line=0)


def _is_chat(rows: list[object]) -> bool:
    return any(map(is_message, rows)) or not any(_rows(row) is not None for row in rows)


def _read_states(states: list[object], *, ends_at: int, line: int) -> Iterator[Imported]:
    """Gather states by their thread; what names no thread is a chat of its own."""
    threads: dict[str, _Thread] = {}
    for place, state in enumerate(states, start=1):
        rows = _rows(state)
        if rows is None:
            found = type(state).__name__
            yield ImportProblem(line, f"Expected a chat or a state with messages, found {found}.")
            continue
        chat = read_chat(rows)
        for problem in chat.problems:
            yield ImportProblem(line, f"{problem[:1].upper()}{problem[1:]}.")
        thread_id = _thread_id(state)
        threads.setdefault(thread_id or f" {place}", _Thread(thread_id)).add(chat)
    for thread in threads.values():
        if thread.messages:
            yield thread.conversation(ends_at=ends_at)
        else:
            shown = (
                f"The thread {bounded(thread.thread_id, limit=60)}" if thread.thread_id else "It"
            )
            yield ImportProblem(line, f"{shown} holds no message with words.")


def _rows(value: object) -> list[object] | None:
    """Give the list of messages that a chat, a state, or a state's values is or holds."""
    if isinstance(value, list):
        return value
    for _ in range(3):
        if not isinstance(value, Mapping):
            return None
        rows = value.get("messages")
        if isinstance(rows, list):
            return rows
        value = value.get("values") or value.get("channel_values") or value.get("checkpoint")
    return None


def _thread_id(state: object) -> str:
    """Give the id of the thread whose state this is, or an empty text."""
    for keys in (*_THREAD_IN, ()):
        here = state
        for key in keys:
            here = here.get(key) if isinstance(here, Mapping) else None
        own = here.get("thread_id") if isinstance(here, Mapping) else None
        if isinstance(own, str) and own.strip():
            return stable_id(own)
    return ""


IMPORTER = LangChain()
