"""A card among other people, other windows and ended sessions: nothing written is lost."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from knowledge.models import Decision, Proposal, Version
from tests import factories, scenes
from tests.functional.conftest import Open
from workbench.models import Claim, Draft

REST = 350  # milliseconds after a card changed in which keys rest
KEPT_WITHIN = 4_000
MENDED = "Ana cycles to work along the river"


def card(proposal: Proposal) -> str:
    """Return the address of a card."""
    return f"/queue/{proposal.pk}/"


def press(page: Page, *keys: str) -> None:
    """Press keys as a person does, after the card has settled."""
    page.wait_for_timeout(REST)
    for key in keys:
        page.keyboard.press(key)


def heading(page: Page) -> Any:
    """Expect something of the page's heading."""
    return expect(page.get_by_role("heading", level=1))


def write(page: Page, words: str = MENDED) -> None:
    """Open the editor by its key and write."""
    press(page, "e")
    box = page.get_by_label("Statement")
    expect(box).to_be_focused()
    box.fill(words)


def log_in(page: Page) -> None:
    """Log in on the page that asks for it."""
    page.get_by_label("Name").fill("rosa")
    page.get_by_label("Password").fill(scenes.PASSWORD)
    page.get_by_role("button", name="Log in").click()


def decisions(proposal: Proposal) -> list[tuple[str, str]]:
    """List what was decided on a proposal."""
    found = Decision.objects.filter(proposal=proposal).order_by("seq")
    return list(found.values_list("kind", "reason_code"))


@pytest.fixture
def other(scene: scenes.Scene) -> User:
    """A second curator."""
    return scenes.person(scene.space, "ana-maria", "curator")


# --- drafts ---


def test_what_is_written_is_kept_by_itself_and_opens_in_another_browser(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=card(scene.cycles))
    write(page)
    expect(page.locator("#draft-state")).to_contain_text("Draft kept", timeout=KEPT_WITHIN)
    elsewhere = open_page(path=card(scene.cycles))
    expect(elsewhere.get_by_label("Statement")).to_have_value(MENDED)
    expect(elsewhere.get_by_text("This is your draft of")).to_be_visible()
    elsewhere.get_by_role("button", name="Discard draft").click()
    expect(elsewhere.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    assert not Draft.objects.exists()


def test_what_was_typed_last_comes_along_when_one_goes_on_at_once(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=card(scene.cycles))
    write(page)
    press(page, "Escape", "Escape")
    expect(page.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Go on writing")).to_be_visible()
    page.get_by_role("link", name="Go on writing").click()
    expect(page.get_by_label("Statement")).to_have_value(MENDED)


def test_saving_and_approving_leaves_no_draft_behind(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    write(page)
    page.wait_for_timeout(1_800)
    press(page, "Control+Enter")
    heading(page).to_have_text(scenes.NEW_JOB)
    page.wait_for_timeout(2_500)
    assert not Draft.objects.exists()
    assert Version.objects.current().filter(text=MENDED).exists()


def test_without_scripts_a_button_keeps_the_draft(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles) + "?edit=1", java_script_enabled=False)
    page.get_by_label("Statement").fill(MENDED)
    page.get_by_role("button", name="Keep draft").click()
    expect(page.get_by_label("Statement")).to_have_value(MENDED)
    expect(page.get_by_text("Your draft is kept.")).to_be_visible()
    page.get_by_role("button", name="Discard draft").click()
    expect(page.get_by_role("button", name="Approve", exact=True)).to_be_visible()


def test_the_session_ends_while_one_writes_and_the_words_come_back(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, "e")
    expect(page.get_by_label("Statement")).to_be_focused()
    Session.objects.all().delete()
    page.get_by_label("Statement").fill("Ana cycles")
    expect(page.get_by_text("Your session ended.")).to_be_visible(timeout=KEPT_WITHIN)
    page.get_by_label("Statement").fill(MENDED)
    page.get_by_role("link", name="Log in to go on").click()
    log_in(page)
    expect(page.get_by_label("Statement")).to_have_value(MENDED)
    expect(page.locator("#draft-state")).to_contain_text("Draft kept")
    assert Draft.objects.get().fields["text"] == MENDED
    assert page.evaluate("Object.keys(sessionStorage).filter(k => k.startsWith('unsent'))") == []


def test_the_session_ends_before_the_press_and_the_words_come_back(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=card(scene.cycles))
    write(page)
    Session.objects.all().delete()
    press(page, "Control+Enter")
    expect(page.get_by_label("Password")).to_be_visible()
    assert page.locator(".shell").count() == 0
    log_in(page)
    expect(page.get_by_label("Statement")).to_have_value(MENDED)
    assert decisions(scene.cycles) == []


def test_another_person_at_the_same_window_does_not_get_the_words(
    scene: scenes.Scene, other: User, open_page: Open
) -> None:
    page = open_page(path=card(scene.cycles))
    write(page)
    Session.objects.all().delete()
    press(page, "Control+Enter")
    page.get_by_label("Name").fill("ana-maria")
    page.get_by_label("Password").fill(scenes.PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_label("Statement")).to_have_value(scenes.CYCLES)
    page.wait_for_timeout(500)
    assert not Draft.objects.exists()


# --- lost races ---


def test_a_lost_edit_becomes_a_proposal_against_what_is_believed(
    scene: scenes.Scene, other: User, open_page: Open
) -> None:
    page = open_page(path=card(scene.cycles))
    write(page)
    factories.approve(scene.cycles, by=other)
    press(page, "Control+Enter")
    panel = page.get_by_role("alert")
    expect(panel).to_be_focused()
    expect(panel).to_contain_text("ana-maria approved this just now: as new")
    expect(panel.locator("ins")).to_contain_text("along the river")
    page.get_by_role("button", name="Propose mine as an update").click()
    heading(page).to_have_text(MENDED)
    press(page, "w", "a")
    expect(page.locator(".toast")).to_contain_text("Approved: " + MENDED)
    believed = Version.objects.current().filter(text__startswith="Ana cycles")
    assert [row.text for row in believed] == [MENDED]


def test_two_people_on_one_card_see_each_other(
    scene: scenes.Scene, other: User, open_page: Open
) -> None:
    open_page(path=card(scene.cycles))
    page = open_page("ana-maria", path="/queue/")
    row = page.locator("a.row", has_text=scenes.CYCLES)
    expect(row.locator(".held")).to_contain_text("rosa")
    row.click()
    expect(page.get_by_text("rosa has this open too")).to_be_visible()
    press(page, "a")
    expect(page.locator(".toast")).to_contain_text("Approved: " + scenes.CYCLES)


def test_leaving_a_card_ends_its_claim(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    assert Claim.objects.get().proposal_id == scene.cycles.pk
    page.goto("/statements/")
    page.wait_for_timeout(500)
    assert not Claim.objects.exists()
    page.goto(card(scene.cycles))
    press(page, "Escape")
    heading(page).to_have_text("2 waiting")
    page.wait_for_timeout(500)
    assert not Claim.objects.exists()


def test_what_changes_under_an_open_card_is_told(
    scene: scenes.Scene, other: User, open_page: Open
) -> None:
    page = open_page()
    page.clock.install()
    page.goto(card(scene.cycles))
    message = factories.make_messages(scene.space, "I still cycle every day")[0]
    factories.propose(
        message, scenes.CYCLES, joined_to=scene.cycles.pk, aside_reason="near_duplicate"
    )
    page.clock.run_for(190_000)
    news = page.locator("#news")
    expect(news).to_contain_text("The card changed: 1 more quote.")
    expect(news).to_contain_text("I still cycle every day")
    news.get_by_role("link").click()
    expect(page.get_by_text("Also said elsewhere")).to_be_visible()
    expect(page.locator("#news")).to_be_hidden()


def test_a_card_behind_the_others_is_quiet(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page()
    page.clock.install()
    page.goto(card(scene.cycles))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(
        "Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true})"
    )
    page.clock.run_for(600_000)
    assert [url for url in asked if "/beat/" in url] == []


# --- back, reload, twice ---


def test_back_after_a_decision_shows_what_happened(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, "a")
    heading(page).to_have_text(scenes.NEW_JOB)
    page.go_back()
    heading(page).to_have_text(scenes.CYCLES)
    expect(page.get_by_text("You approved this just now: as new")).to_be_visible()
    assert page.get_by_role("button", name="Approve", exact=True).count() == 0
    press(page, "a")
    page.wait_for_timeout(300)
    assert decisions(scene.cycles) == [("approve", "new")]


def test_back_without_scripts_decides_nothing_again(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles), java_script_enabled=False)
    page.get_by_role("button", name="Approve", exact=True).click()
    heading(page).to_have_text(scenes.NEW_JOB)
    page.go_back()
    expect(page.get_by_text("You approved this just now: as new")).to_be_visible()


def test_reloading_a_lost_race_is_safe(scene: scenes.Scene, other: User, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles), java_script_enabled=False)
    factories.approve(scene.cycles, by=other)
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("ana-maria approved this")
    page.reload()  # posts again
    expect(page.get_by_role("alert")).to_contain_text("ana-maria approved this")
    page.goto(page.url)  # asks for the address it was posted to
    expect(page.get_by_text("ana-maria approved this just now")).to_be_visible()
    assert decisions(scene.cycles) == [("approve", "new")]


@pytest.mark.parametrize("keys", [("r", "2"), ("d", "1")], ids=["reject", "defer"])
def test_keys_pressed_twice_decide_once(
    scene: scenes.Scene, open_page: Open, keys: tuple[str, str]
) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, *keys, *keys)
    heading(page).to_have_text(scenes.NEW_JOB)
    page.wait_for_timeout(400)
    assert len(decisions(scene.cycles)) == 1
    assert decisions(scene.update) == []


# --- the next card ---


def test_the_next_card_is_at_hand_and_opened_only_when_it_is_shown(
    scene: scenes.Scene, open_page: Open
) -> None:
    asked: list[tuple[str, str, bool]] = []

    def note(request: Any) -> None:
        asked.append((request.method, request.url, "x-ahead" in request.headers))

    page = open_page(path="/queue/")
    page.on("request", note)
    with page.expect_response(lambda answer: card(scene.update) in answer.url):
        page.goto(card(scene.cycles))
    assert Claim.objects.get().proposal_id == scene.cycles.pk
    asked.clear()
    with page.expect_response(re.compile("/beat/")):
        press(page, "a")
        heading(page).to_have_text(scenes.NEW_JOB)
    heading(page).to_be_focused()
    expect(page).to_have_url(re.compile(card(scene.update) + "$"))
    expect(page.locator(".toast")).to_contain_text("Approved: " + scenes.CYCLES)
    expect(page.locator("#queue-count")).to_have_text("1")
    cards = [url for _, url, ahead in asked if re.search(r"/queue/\d+/$", url) and not ahead]
    assert cards == []
    assert Claim.objects.get().proposal_id == scene.update.pk
    expect(page.locator(".list a.row")).to_have_count(1)
    press(page, "c", "a")
    expect(page.locator(".toast")).to_contain_text("Approved: " + scenes.NEW_JOB)
    opened, decided = Decision.objects.filter(proposal=scene.update).values_list("opened_at", "at")[
        0
    ]
    assert opened is not None and decided is not None and opened < decided


def test_rows_that_leave_the_list_shift_nothing_under_the_keys(
    scene: scenes.Scene, other: User, open_page: Open
) -> None:
    made = [factories.make_proposal(scene.space, f"Ana says thing {n}") for n in range(6)]
    page = open_page(path="/queue/?sort=newest")
    page.get_by_text("Ana says thing 5").click()
    heading(page).to_have_text("Ana says thing 5")
    page.wait_for_timeout(500)  # the next one is at hand by now
    factories.approve(made[4], by=other)  # and decided by somebody else
    factories.approve(made[3], by=other)
    press(page, "r", "3")
    heading(page).to_have_text(re.compile("Ana says thing [0-2]|Ana "))
    shown = page.get_by_role("heading", level=1).inner_text()
    press(page, "r", "3")
    expect(page.get_by_role("heading", level=1)).not_to_have_text(shown)
    rejected = Proposal.objects.filter(state="rejected").values_list("text", flat=True)
    assert set(rejected) == {"Ana says thing 5", shown}
    assert decisions(made[4]) == decisions(made[3]) == [("approve", "new")]


def test_fifty_decisions_by_keys_alone(scene: scenes.Scene, open_page: Open) -> None:
    for number in range(48):
        factories.make_proposal(scene.space, f"Ana says thing {number}")
    page = open_page(path="/queue/?sort=newest")
    press(page, "j", "Enter")
    expect(page.locator("[data-card]")).to_be_visible()
    for turn in range(50):
        expect(page).to_have_url(re.compile(r"/queue/\d+/"))
        before = page.url
        needs_choice = page.locator(".choices").count() > 0
        keys = ("r", "3") if turn % 5 == 4 else ("b", "a") if needs_choice else ("a",)
        press(page, *keys)
        expect(page).not_to_have_url(before)
    heading(page).to_have_text("0 waiting")
    expect(page.get_by_text("53 decided by you today")).to_be_visible()
    assert Proposal.objects.filter(state="rejected").count() == 10
