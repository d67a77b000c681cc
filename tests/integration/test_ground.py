"""The database as tests and the application see it."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import ProgrammingError, connection, connections, transaction
from pytest_django.plugin import DjangoDbBlocker

from tests import databases


@transaction.atomic(durable=True)
def add_user(name: str) -> User:
    """Add a user the way commands do: in one durable transaction."""
    return User.objects.create_user(name)


def rows(alias: str, query: str) -> list[tuple[object, ...]]:
    """Return what ``query`` gives on ``alias``."""
    with connections[alias].cursor() as cursor:
        cursor.execute(query)
        return list(cursor.fetchall())


@pytest.mark.django_db
def test_a_durable_command_runs_under_the_ordinary_fixture() -> None:
    add_user("ana")

    assert User.objects.get().username == "ana"


@pytest.mark.django_db
def test_the_ordinary_fixture_left_nothing_behind() -> None:
    assert not User.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE intruder (id int)",
        "DROP TABLE auth_user",
        "TRUNCATE auth_user CASCADE",
        "ALTER TABLE auth_user DISABLE TRIGGER USER",
        "CREATE FUNCTION intruder() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE EXTENSION hstore",
        "SET ROLE workbench_owner",
    ],
)
def test_the_application_role_cannot_change_what_the_owner_made(statement: str) -> None:
    with connection.cursor() as cursor, pytest.raises(ProgrammingError, match=r"must be|denied"):
        cursor.execute(statement)


@pytest.mark.django_db
def test_the_extensions_are_there_before_any_migration() -> None:
    found = {name for (name,) in rows("default", "SELECT extname FROM pg_extension")}

    assert {"vector", "btree_gist", "pg_trgm", "unaccent"} <= found


class TestFlush:
    """What a committing test leaves: emptied tables, guards as they were, migrated rows back."""

    @pytest.fixture(autouse=True)
    def guarded(self, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
        """A table that refuses to be emptied, as the log's tables do."""
        with django_db_blocker.unblock(), connections["owner"].cursor() as cursor:
            cursor.execute(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE EXCEPTION 'append-only'; END $$;"
                "CREATE TRIGGER refuse BEFORE TRUNCATE ON auth_user EXECUTE FUNCTION refuse();"
                "ALTER TABLE auth_user ENABLE ALWAYS TRIGGER refuse"
            )
        yield
        with django_db_blocker.unblock(), connections["owner"].cursor() as cursor:
            cursor.execute("SELECT count(*) FROM auth_user")
            left = cursor.fetchone()[0]
            cursor.execute("SELECT tgenabled FROM pg_trigger WHERE tgname = 'refuse'")
            mode = cursor.fetchone()[0]
            cursor.execute("DROP FUNCTION refuse CASCADE")
        assert (left, mode) == (0, "A")

    def test_committed_rows_are_emptied_past_the_guard(self, transactional_db: None) -> None:
        add_user("ana")

        assert rows("owner", "SELECT username FROM auth_user") == [("ana",)]


@pytest.mark.django_db(databases=["default", "owner"])
def test_rows_of_migrations_can_be_put_back() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("INSERT INTO auth_group (name) VALUES ('from a migration')")
        kept = databases.rows_of_migrations()
        cursor.execute("DELETE FROM auth_group")

    databases.put_back(kept)

    assert rows("owner", "SELECT name FROM auth_group") == [("from a migration",)]
