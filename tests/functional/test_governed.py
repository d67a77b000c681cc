"""Two people, ended beliefs, contests, splits and the policy, in a browser."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # no types
from playwright.sync_api import Page, expect

from knowledge.commands import governing
from knowledge.models import Contest, Decision, Proposal, Role, Version
from knowledge.trust import WhatHappened
from tests import factories, scenes
from tests.factories import NOW, actor
from tests.functional.conftest import Open

WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}
GUIDELINE = "# What we keep\n\n- what someone says of themselves\n- never health without a reason"


@pytest.fixture
def governed(scene: scenes.Scene) -> scenes.Scene:
    """A space where two must agree, with a second curator, an administrator and a guideline."""
    scenes.person(scene.space, "bruno", Role.CURATOR)
    admin = actor(scenes.person(scene.space, "otto", Role.ADMIN))
    for when in ("sensitive", "always"):
        governing.set_policy(
            space_id=scene.space.pk, four_eyes=when, expire_after_days=90, by=admin, now=NOW
        )
    governing.set_guideline(space_id=scene.space.pk, markdown=GUIDELINE, by=admin, now=NOW)
    return scene


def problems(page: Page) -> list[str]:
    """List what axe finds, and the page's width where it is wider than its frame."""
    found = [
        f"{problem['id']}: {problem['nodes'][0]['html'][:120]}"
        for problem in Axe().run(page).response["violations"]
    ]
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [*found, *([f"{wide} px too wide"] if wide > 0 else [])]


def contest(scene: scenes.Scene) -> tuple[Version, Version]:
    """Make two beliefs nobody could choose between."""
    old = Version.objects.current().get(text=scenes.OLD_JOB)
    new = scene.desk.believe(
        "Ana works at Fabrikam", happened=WhatHappened.CANNOT_TELL, target=old, at=NOW
    )
    return old, new


def test_two_people_agree_one_after_the_other(governed: scenes.Scene, open_page: Open) -> None:
    first = open_page("rosa", path=f"/queue/{governed.update.pk}/")
    first.get_by_label(re.compile("Changed from")).check()
    first.get_by_role("button", name="Approve", exact=True).click()
    expect(first.locator(".toast")).to_contain_text("Approved by you; waits for a second person")
    first.goto(f"/queue/{governed.update.pk}/?tab=second")
    expect(first.locator(".bar")).to_contain_text("A second person must agree")
    expect(first.locator(".bar button")).to_have_count(0)

    second = open_page("bruno", path="/queue/")
    second.get_by_role("link", name="Second review").click()
    second.locator("a.row", has_text=scenes.NEW_JOB).click()
    expect(second.get_by_role("heading", name="rosa approved this first")).to_be_visible()
    expect(second.locator("input[type=radio]:checked")).to_have_count(0)
    second.wait_for_timeout(350)
    second.keyboard.press("c")
    second.keyboard.press("a")
    expect(second.locator(".toast")).to_contain_text("Approved as second: " + scenes.NEW_JOB)
    assert Version.objects.current().filter(text=scenes.NEW_JOB).exists()
    kinds = Decision.objects.filter(proposal=governed.update).order_by("seq")
    assert [row.kind for row in kinds] == ["approve", "confirm"]
    assert all(len(row.card_digest) == 64 and row.evidence_opened for row in kinds)


def test_without_scripts_the_second_sends_back_with_words(
    governed: scenes.Scene, open_page: Open
) -> None:
    factories.approve(governed.cycles, by=governed.curator)
    page = open_page(
        "bruno", path=f"/queue/{governed.cycles.pk}/?tab=second", java_script_enabled=False
    )
    page.locator("summary", has_text="Send back").click()
    page.get_by_label("What to look at again").fill("is it still so in winter?")
    page.get_by_role("button", name="Send back").click()
    expect(page.locator(".toast")).to_contain_text("Sent back")
    governed.cycles.refresh_from_db()
    assert governed.cycles.state == "pending"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_belief_is_retracted_and_brought_back(
    scene: scenes.Scene, open_page: Open, scripts: bool
) -> None:
    version = Version.objects.current().get(text=scenes.OLD_JOB)
    path = f"/statements/{version.statement_id}/"
    page = open_page(path=path, java_script_enabled=scripts)
    page.locator("summary", has_text="Retract").click()
    page.get_by_role("button", name="We were asked to").click()
    toast = page.locator(".toast")
    expect(toast).to_contain_text("Retracted: " + scenes.OLD_JOB)
    expect(page.locator(".crumbs .state")).to_have_text("retracted")
    assert not Version.objects.current().filter(text=scenes.OLD_JOB).exists()
    if scripts:
        page.wait_for_timeout(350)
        page.keyboard.press("z")
    else:
        toast.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone.")
    expect(page).to_have_url(re.compile(path + "$"))
    assert Version.objects.current().filter(text=scenes.OLD_JOB).exists()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_contest_is_settled_on_its_other_side(
    scene: scenes.Scene, open_page: Open, scripts: bool
) -> None:
    old, new = contest(scene)
    page = open_page(path=f"/statements/{old.statement_id}/", java_script_enabled=scripts)
    expect(page.get_by_label("Contested")).to_contain_text("Nobody could tell")
    page.get_by_role("link", name=new.text).click()
    page.get_by_role("button", name="This one is right").click()
    expect(page.locator(".toast")).to_contain_text("Settled")
    expect(page.get_by_label("Contested")).to_have_count(0)
    assert not Contest.objects.filter(resolved_by=None).exists()
    assert not Version.objects.current().filter(pk=old.pk).exists()


def test_a_late_press_says_what_happened_and_takes_the_focus(
    scene: scenes.Scene, open_page: Open
) -> None:
    old, new = contest(scene)
    late = open_page(path=f"/statements/{old.statement_id}/")
    other = open_page(path=f"/statements/{new.statement_id}/")
    other.get_by_role("button", name="Both may stand").click()
    expect(other.locator(".toast")).to_contain_text("Settled")
    late.get_by_role("button", name="The other is right").click()
    panel = late.get_by_role("alert")
    expect(panel).to_be_focused()
    expect(panel).to_contain_text("This contest was resolved meanwhile.")
    assert Version.objects.current().filter(pk__in=[old.pk, new.pk]).count() == 2


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_card_is_split(scene: scenes.Scene, open_page: Open, scripts: bool) -> None:
    page = open_page(path=f"/queue/{scene.cycles.pk}/", java_script_enabled=scripts)
    page.get_by_role("link", name="Split into several").click()
    expect(page.get_by_label("Statement 1")).to_have_value(scenes.CYCLES)
    page.get_by_label("Statement 1").fill("Ana cycles to work")
    page.get_by_label("Statement 2").fill("Ana’s way to work takes twelve minutes")
    page.get_by_role("button", name="Split", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ana cycles to work")
    expect(page.locator(".toast")).to_contain_text("Split: " + scenes.CYCLES)
    parts = Proposal.objects.filter(split_from=scene.cycles).order_by("pk")
    assert [part.text for part in parts] == [
        "Ana cycles to work",
        "Ana’s way to work takes twelve minutes",
    ]


def test_a_waiting_neighbour_is_chosen_by_key(scene: scenes.Scene, open_page: Open) -> None:
    again = factories.make_proposal(scene.space, "Ana cycles to work, twelve minutes")
    page = open_page(path=f"/queue/{again.pk}/")
    page.wait_for_timeout(350)
    page.keyboard.press("m")
    page.keyboard.press("1")
    expect(page.locator(".toast")).to_contain_text("Withdrawn")
    again.refresh_from_db()
    assert again.joined_to_id == scene.cycles.pk


def test_an_administrator_sets_policy_and_guideline(scene: scenes.Scene, open_page: Open) -> None:
    scenes.person(scene.space, "otto", Role.ADMIN)
    page = open_page("otto", path="/queue/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Policy").click()
    page.locator("summary", has_text="Set a new policy").click()
    page.get_by_label(re.compile("Always")).check()
    page.get_by_label(re.compile("Days after which")).fill("x")
    page.get_by_role("button", name="Set the policy").click()
    expect(page.get_by_role("alert")).to_contain_text("Write a number of days")
    expect(page.get_by_label(re.compile("Always"))).to_be_checked()
    assert problems(page) == []
    page.get_by_label(re.compile("Days after which")).fill("30")
    page.get_by_role("button", name="Set the policy").click()
    expect(page.locator(".toast")).to_contain_text("The policy is set.")
    page.locator("summary", has_text="Write a new guideline").click()
    page.get_by_label("Guideline, in Markdown").fill(GUIDELINE)
    page.get_by_role("button", name="Set the guideline").click()
    expect(page.locator("p.guideline")).to_contain_text("never health without a reason")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_new_screens_are_accessible_and_stay_in_their_frames(
    governed: scenes.Scene, open_page: Open, theme: str, viewport: dict[str, int]
) -> None:
    factories.approve(governed.cycles, by=governed.curator)
    old = Version.objects.current().get(text=scenes.OLD_JOB)
    proposal = factories.make_proposal(governed.space, "Ana works at Fabrikam")
    for name in ("rosa", "bruno"):
        person = type(governed.curator).objects.get(username=name)
        factories.approve(proposal, by=person, happened=WhatHappened.CANNOT_TELL, target=old)
    found: list[str] = []
    for name, path, opened in (
        ("bruno", f"/queue/{governed.cycles.pk}/?tab=second", "Send back"),
        ("rosa", f"/queue/{governed.cycles.pk}/?tab=second", "Guideline"),
        ("bruno", f"/queue/{governed.update.pk}/?split=1", "Guideline"),
        ("bruno", f"/queue/{governed.cycles.pk}/?edit=1", ""),
        ("bruno", f"/statements/{old.statement_id}/", "Retract"),
        ("bruno", f"/statements/{old.statement_id}/", "Same as…"),
        ("rosa", "/queue/mine/", ""),
        ("otto", "/policy/", "Set a new policy"),
        ("otto", "/policy/", "earlier"),
        ("ilse", "/policy/", "earlier"),
    ):
        page = open_page(name, path=path, color_scheme=theme, viewport=viewport)
        if opened:
            page.locator("summary", has_text=opened).first.click()
        found += [f"{path} as {name}, {opened}: {problem}" for problem in problems(page)]
        page.context.close()
    assert found == []
