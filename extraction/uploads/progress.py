"""What workers note of a file: what is in it, how far its import came, how it ended."""

from datetime import datetime
from typing import Any

from django.db import transaction

from extraction.importing import Choices, ImportTally
from extraction.uploads import steps, storage
from extraction.uploads.choosing import write_choices, write_problems, write_tally
from extraction.uploads.models import FileImport, ImportedInto, ImportState
from knowledge.commands import audit, jobs
from knowledge.errors import Conflict
from knowledge.results import Actor, Captured, Lease
from knowledge.texts import keepable


@transaction.atomic(durable=True)
def note_preview(
    *,
    import_id: int,
    choices_no: int,
    preview: dict[str, Any],
    tally: ImportTally,
    choices: Choices,
) -> bool:
    """Keep what was found in the file, for a person to look at.

    ``choices`` are those it was read by, with what was guessed where nothing was chosen.
    **Returns**: whether it was still wanted, and not for other choices.
    """
    row = _wanted(import_id, choices_no=choices_no)
    if row is None:
        return False
    row.preview = preview
    row.tally = write_tally(tally)
    row.problems = write_problems(tally.problems)
    row.choices = write_choices(choices)
    row.state = ImportState.READY
    row.error = ""
    row.save()
    return True


@transaction.atomic(durable=True)
def note_unreadable(
    *, import_id: int, choices_no: int, error: str, preview: dict[str, Any]
) -> bool:
    """Keep why the file cannot be read as it was chosen; it can be read in another way.

    ``preview`` says what there is to show instead of what is in it.
    """
    row = _wanted(import_id, choices_no=choices_no)
    if row is None:
        return False
    row.preview, row.tally, row.problems = preview, {}, []
    row.state = ImportState.UNREADABLE
    row.error = keepable(error)[:2000]
    row.save()
    return True


def note_captured(
    *, import_id: int, tally: ImportTally, captured: Captured, rows_size: int, rows: int
) -> None:
    """Keep, as the last step of a capture, how far the import came with it.

    **Raises**: Conflict when it was stopped meanwhile; then nothing of the capture stays.
    """
    if captured.messages_new:
        ImportedInto.objects.get_or_create(
            file_import_id=import_id, conversation_id=captured.conversation_id
        )
    _keep_tally(import_id, tally=tally, rows_size=rows_size, rows=rows)


@transaction.atomic(durable=True)
def note_tally(*, import_id: int, tally: ImportTally, rows_size: int, rows: int) -> None:
    """Keep how far an import came, apart from any capture. **Raises**: Conflict."""
    _keep_tally(import_id, tally=tally, rows_size=rows_size, rows=rows)


def _keep_tally(import_id: int, *, tally: ImportTally, rows_size: int, rows: int) -> None:
    kept = FileImport.objects.filter(pk=import_id, state=ImportState.IMPORTING).update(
        tally=write_tally(tally) | {"rows_size": rows_size, "rows": rows},
        problems=write_problems(tally.problems),
    )
    if not kept:
        raise Conflict("This import was stopped.")


@transaction.atomic(durable=True)
def finish(
    *,
    import_id: int,
    tally: ImportTally,
    rows: int,
    by: Actor,
    now: datetime,
    held: Lease | None = None,
    error: str = "",
) -> None:
    """Close an import that came to its end, or that ``error`` ended; its file is deleted.

    ``rows`` are those that failed and can be downloaded for a week.
    **Raises**: Conflict when it was stopped, or another worker took over.
    """
    jobs.check_held(held)
    space_id = FileImport.objects.values_list("space_id", flat=True).get(pk=import_id)
    if rows:
        steps.ask(
            steps.EXPIRE_UPLOAD,
            import_id,
            space_id=space_id,
            now=now,
            delay=steps.ROWS_KEPT,
            what="rows",
        )
    audit.hold(space_id)
    row = steps.lock(import_id, space_id=space_id)
    if row.state != ImportState.IMPORTING:
        raise Conflict("This import was stopped.")
    row.state = ImportState.FAILED if error else ImportState.DONE
    row.error = keepable(error)[:2000]
    row.tally = write_tally(tally) | {"rows": rows}
    row.problems = write_problems(tally.problems)
    row.finished_at = now
    row.has_rows = rows > 0
    folder = row.folder
    if not row.has_rows:
        row.folder = ""
    row.save()
    steps.log(
        "import.failed" if error else "import.done",
        row.pk,
        space_id=space_id,
        by=by,
        outcome="failed" if error else "ok",
        payload={"tally": row.tally, "error": row.error},
    )
    transaction.on_commit(lambda: storage.delete_file(folder) if rows else storage.delete(folder))


@transaction.atomic(durable=True)
def expire(*, import_id: int, what: str, now: datetime) -> bool:
    """Delete a file that nobody confirmed, or rows that failed, when their time is over."""
    row = FileImport.objects.filter(pk=import_id).first()
    if row is None:
        return False
    audit.hold(row.space_id)
    row = steps.lock(import_id, space_id=row.space_id)
    by = Actor("worker", "worker", "worker")
    if what == "rows" and row.has_rows:
        steps.delete_folder(row)
        row.save()
        steps.log("import.rows_expired", row.pk, space_id=row.space_id, by=by)
        return True
    if what != "rows" and row.state in steps.WAITING_STATES:
        steps.close(row, now=now)
        steps.log("import.expire", row.pk, space_id=row.space_id, by=by)
        return True
    return False


def _wanted(import_id: int, *, choices_no: int) -> FileImport | None:
    """Lock a file that is still to be read by these choices."""
    rows = FileImport.objects.select_for_update(no_key=True)
    return rows.filter(pk=import_id, choices_no=choices_no, state=ImportState.READING).first()
