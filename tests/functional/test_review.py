"""Deciding on a card: by mouse, by keys, without scripts, twice, too late."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from knowledge.models import Decision, Proposal, Version
from knowledge.trust import WhatHappened
from tests import factories, scenes
from tests.functional.conftest import Open

REST = 350  # milliseconds after a card changed in which keys rest


def card(proposal: Proposal) -> str:
    """Return the address of a card."""
    return f"/queue/{proposal.pk}/"


def press(page: Page, *keys: str) -> None:
    """Press keys as a person does, after the card has settled."""
    page.wait_for_timeout(REST)
    for key in keys:
        page.keyboard.press(key)


def state(proposal: Proposal) -> str:
    """Read a proposal's state."""
    proposal.refresh_from_db()
    return proposal.state


def decisions(proposal: Proposal) -> list[tuple[str, str]]:
    """List what was decided on a proposal."""
    found = Decision.objects.filter(proposal=proposal).order_by("seq")
    return list(found.values_list("kind", "reason_code"))


def test_a_change_is_approved_by_mouse_and_the_next_card_follows(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=card(scene.update))
    page.get_by_label(re.compile("Changed from")).check()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.CYCLES)
    expect(page).to_have_url(re.compile(rf"/queue/{scene.cycles.pk}/"))
    assert state(scene.update) == "approved"
    new = Version.objects.current().get(text=scenes.NEW_JOB)
    assert new.valid.lower == scene.update.valid_from
    old = Version.objects.current().get(text=scenes.OLD_JOB)
    assert old.valid.upper == scene.update.valid_from


def test_a_change_is_approved_by_keys(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.update))
    press(page, "w", "a")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text(scenes.CYCLES)
    expect(heading).to_be_focused()
    assert decisions(scene.update) == [("approve", "never_so")]


def test_approve_without_a_choice_moves_the_focus_to_the_choices(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=card(scene.update))
    press(page, "a")
    expect(page.get_by_label(re.compile("Changed from"))).to_be_focused()
    page.wait_for_timeout(300)
    assert state(scene.update) == "pending"


@pytest.mark.parametrize(
    ("key", "happened"), [("c", "changed"), ("b", "both_true"), ("u", "cannot_tell")]
)
def test_each_choice_has_its_key(
    scene: scenes.Scene, open_page: Open, key: str, happened: str
) -> None:
    page = open_page(path=card(scene.update))
    press(page, key, "a")
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.CYCLES)
    assert decisions(scene.update) == [("approve", happened)]


def test_another_day_is_written_out_and_holds_from_its_beginning(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=card(scene.update))
    page.get_by_text("another day").click()
    page.get_by_label("It changed on").fill("2026-03-04")
    expect(page.locator("#changed-day")).to_have_text("Wed 4 Mar 2026")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.CYCLES)
    new = Version.objects.current().get(text=scenes.NEW_JOB)
    assert new.valid.lower.isoformat() == "2026-03-04T00:00:00+00:00"


def test_nothing_is_chosen_beforehand(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.update))
    assert page.locator("input[type=radio]").count() == 4
    assert page.locator("input[type=radio]:checked").count() == 0


def test_rejecting_takes_two_keys(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, "r", "3")
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.NEW_JOB)
    assert decisions(scene.cycles) == [("reject", "not_durable")]


def test_only_the_last_reason_asks_for_words(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, "r", "6")
    words = page.get_by_label("Other reason, in words")
    expect(words).to_be_focused()
    page.keyboard.type("a joke among friends, area 3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.NEW_JOB)
    assert decisions(scene.cycles) == [("reject", "other")]
    assert Decision.objects.get(proposal=scene.cycles).note == "a joke among friends, area 3"


def test_deferring_takes_two_keys(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, "d", "4")
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.NEW_JOB)
    assert state(scene.cycles) == "deferred"
    assert scene.cycles.deferred_until is None


def test_undo_brings_the_card_back(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.update))
    press(page, "c", "a")
    expect(page.locator(".toast")).to_contain_text("Approved: " + scenes.NEW_JOB)
    press(page, "z")
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.NEW_JOB)
    assert state(scene.update) == "pending"
    assert not Version.objects.current().filter(text=scenes.NEW_JOB).exists()


def test_words_are_mended_and_approved_by_keys(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, "e")
    box = page.get_by_label("Statement")
    expect(box).to_be_focused()
    box.fill("Ana cycles to work")
    expect(page.locator("#difference del")).to_have_count(1)
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.NEW_JOB)
    scene.cycles.refresh_from_db()
    assert scene.cycles.text == "Ana cycles to work"
    assert scene.cycles.original["text"] == scenes.CYCLES
    assert Version.objects.current().filter(text="Ana cycles to work").count() == 1


def test_keys_are_letters_while_one_writes(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, "e")
    expect(page.get_by_label("Statement")).to_be_focused()
    page.wait_for_timeout(REST)
    page.keyboard.type("rad1 3")
    page.get_by_label("Valid from").focus()
    page.keyboard.type("3")
    page.wait_for_timeout(300)
    assert state(scene.cycles) == "pending"


def test_habit_keys_decide_nothing(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, "Enter", "Space", "Backspace", "Delete")
    page.wait_for_timeout(300)
    assert decisions(scene.cycles) == []


def test_a_held_or_modified_key_decides_nothing(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    press(page, "Control+KeyA", "Alt+KeyA")
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', repeat: true}))")
    page.evaluate(
        "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', isComposing: true}))"
    )
    page.wait_for_timeout(300)
    assert decisions(scene.cycles) == []


PRESS_AT_ONCE = """document.addEventListener("htmx:afterSettle", () => document.body.dispatchEvent(
    new KeyboardEvent("keydown", {key: "a", bubbles: true})), {once: true})"""


def test_keys_rest_just_after_a_card_came(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.update))
    page.evaluate(PRESS_AT_ONCE)
    press(page, "c", "a")
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.CYCLES)
    page.wait_for_timeout(600)
    assert decisions(scene.cycles) == []


def test_keys_can_be_switched_off(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path="/shortcuts/")
    page.get_by_role("button", name="Switch them off").click()
    page.goto(card(scene.cycles))
    press(page, "a")
    page.wait_for_timeout(300)
    assert decisions(scene.cycles) == []


def test_a_double_click_decides_once(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles))
    page.get_by_role("button", name="Approve", exact=True).dblclick()
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.NEW_JOB)
    page.wait_for_timeout(300)
    assert decisions(scene.cycles) == [("approve", "new")]
    assert decisions(scene.update) == []


def test_without_scripts_one_approves_rejects_and_undoes(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=card(scene.update), java_script_enabled=False)
    page.get_by_label(re.compile("Changed from")).check()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.CYCLES)
    page.locator("summary", has_text="Reject").click()
    page.get_by_role("button", name="Misread").click()
    assert state(scene.cycles) == "rejected"
    expect(page.get_by_role("heading", level=1)).to_have_text("0 waiting")
    page.get_by_role("link", name="My decisions").click()
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.CYCLES)
    assert (state(scene.update), state(scene.cycles)) == ("approved", "pending")


def test_without_scripts_words_are_mended(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.cycles), java_script_enabled=False)
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Statement").fill("Ana cycles to work")
    page.get_by_role("button", name="Save and approve").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.NEW_JOB)
    assert Version.objects.current().filter(text="Ana cycles to work").exists()


def test_a_lost_race_says_who_was_faster(scene: scenes.Scene, open_page: Open) -> None:
    other = scenes.person(scene.space, "ana-maria", "curator")
    page = open_page(path=card(scene.update))
    factories.approve(
        scene.update,
        by=other,
        happened=WhatHappened.NEVER_SO,
        target=Version.objects.current().get(text=scenes.OLD_JOB),
    )
    press(page, "c", "a")
    panel = page.get_by_role("alert")
    expect(panel).to_be_focused()
    expect(panel).to_contain_text("ana-maria approved this just now: the old was never so")
    expect(panel).to_contain_text("Yours came later and did not count.")
    expect(page).to_have_url(re.compile(rf"/queue/{scene.update.pk}/$"))
    assert decisions(scene.update) == [("approve", "never_so")]


def test_a_target_that_moved_is_asked_about_again(scene: scenes.Scene, open_page: Open) -> None:
    rival = factories.make_proposal(
        scene.space, "Ana works at Fabrikam", attribute="employer", value="Fabrikam"
    )
    page = open_page(path=card(scene.update))
    factories.approve(
        rival,
        by=scene.curator,
        happened=WhatHappened.NEVER_SO,
        target=Version.objects.current().get(text=scenes.OLD_JOB),
    )
    press(page, "c", "a")
    expect(page.get_by_role("alert")).to_contain_text("What this would change has changed itself")
    expect(page.locator(".change del")).to_contain_text(["Fabrikam"])
    assert state(scene.update) == "pending"


def test_a_single_valued_place_that_is_taken_asks_what_happened(
    scene: scenes.Scene, open_page: Open
) -> None:
    rival = factories.make_proposal(
        scene.space, "Ana works at Fabrikam", attribute="employer", value="Fabrikam"
    )
    page = open_page(path=card(rival))
    expect(page.get_by_text("it holds the place this one would take")).to_be_visible()
    press(page, "c", "a")
    expect(page.locator(".toast")).to_contain_text("Approved")
    assert decisions(rival) == [("approve", "changed")]


def test_an_auditor_reads_and_cannot_decide(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page("ilse", path=card(scene.update))
    expect(page.get_by_text("You read here; curators decide.")).to_be_visible()
    assert page.get_by_role("button", name="Approve").count() == 0
    press(page, "a")
    assert decisions(scene.update) == []


def test_what_was_set_aside_says_why_and_can_be_proposed(
    scene: scenes.Scene, open_page: Open
) -> None:
    aside = scenes.crowd(scene)["aside"]
    page = open_page(path="/queue/?tab=aside")
    page.get_by_text(aside.text).click()
    expect(page.get_by_text("Set aside by the gates.")).to_be_visible()
    page.get_by_role("button", name="Propose anyway").click()
    expect(page.locator(".toast")).to_contain_text("Proposed again")
    assert state(aside) == "pending"


def test_same_as_a_belief_confirms_it(scene: scenes.Scene, open_page: Open) -> None:
    again = factories.make_proposal(scene.space, "Ana works from the Lisbon office today")
    page = open_page(path=card(again))
    press(page, "m", "1")
    expect(page.locator(".toast")).to_contain_text("Approved")
    assert decisions(again) == [("approve", "confirmation")]


def test_the_session_ends_without_a_login_form_inside_the_page(
    scene: scenes.Scene, open_page: Open
) -> None:
    page = open_page(path=card(scene.update))
    page.context.clear_cookies()
    press(page, "j")
    expect(page.get_by_label("Password")).to_be_visible()
    assert page.locator(".shell").count() == 0


def test_gaps_are_walked_by_brackets(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.update))
    press(page, "]", "]")
    expect(page.locator("#gap-2")).to_be_focused()
    press(page, "[")
    expect(page.locator("#gap-1")).to_be_focused()


def test_emoji_before_a_span_do_not_shift_it(scene: scenes.Scene, open_page: Open) -> None:
    words = "👩‍👩‍👧🚲 I drink tea"
    message = factories.make_messages(scene.space, words)[0]
    proposal = factories.propose(
        message,
        "Ana drinks tea",
        evidence=(scenes.quote(message, "I drink tea"),),
        gaps=(),
    )
    page = open_page(path=card(proposal))
    expect(page.locator("mark.quote")).to_have_text("I drink tea1")
    expect(page.locator("mark:not(.quote)")).to_have_text("👩‍👩‍👧🚲 ")


def test_markup_in_words_is_words(scene: scenes.Scene, open_page: Open) -> None:
    nasty = '<img src=x onerror="document.title=1"> <b hx-get="/queue/">now</b>'
    proposal = factories.make_proposal(scene.space, nasty)
    page = open_page(path=card(proposal))
    expect(page.get_by_role("heading", level=1)).to_have_text(nasty)
    assert page.locator("main img, main b[hx-get]").count() == 0


def test_nothing_breaks_the_content_policy(scene: scenes.Scene, open_page: Open) -> None:
    said: list[str] = []

    def listen(message: Any) -> None:
        said.append(message.text)

    page = open_page(path="/queue/")
    page.on("console", listen)
    page.goto(card(scene.update))
    press(page, "c", "a")
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.CYCLES)
    assert said == []


def test_expected_words_can_be_proposed_by_hand(scene: scenes.Scene, open_page: Open) -> None:
    page = open_page(path=card(scene.update))
    page.get_by_text("1 passage said as expected, so not extracted").click()
    page.get_by_role("link", name="Propose anyway").click()
    expect(page.locator("mark")).to_contain_text("still out of the Lisbon office")
    page.get_by_label(re.compile("Statement")).fill("Ana still works from the Lisbon office")
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Ana still works from the Lisbon office"
    )
    made = Proposal.objects.get(text="Ana still works from the Lisbon office")
    assert (made.state, made.run_id) == ("pending", None)
    assert made.evidence.get().quote == "still out of the Lisbon office"


def test_a_secret_is_masked_in_the_list_and_asks_for_a_reason(
    scene: scenes.Scene, open_page: Open
) -> None:
    secret = factories.make_proposal(
        scene.space, "Ana’s key is sk-test-0key0123456789", flags=("secret",)
    )
    page = open_page(path=card(secret))
    expect(page.locator(".list .row[aria-current]")).to_contain_text("Ana’s key is sk••••••")
    press(page, "a")
    reason = page.get_by_label(re.compile("Approving needs your reason"))
    expect(reason).to_be_focused()
    page.keyboard.type("needed by the deploy agent")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".toast")).to_contain_text("sk••••••")
    assert Decision.objects.get(proposal=secret).note == "needed by the deploy agent"


def test_what_would_change_something_that_waits_says_so(
    scene: scenes.Scene, open_page: Open
) -> None:
    first = factories.make_proposal(scene.space, "Atlas uses npm")
    second = factories.make_proposal(
        scene.space, "Atlas uses pnpm", kind="update", waits_on=first.pk
    )
    page = open_page(path=card(second))
    expect(page.get_by_role("heading", name="What it would change still waits")).to_be_visible()
    page.get_by_role("link", name="Decide that one first").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Atlas uses npm")
    press(page, "a")
    expect(page.locator(".toast")).to_contain_text("Approved: Atlas uses npm")
    page.goto(card(second))
    press(page, "c", "a")
    expect(page.locator(".toast")).to_contain_text("Approved: Atlas uses pnpm")
    assert decisions(second) == [("approve", "changed")]


def test_the_page_does_not_scroll_away_from_its_heading(
    scene: scenes.Scene, open_page: Open
) -> None:
    for number in range(12):
        factories.make_proposal(scene.space, f"Ana says thing {number}", flags=("url",))
    page = open_page(path=card(scene.cycles))
    expect(page.locator(".list .row[aria-current]")).to_be_in_viewport(ratio=1)
    assert page.evaluate("window.scrollY") == 0
