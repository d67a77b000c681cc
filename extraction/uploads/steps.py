"""Steps that the commands about uploaded files share.

Locks: a job first, then the ledger, then the file's row, as an erasure takes them.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from extraction.uploads import storage
from extraction.uploads.models import FileImport, ImportState
from knowledge.commands import audit, jobs
from knowledge.errors import Conflict, NotFound
from knowledge.models import Job
from knowledge.results import Actor

READ_UPLOAD = "read_upload"
IMPORT_UPLOAD = "import_upload"
EXPIRE_UPLOAD = "expire_upload"

# Words outside of the database are kept no longer than somebody needs to look at them.
KEPT_UNCONFIRMED = timedelta(days=1)
ROWS_KEPT = timedelta(days=7)

WAITING_STATES = (ImportState.READY, ImportState.READING, ImportState.UNREADABLE)


def ask(
    kind: str,
    import_id: int,
    *,
    space_id: int,
    now: datetime,
    delay: timedelta = timedelta(0),
    what: str = "file",
) -> Job:
    """Ask a worker for something, as a step; ``what`` is the file, or the rows that failed."""
    return jobs.enqueue(
        space_id=space_id,
        kind=kind,
        key=f"{import_id}:{what}",
        payload={"import_id": import_id, "what": what},
        now=now,
        delay=delay,
    )


def lock(import_id: int, *, space_id: int) -> FileImport:
    """Lock a file's row, after the ledger. **Raises**: NotFound."""
    row = (
        FileImport.objects.select_for_update(no_key=True)
        .filter(pk=import_id, space_id=space_id)
        .first()
    )
    if row is None:
        raise NotFound("There is no such import.")
    return row


def check_waits(row: FileImport) -> None:
    """Refuse to touch what is confirmed or closed. **Raises**: Conflict."""
    if row.state not in WAITING_STATES:
        raise Conflict(f"This file is {row.get_state_display().lower()} already.")


def close(row: FileImport, *, now: datetime) -> None:
    """Close a file without a result and delete it once that stands."""
    row.state = ImportState.DISCARDED
    row.finished_at = now
    row.preview, row.problems = {}, []
    row.error = ""
    delete_folder(row)
    row.save()


def delete_folder(row: FileImport) -> None:
    """Have all that lies of an upload deleted once the change of its row stands."""
    folder = row.folder
    row.folder, row.has_rows = "", False
    transaction.on_commit(lambda: storage.delete(folder))


def log(
    action: str,
    import_id: int,
    *,
    space_id: int,
    by: Actor,
    outcome: str = "ok",
    payload: dict[str, Any] | None = None,
) -> None:
    """Append one event about an import to the space's log."""
    audit.append(
        space_id=space_id,
        by=by,
        action=action,
        outcome=outcome,
        object_type="import",
        object_id=str(import_id),
        payload=payload,
    )
