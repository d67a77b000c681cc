"""What every importer gives, and the registry that finds the right one.

An importer turns a file of someone else's making into conversations. It knows no database:
it yields plain values, one conversation at a time, so that a large export needs little memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol, get_args

from extraction.importers import lines
from extraction.importers.errors import AtLine, NothingReadable, UnknownFormat

MessageKind = Literal[
    "user_message",
    "agent_message",
    "tool_call",
    "tool_result",
    "user_feedback",
    "task_result",
    "environment_observation",
    "system_message",
]
MESSAGE_KINDS: tuple[str, ...] = get_args(MessageKind)

ParticipantKind = Literal["user", "project", "agent", "organisation"]


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message as the file has it.

    **Shape**: ``external_id`` is unique in its conversation and the same at every import;
    ``speaker`` is a participant's ``speaker`` or the name of whatever else spoke; ``line`` is
    1-based, 0 where the format has no lines. ``text`` is never empty and holds no NUL.
    **Units**: ``sent_at`` is aware UTC, None where the file does not say.
    """

    external_id: str
    speaker: str
    kind: MessageKind
    text: str
    sent_at: datetime | None
    line: int


@dataclass(frozen=True, slots=True)
class Participant:
    """Someone whose memory the conversation may be about.

    **Shape**: ``speaker`` is how messages name them. ``external_id`` is empty where the file does
    not say who it is ("the user"): then the caller must.
    """

    speaker: str
    kind: ParticipantKind
    external_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """One conversation, or the next part of one: a later part has the same ``external_id``.

    **Shape**: ``source`` is the importer's name; ``without_words`` counts messages that said
    nothing and were left out; ``bytes_read`` is how far into the file it ends, for progress.
    """

    external_id: str
    title: str
    source: str
    messages: tuple[ImportedMessage, ...]
    participants: tuple[Participant, ...]
    without_words: int = 0
    bytes_read: int = 0


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something that could not be imported, while the rest was. ``line`` is 1-based or 0."""

    line: int
    message: str


Imported = ImportedConversation | ImportProblem


@dataclass(frozen=True, slots=True)
class Opening:
    """What a file looks like before anyone reads it whole.

    **Shape**: ``head`` is its first characters; ``values`` the JSON values of its first lines or,
    with ``whole``, the one value that the file is.
    """

    head: str
    values: tuple[object, ...]
    whole: bool = False


class Importer(Protocol):
    """One format. ``expects`` completes "Expected one of: …"."""

    name: str
    expects: str

    def recognises(self, opening: Opening) -> bool:
        """Tell whether the file may be of this format."""
        ...

    def read(self, path: Path) -> Iterator[Imported]:
        """Yield conversations and problems; a bad line never ends it."""
        ...


_IMPORTERS: dict[str, Importer] = {}


def register(importer: Importer) -> None:
    """Make a format known under its name."""
    _IMPORTERS[importer.name] = importer


def names() -> tuple[str, ...]:
    """List the names of the known formats."""
    return tuple(_IMPORTERS)


def sniff(path: Path) -> str:
    """Tell the name of the importer that knows the file's shape.

    **Cost**: reads the first lines; the whole file only if it is one JSON document within limits.
    **Raises**: EmptyFile, FileUnreadable, NotUtf8, HoldsNul, LineTooLong, UnknownFormat.
    """
    head = lines.read_head(path)
    opening = Opening(head=head, values=tuple(lines.first_values(path)))
    found = _recognise(opening)
    if found is None and (document := lines.document_if_small(path)) is not None:
        opening = Opening(head=head, values=(document,), whole=True)
        found = _recognise(opening)
    if found is None:
        lines.check_first_line(path)
        raise UnknownFormat(path.name, found=_describe(opening), expected=_expected())
    return found


def read(
    path: Path,
    format: str | None = None,  # noqa: A002 - the name of the command's option, --format
) -> Iterator[Imported]:
    """Yield the file's conversations and its problems, in the file's order.

    **Cost**: memory for one conversation (formats of lines) or one document, within limits.
    **Raises**: what ``sniff`` raises, before anything is yielded; NothingReadable at the end where
    not one conversation came out.
    """
    importer = _named(path, format)
    problems = 0
    conversations = 0
    first = ""
    for item in importer.read(path):
        if isinstance(item, ImportedConversation):
            conversations += 1
        else:
            problems += 1
            first = first or (f"line {item.line}: {item.message}" if item.line else item.message)
        yield item
    if not conversations:
        first = first or "it holds no conversation."
        raise NothingReadable(path.name, problems=problems, first=first)


def _named(path: Path, name: str | None) -> Importer:
    """Find the importer asked for, or the one the file's shape asks for."""
    if name is None:
        return _IMPORTERS[sniff(path)]
    if name not in _IMPORTERS:
        raise UnknownFormat(path.name, found=f"the format name {name!r}", expected=names())
    lines.read_head(path)
    return _IMPORTERS[name]


def _recognise(opening: Opening) -> str | None:
    return next((i.name for i in _IMPORTERS.values() if i.recognises(opening)), None)


def _expected() -> tuple[str, ...]:
    return tuple(f"{importer.name} ({importer.expects})" for importer in _IMPORTERS.values())


def _describe(opening: Opening) -> str:
    """Say in a few words what the file holds instead."""
    first = opening.values[0] if opening.values else None
    if isinstance(first, dict):
        kind = "one JSON object" if opening.whole else "a JSON object per line"
        keys = ", ".join(repr(str(key)[:40]) for key in list(first)[:6])
        return f"{kind} with the keys {keys}" if keys else f"{kind}, without any key"
    if isinstance(first, list):
        inner = type(first[0]).__name__ if first else "nothing"
        return f"a JSON list of {inner}"
    if first is not None:
        return f"a JSON {type(first).__name__}"
    return f"text that is no JSON, beginning {opening.head.strip()[:60]!r}"


def as_problem(error: AtLine) -> ImportProblem:
    """Turn an error about one line into a problem beside the kept lines."""
    return ImportProblem(line=error.line, message=error.message)
