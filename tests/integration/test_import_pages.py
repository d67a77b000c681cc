"""The import pages: who may bring what, what is shown of it, and what is refused in words."""

import errno
import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from extraction.uploads import storage
from extraction.uploads.models import FileImport, ImportState
from knowledge.models import AuditEvent, Message, Role, Space
from tests.bringing import chat, lines, paths_below, work
from tests.factories import make_person, make_space
from tests.integration.test_review_pages import HTMX

pytestmark = pytest.mark.django_db

TWO = lines(chat("c1", "I live in Lisbon.", "I have two cats."), chat("c2", "I play the cello."))
CHATS = {"format": "openai_jsonl"}
ANA = {"whose": "speaker:user", "subject": "user:ana", "subject_name": "Ana", **CHATS}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    """Uploads of this test alone."""
    settings.IMPORT_FOLDER = str(tmp_path / "uploads")
    return tmp_path / "uploads"


@pytest.fixture
def space() -> Space:
    return make_space()


@pytest.fixture
def rosa(space: Space) -> Client:
    return client(make_person(space, role=Role.CURATOR, name="rosa"))


def client(user: User, **options: Any) -> Client:
    """Log a user in."""
    found = Client(**options)
    found.force_login(user)
    return found


def bring(who: Client, content: bytes = TWO, *, name: str = "chat.jsonl", **more: Any) -> Any:
    """Post a file as the form does."""
    fields = {"form_id": str(uuid.uuid4()), "file": SimpleUploadedFile(name, content), **more}
    return who.post("/import/upload/", {key: value for key, value in fields.items() if value})


def brought(who: Client, content: bytes = TWO, **more: Any) -> tuple[FileImport, str]:
    """Bring a file; its row and the address of its page."""
    answer = bring(who, content, **more)
    assert answer.status_code == 303, answer.content.decode()
    row = FileImport.objects.order_by("-pk")[0]
    assert answer.headers["Location"] == f"/import/{row.pk}/"
    return row, f"/import/{row.pk}/"


def text_of(who: Client, path: str, *, status: int = 200) -> str:
    """Read a page."""
    answer = who.get(path)
    assert answer.status_code == status, path
    return answer.content.decode()


def words(page: str) -> str:
    """Return what a page says, without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", page[page.index("<main") :]).split())


# --- the way in ---


def test_a_file_is_looked_through_confirmed_and_imported(space: Space, rosa: Client) -> None:
    row, address = brought(rosa)
    page = text_of(rosa, address)
    assert page.count("<h1") == 1
    said = words(page)
    assert "new 6 known already 0 cannot be read 0 conversations 2" in said
    assert "I play the cello." in said
    assert "Import 6 messages" in said
    assert not Message.objects.exists()
    answer = rosa.post(f"{address}choose/", {**ANA, "imports": "1"})
    assert answer.status_code == 303
    assert "Being imported" in text_of(rosa, address)
    work("import_upload")
    done = words(text_of(rosa, address))
    assert "What came of it" in done
    assert f'href="/queue/?file={row.pk}"' in text_of(rosa, address)
    assert Message.objects.count() == 6


def test_the_same_file_again_is_said_to_be_nothing_new(space: Space, rosa: Client) -> None:
    first, address = brought(rosa)
    rosa.post(f"{address}choose/", {**ANA, "imports": "1"})
    work("import_upload")
    _, again = brought(rosa)
    page = text_of(rosa, again)
    assert "Nothing in this file is new" in page
    assert "All 6 messages came in before" in page
    assert f'href="/import/{first.pk}/"' in page
    rosa.post(f"{again}choose/", {**ANA, "imports": "1"})
    work("import_upload")
    assert "Nothing was new" in text_of(rosa, again)
    assert Message.objects.count() == 6


def test_whose_memory_it_is_has_to_be_said(rosa: Client) -> None:
    row, address = brought(rosa)
    answer = rosa.post(f"{address}choose/", {"whose": "speaker:user", "imports": "1", **CHATS})
    assert answer.status_code == 422
    assert "Say whose memory this is" in answer.content.decode()
    row.refresh_from_db()
    assert row.state == ImportState.READY


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"subject": "ana"}, "kind:id"),
        ({"subject": "robot:r2"}, "kind:id"),
        ({"whose": "nobody", "subject": "user:ana"}, "project:atlas"),
        ({"subject": "project:atlas"}, "nobody who speaks"),
        ({"zone": "Mars/Olympus"}, "Europe/Berlin"),
    ],
)
def test_a_wrong_answer_is_said_beside_its_field_and_the_others_are_kept(
    rosa: Client, given: dict[str, str], says: str
) -> None:
    _, address = brought(rosa)
    answer = rosa.post(f"{address}choose/", {**ANA, "imports": "1", **given})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert says in page and 'role="alert"' in page
    assert 'value="Ana"' in page


def test_another_choice_than_was_looked_at_is_looked_at_first(rosa: Client) -> None:
    both = lines(chat("c1", "I live in Lisbon.", name="ana"), chat("c2", "I ski.", name="ben"))
    row, address = brought(rosa, both)
    ben = {"whose": "speaker:ben", "subject": "user:ben", "imports": "1", **CHATS}
    answer = rosa.post(f"{address}choose/", ben, follow=True)
    page = answer.content.decode()
    assert "it was looked through again" in page
    assert 'value="speaker:ana"' in page
    assert "1 conversation is left out" in words(page)
    row.refresh_from_db()
    assert row.state == ImportState.READY
    rosa.post(f"{address}choose/", ben)
    work("import_upload")
    assert set(Message.objects.values_list("conversation__external_id", flat=True)) == {"c2"}


def test_a_project_remembers_what_everybody_says(rosa: Client) -> None:
    _, address = brought(rosa)
    atlas = {"whose": "nobody", "subject": "project:atlas", "imports": "1", **CHATS}
    rosa.post(f"{address}choose/", atlas)
    rosa.post(f"{address}choose/", atlas)
    work("import_upload")
    assert Message.objects.count() == 6
    assert not Message.objects.filter(speaker__isnull=False).exists()


def test_each_of_several_named_people_may_have_their_own_memory(rosa: Client) -> None:
    both = lines(chat("c1", "I live in Lisbon.", name="ana"), chat("c2", "I ski.", name="ben"))
    _, address = brought(rosa, both)
    everybody = {"whose": "everybody", "imports": "1", **CHATS}
    rosa.post(f"{address}choose/", everybody)
    rosa.post(f"{address}choose/", everybody)
    work("import_upload")
    speakers = Message.objects.filter(speaker__isnull=False).values_list(
        "speaker__external_id", flat=True
    )
    assert set(speakers) == {"ana", "ben"}


# --- refusals ---


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"just a letter", "no format we know"),
        (b'{"colour": "blue"}', "Expected one of"),
        (b'{"colour": "blue"}', "with the keys &#x27;colour&#x27;"),
        (b"\x00\x01\x02\x03" * 100, "NUL"),
        (b"PK\x03\x04rubbish", "cannot be unpacked"),
        (b'{"messages": [', "Nothing in"),
        ("{}".encode("utf-16"), ""),
        (b"[" * 5000, ""),
    ],
)
def test_rubbish_is_refused_in_words(rosa: Client, content: bytes, says: str) -> None:
    answer = bring(rosa, content)
    assert answer.status_code in (303, 422)
    work("read_upload")
    page = rosa.get(answer.headers["Location"]) if answer.status_code == 303 else answer
    assert says in page.content.decode()
    assert not Message.objects.exists()


def test_hostile_files_give_clear_errors(rosa: Client, shared_data: Path) -> None:
    for path in sorted((shared_data / "data/formats/hostile").iterdir()):
        _, address = brought(rosa, path.read_bytes(), name=path.name)
        work("read_upload")
        page = text_of(rosa, address)
        assert "This file cannot be read" in page, path.name
        assert path.name in page


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "a\x00b.jsonl",
        "<script>alert(1)</script>.jsonl",
        "C:\\Users\\ana\\chat.jsonl",
        "\u202egpj.exe",
        "x" * 400 + ".jsonl",
        "...",
        "日本語の会話" * 30 + ".jsonl",
    ],
)
def test_no_name_leads_out_of_its_folder(rosa: Client, folder: Path, name: str) -> None:
    row, address = brought(rosa, name=name)
    (kept,) = paths_below(str(folder))
    assert kept.is_relative_to(folder)
    assert kept.name == row.name == storage.fit_name(row.name)
    assert "<script>" not in text_of(rosa, address)


def test_a_file_that_is_too_large_is_refused_and_not_kept(
    rosa: Client, folder: Path, settings: Any
) -> None:
    settings.IMPORT_MOST_MIB = 1
    answer = bring(rosa, b"x" * (2 * 1024 * 1024))
    assert answer.status_code == 413
    assert "larger than 1 MiB" in answer.content.decode()
    assert not FileImport.objects.exists() and paths_below(str(folder)) == []


def test_a_file_that_lies_about_its_size_is_refused_too(
    rosa: Client, folder: Path, settings: Any
) -> None:
    settings.IMPORT_MOST_MIB = 1
    # Within what the form itself may add, so that only the counting sees it.
    answer = bring(rosa, b"x" * (1024 * 1024 + 100))
    assert answer.status_code == 413
    assert paths_below(str(folder)) == []


def test_a_full_disk_is_said_and_nothing_is_kept(
    rosa: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "has_room_for", lambda size: False)
    answer = bring(rosa)
    assert answer.status_code == 507
    assert "not enough room" in answer.content.decode()
    assert paths_below(str(folder)) == []


def test_a_disk_that_fills_up_meanwhile_is_said_too(
    rosa: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def write(self, data: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self) -> None:
            return None

    monkeypatch.setattr(Path, "open", lambda self, *args, **kwargs: Full())
    answer = bring(rosa)
    monkeypatch.undo()
    assert answer.status_code == 507
    assert paths_below(str(folder)) == []


def test_no_file_is_said(rosa: Client) -> None:
    answer = bring(rosa, file=None)
    assert answer.status_code == 422
    assert "Choose a file first." in answer.content.decode()


def test_a_forged_form_is_refused_and_its_file_deleted(space: Space, folder: Path) -> None:
    strict = client(make_person(space, name="rosa"), enforce_csrf_checks=True)
    assert bring(strict).status_code == 403
    assert not FileImport.objects.exists() and paths_below(str(folder)) == []


def test_the_same_form_twice_is_one_upload(rosa: Client, folder: Path) -> None:
    form = str(uuid.uuid4())
    first, second = bring(rosa, form_id=form), bring(rosa, form_id=form)
    assert first.headers["Location"] == second.headers["Location"]
    assert FileImport.objects.count() == 1
    assert len(paths_below(str(folder))) == 1


# --- who ---


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.PRIVACY])
def test_who_neither_decides_nor_administers_sees_and_imports_nothing(
    space: Space, rosa: Client, folder: Path, role: str
) -> None:
    row, address = brought(rosa)
    reader = client(make_person(space, role=role))
    page = text_of(reader, address)
    assert "I play the cello." in page
    assert "<form" not in page[page.index("<main") :]
    assert 'type="file"' not in text_of(reader, "/import/")
    assert bring(reader).status_code == 403
    for act in ("choose", "discard", "try-again"):
        answer = reader.post(f"{address}{act}/", {**ANA, "imports": "1"})
        assert answer.status_code in (403, 409), act
    row.refresh_from_db()
    assert row.state == ImportState.READY
    assert len(paths_below(str(folder))) == 1
    assert AuditEvent.objects.filter(action="upload_import", outcome="denied").exists()


def test_an_administrator_imports(space: Space) -> None:
    _, address = brought(client(make_person(space, role=Role.ADMIN)))
    assert "Import 6 messages" in text_of(client(make_person(space, role=Role.ADMIN)), address)


def test_nobody_of_another_space_sees_it(rosa: Client) -> None:
    _, address = brought(rosa)
    other = client(make_person(make_space(), name="olga"))
    text_of(other, address, status=404)
    assert other.post(f"{address}choose/", ANA).status_code == 404
    text_of(other, f"{address}failed-rows.csv", status=404)


def test_who_is_not_logged_in_is_led_to_the_login(rosa: Client) -> None:
    _, address = brought(rosa)
    assert Client().get(address).headers["Location"].startswith("/login/")
    assert Client().post("/import/upload/").status_code in (302, 403)


# --- on the way, and afterwards ---


def test_progress_is_a_part_of_the_page_and_the_page_is_loaded_anew_at_its_end(
    rosa: Client,
) -> None:
    _, address = brought(rosa)
    rosa.post(f"{address}choose/", {**ANA, "imports": "1"})
    asks = HTMX | {"HX-Target": "progress"}
    part = rosa.get(address, headers=asks)
    assert "<main" not in part.content.decode() and "HX-Refresh" not in part.headers
    work("import_upload")
    assert rosa.get(address, headers=asks).headers["HX-Refresh"] == "true"


def test_a_large_file_is_looked_through_by_the_worker(rosa: Client) -> None:
    many = lines(*(chat(f"c{n}", f"I have {n} cats. " + "x" * 2000) for n in range(600)))
    _, address = brought(rosa, many)
    assert "Being looked through" in text_of(rosa, address)
    work("read_upload")
    assert "Import 1,200 messages" in text_of(rosa, address)


def test_rows_that_failed_can_be_downloaded_without_formulas(space: Space, rosa: Client) -> None:
    row, address = brought(rosa, TWO + b'{"messages": [{"role"\n')
    assert "This is not valid JSON" in text_of(rosa, address)
    rosa.post(f"{address}choose/", {**ANA, "imports": "1"})
    work("import_upload")
    answer = rosa.get(f"{address}failed-rows.csv")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    table = answer.content.decode("utf-8-sig")
    assert table.splitlines()[0] == "file,line,what is wrong"
    assert table.splitlines()[1].startswith(",3,")
    assert AuditEvent.objects.filter(action="import.download", object_id=str(row.pk)).exists()


def test_a_deleted_file_is_gone(rosa: Client, folder: Path) -> None:
    row, address = brought(rosa)
    assert rosa.post(f"{address}discard/").status_code == 303
    row.refresh_from_db()
    assert row.state == ImportState.DISCARDED
    assert "I play the cello." not in text_of(rosa, address)
    assert rosa.post(f"{address}choose/", {**ANA, "imports": "1"}).status_code == 409


def test_two_who_confirm_the_same_file_import_it_once(space: Space, rosa: Client) -> None:
    _, address = brought(rosa)
    given = {**ANA, "imports": "1"}
    assert rosa.post(f"{address}choose/", given).status_code == 303
    late = rosa.post(f"{address}choose/", given)
    assert late.status_code == 409
    assert "Nothing was changed" in late.content.decode()


def test_the_list_names_every_file(rosa: Client) -> None:
    brought(rosa, name="first.jsonl")
    brought(rosa, b"just a letter", name="letter.txt")
    page = text_of(rosa, "/import/")
    assert "first.jsonl" in page and "letter.txt" in page
    assert '<a href="/import/" aria-current="page">Import</a>' in page


def test_queue_and_runs_can_be_narrowed_to_what_a_file_brought(rosa: Client) -> None:
    first, address = brought(rosa)
    rosa.post(f"{address}choose/", {**ANA, "imports": "1"})
    second, other = brought(rosa, lines(chat("c8", "I am allergic to peanuts.")))
    rosa.post(f"{other}choose/", {**ANA, "imports": "1"})
    work()
    everything = text_of(rosa, "/queue/")
    assert "peanuts" in everything and "Lisbon" in everything
    page = text_of(rosa, f"/queue/?file={second.pk}")
    assert "peanuts" in page and "Lisbon" not in page
    assert f"from import {second.pk}" in page
    of_first = text_of(rosa, f"/runs/?file={first.pk}")
    listed = re.compile(r"/runs/\d+/")
    assert len(listed.findall(of_first)) == 2
    assert len(listed.findall(text_of(rosa, "/runs/"))) == 3
    assert "all runs" in of_first
    assert "peanuts" not in text_of(rosa, "/queue/?file=999999")
    done = words(text_of(rosa, address))
    assert "all 2 conversations are read" in done
    assert "Review what it proposed" in done


def test_a_file_whose_times_name_no_zone_asks_for_it_first(rosa: Client, shared_data: Path) -> None:
    content = (shared_data / "data/formats/whatsapp/android_de.txt").read_bytes()
    row, address = brought(rosa, content, name="chat.txt")
    page = text_of(rosa, address)
    assert "One thing the file does not say" in page
    rosa.post(f"{address}choose/", {"zone": "Europe/Berlin", "dates": "day"})
    row.refresh_from_db()
    assert row.state == ImportState.READY
    assert row.choices["zone"] == "Europe/Berlin"
    assert row.choices["speaker"] and row.preview["guess"]
    assert 'name="whose"' in text_of(rosa, address)
