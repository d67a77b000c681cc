"""From a file to captured conversations, or to the figures of what would be captured.

The command, the page and the API's capture take the same way: what a trial counts is what an
import then does, because only the last step differs.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from extraction import recorded
from extraction import speakers as people
from extraction.earlier import EarlierMessages, short_digest
from extraction.errors import UnknownZone
from extraction.importers import base, source
from extraction.importers.base import ImportedConversation, ImportProblem
from extraction.importers.source import ReadOptions
from extraction.speakers import Cast, Speakers, Whose
from knowledge.commands import incoming, sources, tombstones
from knowledge.errors import BlockedByTombstone, Erased, InvalidInput
from knowledge.results import Actor, Captured, NewMessage, SubjectRef

# How many conversations are looked at to find out who speaks, before any is taken in.
LOOKED_AT = 200
# Problems kept in memory; beyond them only their number is.
MOST_PROBLEMS = 1000


@dataclass(frozen=True, slots=True)
class Choices:
    """How a file is read, and whose memory it feeds; nothing chosen is left to the file.

    **Shape**: ``format`` is an importer's name; ``speaker`` how the file calls the subject;
    ``zone`` an IANA name, for times without one; ``day_first`` whether 03/04 is in April.
    """

    subject: SubjectRef | None = None
    speaker: str = ""
    format: str = ""
    zone: str = ""
    day_first: bool | None = None

    @property
    def options(self) -> ReadOptions:
        """Return what the person said of the file. **Raises**: UnknownZone."""
        return ReadOptions(zone=_zone(self.zone) if self.zone else None, day_first=self.day_first)


@dataclass
class ImportTally:
    """What an import did, or would do, so far.

    **Shape**: ``stopped`` counts by reason the conversations that were erased and not taken in.
    ``left_out`` are conversations in which the subject says nothing; ``untimed`` messages without
    a time; ``silent`` those without words, ``passed_over`` all that are not taken in, by why.
    ``problem``, ``met`` and ``taken`` are about the last
    piece: what was wrong with it, the conversation, and the same where it is taken in. ``read``
    counts the pieces of the file.
    **Units**: ``bytes_read`` of the file's size, for progress.
    """

    messages_new: int = 0
    messages_known: int = 0
    messages_invalid: int = 0
    conversations: int = 0
    left_out: int = 0
    untimed: int = 0
    silent: int = 0
    read: int = 0
    bytes_read: int = 0
    stopped: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    problems: list[ImportProblem] = field(default_factory=list)
    conversation_ids: list[int] = field(default_factory=list)
    job_ids: list[int] = field(default_factory=list)
    problem: ImportProblem | None = None
    met: ImportedConversation | None = None
    taken: ImportedConversation | None = None

    def plus(self, captured: Captured) -> "ImportTally":
        """Return the tally as it stands with one more capture counted."""
        return replace(
            self,
            messages_new=self.messages_new + captured.messages_new,
            messages_known=self.messages_known + captured.messages_known,
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """A conversation with its messages as they would be captured."""

    conversation: ImportedConversation
    cast: Cast
    messages: tuple[NewMessage, ...]


Take = Callable[[Piece], Captured]
# What is written together with a capture: the tally as it then stands, and what was captured.
Then = Callable[[ImportTally, Captured], None]


def import_file(
    path: Path,
    *,
    space_id: int,
    by: Actor,
    now: datetime,
    choices: Choices,
    resumed: ImportTally | None = None,
    then: Then | None = None,
) -> Iterator[ImportTally]:
    """Capture a file conversation by conversation, yielding the tally so far.

    A conversation that was erased, or of an erased subject, is left out and the refusal recorded;
    so is one in which the subject says nothing. ``resumed`` is the tally of an earlier attempt
    that ended in the middle: what it read is passed over. ``then`` is called within the
    transaction of each capture.

    **Raises**: ImportRefused and its kin; SubjectNeeded, SpeakerNeeded, NoSuchSpeaker; InvalidInput
    for a subject that is none. What was captured before stays, and the same file again adds only
    what is missing.
    """
    _check_subject(choices.subject, space_id=space_id)
    tally = resumed or ImportTally()
    capture = partial(_capture, space_id=space_id, by=by, now=now, tally=tally)
    yield from _through(
        path,
        choices=choices,
        tally=tally,
        take=partial(capture, then=then),
        finish=partial(capture, then=None),
    )
    _check_anybody(tally, choices=choices, path=path)


def try_file(
    path: Path, *, space_id: int, now: datetime, choices: Choices, named: bool = True
) -> Iterator[ImportTally]:
    """Count what importing the file would do, without writing anything.

    With ``named`` off it goes on where nobody said yet whose memory it is.

    **Raises**: as ``import_file``.
    """
    _check_subject(choices.subject, space_id=space_id)
    tally = ImportTally()
    with_trial = Trial(space_id=space_id, now=now)
    yield from _through(path, choices=choices, tally=tally, take=with_trial.take, lenient=not named)


def look(path: Path, *, choices: Choices, most: int = LOOKED_AT) -> Speakers:
    """Find out who speaks in the first conversations of a file.

    **Raises**: ImportRefused and its kin.
    """
    found = Speakers()
    for item in islice(_read(path, choices=choices), most):
        if isinstance(item, ImportedConversation):
            found.meet(item)
    return found


def settled(path: Path, *, choices: Choices) -> Whose:
    """Say whose memory the file feeds, and how it calls them.

    **Raises**: ImportRefused and its kin; SpeakerNeeded, NoSuchSpeaker.
    """
    whose = Whose(choices.subject, choices.speaker)
    if choices.subject is None or choices.subject.kind != "user":
        return whose
    return people.settle(whose, speakers=look(path, choices=choices))


class Trial:
    """Takes conversations without writing them, and remembers what came before in the file."""

    def __init__(self, *, space_id: int, now: datetime) -> None:
        self._space_id = space_id
        self._now = now
        self._earlier = EarlierMessages()

    def take(self, piece: Piece) -> Captured:
        """Say what a capture would do. **Raises**: as ``sources.capture``."""
        conversation = piece.conversation
        name = (conversation.source, conversation.external_id)
        would = incoming.would_capture(
            space_id=self._space_id,
            external_id=conversation.external_id,
            source=conversation.source,
            messages=piece.messages,
            subjects=piece.cast.subjects,
            now=self._now,
            earlier=self._earlier.of(name),
        )
        self._earlier.add(name, would.new)
        return Captured(0, len(would.new), would.messages_known, None)


def size_of(path: Path) -> int:
    """Return what ``bytes_read`` counts towards: of a zip, what it unpacks to.

    **Raises**: ImportRefused and its kin.
    """
    with source.opened(path) as handed_in:
        return handed_in.size


def _read(path: Path, *, choices: Choices) -> Iterator[base.Imported]:
    return base.read(path, choices.format or None, options=choices.options)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UnknownZone(name) from None


def _through(
    path: Path,
    *,
    choices: Choices,
    tally: ImportTally,
    take: Take,
    finish: Take | None = None,
    lenient: bool = False,
) -> Iterator[ImportTally]:
    """Go through the file's pieces, taking each, and keep count.

    ``finish`` takes the last piece of an earlier attempt again, uncounted: its facts may be
    missing.
    """
    whose = settled(path, choices=choices)
    passed = tally.read
    met: set[bytes] = set()
    for place, item in enumerate(_read(path, choices=choices)):
        tally.problem = tally.met = tally.taken = None
        if isinstance(item, ImportedConversation):
            name = short_digest((item.source, item.external_id))
            is_further = name in met
            met.add(name)
        if place < passed:
            if place == passed - 1 and finish and isinstance(item, ImportedConversation):
                done = ImportTally()
                if item.statements:
                    _take_in(
                        item, whose=whose, tally=done, take=finish, lenient=lenient, again=True
                    )
            continue
        tally.read += 1
        if isinstance(item, ImportProblem):
            _note_problem(tally, item)
        else:
            tally.met = item
            tally.bytes_read = item.bytes_read
            tally.silent += item.without_words
            tally.passed_over.update(one.why for one in item.left_out)
            _take_in(item, whose=whose, tally=tally, take=take, lenient=lenient, again=is_further)
        yield tally


def _take_in(
    item: ImportedConversation,
    *,
    whose: Whose,
    tally: ImportTally,
    take: Take,
    lenient: bool,
    again: bool,
) -> None:
    """Take one conversation, or count why it is not taken."""
    if lenient and whose.subject is None:
        found = people.cast_as_named(item.participants)
    else:
        found = people.cast(item.participants, whose)
    if found is None:
        tally.left_out += not again
        return
    messages = tuple(_message(message, cast=found) for message in item.messages)
    tally.conversations += not again
    tally.untimed += sum(1 for message in messages if message.sent_at is None)
    tally.taken = item
    try:
        captured = take(Piece(item, found, messages))
    except (BlockedByTombstone, Erased) as blocked:
        tally.taken = None
        tally.stopped[str(blocked)] += 1
        return
    except InvalidInput as error:
        tally.taken = None
        line = item.messages[0].line if item.messages else 0
        problem = ImportProblem(line=line, message=f"A conversation cannot be kept: {error}")
        _note_problem(tally, problem, messages=len(item.messages))
        return
    _count(tally, captured)


def _note_problem(tally: ImportTally, problem: ImportProblem, *, messages: int = 1) -> None:
    tally.problem = problem
    tally.messages_invalid += messages
    if len(tally.problems) < MOST_PROBLEMS:
        tally.problems.append(problem)


def _count(tally: ImportTally, captured: Captured) -> None:
    """Add what a capture did."""
    tally.messages_new += captured.messages_new
    tally.messages_known += captured.messages_known
    if captured.conversation_id:
        tally.conversation_ids.append(captured.conversation_id)
    if captured.job_id is not None:
        tally.job_ids.append(captured.job_id)


def _capture(
    piece: Piece,
    *,
    space_id: int,
    by: Actor,
    now: datetime,
    tally: ImportTally,
    then: Then | None,
) -> Captured:
    """Capture a conversation; a refusal of what was erased is recorded."""
    conversation = piece.conversation
    try:
        captured = sources.capture(
            space_id=space_id,
            external_id=conversation.external_id,
            source=conversation.source,
            title=conversation.title,
            messages=piece.messages,
            subjects=piece.cast.subjects,
            proposes_for=piece.cast.proposes_for,
            by=by,
            now=now,
            then=None if then is None else lambda done: then(tally.plus(done), done),
        )
    except BlockedByTombstone as blocked:
        tombstones.record_stopped(blocked, space_id=space_id, by=by, action="conversation.capture")
        raise
    if conversation.statements:
        whose = piece.cast.proposes_for or piece.cast.subjects
        recorded.propose(
            conversation.statements,
            conversation_id=captured.conversation_id,
            subject=whose[0],
            by=by,
            now=now,
        )
    return captured


def _check_subject(subject: SubjectRef | None, *, space_id: int) -> None:
    """Refuse what names no subject, before anything is read; what was erased is counted instead.

    **Raises**: InvalidInput.
    """
    if subject is not None:
        with suppress(BlockedByTombstone):
            incoming.check_subject(space_id=space_id, ref=subject)


def _check_anybody(tally: ImportTally, *, choices: Choices, path: Path) -> None:
    """Refuse to call it a success that nothing in the file was the subject's.

    **Raises**: NoSuchSpeaker, SubjectNeeded.
    """
    if tally.left_out and not tally.conversations:
        if choices.subject is None:
            raise people.SubjectNeeded([])
        wanted = choices.speaker or str(choices.subject)
        raise people.NoSuchSpeaker(wanted, found=look(path, choices=choices).names())


def _message(item: base.ImportedMessage, *, cast: Cast) -> NewMessage:
    speaker = cast.by_speaker.get(item.speaker)
    return NewMessage(
        external_id=item.external_id,
        speaker_name=(speaker.name or speaker.external_id) if speaker else item.speaker,
        kind=item.kind,
        text=item.text,
        sent_at=item.sent_at,
        speaker=speaker,
    )
