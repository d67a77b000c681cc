"""A database that exists for one evaluation.

Rows of the store are guarded against deletion, so what an evaluation writes could never be taken
out again. Therefore it writes into a database of its own on the same server: made by the alias
``owner``, migrated, and dropped afterwards, whether the run succeeded or not. What a killed run
leaves behind is dropped by the next one. It needs a role that may create databases, which the
embedded server has; nothing else on the server is touched.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.base import DatabaseWrapper

from extraction.errors import ExtractionError

log = structlog.get_logger(__name__)

ALIASES = ("owner", "default")
INFIX = "_evaluation_"
LONGEST_NAME = 63
_RUNNING = 7_241_133  # advisory lock: shared by every evaluation that runs


class NoScratchDatabase(ExtractionError):
    """The server gave no database to throw away; the sentence says what to do."""


@contextmanager
def scratch_database() -> Iterator[str]:
    """Lead both aliases to a new, migrated database, and drop it at the end.

    **Raises**: NoScratchDatabase.
    """
    home = connections["owner"].copy()
    name = _name(str(home.settings_dict["NAME"]))
    try:
        _create(home, name=name)
        with _leading_to(name):
            _check_lead(name)
            call_command("migrate", verbosity=0, interactive=False)
            yield name
    finally:
        _drop(home, name=name)
        home.close()


def _name(main: str) -> str:
    suffix = f"{INFIX}{uuid.uuid4().hex[:12]}"
    return main[: LONGEST_NAME - len(suffix)] + suffix


def _create(home: BaseDatabaseWrapper, *, name: str) -> None:
    try:
        with home.cursor() as cursor:
            _drop_leftovers(cursor, main=name.rpartition(INFIX)[0])
            cursor.execute(f"CREATE DATABASE {home.ops.quote_name(name)}")
            # It does not outlive the run, so it need not survive a power cut either.
            cursor.execute(
                f"ALTER DATABASE {home.ops.quote_name(name)} SET synchronous_commit = off"
            )
    except Error as error:
        raise NoScratchDatabase(
            f"The database server gave no database for the evaluation: {str(error).strip()}. "
            "It needs an owner role that may create databases (DATABASE_OWNER_URL) and whose new "
            "databases have the extensions; without DATABASE_URL the embedded server has both."
        ) from error


def _drop_leftovers(cursor: Any, *, main: str) -> None:
    """Drop what killed runs left, unless another run is alive; hold the sign of being so."""
    cursor.execute("SELECT pg_try_advisory_lock(%s)", [_RUNNING])
    if cursor.fetchone()[0]:
        cursor.execute(
            "SELECT quote_ident(datname) FROM pg_database WHERE starts_with(datname, %s)",
            [f"{main}{INFIX}"],
        )
        for (leftover,) in cursor.fetchall():
            cursor.execute(f"DROP DATABASE IF EXISTS {leftover}")
    cursor.execute("SELECT pg_advisory_lock_shared(%s)", [_RUNNING])
    cursor.execute("SELECT pg_advisory_unlock(%s)", [_RUNNING])


@contextmanager
def _leading_to(name: str) -> Iterator[None]:
    before = {alias: connections[alias].settings_dict["NAME"] for alias in ALIASES}
    try:
        _lead(dict.fromkeys(ALIASES, name))
        yield
    finally:
        _lead(before)


def _lead(names: dict[str, Any]) -> None:
    for alias, name in names.items():
        connection = connections[alias]
        connection.close()
        if isinstance(connection, DatabaseWrapper):
            connection.close_pool()  # its connections lead to where they led
        connection.settings_dict["NAME"] = name
    ContentType.objects.clear_cache()  # its rows have other numbers there


def _check_lead(name: str) -> None:
    """Refuse to begin while an alias leads elsewhere: nothing may be written there."""
    for alias in ALIASES:
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT current_database()")
            (found,) = cursor.fetchone() or ("",)
        if found != name:
            raise NoScratchDatabase(
                f"“{alias}” leads to the database {found} and not to that of the evaluation."
            )


def _drop(home: BaseDatabaseWrapper, *, name: str) -> None:
    """Drop it; the server itself waits some seconds for sessions that are just ending."""
    try:
        with home.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {home.ops.quote_name(name)}")
    except Error as error:  # the figures are worth more than a tidy server
        log.warning("scratch_database_left", name=name, error=str(error).strip())
