"""What the test run does to its database besides using it, always as the owner."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections
from django.db.backends.utils import CursorWrapper

# Filled again by Django itself after a flush, or not flushed at all.
REFILLED = ("django_migrations", "django_content_type", "auth_permission")
ALTER = {"O": "ENABLE", "A": "ENABLE ALWAYS", "R": "ENABLE REPLICA", "D": "DISABLE"}

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
