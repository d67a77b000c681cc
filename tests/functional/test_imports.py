"""Bringing a file in a browser: look, say whose it is, confirm, leave, come back."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from knowledge.models import Message
from tests import scenes
from tests.bringing import chat, lines, work
from tests.functional.conftest import Open
from tests.functional.test_privacy_pages import NARROW, WIDE, problems

TWO = lines(
    chat("c1", "I moved to Porto last month.", "I have two cats."), chat("c2", "I play the cello.")
)
BROKEN = b'{"messages": [{"role"\n=HYPERLINK("http://evil")\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    """Uploads of this test alone."""
    settings.IMPORT_FOLDER = str(tmp_path / "uploads")
    return tmp_path


def written(folder: Path, content: bytes, *, name: str = "chat.jsonl") -> Path:
    """Write a file a person would choose."""
    path = folder / name
    path.write_bytes(content)
    return path


def bring(page: Page, path: Path) -> None:
    """Choose a file and have it looked through."""
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Import").click()
    page.get_by_label("A file, or a zip of an export").set_input_files(path)
    page.get_by_role("button", name="Look through it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(path.name)


def figure(page: Page, label: str) -> str:
    """Read one of the numbers of a file."""
    return page.locator(".figures > div", has_text=label).first.locator("dd").inner_text()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_file_comes_in_as_it_was_shown_while_one_is_elsewhere(
    open_page: Open, folder: Path, scripts: bool
) -> None:
    before = Message.objects.count()
    page = open_page("rosa", path="/queue/", java_script_enabled=scripts)
    bring(page, written(folder, TWO + BROKEN))
    assert (figure(page, "new"), figure(page, "cannot be read")) == ("6", "2")
    expect(page.get_by_text("I moved to Porto last month.")).to_be_visible()
    expect(page.get_by_role("region", name="What cannot be read")).to_contain_text("3")
    assert Message.objects.count() == before
    expect(page.locator("input[name=whose]:checked")).to_have_value("speaker:user")
    page.get_by_label("Known here as").fill("user:ana")
    page.get_by_role("button", name="Import 6 messages").click()
    expect(page.get_by_role("heading", name="Being imported")).to_be_visible()

    page.get_by_role("navigation", name="Main").get_by_role("link", name="Statements").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Statements")
    work("import_upload")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Import").click()
    page.get_by_role("link", name="chat.jsonl").click()
    expect(page.get_by_role("heading", name="What came of it")).to_be_visible()
    assert figure(page, "came in") == "6"
    assert Message.objects.count() == before + 6
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the rows that failed").click()
    table = download.value.path().read_text(encoding="utf-8-sig")
    assert len(table.splitlines()) == 3 and "\n=" not in table and ",=" not in table

    expect(page.get_by_text("2 of 2 conversations wait to be read")).to_be_visible()
    work("process_conversation")
    if not scripts:
        page.reload()
    expect(page.get_by_text("all 2 conversations are read")).to_be_visible(timeout=10_000)
    page.get_by_role("link", name="Review what it proposed").click()
    expect(page.locator(".row").first).to_be_visible()
    expect(page.get_by_text("from import")).to_be_visible()

    bring(page, written(folder, TWO + BROKEN))
    expect(page.get_by_role("heading", name="Nothing in this file is new")).to_be_visible()
    page.get_by_role("link", name="the same file, imported").click()
    expect(page.get_by_role("heading", name="What came of it")).to_be_visible()


def test_progress_shows_by_itself(open_page: Open, folder: Path) -> None:
    page = open_page("rosa", path="/import/")
    bring(page, written(folder, TWO))
    page.get_by_label("Known here as").fill("user:ana")
    page.get_by_role("button", name="Import 6 messages").click()
    expect(page.get_by_role("heading", name="Being imported")).to_be_visible()
    work("import_upload")
    expect(page.get_by_role("heading", name="What came of it")).to_be_visible(timeout=10_000)


def test_the_keyboard_alone_says_whose_it_is_and_confirms(open_page: Open, folder: Path) -> None:
    page = open_page("rosa", path="/import/")
    page.get_by_label("A file, or a zip of an export").set_input_files(written(folder, TWO))
    page.get_by_role("button", name="Look through it").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Known here as").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("user:zoe")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("Zoë")
    page.get_by_role("button", name="Import 6 messages").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Being imported")).to_be_visible()
    expect(page.get_by_text("for the memory of Zoë (user:zoe)")).to_be_visible()


def test_hostile_files_are_refused_in_words(
    open_page: Open, folder: Path, shared_data: Path
) -> None:
    page = open_page("rosa", path="/import/")
    answers: list[int] = []
    page.on("response", lambda answer: answers.append(answer.status))
    hostile = sorted((shared_data / "data/formats/hostile").iterdir())
    strange = [
        written(folder, b"\x00\xff" * 5000, name="noise.bin"),
        written(folder, b'{"colour": "blue"}', name="paint.json"),
    ]
    for path in [*hostile, *strange]:
        bring(page, path)
        work("read_upload")
        page.reload()
        expect(page.get_by_role("heading", name="This file cannot be read")).to_be_visible()
    assert answers and max(answers) < 500


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_pages_are_accessible_and_stay_in_their_frames(
    scene: scenes.Scene, open_page: Open, folder: Path, theme: str, viewport: dict[str, int]
) -> None:
    found: list[str] = []

    def look(page: Page, name: str) -> None:
        assert page.locator("h1").count() == 1
        found.extend(f"{name}: {problem}" for problem in problems(page))

    page = open_page("rosa", path="/import/", color_scheme=theme, viewport=viewport)
    look(page, "empty")
    bring(page, written(folder, b"just a letter", name="letter.txt"))
    look(page, "unreadable")
    bring(page, written(folder, TWO + BROKEN))
    look(page, "ready")
    page.get_by_text("How the file is read").click()
    page.get_by_label("Known here as").fill("nobody")
    page.get_by_role("button", name="Import 6 messages").click()
    expect(page.get_by_role("alert")).to_contain_text("kind:id")
    look(page, "wrong")
    page.get_by_label("Known here as").fill("user:ana")
    page.get_by_role("button", name="Import 6 messages").click()
    expect(page.get_by_role("heading", name="Being imported")).to_be_visible()
    look(page, "importing")
    work("import_upload")
    page.reload()
    look(page, "done")
    page.goto("/import/")
    look(page, "list")
    assert found == []
