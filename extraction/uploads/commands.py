"""What people do with a file they brought: every change of its state, and its log."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from extraction.importing import Choices
from extraction.uploads import steps
from extraction.uploads.choosing import read_choices, write_choices
from extraction.uploads.models import FileImport, ImportState
from extraction.uploads.rights import check_can_import
from knowledge.commands import audit, incoming
from knowledge.errors import Conflict, InvalidInput, NotFound
from knowledge.results import Actor


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A file that lies in its folder. **Units**: ``size`` in bytes; ``sha256`` hexadecimal."""

    name: str
    folder: str
    size: int
    sha256: str


@transaction.atomic(durable=True)
def record(
    *,
    space_id: int,
    file: Uploaded,
    choices: Choices,
    form_id: UUID,
    by: Actor,
    now: datetime,
) -> int:
    """Keep an uploaded file and ask for it to be read; its id.

    It is deleted after a day unless somebody confirms it. The same form again is the same upload,
    and the second copy of its file is the caller's to delete.

    **Raises**: NotAllowed; Conflict for a form that was used for another space or person.
    """
    check_can_import(user_id=by.user_id, space_id=space_id, now=now)
    key = _insert(
        space_id=space_id,
        uploaded_by_id=by.user_id,
        uploaded_at=now,
        form_id=form_id,
        name=file.name,
        size=file.size,
        sha256=file.sha256,
        folder=file.folder,
        state=ImportState.READING,
        choices=write_choices(choices),
    )
    if key is None:
        return _same_again(form_id, space_id=space_id, by=by)
    job = steps.ask(steps.READ_UPLOAD, key, space_id=space_id, now=now)
    FileImport.objects.filter(pk=key).update(job=job)
    steps.ask(steps.EXPIRE_UPLOAD, key, space_id=space_id, now=now, delay=steps.KEPT_UNCONFIRMED)
    steps.log(
        "import.upload",
        key,
        space_id=space_id,
        by=by,
        payload={"name": file.name, "size": file.size, "sha256": file.sha256},
    )
    return key


@transaction.atomic(durable=True)
def choose(*, import_id: int, space_id: int, choices: Choices, by: Actor, now: datetime) -> None:
    """Have the file read again in another way, or for somebody else's memory.

    **Raises**: NotAllowed, NotFound; Conflict once it is confirmed or closed.
    """
    check_can_import(user_id=by.user_id, space_id=space_id, now=now)
    job = steps.ask(steps.READ_UPLOAD, import_id, space_id=space_id, now=now)
    audit.hold(space_id)
    row = steps.lock(import_id, space_id=space_id)
    steps.check_waits(row)
    row.choices = write_choices(choices)
    row.choices_no += 1
    row.state = ImportState.READING
    row.error = ""
    row.job = job
    row.save()
    steps.log("import.choose", row.pk, space_id=space_id, by=by, payload={"choices": row.choices})


@transaction.atomic(durable=True)
def confirm(
    *, import_id: int, space_id: int, by: Actor, now: datetime, choices: Choices | None = None
) -> None:
    """Have exactly what was looked at imported; a worker does it.

    ``choices`` may name the subject otherwise than when it was looked at, and nothing else.

    **Raises**: NotAllowed, NotFound; InvalidInput where nobody said whose memory it is, or it is
    nobody's; Conflict when it is read just now, confirmed or closed, would be read otherwise, or
    the subject was erased.
    """
    check_can_import(user_id=by.user_id, space_id=space_id, now=now)
    job = steps.ask(steps.IMPORT_UPLOAD, import_id, space_id=space_id, now=now)
    audit.hold(space_id)
    row = steps.lock(import_id, space_id=space_id)
    steps.check_waits(row)
    if row.state != ImportState.READY:
        raise Conflict("This file is still being read, or cannot be read. Look at it again.")
    chosen = choices or read_choices(row.choices)
    if not reads_the_same(chosen, read_choices(row.choices)):
        raise Conflict("So other words would come in than you looked at. Look once more.")
    if chosen.subject is not None:
        incoming.check_subject(space_id=space_id, ref=chosen.subject)
    elif row.preview.get("needs_subject", True):
        raise InvalidInput("Say whose memory this is, such as user:ana.", field="subject")
    row.choices = write_choices(chosen)
    row.state = ImportState.IMPORTING
    row.confirmed_by_id, row.confirmed_at = by.user_id, now
    # From here on it keeps figures, and no words any more.
    row.preview, row.tally, row.problems = {"seen": row.tally}, {}, []
    row.job = job
    row.save()
    steps.log("import.confirm", row.pk, space_id=space_id, by=by, payload={"choices": row.choices})


def reads_the_same(one: Choices, other: Choices) -> bool:
    """Say whether the same words come in by both, whatever their subject is called."""

    def reading(choices: Choices) -> tuple[object, ...]:
        kind = choices.subject.kind if choices.subject else "user"
        is_person = kind == "user"
        everybody = choices.subject is None and not choices.speaker
        how = (choices.format, choices.zone, choices.day_first)
        return (*how, is_person, is_person and choices.speaker, everybody)

    return reading(one) == reading(other)


@transaction.atomic(durable=True)
def discard(*, import_id: int, space_id: int, by: Actor, now: datetime) -> None:
    """Throw away a file before it is imported, or stop an import; what came in stays.

    **Raises**: NotAllowed, NotFound; Conflict once it is closed.
    """
    check_can_import(user_id=by.user_id, space_id=space_id, now=now)
    audit.hold(space_id)
    row = steps.lock(import_id, space_id=space_id)
    if row.finished_at is not None:
        raise Conflict(f"This import is closed: {row.get_state_display().lower()}.")
    steps.close(row, now=now)
    steps.log("import.discard", row.pk, space_id=space_id, by=by, payload={"tally": row.tally})


@transaction.atomic(durable=True)
def try_again(*, import_id: int, space_id: int, by: Actor, now: datetime) -> None:
    """Give work on a file that was given up another round of attempts.

    **Raises**: NotAllowed, NotFound; Conflict when nothing was given up.
    """
    check_can_import(user_id=by.user_id, space_id=space_id, now=now)
    row = FileImport.objects.filter(pk=import_id, space_id=space_id, finished_at=None).first()
    kinds = {ImportState.READING: steps.READ_UPLOAD, ImportState.IMPORTING: steps.IMPORT_UPLOAD}
    kind = kinds.get(ImportState(row.state)) if row else None
    if row is None or kind is None:
        raise NotFound("There is nothing to try again.")
    row.job = steps.ask(kind, row.pk, space_id=space_id, now=now)
    row.save(update_fields=["job"])
    steps.log("import.try_again", row.pk, space_id=space_id, by=by)


def note_download(*, import_id: int, space_id: int, by: Actor) -> None:
    """Log that somebody took the rows that failed with them."""
    audit.record(
        space_id=space_id,
        by=by,
        action="import.download",
        object_type="import",
        object_id=str(import_id),
    )


def _insert(**values: Any) -> int | None:
    try:
        with transaction.atomic():
            return FileImport.objects.create(**values).pk
    except IntegrityError as error:
        if "form_id" not in str(error):
            raise
        return None


def _same_again(form_id: UUID, *, space_id: int, by: Actor) -> int:
    row = FileImport.objects.get(form_id=form_id)
    if (row.space_id, row.uploaded_by_id) != (space_id, by.user_id):
        raise Conflict("That form was used already. Open the page again.")
    return row.pk
