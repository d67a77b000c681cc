"""Real dumps of the test database, and a look into one restored from them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections

from workbench.embedded_places import Account, choose_binaries

ACCOUNT = Account(uid=os.geteuid(), gid=os.getegid(), switch=False)


def dump(path: Path) -> Path:
    """Write the test database as plain SQL, as ``pg_dump`` does for a backup."""
    _run("pg_dump", "--no-owner", "--no-comments", "--file", str(path), database=_name())
    return path


@contextmanager
def restored(path: Path) -> Iterator[None]:
    """Restore a dump into a database beside, and let both aliases see it for a while."""
    owner = connections["owner"]
    name, other = _name(), f"{_name()}_restored"
    with owner._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{other}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{other}"')
    try:
        _run("psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", str(path), database=other)
        _use(other)
        yield
    finally:
        _use(name)
        with owner._nodb_cursor() as cursor:
            # Nobody of ours is left in it, and nobody may end the server's own workers.
            cursor.execute(f'DROP DATABASE IF EXISTS "{other}"')


def _name() -> str:
    return str(connections["owner"].settings_dict["NAME"])


def _use(name: str) -> None:
    for alias in ("owner", "default"):
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name


def _run(program: str, *arguments: str, database: str) -> None:
    settings = connections["owner"].settings_dict
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT 1")  # the embedded server fills in where it is
    parameters = connections["owner"].get_connection_params()
    environment = os.environ | {
        "PGHOST": str(parameters.get("host", "")),
        "PGPORT": str(parameters.get("port", "")),
        "PGUSER": str(settings["USER"]),
        "PGPASSWORD": str(parameters.get("password", "") or ""),
    }
    done = subprocess.run(
        [choose_binaries(ACCOUNT) / program, "--dbname", database, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
