"""Forgetting in a browser: one asks, another confirms, the worker does it."""

import re
import uuid
from dataclasses import dataclass
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # no types
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Page, expect

from knowledge.commands import ending, erasure
from knowledge.erasing.plan import plan_of
from knowledge.erasing.scope import ErasureScope
from knowledge.models import ErasureRequest, Message, Role, Subject, Tombstone, Version
from knowledge.results import StatementReview
from tests import scenes
from tests.factories import NOW, actor, make_proposal
from tests.functional.conftest import Open

WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}


@dataclass
class Office:
    """The scene with a privacy officer, an administrator, and a refuted belief."""

    scene: scenes.Scene
    petra: User
    otto: User

    def ask(self, kind: str, target: int, **more: Any) -> uuid.UUID:
        """Ask for an erasure as the privacy officer."""
        scope = ErasureScope(self.scene.space.pk, kind, target)
        return erasure.ask(
            scope=scope,
            reason_code="asked_by_subject",
            seen_digest=plan_of(scope).digest,
            request_id=uuid.uuid4(),
            by=actor(self.petra),
            now=timezone.now(),
            **more,
        )

    def confirm(self, key: uuid.UUID, kind: str, target: int) -> None:
        """Confirm it as the administrator."""
        digest = plan_of(ErasureScope(self.scene.space.pk, kind, target)).digest
        erasure.confirm(erasure_id=key, seen_digest=digest, by=actor(self.otto), now=timezone.now())


@pytest.fixture
def office(scene: scenes.Scene) -> Office:
    """People who look after privacy."""
    petra = scenes.person(scene.space, "petra", Role.PRIVACY)
    otto = scenes.person(scene.space, "otto", Role.ADMIN)
    taste = scene.desk.believe("Ana dislikes coriander", attribute="taste", value="coriander")
    ending.refute(
        review=StatementReview(taste.pk, uuid.uuid4(), "not_true"),
        by=actor(scene.curator),
        now=NOW,
    )
    return Office(scene, petra, otto)


def problems(page: Page) -> list[str]:
    """List what axe finds, and the page's width where it is wider than its frame."""
    found = [
        f"{problem['id']}: {problem['nodes'][0]['html'][:120]}"
        for problem in Axe().run(page).response["violations"]
    ]
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [*found, *([f"{wide} px too wide"] if wide > 0 else [])]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_one_asks_another_confirms_and_the_certificate_has_no_words(
    office: Office, open_page: Open, scripts: bool
) -> None:
    first = open_page("petra", path="/statements/", java_script_enabled=scripts)
    first.get_by_role("navigation", name="Main").get_by_role("link", name="Privacy").click()
    first.get_by_label("Words").check()
    first.get_by_label("What to look for").fill("Contoso")
    first.get_by_role("button", name="Find").click()
    first.get_by_role("link", name="What erasing these words would do").click()
    expect(first.get_by_role("heading", level=1)).to_have_text("Erase “Contoso” of Ana?")
    expect(first.locator(".said del")).to_have_text(["Contoso"])
    expect(first.get_by_text("agents receive this now")).to_be_visible()
    expect(first.locator("input[name=reason]:checked")).to_have_count(0)
    expect(first.get_by_label("Do not let it be learned again")).to_be_checked()
    first.get_by_label("It should never have been kept").check()
    first.get_by_label("Note for whoever confirms").fill("an old employer")
    first.get_by_role("button", name="Ask for this to be erased").click()
    expect(first.locator(".toast")).to_contain_text("Nothing is erased before another person")
    expect(first.get_by_role("button", name="Erase it for good")).to_have_count(0)

    second = open_page("otto", path="/privacy/", java_script_enabled=scripts)
    second.get_by_role("link", name="“Contoso” of Ana").click()
    expect(second.get_by_text("an old employer")).to_be_visible()
    second.get_by_role("button", name="Erase it for good").click()
    expect(second.get_by_role("heading", name="Being erased")).to_be_visible()
    key = ErasureRequest.objects.get().pk
    erasure.carry_out(erasure_id=key, now=timezone.now())
    if not scripts:
        second.get_by_role("link", name="Look again").click()
    certificate = second.get_by_role("heading", name="Certificate of erasure")
    expect(certificate).to_be_visible(timeout=10_000)
    expect(second.locator("main")).not_to_contain_text("Contoso")
    with second.expect_download() as download:
        second.get_by_role("link", name="Download it as JSON").click()
    assert download.value.suggested_filename == f"erasure-{key}.json"
    assert "Contoso" not in download.value.path().read_text()

    old = Version.objects.get(statement__versions__closed_by__kind="erase")
    second.goto(f"/statements/{old.statement_id}/")
    expect(second.get_by_role("heading", level=1)).to_have_text("[erased]")
    second.get_by_role("link", name="the erasure and its certificate").click()
    expect(certificate).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_what_changed_meanwhile_is_shown_before_it_is_asked_for(
    office: Office, open_page: Open, scripts: bool
) -> None:
    ana = Subject.objects.get(external_id="ana")
    page = open_page(
        "petra", path=f"/privacy/erase/?kind=subject&target={ana.pk}", java_script_enabled=scripts
    )
    make_proposal(office.scene.space, "Ana plays the cello")
    page.get_by_label("The contract ended").check()
    page.get_by_role("button", name="Ask for this to be erased").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Something changed while you read")
    if scripts:
        expect(alert).to_be_focused()
    expect(page.get_by_role("link", name="Ana plays the cello")).to_be_visible()
    expect(page.get_by_label("The contract ended")).to_be_checked()
    page.get_by_role("button", name="Ask for this to be erased").click()
    expect(page.get_by_role("button", name="Withdraw the request")).to_be_visible()


def test_much_asks_for_its_number(office: Office, open_page: Open) -> None:
    scenes.crowd(office.scene)
    office.ask("subject", Subject.objects.get(external_id="ana").pk)
    page = open_page("otto", path="/privacy/")
    page.get_by_role("link", name="Ana (user:ana)").click()
    label = page.get_by_label(re.compile("Type [0-9]+, which is how many"))
    number = re.sub(r"\D", "", page.locator("label[for=confirm-typed]").inner_text().split(",")[0])
    label.fill("1")
    page.get_by_role("button", name="Erase it for good").click()
    expect(page.get_by_role("alert")).to_contain_text("so that it is no slip")
    label.fill(number)
    page.get_by_role("button", name="Erase it for good").click()
    expect(page.get_by_role("heading", name="Being erased")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_tombstone_is_lifted_with_a_reason_and_what_it_stopped_goes_to_review(
    office: Office, open_page: Open, scripts: bool
) -> None:
    old = Version.objects.current().get(text=scenes.OLD_JOB)
    key = office.ask("statement", old.statement_id)
    office.confirm(key, "statement", old.statement_id)
    erasure.carry_out(erasure_id=key, now=timezone.now())
    again = make_proposal(office.scene.space, scenes.OLD_JOB, attribute="employer", value="Contoso")
    assert again.stopped_by is not None
    page = open_page("petra", path="/privacy/tombstones/", java_script_enabled=scripts)
    page.get_by_role("link", name=f"Lift… tombstone {again.stopped_by.pk}").click()
    expect(page.get_by_role("link", name=scenes.OLD_JOB)).to_be_visible()
    page.get_by_label("Why it may be learned again").fill("She works there again")
    page.get_by_role("button", name="Lift tombstone").click()
    expect(page.locator(".toast")).to_contain_text("Lifted.")
    expect(page.get_by_text("“She works there again”")).to_be_visible()
    page.get_by_role("link", name="Bring to review").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(scenes.OLD_JOB)
    # Both ways of writing it down; the refutation of something else stands.
    assert Tombstone.objects.filter(lifted_by__isnull=False).count() == 2


def test_the_keyboard_alone_finds_and_asks(office: Office, open_page: Open) -> None:
    old = Version.objects.current().get(text=scenes.OLD_JOB)
    page = open_page("petra", path=f"/statements/{old.statement_id}/")
    page.get_by_role("link", name="Erase…").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/privacy/erase/"))
    page.get_by_label("The person asked for it").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Note for whoever confirms")).to_be_focused()
    page.keyboard.type("by keys")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Withdraw the request")).to_be_visible()
    assert ErasureRequest.objects.get().note == "by keys"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_pages_are_accessible_and_stay_in_their_frames(
    office: Office, open_page: Open, theme: str, viewport: dict[str, int]
) -> None:
    scenes.crowd(office.scene)
    ana = Subject.objects.get(external_id="ana")
    old = Version.objects.current().get(text=scenes.OLD_JOB)
    said = Message.objects.get(text=scenes.OLD_JOB)
    waiting = office.ask("subject", ana.pk)
    key = office.ask("statement", old.statement_id)
    office.confirm(key, "statement", old.statement_id)
    found: list[str] = []

    def look(*visits: tuple[str, str]) -> None:
        for name, path in visits:
            page = open_page(name, path=path, color_scheme=theme, viewport=viewport)
            assert page.locator("h1").count() == 1
            found.extend(f"{path} as {name}: {problem}" for problem in problems(page))
            page.context.close()

    look(
        ("petra", "/privacy/?what=words&q=Ana"),
        ("petra", "/privacy/?what=words&q=x"),
        ("ilse", "/privacy/?what=subject&q=ana"),
        ("petra", "/privacy/?what=conversation&q=zzz"),
        ("petra", f"/privacy/erase/?kind=subject&target={ana.pk}"),
        ("petra", f"/privacy/erase/?kind=value&target={ana.pk}&words=Contoso"),
        ("petra", f"/privacy/erase/?kind=value&target={ana.pk}"),
        ("otto", f"/privacy/erasures/{waiting}/"),
        ("petra", f"/privacy/erasures/{waiting}/"),
        ("petra", f"/privacy/erasures/{key}/"),
        ("petra", f"/statements/{old.statement_id}/"),
    )
    erasure.carry_out(erasure_id=key, now=timezone.now())
    again = make_proposal(office.scene.space, scenes.OLD_JOB, attribute="employer", value="Contoso")
    look(
        ("petra", f"/privacy/erasures/{key}/"),
        ("ilse", "/privacy/erasures/"),
        ("petra", "/privacy/tombstones/"),
        ("petra", f"/privacy/tombstones/{again.stopped_by_id}/"),
        ("rosa", f"/queue/{old.proposal_id}/"),
        ("petra", f"/statements/{old.statement_id}/"),
        ("petra", f"/conversations/{said.conversation_id}/"),
        ("rosa", f"/queue/{office.scene.update.pk}/"),
        ("otto", "/queue/mine/"),
    )
    assert found == []
