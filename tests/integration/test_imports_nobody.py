"""Words that no person said, and parts in which the subject is silent, as an import takes them."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from extraction.importing import Choices
from extraction.uploads import commands
from extraction.uploads.models import FileImport, ImportState
from knowledge.models import Message, Role, Space
from tests.bringing import ANA, imported, looked_at, work
from tests.factories import NOW, actor, make_person, make_space

pytestmark = pytest.mark.django_db

BOT = b"conversation,role,speaker,text\na,user,Ana,I keep bees.\nb,assistant,Ana,I love honey.\n"
FIGURES = ("messages_new", "conversations", "left_out")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    """Uploads of this test alone."""
    settings.IMPORT_FOLDER = str(tmp_path / "uploads")
    return tmp_path / "uploads"


@pytest.fixture
def space() -> Space:
    return make_space(slug="main")


@pytest.fixture
def rosa(space: Space) -> User:
    return make_person(space, role=Role.CURATOR, name="rosa")


def figures(row: FileImport) -> list[int]:
    return [row.tally[name] for name in FIGURES]


def test_a_model_that_bears_the_subjects_name_is_not_the_subject(space: Space, rosa: User) -> None:
    choices = Choices(subject=ANA, speaker="Ana")
    imported(looked_at(space, BOT, by=rosa, name="chat.csv", choices=choices), by=rosa)
    speakers = Message.objects.order_by("pk").values_list("text", "speaker__external_id")
    assert list(speakers) == [("I keep bees.", "ana"), ("I love honey.", None)]


def test_a_conversation_of_nobody_does_not_end_an_import_of_everybody(
    space: Space, rosa: User
) -> None:
    row = looked_at(space, BOT, by=rosa, name="chat.csv")
    commands.choose(
        import_id=row.pk,
        space_id=space.pk,
        choices=Choices(format="csv"),
        by=actor(rosa),
        now=NOW,
    )
    work("read_upload")
    row.refresh_from_db()
    shown = figures(row)
    done = imported(row, by=rosa)
    assert (done.state, done.error) == (ImportState.DONE, "")
    assert figures(done) == shown == [1, 1, 1]


def test_a_part_of_a_long_table_in_which_the_subject_is_silent_comes_in(
    space: Space, rosa: User
) -> None:
    bens = "".join(f"Ben,number {n}\n" for n in range(2_000))
    table = f"speaker,text\n{bens}Ana,I keep bees.\n".encode()
    choices = Choices(subject=ANA, speaker="Ana")
    row = looked_at(space, table, by=rosa, name="chat.csv", choices=choices)
    done = imported(row, by=rosa)
    assert (done.state, done.error) == (ImportState.DONE, "")
    assert figures(done) == figures(row) == [2_001, 1, 0]


def test_the_table_of_failed_rows_never_replaces_the_file_to_import(
    space: Space, tmp_path: Path
) -> None:
    path = tmp_path / "chat.csv"
    path.write_bytes(BOT)
    with pytest.raises(CommandError, match="is the file to import"):
        call_command("import", str(path), "--space", "main", "--failed", str(path))
    assert path.read_bytes() == BOT
