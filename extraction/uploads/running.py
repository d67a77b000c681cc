"""The work on uploaded files: reading them for a preview, importing them, clearing them away.

A worker that is killed loses nothing: how far an import came is written with each conversation,
in its transaction, and the next attempt goes on behind it.
"""

import time
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from django.utils import timezone

from extraction.errors import BadInput
from extraction.importers.errors import AnswerNeeded, UnknownFormat
from extraction.importing import ImportTally, import_file, size_of
from extraction.uploads import progress, queries, storage
from extraction.uploads.choosing import read_choices, read_tally
from extraction.uploads.failed_rows import FailedRows
from extraction.uploads.models import FileImport, ImportState
from extraction.uploads.previewing import LONGEST_S, preview
from knowledge.commands import jobs
from knowledge.results import Actor, Captured, Lease
from knowledge.texts import keepable

log = structlog.get_logger(__name__)

# One delivery imports for so long, and for longer where much was to be passed over first: what
# was read before is read again, so that would be most of the work otherwise.
SLICE_S = 20.0
LONGEST_SLICE_S = 120.0
NOTED_EVERY_S = 1.0


def read_job(payload: dict[str, Any], held: Lease) -> bool:
    """Look through a file for whoever brought it. **Returns**: that nothing is left to do."""
    read_upload(int(payload["import_id"]))
    return False


def read_upload(import_id: int, *, longest_s: float = LONGEST_S) -> None:
    """Look through a file, and keep what is in it or why it cannot be read."""
    row = FileImport.objects.filter(pk=import_id, state=ImportState.READING).first()
    if row is None:
        return
    path = storage.file_in(row.folder, row.name)
    try:
        found = preview(
            path,
            space_id=row.space_id,
            choices=read_choices(row.choices),
            now=timezone.now(),
            longest_s=longest_s,
            guesses="speakers" not in row.preview,  # else nobody is what was chosen
        )
        size = size_of(path)
    except BadInput as error:
        progress.note_unreadable(
            import_id=import_id,
            choices_no=row.choices_no,
            error=str(error),
            preview=_instead(error),
        )
        return
    progress.note_preview(
        import_id=import_id,
        choices_no=row.choices_no,
        preview=found.write(size=size),
        tally=found.tally,
        choices=found.choices,
    )


def _instead(error: BadInput) -> dict[str, Any]:
    """Say what a person can do about a file that cannot be read as it was chosen.

    **Shape**: ``asks`` names what they must say first, as ``ReadOptions`` does; ``found`` and
    ``expected`` say what the file is like and what it should have been like.
    """
    if isinstance(error, AnswerNeeded):
        return {"asks": error.option}
    if isinstance(error, UnknownFormat):
        return {"found": keepable(error.found), "expected": list(error.expected)}
    return {}


def import_job(payload: dict[str, Any], held: Lease) -> bool:
    """Import a confirmed file for a slice of time. **Returns**: whether there is more of it."""
    row = queries.confirmed(int(payload["import_id"]))
    if row is None:
        return False
    return Running(row, held=held).go_on()


class Running:
    """One attempt at a confirmed import."""

    def __init__(self, row: FileImport, *, held: Lease | None, slice_s: float = SLICE_S) -> None:
        self.row = row
        self.held = held
        self.slice_s = slice_s
        self.by = Actor(
            "user",
            row.confirmed_by.get_username() if row.confirmed_by else "",
            "worker",
            user_id=row.confirmed_by_id,
        )
        self.path = storage.file_in(row.folder, row.name)
        self.noted_at = time.monotonic()
        self.size = 0

    def go_on(self) -> bool:
        """Import on from where the last attempt came; whether more is left.

        What is wrong with the file ends the import for good; what came in until then stays.
        **Raises**: Conflict where it was stopped.
        """
        kept = self.row.tally
        tally = read_tally(kept, problems=self.row.problems)
        with FailedRows(
            storage.rows_in(self.row.folder),
            size=kept.get("rows_size", 0),
            number=kept.get("rows", 0),
        ) as rows:
            try:
                self.size = size_of(self.path)
                is_cut = self._import(tally, rows=rows)
            except BadInput as error:
                log.info("import_failed", file_import=self.row.pk, error=type(error).__name__)
                self._finish(tally, rows=rows, error=str(error))
                return False
            if is_cut:
                self._note(tally, rows=rows)
                return True
        self._finish(tally, rows=rows)
        return False

    def _import(self, tally: ImportTally, *, rows: FailedRows) -> bool:
        """Import until the slice is over; whether it was before the file was."""
        began = time.monotonic()
        ends_at = 0.0
        for _ in import_file(
            self.path,
            space_id=self.row.space_id,
            by=self.by,
            now=self._confirmed_at(),
            choices=read_choices(self.row.choices),
            resumed=tally,
            then=partial(self._captured, rows=rows),
        ):
            now = time.monotonic()
            if not ends_at:
                ends_at = now + min(max(self.slice_s, 2 * (now - began)), LONGEST_SLICE_S)
            if tally.problem is not None:
                rows.add(tally.problem)
            if now - self.noted_at > NOTED_EVERY_S:
                self._note(tally, rows=rows)
            if now > ends_at:
                return True
        return False

    def _confirmed_at(self) -> datetime:
        """Return when a person confirmed it: what messages without a time take, at every attempt.

        Any other moment would make them others at a second attempt.
        """
        return self.row.confirmed_at or self.row.uploaded_at

    def _captured(self, tally: ImportTally, captured: Captured, *, rows: FailedRows) -> None:
        progress.note_captured(
            import_id=self.row.pk,
            tally=tally,
            captured=captured,
            rows_size=rows.size,
            rows=rows.number,
        )

    def _note(self, tally: ImportTally, *, rows: FailedRows) -> None:
        """Write down how far it came and keep the job for longer."""
        self.noted_at = time.monotonic()
        progress.note_tally(
            import_id=self.row.pk, tally=tally, rows_size=rows.size, rows=rows.number
        )
        if self.held is not None:
            jobs.note_progress(
                job_id=self.held.job_id,
                fence=self.held.fence,
                progress={"bytes_read": tally.bytes_read, "size": self.size},
                now=timezone.now(),
            )

    def _finish(self, tally: ImportTally, *, rows: FailedRows, error: str = "") -> None:
        progress.finish(
            import_id=self.row.pk,
            tally=tally,
            rows=rows.number,
            by=self.by,
            now=timezone.now(),
            held=self.held,
            error=error,
        )


def expire_job(payload: dict[str, Any], held: Lease) -> bool:
    """Delete what lay long enough, and folders nothing names. **Returns**: that it is done."""
    progress.expire(
        import_id=int(payload["import_id"]), what=str(payload["what"]), now=timezone.now()
    )
    storage.sweep(queries.folders_in_use())
    return False


def path_of_rows(row: queries.ImportRow) -> Path:
    """Return where the rows that failed lie."""
    return storage.rows_in(row.folder)
