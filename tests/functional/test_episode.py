"""An episode in the browser: one conversation, its proposals decided one by one beside it."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # no types
from playwright.sync_api import Page, expect

from knowledge.models import Decision, Proposal
from tests import scenes, talks
from tests.functional.conftest import Open
from tests.functional.test_review import press, state


@pytest.fixture
def talk(scene: scenes.Scene) -> talks.Talk:
    """Ana and Ben talk about their kitchen, in two parts."""
    return talks.kitchen(scene.space)


def address(talk: talks.Talk, at: Proposal | None = None) -> str:
    """Return where the talk is read."""
    return f"/queue/episode/{talk.episode_id}/" + (f"?at={at.pk}" if at else "")


def heading(page: Page, text: str) -> None:
    """Wait until a proposal is before the reader, with the focus on its heading."""
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text(text)
    expect(title).to_be_focused()


def test_a_conversation_is_decided_by_keys_alone_and_leads_back_to_the_queue(
    scene: scenes.Scene, talk: talks.Talk, open_page: Open
) -> None:
    page = open_page(path="/queue/")
    page.get_by_role("link", name="8 wait in this conversation").first.click()
    expect(page).to_have_url(re.compile(rf"/queue/episode/\d+/\?at={talk.proposals[2].pk}"))
    order = [*range(2, 8), 0, 1]
    for place, after in zip(order, [*order[1:], None], strict=True):
        heading(page, talk.texts[place])
        press(page, *("r", "3") if place % 2 else "a")
        if after is not None:
            expect(page.get_by_role("heading", level=1)).to_have_text(talk.texts[after])
    expect(page).to_have_url(re.compile(r"/queue/$"))
    kept = ["rejected" if place % 2 else "approved" for place in range(8)]
    assert [state(row) for row in talk.proposals] == kept
    assert Decision.objects.filter(proposal__in=talk.proposals).count() == 8


def test_next_and_previous_move_between_its_proposals(talk: talks.Talk, open_page: Open) -> None:
    page = open_page(path=address(talk, talk.proposals[3]))
    press(page, "j")
    heading(page, talk.texts[4])
    press(page, "k")
    heading(page, talk.texts[3])
    assert {state(row) for row in talk.proposals} == {"pending"}


def test_undo_by_key_stays_in_the_episode(talk: talks.Talk, open_page: Open) -> None:
    page = open_page(path=address(talk, talk.proposals[1]))
    press(page, "a")
    expect(page.get_by_role("heading", level=1)).to_have_text(talk.texts[2])
    press(page, "z")
    heading(page, talk.texts[1])
    expect(page).to_have_url(re.compile(rf"/queue/episode/{talk.episode_id}/\?at="))
    assert state(talk.proposals[1]) == "pending"


def test_looking_at_a_proposal_lights_its_words(talk: talks.Talk, open_page: Open) -> None:
    page = open_page(path=address(talk, talk.proposals[0]))
    expect(page.locator("mark.this")).to_have_text("oak fronts1")
    page.locator(".siblings .row", has_text="Ben cooks on Sundays").hover()
    expect(page.locator("mark.lit")).to_have_text("I cook on Sundays6")
    page.locator(".siblings .row", has_text="smell of fish").focus()
    expect(page.locator("mark.lit")).to_contain_text("I can’t stand the smell of fish")


def test_the_words_of_what_is_open_are_in_sight(talk: talks.Talk, open_page: Open) -> None:
    page = open_page(path=address(talk), viewport={"width": 1200, "height": 500})
    for place in (7, 0):
        page.goto(address(talk, talk.proposals[place]))
        expect(page.locator("mark.this")).to_be_in_viewport()
        expect(page.get_by_role("heading", level=1)).to_be_in_viewport()


def test_gaps_are_walked_through_by_keys_and_their_numbers_lead_to_their_proposals(
    talk: talks.Talk, open_page: Open
) -> None:
    page = open_page(path=address(talk, talk.proposals[0]))
    press(page, "]", "]")
    expect(page.locator("#gap-2")).to_be_focused()
    page.get_by_role("link", name="Gap 6: to its proposal").click()
    heading(page, "Ben cooks on Sundays")


def test_editing_and_its_keys_work_in_place(talk: talks.Talk, open_page: Open) -> None:
    page = open_page(path=address(talk, talk.proposals[0]))
    press(page, "e")
    box = page.get_by_label("Statement", exact=False).first
    expect(box).to_be_focused()
    box.fill("Ana wants oak fronts")
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(talk.texts[1])
    talk.proposals[0].refresh_from_db()
    assert (talk.proposals[0].state, talk.proposals[0].text) == ("approved", "Ana wants oak fronts")


def test_an_update_asks_what_happened_there_too(scene: scenes.Scene, open_page: Open) -> None:
    run = scene.update.run
    assert run is not None
    page = open_page(path=f"/queue/episode/{run.episode_id}/?at={scene.update.pk}")
    press(page, "a")
    expect(page.get_by_label(re.compile("Changed from"))).to_be_focused()
    press(page, "c", "a")
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.CYCLES)
    assert state(scene.update) == "approved"


def test_it_works_without_scripts(talk: talks.Talk, open_page: Open) -> None:
    page = open_page(path=address(talk, talk.proposals[0]), java_script_enabled=False)
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(talk.texts[1])
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(talk.texts[0])
    expect(page).to_have_url(re.compile(r"/queue/episode/"))
    page.locator(".siblings .row", has_text="Ben cooks").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ben cooks on Sundays")


def test_a_lost_race_is_told_in_the_episode(talk: talks.Talk, open_page: Open) -> None:
    mine = open_page(path=address(talk, talk.proposals[0]))
    theirs = open_page(path=address(talk, talk.proposals[0]))
    press(theirs, "r", "2")
    expect(theirs.get_by_role("heading", level=1)).to_have_text(talk.texts[1])
    press(mine, "a")
    expect(mine.get_by_role("alert")).to_contain_text("You rejected this")
    expect(mine.get_by_role("alert")).to_be_focused()
    expect(mine.locator(".talk")).to_be_visible()
    assert state(talk.proposals[0]) == "rejected"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_it_is_accessible_and_stays_in_its_frame(
    scene: scenes.Scene, talk: talks.Talk, open_page: Open, theme: str, width: int
) -> None:
    run = scene.update.run
    assert run is not None
    page = open_page(color_scheme=theme, viewport={"width": width, "height": 844})
    found: list[str] = []
    for path in (
        address(talk, talk.proposals[2]),
        address(talk, talk.proposals[5]),
        address(talk, talk.proposals[0]) + "&edit=1",
        f"/queue/episode/{run.episode_id}/",
    ):
        page.goto(path)
        expect(page.locator("h1")).to_have_count(1)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            found.append(f"{path}: {wide} px wide")
        for problem in Axe().run(page).response["violations"]:
            first = problem["nodes"][0]
            found.append(f"{path}: {problem['id']}: {first['html'][:160]} {first['any'][:1]}")
    assert found == []
