"""From a file to captured conversations: the steps a command and a page share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from extraction.errors import BadInput
from extraction.importers import base
from extraction.importers.base import ImportedConversation, ImportProblem, Participant
from knowledge.commands import sources, tombstones
from knowledge.errors import BlockedByTombstone
from knowledge.results import Actor, NewMessage, SubjectRef


class SubjectNeeded(BadInput):
    """The file does not say whose memory it is, so the caller must."""

    def __init__(self, speakers: Sequence[str]) -> None:
        named = ", ".join(speakers) or "the user"
        super().__init__(
            f"The file does not say whose memory this is (it speaks of {named}). "
            "Name the subject: --subject user:ana."
        )


class NoSuchSpeaker(BadInput):
    """The subject asked for says nothing in this file."""

    def __init__(self, subject: SubjectRef, *, found: Sequence[str]) -> None:
        super().__init__(
            f"{subject} says nothing in this file. Its subjects are: {', '.join(found)}."
        )


@dataclass
class ImportTally:
    """What an import did so far.

    **Shape**: ``stopped`` says of each conversation that was erased why it was not taken in.
    **Units**: ``bytes_read`` of the file's size, for progress.
    """

    messages_new: int = 0
    messages_known: int = 0
    messages_invalid: int = 0
    conversations: int = 0
    bytes_read: int = 0
    problems: list[ImportProblem] = field(default_factory=list)
    conversation_ids: list[int] = field(default_factory=list)
    job_ids: list[int] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)


def import_file(
    path: Path,
    *,
    space_id: int,
    by: Actor,
    now: datetime,
    subject: SubjectRef | None = None,
    name: str | None = None,
) -> Iterator[ImportTally]:
    """Capture a file conversation by conversation, yielding the tally so far.

    ``subject`` says whose memory it is where the file does not, and narrows whose statements are
    proposed where it names several. ``name`` forces a format.

    A conversation that was erased, or of an erased subject, is left out and the refusal recorded.

    **Raises**: ImportRefused and its kin; SubjectNeeded, NoSuchSpeaker. What was captured before
    stays, and the same file again adds only what is missing.
    """
    tally = ImportTally()
    for item in base.read(path, name):
        if isinstance(item, ImportProblem):
            tally.problems.append(item)
            tally.messages_invalid += 1
        else:
            _capture(item, space_id=space_id, by=by, now=now, subject=subject, tally=tally)
        yield tally


def _capture(
    conversation: ImportedConversation,
    *,
    space_id: int,
    by: Actor,
    now: datetime,
    subject: SubjectRef | None,
    tally: ImportTally,
) -> None:
    by_speaker = _subjects(conversation.participants, subject=subject)
    refs = list({str(ref): ref for ref in by_speaker.values()}.values())
    if not refs and subject is not None:
        refs = [subject]
    tally.conversations += 1
    tally.bytes_read = conversation.bytes_read
    try:
        captured = sources.capture(
            space_id=space_id,
            external_id=conversation.external_id,
            source=conversation.source,
            title=conversation.title,
            messages=[_message(item, by_speaker) for item in conversation.messages],
            subjects=refs,
            proposes_for=None if subject is None else [subject],
            by=by,
            now=now,
        )
    except BlockedByTombstone as blocked:
        tombstones.record_stopped(blocked, space_id=space_id, by=by, action="conversation.capture")
        tally.stopped.append(str(blocked))
        return
    tally.messages_new += captured.messages_new
    tally.messages_known += captured.messages_known
    tally.conversation_ids.append(captured.conversation_id)
    if captured.job_id is not None:
        tally.job_ids.append(captured.job_id)


def _subjects(
    participants: Sequence[Participant], *, subject: SubjectRef | None
) -> dict[str, SubjectRef]:
    """Say which speaker is which subject.

    A nameless speaker, or a single one, is the subject asked for. Of several named speakers the
    subject must be one. Where the memory is a project's, its people speak without being subjects.
    """
    if subject is not None and subject.kind != "user":
        return {}
    named = {
        one.speaker: SubjectRef(one.kind, one.external_id, one.name)
        for one in participants
        if one.external_id
    }
    nameless = [one.speaker for one in participants if not one.external_id]
    if subject is None:
        if nameless or not named:
            raise SubjectNeeded([one.speaker for one in participants])
        return named
    if nameless or len(named) <= 1:
        speakers = nameless or list(named) or ["user"]
        return named | dict.fromkeys(speakers, subject)
    if str(subject) not in {str(ref) for ref in named.values()}:
        raise NoSuchSpeaker(subject, found=[str(ref) for ref in named.values()])
    return named


def _message(item: base.ImportedMessage, by_speaker: dict[str, SubjectRef]) -> NewMessage:
    speaker = by_speaker.get(item.speaker)
    return NewMessage(
        external_id=item.external_id,
        speaker_name=(speaker.name or speaker.external_id) if speaker else item.speaker,
        kind=item.kind,
        text=item.text,
        sent_at=item.sent_at,
        speaker=speaker,
    )
