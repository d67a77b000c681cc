"""A model's answers all the way: words, a run, the queue, a person's yes, what is believed."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django import Settings

from extraction import tasks
from knowledge.models import ExtractionRun, Job, Proposal, Version
from knowledge.results import SubjectRef
from tests import scenes
from tests.functional.conftest import Open
from tests.integration.test_openai_runs import DESCRIBED, claim, found
from tests.integration.test_pipeline import capture, said
from tests.openai_server import KEY, MODEL, ModelServer, model_server, refuses, says

# Nobody else's conversation comes before hers.
BEA = SubjectRef("user", "bea", "Bea")
KEEPS = claim("Bea keeps three beehives.", (0, "I keep three beehives"), about="Bea")
INVENTED = claim("Bea owns a yacht.", (0, "my yacht in Cascais"), about="Bea")
WORDS = said("I keep three beehives on the roof.", by="Bea")


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    """A model server that this installation is set up with."""
    with model_server() as running:
        settings.LLM_BASE_URL = running.base_url
        settings.LLM_API_KEY = KEY
        settings.LLM_MODEL = settings.PREDICT_MODEL = MODEL
        running.plays(describe=says(DESCRIBED))
        yield running


def work(scene: scenes.Scene) -> str:
    """Let the worker take the conversation that waits."""
    job = Job.objects.filter(space=scene.space, kind="process_conversation").latest("pk")
    Job.objects.filter(pk=job.pk).update(run_after=timezone.now() - timedelta(seconds=1))
    return tasks.run_job(job.pk)


def test_what_a_model_proposes_waits_until_a_person_says_yes(
    scene: scenes.Scene, server: ModelServer, open_page: Open
) -> None:
    server.plays(cold_start=found(KEEPS, INVENTED))
    capture(scene.space, WORDS, external_id="bees", subject=BEA)
    assert work(scene) == "done"
    proposal = Proposal.objects.get(text="Bea keeps three beehives.")
    assert not Version.objects.filter(text=proposal.text).exists()
    page = open_page(path=f"/queue/{proposal.pk}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Bea keeps three beehives.")
    expect(page.locator("main")).to_contain_text("I keep three beehives")
    page.get_by_role("button", name="Approve").click()
    page.wait_for_url(lambda url: f"/queue/{proposal.pk}/" not in url)
    assert Version.objects.get(text=proposal.text).proposal_id == proposal.pk
    run = ExtractionRun.objects.get(proposals=proposal)
    page.goto(f"/runs/{run.pk}/")
    expect(page.locator("main")).to_contain_text(MODEL)
    expect(page.locator("main")).to_contain_text("Bea owns a yacht.")
    assert not Version.objects.filter(text__contains="yacht").exists()
    assert KEY not in page.content()


def test_a_model_that_is_away_is_named_on_the_runs_page_and_nothing_is_lost(
    scene: scenes.Scene, server: ModelServer, open_page: Open, settings: Settings
) -> None:
    settings.LLM_ATTEMPTS = 1
    server.plays(describe=refuses(503))
    waiting = Proposal.objects.count()
    capture(scene.space, WORDS, external_id="bees", subject=BEA)
    assert work(scene) == "failed"
    assert Proposal.objects.count() == waiting
    page = open_page(path="/runs/")
    failed = page.get_by_role("row").filter(has_text=re.compile("failed"))
    expect(failed.first).to_contain_text("503")
    server.plays(describe=says(DESCRIBED), cold_start=found(KEEPS))
    assert work(scene) == "done"
    assert Proposal.objects.filter(text="Bea keeps three beehives.", state="pending").count() == 1
