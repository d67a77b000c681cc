"""What an erasure touches stays in its space; the log's payloads go through one function."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"

# (table, column, table pointed to): nothing may point across spaces.
SPACE_KEYS = [
    ("tombstone", "subject_id", "subject"),
    ("tombstone", "decision_id", "decision"),
    ("tombstone", "lifted_by_id", "decision"),
    ("proposal", "stopped_by_id", "tombstone"),
    ("erasurerequest", "subject_id", "subject"),
    ("erasurerequest", "statement_id", "statement"),
    ("erasurerequest", "conversation_id", "conversation"),
    ("erasurerequest", "decision_id", "decision"),
]


def space_key(table: str, column: str, target: str) -> migrations.RunSQL:
    """Make ``(space, column)`` point at ``(space, id)`` of the target table."""
    name = f"{table}_{column}_stays_in_space"
    return migrations.RunSQL(
        f"ALTER TABLE knowledge_{table} ADD CONSTRAINT {name} "
        f"FOREIGN KEY (space_id, {column}) REFERENCES knowledge_{target} (space_id, id) "
        "DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE knowledge_{table} DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0003_erasure")]

    operations = [
        *(space_key(*row) for row in SPACE_KEYS),
        migrations.RunSQL((SQL / "audit_erase.sql").read_text(), "DROP FUNCTION audit_erase"),
    ]
