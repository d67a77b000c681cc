"""The page of attributes in a browser: with and without scripts, both themes, wide and narrow."""

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # no types
from playwright.sync_api import Page, expect

from knowledge.models import Attribute, Role
from tests import scenes
from tests.factories import utc
from tests.functional.conftest import Open

WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}


@pytest.fixture
def editors(scene: scenes.Scene) -> scenes.Scene:
    """Ana holds two editors at once, and an administrator looks at it."""
    scenes.person(scene.space, "otto", Role.ADMIN)
    for value in ("Vim", "Zed"):
        scene.desk.believe(f"Ana edits in {value}", attribute="editor", value=value, at=utc(2025))
    return scene


def problems(page: Page) -> list[str]:
    """List what axe finds, and the page's width where it is wider than its frame."""
    found = [str(problem["id"]) for problem in Axe().run(page).response["violations"]]
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [*found, *([f"{wide} px too wide"] if wide > 0 else [])]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", ["otto", "ilse"])
def test_the_page_is_accessible_and_stays_in_its_frame(
    editors: scenes.Scene, open_page: Open, name: str, theme: str, viewport: dict[str, int]
) -> None:
    page = open_page(name, path="/attributes/", color_scheme=theme, viewport=viewport)
    expect(page.get_by_role("heading", level=1)).to_have_text("Attributes")
    if name == "otto":
        page.locator("#attribute-editor summary").click()
        expect(page.locator("#attribute-editor")).to_contain_text("Now one holder has several")
        expect(page.get_by_role("button", name="Switch editor")).to_be_in_viewport(ratio=0.9)
    assert problems(page) == []


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_an_administrator_switches_and_adds(
    editors: scenes.Scene, open_page: Open, scripts: bool
) -> None:
    page = open_page("otto", path="/queue/", java_script_enabled=scripts)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Attributes").click()

    page.locator("#attribute-editor summary").click()
    page.get_by_role("button", name="Switch editor").click()
    expect(page.locator(".toast")).to_contain_text("holds one value at a time from now on.")
    expect(page.locator("#attribute-editor")).to_contain_text("one at a time")

    page.get_by_label("Key", exact=True).fill("Shoe Size")
    page.get_by_label("One at a time").check()
    page.get_by_role("button", name="Add the attribute").click()
    expect(page.get_by_role("alert")).to_contain_text("Write the key in small letters")
    expect(page.get_by_label("Key", exact=True)).to_have_value("Shoe Size")
    expect(page.get_by_label("One at a time")).to_be_checked()
    if scripts:
        assert problems(page) == []
    page.get_by_label("Key", exact=True).fill("shoe_size")
    page.get_by_role("button", name="Add the attribute").click()
    expect(page.locator("#attribute-shoe_size")).to_contain_text("one at a time")
    assert Attribute.objects.get(key="shoe_size").single_valued
    assert Attribute.objects.get(key="editor").single_valued


def test_the_uses_lead_to_the_statements(editors: scenes.Scene, open_page: Open) -> None:
    page = open_page("ilse", path="/attributes/")
    page.get_by_role("link", name="2 believed statements about editor").click()
    expect(page.get_by_role("link", name="Ana edits in Zed")).to_be_visible()
    expect(page.get_by_role("link", name="Ana works at Contoso")).to_have_count(0)
