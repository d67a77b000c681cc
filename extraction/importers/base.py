"""What every importer gives, and the registry that finds the right one.

An importer turns a file of someone else's making into conversations. It knows no database:
it yields plain values, one conversation at a time, so that a large export needs little memory.
Adding a format takes one module here with ``IMPORTER`` in it, and its test.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol, get_args

from extraction.importers import lines, source
from extraction.importers.errors import (
    AmbiguousFormat,
    AnswerNeeded,
    AtLine,
    EmptyFile,
    ImportRefused,
    NothingReadable,
    UnknownFormat,
)
from extraction.importers.json_items import Item, read_values
from extraction.importers.limits import SNIFFED_MEMBERS
from extraction.importers.opening import Fit, Opening, describe, look
from extraction.importers.source import NOTHING_SAID, Member, ReadOptions, Source

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
    ``edited`` where the file notes that these are not the first words.
    **Units**: ``sent_at`` is aware UTC, None where the file does not say.
    """

    external_id: str
    speaker: str
    kind: MessageKind
    text: str
    sent_at: datetime | None
    line: int
    edited: bool = False


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


Why = Literal[
    "other_branch",  # an answer that was asked for anew, or a question that was changed
    "hidden",  # not shown to the person: instructions, context
    "reasoning",  # a model's thoughts before its answer
    "without_words",  # said nothing
    "side_conversation",  # a model that talked to another
    "removed",  # deleted in the conversation itself
    "event",  # somebody joined, a title changed: nobody spoke
]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A message of the file that is not taken in, by its id there (may be empty), and why."""

    external_id: str
    why: Why


@dataclass(frozen=True, slots=True)
class ImportedStatement:
    """What another memory already holds as a fact, without the words it came from.

    It waits for approval like any other, resting on the message that records it: the message
    ``message_id`` of the same conversation, whose text holds ``text`` as it stands.
    **Shape**: ``external_id`` is the fact's id in that memory.
    """

    external_id: str
    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """One conversation, or the next part of one: a later part has the same ``external_id``.

    **Shape**: ``source`` is the importer's name; ``left_out`` lists messages not taken in, and
    ``without_words`` counts those of them that said nothing; ``bytes_read`` is how far into the
    source it ends, for progress. ``statements`` are facts another memory made of it.
    """

    external_id: str
    title: str
    source: str
    messages: tuple[ImportedMessage, ...]
    participants: tuple[Participant, ...]
    without_words: int = 0
    bytes_read: int = 0
    left_out: tuple[LeftOut, ...] = ()
    statements: tuple[ImportedStatement, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something that could not be imported, while the rest was.

    **Shape**: ``line`` is 1-based or 0; ``member`` is the file of an archive it is about, or empty.
    """

    line: int
    message: str
    member: str = ""


Imported = ImportedConversation | ImportProblem


class Importer(Protocol):
    """One format.

    **Shape**: ``expects`` completes "Expected one of: …". ``members`` finds, by their path, the
    files of a folder or zip that hold its conversations; a lone file may be called anything.
    """

    name: str
    expects: str
    members: re.Pattern[str]

    def recognises(self, opening: Opening) -> Fit:
        """Tell how well a file that ``members`` finds fits this format."""
        ...

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield conversations and problems; a bad line never ends it."""
        ...


_IMPORTERS: dict[str, Importer] = {}


def register(importer: Importer) -> None:
    """Make a format known under its name. **Raises**: ValueError where the name is taken."""
    if importer.name in _IMPORTERS:
        raise ValueError(f"two formats are called {importer.name}")
    _IMPORTERS[importer.name] = importer


def names() -> tuple[str, ...]:
    """List the names of the known formats, sorted."""
    return tuple(sorted(_IMPORTERS))


def expectations() -> dict[str, str]:
    """Give what each format expects of a file, by the format's name."""
    return {name: _IMPORTERS[name].expects for name in names()}


def sniff(path: Path, *, name: str = "") -> str:
    """Tell the name of the importer that knows the shape of a file, folder or zip.

    ``name`` is what the person calls the file, where the path is another.

    **Cost**: reads first lines or items; a whole file only if it is one JSON object within limits.
    **Raises**: EmptyFile, FileUnreadable, UnsafeArchive, DamagedArchive, NotUtf8, HoldsNul,
    LineTooLong, UnknownFormat, AmbiguousFormat.
    """
    with source.opened(path, name=name) as handed_in:
        return _recognised(handed_in).name


def read(
    path: Path,
    format: str | None = None,  # noqa: A002 - the name of the command's option, --format
    *,
    name: str = "",
    options: ReadOptions = NOTHING_SAID,
) -> Iterator[Imported]:
    """Yield the conversations of a file, folder or zip, and its problems, in their order.

    **Cost**: memory for one conversation, or one document within limits.
    **Raises**: what ``sniff`` raises, before anything is yielded, and AnswerNeeded where the
    options lack what the file does not say; NothingReadable at the end where not one conversation
    came out.
    """
    with source.opened(path, name=name, options=options) as handed_in:
        importer = _named(handed_in, format)
        problems = 0
        conversations = 0
        first = ""
        for item in importer.read(handed_in):
            if isinstance(item, ImportedConversation):
                conversations += 1
            else:
                problems += 1
                first = first or in_words(item)
            yield item
        if not conversations:
            first = first or "it holds no conversation."
            raise NothingReadable(handed_in.name, problems=problems, first=first)


def in_words(problem: ImportProblem) -> str:
    """Say a problem with its place: the file of an archive, the line."""
    line = f"line {problem.line}" if problem.line else ""
    place = ", ".join(part for part in (problem.member, line) if part)
    return f"{place}: {problem.message}" if place else problem.message


def read_each(
    handed_in: Source, pattern: re.Pattern[str], reader: Callable[[Member], Iterator[Imported]]
) -> Iterator[Imported]:
    """Read each file that the pattern finds; of many, one that cannot be read is a problem.

    Problems get the name of their file.

    **Raises**: what the reading of a lone file raises; AnswerNeeded.
    """
    for member in handed_in.matching(pattern):
        try:
            for item in reader(member):
                yield _placed(item, member=member, handed_in=handed_in)
        except AnswerNeeded:
            raise
        except ImportRefused as refused:
            if handed_in.kind == "file":
                raise
            at_line = refused if isinstance(refused, AtLine) else AtLine(0, str(refused))
            yield ImportProblem(at_line.line, at_line.message, member.name)


def read_each_value(
    handed_in: Source, pattern: re.Pattern[str], conversations: Callable[[Item], Iterator[Imported]]
) -> Iterator[Imported]:
    """Read each JSON value of each file that the pattern finds; a broken one is a problem.

    **Raises**: as ``read_each``.
    """

    def read_member(member: Member) -> Iterator[Imported]:
        for item in read_values(member):
            if isinstance(item, AtLine):
                yield as_problem(item)
            else:
                yield from conversations(item)

    yield from read_each(handed_in, pattern, read_member)


def _placed(item: Imported, *, member: Member, handed_in: Source) -> Imported:
    if handed_in.kind == "file" or not isinstance(item, ImportProblem) or item.member:
        return item
    return replace(item, member=member.name)


def as_problem(error: AtLine, *, member: Member | None = None) -> ImportProblem:
    """Turn an error about one line into a problem beside the kept lines."""
    named = member.name if member is not None and "/" in member.name else ""
    return ImportProblem(line=error.line, message=error.message, member=named)


def _named(handed_in: Source, name: str | None) -> Importer:
    """Find the importer asked for, or the one the shape asks for."""
    if name is None:
        return _recognised(handed_in)
    if name not in _IMPORTERS:
        found = f"the format name {name!r}"
        raise UnknownFormat(handed_in.name, found=found, expected=names())
    importer = _IMPORTERS[name]
    if not handed_in.matching(importer.members):
        raise UnknownFormat(
            handed_in.name, found=_listing(handed_in), expected=(f"{name} ({importer.expects})",)
        )
    if handed_in.kind == "file":
        lines.read_head(handed_in.members[0])
    return importer


def _recognised(handed_in: Source) -> Importer:
    """Find the one format that fits best. **Raises**: UnknownFormat, AmbiguousFormat and others."""
    openings = _Openings(handed_in)
    fits = {name: _fit(_IMPORTERS[name], openings) for name in names()}
    best = max(fits.values())
    if best == Fit.NO:
        openings.raise_unknown()
    fitting = tuple(name for name, fit in fits.items() if fit == best)
    if len(fitting) > 1:
        raise AmbiguousFormat(handed_in.name, fitting)
    return _IMPORTERS[fitting[0]]


def _fit(importer: Importer, openings: "_Openings") -> Fit:
    """Give the best fit among the first files that the format may be in."""
    found = openings.matching(importer.members)
    return max((importer.recognises(opening) for opening in found), default=Fit.NO)


class _Openings:
    """The beginnings of the source's files, each looked at once."""

    def __init__(self, handed_in: Source) -> None:
        self._source = handed_in
        self._names = tuple(member.name for member in handed_in.members)
        self._seen: dict[str, Opening | ImportRefused] = {}

    def matching(self, pattern: re.Pattern[str]) -> list[Opening]:
        """Give the first readable openings of the files that the pattern finds."""
        found = map(self._look, self._source.matching(pattern)[:SNIFFED_MEMBERS])
        return [opening for opening in found if isinstance(opening, Opening)]

    def raise_unknown(self) -> None:
        """Say what was found instead. **Raises**: always; what is wrong with a lone file first."""
        expected = tuple(f"{name} ({words})" for name, words in expectations().items())
        if self._source.kind == "file":
            lines.check_first_line(self._source.members[0])
            found = describe(look(self._source.members[0]))
            raise UnknownFormat(self._source.name, found=found, expected=expected)
        if not self._source.members:
            raise EmptyFile(self._source.name)
        for refused in self._seen.values():
            if isinstance(refused, ImportRefused) and not isinstance(refused, EmptyFile):
                raise refused
        raise UnknownFormat(self._source.name, found=_listing(self._source), expected=expected)

    def _look(self, member: Member) -> Opening | ImportRefused:
        if member.name not in self._seen:
            try:
                self._seen[member.name] = look(member, names=self._names)
            except ImportRefused as refused:
                if self._source.kind == "file":
                    raise
                self._seen[member.name] = refused
        return self._seen[member.name]


def _listing(handed_in: Source) -> str:
    """Say in a few words which files there are."""
    shown = ", ".join(member.name[:60] for member in handed_in.members[:5])
    more = len(handed_in.members) - 5
    return f"a {handed_in.kind} with {shown}{f' and {more} more' if more > 0 else ''}"
