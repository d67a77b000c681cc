"""Erasures carried out by the worker, and the ledger of them outside of the database."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from extraction.errors import BadInput
from knowledge.commands import erasure
from knowledge.queries.erasures import is_withdrawn, ledger_entries
from knowledge.results import Lease


def erase_job(payload: dict[str, Any], held: Lease) -> bool:
    """Carry out a confirmed erasure and enter it in the ledger.

    Repeated after a failure it does what is missing. **Returns**: that nothing is left to do.
    """
    erasure_id = UUID(payload["erasure_id"])
    # After a restore an erasure may have been done again under the ledger's word meanwhile.
    if not is_withdrawn(erasure_id):
        carry_out(erasure_id, held=held)
    return False


def carry_out(erasure_id: UUID, *, held: Lease | None = None) -> dict[str, Any]:
    """Erase, then enter it in the ledger; the certificate."""
    certificate = erasure.carry_out(erasure_id=erasure_id, now=timezone.now(), held=held)
    enter(certificate["ledger"], path=ledger_path())
    return certificate


def ledger_path() -> Path:
    """Return where the ledger of erasures is kept."""
    return Path(settings.ERASURE_LEDGER)


def not_in(path: Path) -> list[dict[str, Any]]:
    """List the entries of erasures done here that the ledger lacks.

    **Raises**: BadInput where it cannot be read.
    """
    known = {entry["id"] for entry in read(path)} if path.exists() else set()
    return [entry for entry in ledger_entries() if entry["id"] not in known]


def enter(entry: Mapping[str, Any], *, path: Path) -> bool:
    """Append an erasure to the ledger, durably; an entry that is there is not written again.

    **Returns**: whether it was new. It holds identifiers and keyed hashes, never words.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _cut_torn_end(file)
        if any(entry["id"] == known.get("id") for known in _entries(file, path=path)):
            return False
        file.write(json.dumps(entry, sort_keys=True) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return True


def _cut_torn_end(file: TextIO) -> None:
    """Take away the beginning of an entry whose writing was cut short: it is entered again."""
    file.seek(0)
    text = file.read()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        file.truncate(len(whole.encode()))
    file.seek(0)


def read(path: Path) -> list[dict[str, Any]]:
    """Read the ledger, oldest first.

    **Raises**: BadInput where it cannot be read, naming the line.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return list(_entries(file, path=path))
    except OSError as error:
        raise BadInput(
            f"The ledger of erasures cannot be read: {path}: {error.strerror}."
        ) from error


def _entries(lines: Any, *, path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if not line.endswith("\n"):
            return  # its writing was cut short; whoever wrote it enters it again
        try:
            entry = json.loads(line)
            UUID(str(entry["id"]))
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f"Line {number} of {path} is no entry of an erasure ledger.") from error
        yield entry
