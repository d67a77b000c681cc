"""Mem0's memories, as its ``get_all`` gives them, and their history of additions and changes.

A memory is a statement without the words it came from. Each is a conversation in which mem0 says
what it remembered and when; its latest wording, if it was not deleted, waits for approval resting
on that, never straight to approved. Where a history names the messages a memory was made of, they
come with it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportedMessage,
    ImportedStatement,
    ImportProblem,
    MessageKind,
    Participant,
    as_problem,
)
from extraction.importers.drafts import NAMELESS_USER
from extraction.importers.errors import AtLine, ImportRefused
from extraction.importers.json_items import read_values
from extraction.importers.letta_messages import time_in, words_in
from extraction.importers.lines import parse_json, read_lines
from extraction.importers.opening import Fit, Opening, look
from extraction.importers.source import Member, Source
from extraction.importers.wording import Unfit, bounded, digest, stable_id, storable

NAME = "mem0"
_EVENTS = frozenset({"ADD", "UPDATE", "DELETE"})
_NOTHING_NEW = frozenset({"NONE", "NOOP"})
_SIGNS = ("hash", "user_id", "agent_id", "run_id", "categories", "created_at")
_KIND_OF_ROLE: dict[str, MessageKind] = {"user": "user_message", "assistant": "agent_message"}

Json = Mapping[str, object]


class Mem0:
    """The importer of mem0's memories and histories."""

    name = NAME
    expects = 'mem0 memories: a JSON list, or "results", of "memory" with "id", or of their history'
    members = re.compile(r"\.(json|jsonl|ndjson)$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether there are memories, or rows of their history."""
        rows = [row for value in opening.values for row in _rows(value)]
        return Fit.SURE if any(map(_is_memory, rows)) or any(map(_is_event, rows)) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield each memory, row by row, once it is known which row is its latest."""
        latest: dict[str, tuple[datetime | None, int]] = {}
        owners: dict[str, Participant] = {}  # a history alone does not say whose memory it is
        for place, (row, _, _) in enumerate(_all_rows(source)):
            if isinstance(row, _Row):
                known = latest.get(row.memory_id)
                if known is None or not (row.at and known[0] and row.at < known[0]):
                    latest[row.memory_id] = (row.at, place)
                if row.owner.external_id:
                    owners.setdefault(row.memory_id, row.owner)
        for place, (row, member, ends_at) in enumerate(_all_rows(source)):
            if isinstance(row, ImportProblem):
                yield row
            elif isinstance(row, _Row):
                is_latest = latest[row.memory_id][1] == place
                owned = replace(row, owner=owners.get(row.memory_id, row.owner))
                yield _conversation(owned, is_latest=is_latest, ends_at=ends_at)
                if row.problem:
                    named = member.name if "/" in member.name else ""
                    yield ImportProblem(0, f"Memory {row.memory_id}: {row.problem}.", member=named)


@dataclass(frozen=True, slots=True)
class _Row:
    """One memory as it stands, or one change of it.

    **Shape**: ``text`` is empty where it was deleted, ``before`` where there was nothing before.
    """

    memory_id: str
    text: str
    before: str
    at: datetime | None
    before_at: datetime | None
    owner: Participant
    told: tuple[tuple[MessageKind, str], ...] = ()
    problem: str = ""


def _conversation(row: _Row, *, is_latest: bool, ends_at: int) -> ImportedConversation:
    """Make a row a part of its memory's conversation."""
    messages: dict[str, ImportedMessage] = {}

    def add(kind: MessageKind, text: str, *, speaker: str = NAME, at: datetime | None) -> str:
        # By its words alone: the same memory in a history and in a list is the same message.
        own_id = digest(kind, text)
        messages.setdefault(own_id, ImportedMessage(own_id, speaker, kind, text, at, line=0))
        return own_id

    for kind, words in row.told:
        speaker = row.owner.speaker if kind == "user_message" else "assistant"
        add(kind, words, speaker=speaker, at=row.at)
    if row.before:
        add("tool_result", row.before, at=row.before_at)
    facts: tuple[ImportedStatement, ...] = ()
    if row.text:
        own_id = add("tool_result", row.text, at=row.at)
        facts = (ImportedStatement(row.memory_id, message_id=own_id, text=row.text),)
    else:
        add("tool_result", f"[forgotten] {row.before}".strip(), at=row.at)
    return ImportedConversation(
        external_id=row.memory_id,
        title=bounded(
            f"Memory of {row.owner.name} in mem0" if row.owner.name else "Memory in mem0"
        ),
        source=NAME,
        messages=tuple(messages.values()),
        participants=(row.owner,),
        bytes_read=ends_at,
        statements=facts if is_latest else (),
    )


def _all_rows(source: Source) -> Iterator[tuple[_Row | ImportProblem | None, Member, int]]:
    """Yield the rows of all files, None for one that changed nothing."""
    for member in source.matching(Mem0.members):
        try:
            for row, ends_at in _rows_of(member, source):
                yield row, member, ends_at
        except ImportRefused as refused:
            if source.kind == "file":
                raise
            # Of many files one that cannot be read costs only itself.
            yield ImportProblem(0, str(refused), member.name), member, member.begins_at


def _rows_of(member: Member, source: Source) -> Iterator[tuple[_Row | ImportProblem | None, int]]:
    for number, (value, ends_at) in enumerate(_values(member), start=1):
        if isinstance(value, AtLine):
            yield as_problem(value, member=member), ends_at
            continue
        rows = list(_rows(value))
        if not rows:
            words = f'Item {number}: expected "memory" with "id", or a change of one.'
            yield ImportProblem(0, words, member=member.name), ends_at
        for place, raw in enumerate(rows, start=number):
            try:
                yield _row(raw, source), ends_at
            except Unfit as error:
                yield ImportProblem(0, f"Item {place}: {error}.", member=member.name), ends_at


def _values(member: Member) -> Iterator[tuple[object, int]]:
    """Yield the values of a file: of its list, its lines, or the one it is."""
    ends_at = member.begins_at
    if look(member).shape != "lines":
        for item in read_values(member):
            ends_at = ends_at if isinstance(item, AtLine) else item.ends_at
            yield (item if isinstance(item, AtLine) else item.value), ends_at
        return
    for line in read_lines(member):
        if isinstance(line, AtLine):
            yield line, ends_at
            continue
        ends_at = line.ends_at
        try:
            yield parse_json(line.text, line=line.number), ends_at
        except AtLine as error:
            yield error, ends_at


def _rows(value: object) -> Iterator[object]:
    """Give what a value lists under "results" or "memories", or the value itself."""
    for key in ("results", "memories", "history"):
        rows = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(rows, list):
            yield from rows
            return
    yield value


def _is_memory(raw: object) -> bool:
    if not isinstance(raw, Mapping) or "id" not in raw:
        return False
    return isinstance(raw.get("memory"), str) and any(sign in raw for sign in _SIGNS)


def _is_event(raw: object) -> bool:
    if not isinstance(raw, Mapping) or "memory_id" not in raw:
        return False
    return "event" in raw and ("new_memory" in raw or "old_memory" in raw)


def _row(raw: object, source: Source) -> _Row | None:
    """Read a memory or a change. **Raises**: Unfit with what is wrong."""
    if not isinstance(raw, Mapping):
        raise Unfit(f"a memory must be a JSON object, not {type(raw).__name__}")
    if not (_is_memory(raw) or _is_event(raw)):
        keys = ", ".join(repr(str(key)[:40]) for key in list(raw)[:6]) or "none"
        raise Unfit(
            f'expected "memory" with "id", or "memory_id" with "event"; the keys are {keys}'
        )
    made_at, problem = time_in(raw.get("created_at"), zone=source.options.zone)
    changed_at, also = time_in(raw.get("updated_at"), zone=source.options.zone)
    plain = partial(
        _Row,
        at=changed_at or made_at,
        before_at=made_at,
        owner=_owner(raw),
        problem=problem or also,
    )
    if not _is_event(raw):
        text = storable(str(raw["memory"])).strip()
        if not text:
            raise Unfit("the memory is empty")
        return plain(_id(raw, "id"), text, "")
    event = str(raw.get("event")).upper()
    if event in _NOTHING_NEW:
        return None
    if event not in _EVENTS:
        raise Unfit(f"the event {event[:40]!r} is unknown; known are ADD, UPDATE and DELETE")
    before = storable(words_in(raw.get("old_memory"))).strip()
    is_gone = event == "DELETE" or raw.get("is_deleted") == 1
    text = "" if is_gone else storable(words_in(raw.get("new_memory"))).strip()
    if not text and not before:
        raise Unfit("neither what was remembered before nor what after is there")
    if not text and not is_gone:
        raise Unfit('"new_memory" is empty')
    return plain(_id(raw, "memory_id"), text, before, told=tuple(_told(raw.get("input"))))


def _told(value: object) -> Iterator[tuple[MessageKind, str]]:
    """Give the messages that a memory was made of, where the history names them."""
    for one in value if isinstance(value, list) else []:
        if not isinstance(one, Mapping):
            continue
        kind = _KIND_OF_ROLE.get(str(one.get("role")))
        words = storable(words_in(one.get("content")))
        if kind is not None and words.strip():
            yield kind, words


def _owner(raw: Json) -> Participant:
    """Say whose memory it is: a person's, an agent's, or nobody's that the row names."""
    user, agent = raw.get("user_id"), raw.get("agent_id")
    if isinstance(user, str) and user.strip():
        name = bounded(user)
        return Participant(name, "user", external_id=stable_id(user.strip()), name=name)
    if isinstance(agent, str) and agent.strip():
        name = bounded(agent)
        return Participant(name, "agent", external_id=stable_id(agent.strip()), name=name)
    return Participant(NAMELESS_USER, "user", external_id="", name="")


def _id(raw: Json, key: str) -> str:
    """Give a row's id. **Raises**: Unfit."""
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise Unfit(f'"{key}" must be text or a whole number')
    return stable_id(str(value))


IMPORTER = Mem0()
