"""Running an episode again and comparing, in a browser: with and without scripts, both themes."""

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # no types
from playwright.sync_api import Page, expect

from extraction import pipeline, tasks
from extraction.embeddings.registry import get_embedder
from extraction.engines.local import LocalEngine
from extraction.pipeline import Tools
from knowledge.models import ExtractionRun, Job, Proposal
from tests import scenes
from tests.factories import ANA, approve
from tests.functional.conftest import Open

WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}
KNOWN = "I live in Lisbon."
NEWS = "I have two cats, and I play the cello in the orchestra of the town."


@pytest.fixture
def run(scene: scenes.Scene) -> ExtractionRun:
    """A run that expected what Ana said again, and found what was new."""
    first = said(scene, KNOWN, title="Where Ana lives")
    approve(Proposal.objects.get(run=first), by=scene.curator)
    return said(scene, KNOWN, NEWS, title="Music and cats")


def said(scene: scenes.Scene, *texts: str, title: str) -> ExtractionRun:
    """Let Ana say something, and extract from it."""
    messages = scenes.conversation(scene.space, *((ANA, text) for text in texts), title=title)
    tools = Tools(engine=LocalEngine(), embedder=get_embedder())
    pipeline.process_conversation(messages[0].conversation_id, tools=tools)
    return ExtractionRun.objects.latest("pk")


def work_off() -> None:
    """Let a worker do what was asked for."""
    tasks.run_job(Job.objects.get(kind="shadow_run", state="queued").pk)


def problems(page: Page) -> list[str]:
    """List what axe finds, and the page's width where it is wider than its frame."""
    found = [
        f"{problem['id']}: {problem['nodes'][0]['html'][:120]}"
        for problem in Axe().run(page).response["violations"]
    ]
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [*found, *([f"{wide} px too wide"] if wide > 0 else [])]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_curator_runs_it_again_without_prediction_and_compares(
    scene: scenes.Scene, run: ExtractionRun, open_page: Open, scripts: bool
) -> None:
    waiting = Proposal.objects.filter(state="pending").count()
    page = open_page("rosa", path=f"/runs/{run.pk}/", java_script_enabled=scripts)
    page.locator("summary", has_text="Run again with").click()
    expect(page.locator("input[type=radio]:checked")).to_have_count(0)
    page.get_by_label("local").check()
    page.get_by_label("Off").check()
    page.get_by_role("button", name="Run again").click()
    expect(page.locator(".toast")).to_contain_text("nothing it finds is proposed")
    expect(page.locator("#run-state")).to_contain_text("It waits for a worker.")
    work_off()
    if not scripts:
        page.get_by_role("link", name="look again").click()
    # With scripts the page looks again by itself.
    page.get_by_role("link", name=f"Compare with run {run.pk}").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Run {run.pk} and run")
    passed = page.get_by_role("region", name="What the gates let pass")
    expect(passed.locator("tr", has_text="lives in Lisbon")).to_contain_text("alone")
    expect(passed.locator("tr", has_text="cats").first).to_contain_text("both")
    expected = page.get_by_role("region", name="Said as expected")
    expect(expected.locator("tr", has_text=KNOWN)).to_contain_text("not expected")
    assert Proposal.objects.filter(state="pending").count() == waiting


def test_a_run_without_an_answer_is_refused_where_it_was_asked(
    scene: scenes.Scene, run: ExtractionRun, open_page: Open
) -> None:
    page = open_page("rosa", path=f"/runs/{run.pk}/")
    page.locator("summary", has_text="Run again with").click()
    page.get_by_label("local").check()
    page.locator("form.edit").evaluate("form => { form.noValidate = true; }")
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_role("alert")).to_have_text("Choose whether it predicts first.")
    expect(page.get_by_label("local")).to_be_checked()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_pages_are_accessible_and_stay_in_their_frame(
    scene: scenes.Scene,
    run: ExtractionRun,
    open_page: Open,
    theme: str,
    viewport: dict[str, int],
) -> None:
    page = open_page("rosa", path=f"/runs/{run.pk}/", color_scheme=theme, viewport=viewport)
    page.locator("summary", has_text="Run again with").click()
    assert problems(page) == []
    page.get_by_label("local").check()
    page.get_by_label("Off").check()
    page.get_by_role("button", name="Run again").click()
    expect(page.locator("#run-state")).to_be_visible()
    assert problems(page) == []
    work_off()
    shadow = ExtractionRun.objects.latest("pk")
    for path in (f"/runs/{shadow.pk}/", f"/runs/{run.pk}/beside/{shadow.pk}/", "/runs/"):
        page.goto(path)
        assert problems(page) == [], path
