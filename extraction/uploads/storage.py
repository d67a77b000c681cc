"""Where uploaded files lie: outside of the database, readable by this program's user alone.

One folder for each, with a random name; in it the file under its own name, which formats and
messages go by, and the rows that failed. Whatever no open upload names is swept away.
"""

import os
import re
import secrets
import shutil
import time
from collections.abc import Collection
from pathlib import Path

from django.conf import settings

LONGEST_NAME = 120
# What is left free for everything else when a file comes in.
RESERVE_BYTES = 256 * 1024 * 1024
SWEPT_AFTER_S = 86_400.0
_ROWS = "failed-rows.csv"
_INSIDE = "file"
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


def root() -> Path:
    """Return where uploads lie, made where it is not there yet."""
    folder = Path(settings.IMPORT_FOLDER)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def fit_name(name: str) -> str:
    """Make a name that any file system and any page can hold, keeping its ending."""
    flat = _UNFIT.sub(" ", name.replace("\\", "/").rpartition("/")[2])
    plain = " ".join(flat.encode("utf-8", "ignore").decode().split()).strip(". ")
    stem, dot, ending = plain.rpartition(".")
    if dot and len(ending) <= 10:
        plain = f"{stem[: LONGEST_NAME - len(ending) - 1]}.{ending}"
    while len(plain.encode()) > 240:
        plain = plain[1:]
    return plain[-LONGEST_NAME:] or "upload"


def new_file(name: str) -> Path:
    """Make an empty file of this name in a new folder of its own, for its owner's eyes alone."""
    folder = root() / secrets.token_hex(16) / _INSIDE
    folder.mkdir(mode=0o700, parents=True)
    path = folder / name
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return path


def folder_of(path: Path) -> str:
    """Name the folder that holds an uploaded file, as a row keeps it."""
    return path.parent.parent.name


def file_in(folder: str, name: str) -> Path:
    """Return the path of an uploaded file."""
    return _inside(folder) / _INSIDE / name


def rows_in(folder: str) -> Path:
    """Return the path of the rows that failed."""
    return _inside(folder) / _ROWS


def delete_file(folder: str) -> None:
    """Delete an uploaded file and leave the rows that failed."""
    if folder:
        shutil.rmtree(_inside(folder) / _INSIDE, ignore_errors=True)


def delete(folder: str) -> None:
    """Delete all of an upload; one that is gone already is fine."""
    if folder:
        shutil.rmtree(_inside(folder), ignore_errors=True)


def has_room_for(size: int) -> bool:
    """Say whether the disk takes a file of this size and keeps a reserve."""
    return shutil.disk_usage(root()).free - RESERVE_BYTES >= size


def sweep(kept: Collection[str]) -> int:
    """Delete folders that nothing names, once they are older than any upload takes to begin.

    **Returns**: how many went.
    """
    old = time.time() - SWEPT_AFTER_S
    gone = [
        entry.name
        for entry in os.scandir(root())
        if entry.name not in kept and entry.is_dir() and entry.stat().st_mtime < old
    ]
    for name in gone:
        delete(name)
    return len(gone)


def _inside(folder: str) -> Path:
    if not re.fullmatch(r"[0-9a-f]{32}", folder):
        raise ValueError("This names no folder of ours.")
    return root() / folder
