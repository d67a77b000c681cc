"""What the test run does to its database besides using it, always as the owner."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

# Filled again by Django itself after a flush, or not flushed at all.
REFILLED = ("django_migrations", "django_content_type", "auth_permission")
ALTER = {"O": "ENABLE", "A": "ENABLE ALWAYS", "R": "ENABLE REPLICA", "D": "DISABLE"}

# A page that closes still tells the server so; that takes a moment to arrive.
QUIET_LOOKS, QUIET_LOOK_S, QUIET_WITHIN_S = 3, 0.03, 5.0

Rows = dict[str, str]


def drop_databases_of_dead_runs() -> None:
    """Drop the test databases of runs that were killed."""
    with connections["owner"]._nodb_cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE datname LIKE 'test\\_workbench\\_%'")
        for (name,) in cursor.fetchall():
            found = re.fullmatch(r"test_workbench_(\d+)", name)
            if found and not is_running(int(found[1])):
                cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def is_running(pid: int) -> bool:
    """Say whether a process with this number exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def rows_of_migrations() -> Rows:
    """Return, as JSON by table, the rows that migrations put there."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        rows = {}
        for (table,) in cursor.fetchall():
            if table not in REFILLED:
                cursor.execute(f'SELECT json_agg(t)::text FROM "{table}" t')
                rows[table] = cursor.fetchone()[0]
    return {table: text for table, text in rows.items() if text is not None}


def put_back(rows: Rows) -> None:
    """Insert the rows of ``rows_of_migrations`` again."""
    with connections["owner"].cursor() as cursor:
        for table, text in rows.items():
            cursor.execute(
                f'INSERT INTO "{table}" SELECT * FROM json_populate_recordset(null::"{table}", %s)'
                " ON CONFLICT DO NOTHING",
                [text],
            )


def wait_for_the_server() -> None:
    """Wait until the live server has answered what a page asked last, as it was closed.

    A flush beside a request would lock the tables in another order than it does.
    """
    ends_at, quiet = time.monotonic() + QUIET_WITHIN_S, 0
    with connections["owner"].cursor() as cursor:
        while quiet < QUIET_LOOKS and time.monotonic() < ends_at:
            cursor.execute(
                "SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> ALL(%s)",
                [[session.connection.info.backend_pid for session in own_sessions()]],
            )
            others, busy = cursor.fetchone()
            if not others:
                return
            quiet = 0 if busy else quiet + 1
            time.sleep(QUIET_LOOK_S)


def own_sessions() -> list[BaseDatabaseWrapper]:
    """List this thread's open connections."""
    return [session for session in connections.all() if session.connection is not None]


@contextmanager
def guards_lifted() -> Iterator[None]:
    """Switch the owner's own triggers off, and on again as they were.

    Only the owner of the tables can do this: the application role meets the guards always.
    """
    connection = connections["owner"]
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '20s'")
        cursor.execute(
            "SELECT c.relname, t.tgname, t.tgenabled FROM pg_trigger t JOIN pg_class c"
            " ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE NOT t.tgisinternal AND n.nspname = 'public'"
        )
        triggers = cursor.fetchall()
        alter(cursor, [(table, name, "DISABLE") for table, name, _ in triggers])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            alter(cursor, [(table, name, ALTER[mode]) for table, name, mode in triggers])


def alter(cursor: CursorWrapper, changes: list[tuple[str, str, str]]) -> None:
    """Apply ``(table, trigger, verb)`` changes in one round trip."""
    if changes:
        cursor.execute(
            ";".join(
                f'ALTER TABLE "{table}" {verb} TRIGGER "{name}"' for table, name, verb in changes
            )
        )
