"""What Django's constraints cannot say: keys that carry the space, finite periods, the chain."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"

# (table, column, table pointed to): nothing may point across spaces.
SPACE_KEYS = [
    ("conversationsubject", "conversation_id", "conversation"),
    ("conversationsubject", "subject_id", "subject"),
    ("message", "conversation_id", "conversation"),
    ("message", "speaker_id", "subject"),
    ("message", "episode_id", "episode"),
    ("episode", "conversation_id", "conversation"),
    ("episode", "first_id", "message"),
    ("episode", "last_id", "message"),
    ("episode", "continues_id", "episode"),
    ("extractionrun", "episode_id", "episode"),
    ("extractionrun", "subject_id", "subject"),
    ("predictedstatement", "run_id", "extractionrun"),
    ("gap", "run_id", "extractionrun"),
    ("gap", "message_id", "message"),
    ("covered", "run_id", "extractionrun"),
    ("covered", "message_id", "message"),
    ("proposal", "subject_id", "subject"),
    ("proposal", "run_id", "extractionrun"),
    ("proposal", "target_id", "statement"),
    ("proposal", "target_seen_id", "version"),
    ("proposal", "joined_to_id", "proposal"),
    ("proposal", "rejected_as_id", "proposal"),
    ("proposal", "waits_on_id", "proposal"),
    ("proposal", "split_from_id", "proposal"),
    ("proposalgap", "proposal_id", "proposal"),
    ("evidence", "proposal_id", "proposal"),
    ("evidence", "message_id", "message"),
    ("decision", "proposal_id", "proposal"),
    ("decision", "undoes_id", "decision"),
    ("decision", "statement_id", "statement"),
    ("decision", "batch_id", "batch"),
    ("batch", "undoes_id", "batch"),
    ("decision", "guideline_id", "guidelineversion"),
    ("decision", "policy_version_id", "policyversion"),
    ("statement", "subject_id", "subject"),
    ("version", "statement_id", "statement"),
    ("version", "subject_id", "subject"),
    ("version", "opened_by_id", "decision"),
    ("version", "closed_by_id", "decision"),
    ("version", "successor_id", "version"),
    ("version", "derived_from_id", "version"),
    ("version", "proposal_id", "proposal"),
    ("confirmation", "proposal_id", "proposal"),
    ("confirmation", "confirms_id", "statement"),
    ("confirmation", "decision_id", "decision"),
    ("confirmation", "undone_by_id", "decision"),
    ("contest", "version_a_id", "version"),
    ("contest", "version_b_id", "version"),
    ("contest", "opened_by_id", "decision"),
    ("contest", "resolved_by_id", "decision"),
    ("searchentry", "subject_id", "subject"),
    ("searchentry", "version_id", "version"),
    ("searchentry", "decision_id", "decision"),
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


FINITE = """
ALTER TABLE knowledge_version ADD CONSTRAINT valid_ends_are_finite_or_open CHECK (
    isfinite(lower(valid)) AND coalesce(isfinite(upper(valid)), true)
    AND isfinite(tx_from) AND coalesce(isfinite(tx_to), true)
)
"""

class Migration(migrations.Migration):
    dependencies = [("knowledge", "0001_initial")]

    operations = [
        *(space_key(*row) for row in SPACE_KEYS),
        migrations.RunSQL(
            FINITE, "ALTER TABLE knowledge_version DROP CONSTRAINT valid_ends_are_finite_or_open"
        ),
        # Kept in the row: an exact scan reads every vector of its scope, and one read of the row
        # is cheaper than a second look-up beside it.
        migrations.RunSQL(
            "ALTER TABLE knowledge_searchentry ALTER COLUMN vector SET STORAGE MAIN",
            "ALTER TABLE knowledge_searchentry ALTER COLUMN vector SET STORAGE EXTENDED",
        ),
        migrations.RunSQL((SQL / "audit_append.sql").read_text(), "DROP FUNCTION audit_append"),
    ]
