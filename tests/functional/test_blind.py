"""A blind second review in the browser: by keys, without scripts, in both themes."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # no types
from playwright.sync_api import expect

from knowledge.models import BlindAnswer, BlindDraw, Role
from tests import scenes
from tests.functional.conftest import Open
from tests.functional.test_review import press, state
from tests.integration.test_blind_reviews import change, set_share


@pytest.fixture
def draw(scene: scenes.Scene) -> BlindDraw:
    """A decision of rosa's that otto is asked about."""
    set_share(scene, 100)
    scenes.person(scene.space, "otto", Role.CURATOR)
    return change(scene)


def test_it_is_answered_by_keys_and_then_tells_what_the_first_did(
    scene: scenes.Scene, draw: BlindDraw, open_page: Open
) -> None:
    page = open_page("otto", path="/queue/?tab=second")
    page.get_by_role("link", name=re.compile(scenes.NEW_JOB)).click()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    press(page, "a")
    expect(page.get_by_label(re.compile("Changed from"))).to_be_focused()
    press(page, "w", "a")
    expect(page.locator(".toast")).to_contain_text("You agree with rosa, who approved it: changed")
    answer = BlindAnswer.objects.get(draw=draw)
    assert (answer.verdict, answer.reason_code) == ("approve", "never_so")
    assert state(scene.update) == "approved"


def test_it_is_answered_without_scripts(
    scene: scenes.Scene, draw: BlindDraw, open_page: Open
) -> None:
    page = open_page("otto", path=f"/queue/blind/{draw.pk}/", java_script_enabled=False)
    page.get_by_text("Reject", exact=False).first.click()
    page.get_by_role("button", name="Misread").click()
    expect(page.locator(".toast")).to_contain_text("You see it differently from rosa")
    assert BlindAnswer.objects.get(draw=draw).reason_code == "misread"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_its_pages_are_accessible_and_stay_in_their_frame(
    scene: scenes.Scene, draw: BlindDraw, open_page: Open, theme: str, width: int
) -> None:
    page = open_page("otto", color_scheme=theme, viewport={"width": width, "height": 844})
    found: list[str] = []

    def look(path: str) -> None:
        page.goto(path)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            found.append(f"{path}: {wide} px wide")
        for problem in Axe().run(page).response["violations"]:
            first = problem["nodes"][0]
            found.append(f"{path}: {problem['id']}: {first['html'][:160]} {first['any'][:1]}")

    look("/queue/?tab=second")
    look(f"/queue/blind/{draw.pk}/")
    press(page, "r", "2")
    expect(page.locator(".toast")).to_contain_text("differently")
    look(f"/queue/{scene.update.pk}/")
    look("/queue/mine/")
    assert found == []
