"""The embedded PostgreSQL server: started by whoever needs it first, stopped by the last to leave.

Life and death hang on locks that the kernel holds (``flock``), never on process numbers: a
process that is killed loses its locks at once, and a number that is used again misleads nobody.
"""

import fcntl
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import util
from pathlib import Path

import psutil
import psycopg
from psycopg import errors, sql

from workbench.embedded_places import (
    SOCKET_NAME,
    EmbeddedDatabaseError,
    Places,
    find_places,
    make_directory_for,
    remember_home,
)

PORT = "5432"
SUPERUSER = "workbench_admin"
OWNER = "workbench_owner"
APPLICATION = "workbench_app"
DATABASE = "workbench"
EXTENSIONS = ("vector", "btree_gist", "pg_trgm", "unaccent")
LAYOUT = "memory-workbench roles and extensions, layout 1"
START_TIMEOUT_S = 120
INCLUDED = "workbench.conf"
# Unlike atexit, these finalizers also run in children of multiprocessing; a negative priority
# runs after the process's own children were joined.
AT_EXIT_PRIORITY = -100


class EmbeddedServer:
    """One home's server, seen from one process."""

    def __init__(self, home: Path, *, settings: Mapping[str, str]) -> None:
        self.home = home
        self.settings = dict(settings)
        self._places: Places | None = None
        self._lease: int | None = None
        self._mutex = threading.Lock()

    @property
    def places(self) -> Places:
        """Where everything is; decided once per process."""
        if self._places is None:
            self._places = find_places(self.home)
        return self._places

    @property
    def socket_directory(self) -> Path:
        """The directory clients give as ``host``."""
        return self.places.sockets

    def ensure(self) -> None:
        """Return when the server accepts connections and is set up.

        **Raises**: ``EmbeddedDatabaseError`` with the end of the server's log.
        """
        with self._mutex:
            if self._lease is not None and self._listens():
                return
            with self._starting():
                self._take_lease()
                if not self._answers():
                    self._start()
                    remember_home(self.places, self.home)
                self._provision()

    def release(self) -> None:
        """Give up this process's use; the last one stops the server."""
        with self._mutex:
            if self._lease is None:
                return
            with self._starting():
                os.close(self._lease)
                self._lease = None
                last = self._lock_file("lease.lock")
                try:
                    fcntl.flock(last, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return
                else:
                    self._stop()
                finally:
                    os.close(last)

    def forget(self) -> None:
        """Drop what a forked child inherited; it takes its own on first use."""
        self._mutex = threading.Lock()
        if self._lease is not None:
            os.close(self._lease)
            self._lease = None

    # --- locks ---

    def _lock_file(self, name: str) -> int:
        path = self.places.base / name
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if self.places.account.switch:
            os.fchown(handle, self.places.account.uid, self.places.account.gid)
        return handle

    @contextmanager
    def _starting(self) -> Iterator[None]:
        base = self.places.base
        if not base.parent.exists():
            base.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        make_directory_for(self.places.account, base)
        handle = self._lock_file("start.lock")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _take_lease(self) -> None:
        if self._lease is None:
            handle = self._lock_file("lease.lock")
            fcntl.flock(handle, fcntl.LOCK_SH)
            self._lease = handle
            util.Finalize(None, self.release, exitpriority=AT_EXIT_PRIORITY)

    # --- is it there ---

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(2)
            try:
                probe.connect(str(self.socket_directory / SOCKET_NAME))
            except OSError:
                return False
            return True

    def _answers(self) -> bool:
        """Wait while a server of ours recovers; False when there is none."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while self._listens() and time.monotonic() < deadline:
            try:
                self._connect("postgres").close()
            except errors.CannotConnectNow:
                time.sleep(0.1)
            except psycopg.OperationalError:
                return False
            else:
                return True
        return False

    def _connect(self, database: str) -> psycopg.Connection:
        return psycopg.connect(
            host=str(self.socket_directory),
            port=PORT,
            user=SUPERUSER,
            dbname=database,
            autocommit=True,
            connect_timeout=10,
        )

    # --- start and stop ---

    def _start(self) -> None:
        make_directory_for(self.places.account, self.places.sockets)
        if not (self.places.data / "PG_VERSION").exists():
            self._initialise()
        self._write_configuration()
        self._clear_stale_files()
        log = self.places.data / "server.log"
        if log.exists() and log.stat().st_size > 10_000_000:
            log.replace(log.with_suffix(".log.1"))
        # pg_ctl hands its words to a shell without escaping them: name neither home nor data.
        relative = str(log.relative_to(self.places.base))
        outcome = self._run("pg_ctl", "-w", "-t", str(START_TIMEOUT_S), "-l", relative, "start")
        if outcome.returncode:
            end = log.read_text(encoding="utf-8", errors="replace")[-2000:] if log.exists() else ""
            raise EmbeddedDatabaseError(f"The embedded PostgreSQL did not start.\n{end}")

    def _initialise(self) -> None:
        draft = self.places.base / "initialising"
        shutil.rmtree(draft, ignore_errors=True)  # left by a start that was killed
        outcome = self._run(
            "initdb",
            *("-D", str(draft), "-U", SUPERUSER, "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8"),
            *("--data-checksums", "--no-instructions", "--no-sync"),
            keep_output=True,
        )
        if outcome.returncode:
            raise EmbeddedDatabaseError(f"initdb failed.\n{outcome.stdout}")
        with (draft / "postgresql.conf").open("a", encoding="utf-8") as configuration:
            configuration.write(f"\ninclude '{INCLUDED}'\n")
        draft.rename(self.places.data)

    def _write_configuration(self) -> None:
        # In a file, since a path with a space cannot be passed through pg_ctl's options.
        lines = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.places.sockets),
            "unix_socket_permissions": "0700",
            "log_timezone": "UTC",
            "timezone": "UTC",
        } | self.settings
        text = "".join(
            f"{key} = '{value.replace(chr(39), chr(39) * 2)}'\n" for key, value in lines.items()
        )
        path = self.places.data / INCLUDED
        path.write_text(text, encoding="utf-8")
        path.chmod(0o644)

    def _clear_stale_files(self) -> None:
        """Remove what a killed server left, unless the process it names is our server."""
        pid_file = self.places.data / "postmaster.pid"
        if pid_file.exists():
            if self._is_our_server(pid_file):  # alive but deaf, say because /tmp was emptied
                self._stop()
            pid_file.unlink(missing_ok=True)
        for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
            (self.places.sockets / name).unlink(missing_ok=True)

    def _is_our_server(self, pid_file: Path) -> bool:
        try:
            pid = int(pid_file.read_text(encoding="utf-8").split("\n")[0])
            process = psutil.Process(pid)
            # A postmaster works in its data directory; its command line says less.
            return process.name() == "postgres" and Path(process.cwd()) == self.places.data
        except (OSError, ValueError, psutil.Error):
            return False

    def _stop(self) -> None:
        self._run("pg_ctl", "-w", "-t", "60", "-m", "fast", "stop")

    def _run(
        self, program: str, *arguments: str, keep_output: bool = False
    ) -> subprocess.CompletedProcess[str]:
        account = self.places.account
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
        environment.pop("LD_LIBRARY_PATH", None)
        return subprocess.run(
            [str(self.places.binaries / program), *arguments],
            cwd=self.places.base,
            env=environment | {"LC_ALL": "C.UTF-8", "PGDATA": str(self.places.data)},
            stdin=subprocess.DEVNULL,
            # The server inherits these, so a pipe would never end.
            stdout=subprocess.PIPE if keep_output else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if keep_output else subprocess.DEVNULL,
            text=True,
            check=False,
            user=account.uid if account.switch else None,
            group=account.gid if account.switch else None,
            extra_groups=[] if account.switch else None,
        )

    # --- roles, database, extensions ---

    def _provision(self) -> None:
        with self._connect("postgres") as admin:
            known = admin.execute(
                "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s",
                [DATABASE],
            ).fetchone()
            if known is not None and known[0] == LAYOUT:
                return
            for role, rights in ((OWNER, "LOGIN CREATEDB"), (APPLICATION, "LOGIN")):
                if not admin.execute(
                    "SELECT 1 FROM pg_roles WHERE rolname = %s", [role]
                ).fetchone():
                    admin.execute(
                        sql.SQL("CREATE ROLE {} {}").format(sql.Identifier(role), sql.SQL(rights))
                    )
            self._create_extensions("template1")  # the template of test databases, too
            if known is None:
                admin.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
            else:
                self._create_extensions(DATABASE)
            admin.execute(f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC")
            admin.execute(f"GRANT CONNECT ON DATABASE {DATABASE} TO {APPLICATION}")
            admin.execute(f"COMMENT ON DATABASE {DATABASE} IS '{LAYOUT}'")

    def _create_extensions(self, database: str) -> None:
        with self._connect(database) as admin:
            for extension in EXTENSIONS:
                admin.execute(
                    sql.SQL("CREATE EXTENSION IF NOT EXISTS {}").format(sql.Identifier(extension))
                )


_servers: dict[Path, EmbeddedServer] = {}


def server_for(home: Path, *, settings: Mapping[str, str]) -> EmbeddedServer:
    """Return this process's one handle on the server of ``home``."""
    return _servers.setdefault(home, EmbeddedServer(home, settings=settings))


def _forget_all() -> None:
    for server in _servers.values():
        server.forget()


os.register_at_fork(after_in_child=_forget_all)
