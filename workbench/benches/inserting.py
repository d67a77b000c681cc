"""The least a database can be asked for: one small row, durable, for each transaction."""

from typing import Any

from django.db import connection, transaction

TABLE = "bench_plain"
CREATE = f"""
CREATE TABLE {TABLE} (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space_id bigint NOT NULL,
    said text NOT NULL
);
CREATE INDEX ON {TABLE} (space_id)
"""
_INSERT = f"INSERT INTO {TABLE} (space_id, said) VALUES (%s, %s)"


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Insert ``rows`` rows, each in a transaction of its own, through Django's connection."""
    for number in range(task["rows"]):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_INSERT, [task["space_id"], f"Somebody said fact {number} once."])
    return {"rows": task["rows"]}
