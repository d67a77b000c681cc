"""Every screen, both themes, wide and narrow: accessible, and inside its frame."""

import gzip
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # no types
from django.contrib.staticfiles import finders
from playwright.sync_api import expect

from knowledge.models import Version
from tests import scenes
from tests.functional.conftest import Open

FIRST_LOAD_BYTES = 60_000
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}


def screens(scene: scenes.Scene) -> list[str]:
    """List the addresses of every screen in the scene."""
    made = scenes.crowd(scene)
    statement = Version.objects.current().get(text=scenes.OLD_JOB).statement_id
    run = scene.update.run
    assert run is not None
    return [
        "/queue/",
        "/queue/?kind=confirmation&flag=any",
        "/queue/?tab=aside",
        f"/queue/{scene.update.pk}/",
        f"/queue/{scene.update.pk}/?edit=1",
        f"/queue/{scene.update.pk}/?diff=blocks",
        *(f"/queue/{made[name].pk}/" for name in ("allergy", "arabic", "hidden", "aside", "again")),
        "/queue/mine/",
        "/statements/",
        f"/statements/{statement}/",
        "/conversations/",
        f"/conversations/{run.episode.conversation_id}/",
        "/runs/",
        f"/runs/{run.pk}/",
        "/shortcuts/",
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_screen_is_accessible_and_stays_in_its_frame(
    scene: scenes.Scene, open_page: Open, theme: str, viewport: dict[str, int]
) -> None:
    paths = screens(scene)
    page = open_page(color_scheme=theme, viewport=viewport)
    found: list[str] = []
    for path in paths:
        page.goto(path)
        expect(page.locator("h1")).to_have_count(1)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > viewport["width"]:
            found.append(f"{path}: {wide} px wide")
        for problem in Axe().run(page).response["violations"]:
            first = problem["nodes"][0]
            found.append(f"{path}: {problem['id']}: {first['html'][:160]} {first['any'][:1]}")
    assert found == []


def test_login_and_errors_are_accessible(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page("ilse", path="/queue/999999/")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such thing here.")
    assert Axe().run(page).response["violations"] == []
    page.context.clear_cookies()
    page.goto("/queue/")
    expect(page.get_by_label("Password")).to_be_visible()
    assert Axe().run(page).response["violations"] == []


def test_a_first_load_is_light(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=f"/queue/{scene.update.pk}/")
    weight = len(gzip.compress(page.content().encode()))
    for name in page.evaluate(
        "[...document.querySelectorAll('link[rel=stylesheet], script[src]')]"
        ".map(e => new URL(e.href || e.src).pathname.replace('/static/', ''))"
    ):
        path = finders.find(name)
        assert isinstance(path, str)
        weight += len(gzip.compress(Path(path).read_bytes()))
    assert weight <= FIRST_LOAD_BYTES


def test_the_narrow_card_shows_its_verdict_and_every_button(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=f"/queue/{scene.update.pk}/", viewport=NARROW)
    expect(page.locator(".verdict")).to_be_in_viewport()
    for name in ("Approve", "Edit", "Reject", "Same as…", "Defer"):
        expect(page.locator(".bar .btn", has_text=name).first).to_be_in_viewport(ratio=1)


def test_controls_are_large_enough_to_hit(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=f"/queue/{scene.update.pk}/")
    small = page.evaluate(
        """[...document.querySelectorAll('button, .btn, .chip, .tabs a, .nav a, summary, .option')]
        .filter(e => e.checkVisibility())
        .map(e => [e.textContent.trim().slice(0, 30), e.getBoundingClientRect()])
        .filter(([, box]) => box.width > 2 && (box.height < 24 || box.width < 24))
        .map(([text, box]) => `${text}: ${Math.round(box.width)}x${Math.round(box.height)}`)"""
    )
    assert small == []


def test_the_sheet_of_keys_opens_and_closes(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=f"/queue/{scene.update.pk}/")
    page.wait_for_timeout(350)
    page.keyboard.press("?")
    sheet = page.locator("#sheet")
    expect(sheet).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    scene.update.refresh_from_db()
    assert scene.update.state == "pending"
