"""Secrets of this installation: generated once, kept in files only their owner can read."""

import os
import secrets
from pathlib import Path

SECRET_BYTES = 48


def make_private_directory(path: Path) -> Path:
    """This function will make ``path`` (and its parents), closed to others, and return it.

    Made by root it can be walked through (not listed): the embedded database then runs under an
    account of its own and lives below.
    """
    path.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
    return path


def write_private_file(path: Path, text: str) -> None:
    """This function will replace ``path`` with ``text`` in one step, readable by its owner only."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)


def read_or_create_secret(path: Path) -> str:
    """This function will return the secret kept in ``path``, making one on the first call.

    Several processes may start at once: the draft is linked into place, which only the first
    can do, and everybody reads what the first one wrote.
    """
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        make_private_directory(path.parent)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    write_private_file(draft, secrets.token_urlsafe(SECRET_BYTES) + "\n")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text(encoding="utf-8").strip()
