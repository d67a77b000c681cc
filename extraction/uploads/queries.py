"""Uploaded files as pages, commands and workers read them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from extraction.uploads.models import FileImport, ImportedInto, ImportState
from knowledge.models import Job, JobState
from knowledge.queries.processing import ConversationFigures, figures_of_conversations

IMPORTS_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class ImportRow:
    """A file and what became of it.

    **Shape**: as ``FileImport``; ``bytes_read`` of ``bytes`` say how far its import is, ``trouble``
    why work on it is tried again, ``given_up`` that it is not.
    """

    id: int
    space_id: int
    name: str
    size: int
    sha256: str
    folder: str
    state: str
    state_word: str
    choices: dict[str, Any]
    preview: dict[str, Any]
    tally: dict[str, Any]
    problems: tuple[tuple[str, int, str], ...]
    error: str
    has_rows: bool
    uploaded_by: str
    uploaded_at: datetime
    confirmed_by: str
    confirmed_at: datetime | None
    finished_at: datetime | None
    bytes: int = 0
    trouble: str = ""
    given_up: bool = False

    @property
    def is_open(self) -> bool:
        """Tell whether anything still happens to it."""
        return self.finished_at is None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was made of what a file brought. ``waiting`` are conversations not yet worked off."""

    conversations: int
    waiting: int
    given_up: int
    figures: ConversationFigures


def space_of_import(import_id: int) -> int | None:
    """Return which space an import belongs to. One query."""
    return FileImport.objects.filter(pk=import_id).values_list("space_id", flat=True).first()


def import_of(import_id: int, *, space_id: int) -> ImportRow | None:
    """Read an import, or None where the space has none. One query."""
    row = _rows(space_id).filter(pk=import_id).first()
    return None if row is None else _row(row)


def imports(space_id: int, *, after: int | None = None) -> list[ImportRow]:
    """List a space's imports, newest first; one more than a page where there are more."""
    rows = _rows(space_id)
    if after is not None:
        rows = rows.filter(pk__lt=after)
    return [_row(row) for row in rows[: IMPORTS_A_PAGE + 1]]


def earlier_import(row: ImportRow) -> ImportRow | None:
    """Find the last import of exactly the same file into the same space. One query."""
    same = _rows(row.space_id).filter(
        sha256=row.sha256, size=row.size, state=ImportState.DONE, pk__lt=row.id
    )
    found = same.first()
    return None if found is None else _row(found)


def confirmed(import_id: int) -> FileImport | None:
    """Load an import that is to be carried out, for the worker."""
    rows = FileImport.objects.select_related("confirmed_by")
    return rows.filter(pk=import_id, state=ImportState.IMPORTING).first()


def folders_in_use() -> set[str]:
    """List the folders that open uploads, and rows that failed, lie in."""
    return set(FileImport.objects.exclude(folder="").values_list("folder", flat=True))


def conversations_of(import_id: int) -> "QuerySet[ImportedInto, int]":
    """Select the conversations that a file added messages to."""
    return ImportedInto.objects.filter(file_import_id=import_id).values_list(
        "conversation_id", flat=True
    )


def extraction_of(import_id: int) -> Extraction:
    """Say what was made of what a file brought. **Cost**: four queries."""
    ids = conversations_of(import_id)
    keys = [str(pk) for pk in ids]
    states = list(
        Job.objects.filter(
            kind="process_conversation",
            key__in=keys,
            state__in=[JobState.QUEUED, JobState.RUNNING, JobState.DEAD],
        )
        .order_by("key", "-pk")
        .distinct("key")
        .values_list("state", flat=True)
    )
    dead = states.count(JobState.DEAD)
    return Extraction(
        conversations=len(keys),
        waiting=len(states) - dead,
        given_up=dead,
        figures=figures_of_conversations(ids),
    )


def _rows(space_id: int) -> QuerySet[FileImport]:
    beside = ("uploaded_by", "confirmed_by", "job")
    return FileImport.objects.filter(space_id=space_id).select_related(*beside)


def _row(row: FileImport) -> ImportRow:
    job = row.job if row.finished_at is None else None
    return ImportRow(
        **{
            name: getattr(row, name)
            for name in (
                "id space_id name size sha256 folder state choices preview tally error has_rows "
                "uploaded_at confirmed_at finished_at"
            ).split()
        },
        state_word=row.get_state_display(),
        problems=tuple((member, line, text) for member, line, text in row.problems),
        uploaded_by=row.uploaded_by.get_username(),
        confirmed_by=row.confirmed_by.get_username() if row.confirmed_by else "",
        bytes=int(job.progress.get("size", 0)) if job else 0,
        trouble=job.error if job else "",
        given_up=job is not None and job.state == JobState.DEAD,
    )
