"""What every migration ends with: guards made deaf, and rights taken back.

A guard made by ``pgtrigger`` can be switched off by anyone who may set ``pgtrigger.ignore``,
an ordinary trigger sleeps under ``session_replication_role``, and a function finds whatever
table its caller puts first. All three are closed here, after each migration, so that no later
migration can forget it.
"""

from django.db.backends.utils import CursorWrapper

_GUARD_TRIGGERS = """
SELECT c.oid::regclass::text, t.tgname
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE NOT t.tgisinternal AND c.relname LIKE 'knowledge\\_%' AND t.tgname LIKE 'pgtrigger\\_%'
"""

# A guard looks tables up where its caller says: a temporary table of the same name would stand
# before the real one. Named last, the temporary schema is searched last.
_GUARD_FUNCTIONS = """
SELECT DISTINCT format('ALTER FUNCTION %s SET search_path = %I, pg_temp',
                       p.oid::regprocedure, n.nspname)
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.proname IN ('audit_append', 'audit_erase') OR p.oid IN (
    SELECT t.tgfoid FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND c.relname LIKE 'knowledge\\_%' AND t.tgname LIKE 'pgtrigger\\_%')
"""

# Every guard asks this function whether to sleep. `ALTER FUNCTION … SET pgtrigger.ignore` would
# need a superuser since PostgreSQL 15; answering "no" needs only the owner.
_NEVER_IGNORE = """
CREATE OR REPLACE FUNCTION _pgtrigger_should_ignore(trigger_name name) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN false; END $$
"""

# Written by no one but the function that chains them.
_CHAINED_TABLES = ("knowledge_auditevent", "knowledge_auditpayload")

# The only ways to write them: they run with the owner's rights.
_DEFINED_BY_OWNER = ("audit_append", "audit_erase")

# The reserved chain for logins, users and unknown keys.
_SYSTEM_LEDGER = """
INSERT INTO knowledge_ledger (space_id, genesis, opened_at)
VALUES (NULL, sha256(convert_to('memory workbench: system', 'UTF8')), clock_timestamp())
ON CONFLICT DO NOTHING
"""


def harden(cursor: CursorWrapper, *, quoted_role: str | None) -> None:
    """Make every guard hold, and leave the log to its two functions alone.

    ``quoted_role`` is the application role, quoted; None where one role does everything.
    """
    cursor.execute(_NEVER_IGNORE)
    cursor.execute(_GUARD_TRIGGERS)
    for table, trigger in cursor.fetchall():
        cursor.execute(f'ALTER TABLE {table} ENABLE ALWAYS TRIGGER "{trigger}"')
    cursor.execute(_GUARD_FUNCTIONS)
    for (pin,) in cursor.fetchall():
        cursor.execute(pin)
    cursor.execute(_SYSTEM_LEDGER)
    if quoted_role is None:
        return
    for table in _CHAINED_TABLES:
        cursor.execute(f"REVOKE ALL ON {table} FROM {quoted_role}")
        cursor.execute(f"GRANT SELECT ON {table} TO {quoted_role}")
    for function in _DEFINED_BY_OWNER:
        cursor.execute(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC")
        cursor.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {quoted_role}")
