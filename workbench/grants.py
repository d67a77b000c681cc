"""What the application role may do to what the owner creates."""

from django.db.backends.base.base import BaseDatabaseWrapper

ROW_GRANTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    (
        "ALTER DEFAULT PRIVILEGES IN SCHEMA public"
        " GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}"
    ),
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role}",
)


def grant_rows_to_application(owner: BaseDatabaseWrapper, *, role: str) -> None:
    """Let ``role`` read and write rows of tables the owner makes from now on.

    Nothing is granted where one role does everything. Tables with stricter rules take rights
    back in their own migrations.
    """
    if not role or role == owner.settings_dict["USER"]:
        return
    with owner.cursor() as cursor:
        for statement in ROW_GRANTS:
            cursor.execute(statement.format(role=owner.ops.quote_name(role)))
