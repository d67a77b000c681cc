"""Secrets of this installation: generated once, kept in files only their owner can read."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

SECRET_BYTES = 48


def make_private_directory(path: Path) -> Path:
    """Make ``path`` (and its parents), closed to others, and return it.

    Made by root it can be walked through (not listed): the embedded database then runs under an
    account of its own and lives below.
    """
    path.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
    return path


def write_private_file(path: Path, text: str) -> None:
    """Replace ``path`` with ``text`` in one step, readable by its owner only."""
    write_draft(path, text).replace(path)


def read_or_create_secret(path: Path) -> str:
    """Return the secret kept in ``path``, making one on the first call.

    Several processes may start at once: the draft is linked into place, which only the first
    can do, and everybody reads what the first one wrote.
    """
    if not path.exists():
        make_private_directory(path.parent)
        draft = write_draft(path, secrets.token_urlsafe(SECRET_BYTES) + "\n")
        with suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_text(encoding="utf-8").strip()


def write_draft(path: Path, text: str) -> Path:
    """Write ``text`` beside ``path``, under a name of its own, mode 0600."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return Path(name)
