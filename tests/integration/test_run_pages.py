"""The page of a run, running it again from there, and two runs side by side."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from extraction import shadowing, tasks
from knowledge.models import Episode, ExtractionRun, Job, Proposal, Role
from tests.factories import Desk, approve, make_desk, make_person
from tests.forgetting import make_office
from tests.integration.test_openai_runs import DESCRIBED, LIVES, claim, found
from tests.integration.test_shadow_runs import FIRST, THEN, Broken, ask, capture, process, use
from tests.openai_server import KEY, MODEL, Asked, ModelServer, model_server, says
from tests.scripted_http import Reaction

pytestmark = pytest.mark.django_db
TAGS = re.compile(r"<[^>]+>")
LEARNT = "I live in Lisbon, and I started to learn Dutch."


@pytest.fixture
def desk() -> Desk:
    return make_desk()


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    """A model server this installation is set up with."""
    with model_server() as running:
        settings.LLM_BASE_URL = running.base_url
        settings.LLM_API_KEY = KEY
        settings.LLM_MODEL = settings.PREDICT_MODEL = MODEL
        settings.LLM_PRICE_INPUT, settings.LLM_PRICE_OUTPUT = 0.5, 2.0
        running.plays(describe=says(DESCRIBED))
        yield running


def client(user: User) -> Client:
    """Log a user in."""
    logged_in = Client()
    logged_in.force_login(user)
    return logged_in


def text(browser: Client, path: str) -> str:
    """Read a page as words alone."""
    answer = browser.get(path)
    assert answer.status_code == 200, path
    return " ".join(unescape(TAGS.sub(" ", answer.content.decode())).split())


def again(browser: Client, run: ExtractionRun, **given: str) -> ExtractionRun:
    """Run it again from its page, work it off, and give the new run."""
    answer = browser.post(f"/runs/{run.pk}/again/", {"engine": "local", "prediction": "on"} | given)
    assert answer.status_code == 303
    asked = ExtractionRun.objects.latest("pk")
    assert answer.headers["Location"] == f"/runs/{asked.pk}/"
    work_off(asked)
    asked.refresh_from_db()
    return asked


def work_off(asked: ExtractionRun) -> None:
    """Let a worker do what was asked."""
    tasks.run_job(Job.objects.get(kind="shadow_run", key=str(asked.pk)).pk)


def test_a_queued_run_says_so_then_what_it_would_have_proposed(desk: Desk) -> None:
    run, browser = process(capture(desk, THEN)), client(desk.curator)
    assert "Run again with…" in text(browser, f"/runs/{run.pk}/")
    browser.post(f"/runs/{run.pk}/again/", {"engine": "local", "prediction": "off"})
    asked = ExtractionRun.objects.latest("pk")
    page = text(browser, f"/runs/{asked.pk}/")
    assert "It waits for a worker." in page
    assert f"asked for by {desk.curator.username}" in page
    assert "for comparison with run" in page
    work_off(asked)
    page = text(browser, f"/runs/{asked.pk}/")
    assert "What it would have proposed 2" in page
    assert "prediction off" in page
    assert "Nothing: prediction was off." in page
    assert "would wait" in page
    assert "no model was called" in page
    beside = text(browser, f"/runs/{run.pk}/").partition("Beside other engines")[2]
    assert f"Run {asked.pk} local" in beside
    assert "prediction off · asked for by" in beside
    assert "done 2 candidates Compare" in beside


def test_the_state_alone_is_fetched_until_the_run_is_done(desk: Desk) -> None:
    run, browser = process(capture(desk, THEN)), client(desk.curator)
    asked = ExtractionRun.objects.get(pk=ask(run, by=desk.curator))
    asks = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "run-state"}
    waiting = browser.get(f"/runs/{asked.pk}/", **asks)  # type: ignore[arg-type]  # headers
    assert "It waits for a worker." in waiting.content.decode()
    assert "<main" not in waiting.content.decode()
    assert "HX-Refresh" not in waiting.headers
    work_off(asked)
    done = browser.get(f"/runs/{asked.pk}/", **asks)  # type: ignore[arg-type]  # headers
    assert done.headers["HX-Refresh"] == "true"


def test_two_runs_are_told_apart_by_what_each_found_alone(desk: Desk) -> None:
    approve(Proposal.objects.get(run=process(capture(desk, FIRST))), by=desk.curator)
    run = process(capture(desk, FIRST, "I have two cats.", external_id="c2", days=3))
    browser = client(desk.curator)
    everything = again(browser, run, prediction="off")
    page = text(browser, f"/runs/{run.pk}/beside/{everything.pk}/")
    left, right = f"by run {run.pk} alone", f"by run {everything.pk} alone"
    assert f"What the gates let pass 1 by both · 0 {left} · 1 {right}" in page
    assert "Extraction rate 50 % 1 of 2 messages of the subject 100 % 2 of 2" in page
    assert "Ana works at Contoso. as expected not predicted" in page
    assert "They did not start from the same" in page


def test_the_page_of_a_failed_run_says_why_and_what_it_cost(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, browser = process(capture(desk, THEN)), client(desk.curator)
    use(monkeypatch, Broken())
    failed = again(browser, run)
    page = text(browser, f"/runs/{failed.pk}/")
    assert f"It failed. {Broken.error}" in page
    assert "Tokens 120 100 in, 20 out" in page
    compared = text(browser, f"/runs/{run.pk}/beside/{failed.pk}/")
    assert f"Run {failed.pk} is failed: {Broken.error}" in compared


def test_another_prediction_model_is_asked_by_its_name_and_compared(
    desk: Desk, server: ModelServer
) -> None:
    server.plays(cold_start=found(LIVES))
    approve(Proposal.objects.get(run=_processed(desk, "I live in Lisbon", "c1")), by=desk.curator)

    def predicted(asked: Asked) -> Reaction:
        known = asked.data["known"][0]["ref"]
        told = (
            "Ana lives in Lisbon." if asked.body["model"] == MODEL else "Ana is at home in Lisbon."
        )
        return says({"predictions": [{"text": told, "rests_on": [known]}]})

    dutch = claim("Ana is learning Dutch.", (0, "I started to learn Dutch"), prediction=None)
    outcome = {"prediction": 0, "outcome": "confirmed", "quotes": [_quote("I live in Lisbon")]}
    server.plays(predict=predicted, calibrate=says({"outcomes": [outcome], "candidates": [dutch]}))
    run, browser = _processed(desk, LEARNT, "c2"), client(desk.curator)
    before = Proposal.objects.count(), Episode.objects.get(pk=run.episode_id).title
    other = again(browser, run, engine="openai", predict_model="small-2")
    assert [asked.body["model"] for asked in server.of("predict")] == [MODEL, "small-2"]
    assert other.state == "done", other.error
    assert (Proposal.objects.count(), Episode.objects.get(pk=run.episode_id).title) == before
    page = text(browser, f"/runs/{run.pk}/beside/{other.pk}/")
    assert "Ana lives in Lisbon. as expected not predicted" in page
    assert "Ana is at home in Lisbon. not predicted as expected" in page
    assert "small-2" in page
    assert "Tokens 360 300 in, 60 out 240 200 in, 40 out" in page
    assert "Cost 0.0003" in page
    assert "let pass 1 by both" in page


def _quote(words: str) -> dict[str, object]:
    return {"message": 0, "quote": words}


def _processed(desk: Desk, words: str, external_id: str) -> ExtractionRun:
    """Process a message with the model, and give the run."""
    days = 3 if external_id == "c2" else 0
    conversation = capture(desk, words, external_id=external_id, days=days)
    job = Job.objects.get(kind="process_conversation", key=str(conversation))
    Job.objects.filter(pk=job.pk).update(run_after=timezone.now())
    assert tasks.run_job(job.pk) == "done"
    return ExtractionRun.objects.latest("pk")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "Choose an engine."),
        ({"engine": "local"}, "Choose whether it predicts first."),
        ({"engine": "local", "prediction": "perhaps"}, "Choose whether it predicts first."),
        ({"engine": "openai", "prediction": "on"}, "needs an endpoint"),
        ({"engine": "nosuch", "prediction": "on"}, "There is no engine called nosuch."),
        ({"engine": "local", "prediction": "on", "predict_model": "x"}, "Only an engine with"),
        ({"engine": "local", "prediction": "off", "predict_model": "x" * 101}, "100 characters"),
    ],
)
def test_a_form_that_cannot_be_followed_says_what_is_wrong(
    desk: Desk, given: dict[str, str], told: str
) -> None:
    run = process(capture(desk, THEN))
    answer = client(desk.curator).post(f"/runs/{run.pk}/again/", given)
    assert answer.status_code == 422
    assert told in unescape(answer.content.decode())
    assert not ExtractionRun.objects.filter(shadow=True).exists()


def test_an_auditor_reads_and_is_offered_nothing_to_run(desk: Desk) -> None:
    run = process(capture(desk, THEN))
    auditor = client(make_person(desk.space, role=Role.AUDITOR))
    assert "Run again with" not in text(auditor, f"/runs/{run.pk}/")
    refused = auditor.post(f"/runs/{run.pk}/again/", {"engine": "local", "prediction": "on"})
    assert refused.status_code == 403
    assert "Only a curator or an administrator" in refused.content.decode()


def test_runs_of_other_spaces_and_other_words_are_not_compared(desk: Desk) -> None:
    run = process(capture(desk, THEN))
    other = process(capture(desk, FIRST, external_id="c2"))
    browser, stranger = client(desk.curator), client(make_desk().curator)
    assert browser.get(f"/runs/{run.pk}/beside/{other.pk}/").status_code == 404
    for path in (f"/runs/{run.pk}/", f"/runs/{run.pk}/beside/{run.pk}/"):
        assert stranger.get(path).status_code == 404
    assert stranger.post(f"/runs/{run.pk}/again/", {"engine": "local"}).status_code == 404


def test_what_was_erased_is_not_run_again_and_its_runs_show_no_word(desk: Desk) -> None:
    run, browser = process(capture(desk, "I live in Zyxwombat.")), client(desk.curator)
    shadow = again(browser, run)
    make_office(desk.space).erase("subject", run.subject_id)
    pages = f"/runs/{run.pk}/", f"/runs/{shadow.pk}/", f"/runs/{run.pk}/beside/{shadow.pk}/"
    for path in (*pages, "/runs/"):
        assert "Zyxwombat" not in text(browser, path)
    refused = browser.post(f"/runs/{run.pk}/again/", {"engine": "local", "prediction": "on"})
    assert refused.status_code == 409
    assert "This subject was erased" in refused.content.decode()


def test_the_list_names_runs_for_comparison_as_such(desk: Desk) -> None:
    run, browser = process(capture(desk, THEN)), client(desk.curator)
    again(browser, run)
    assert f"(for comparison with run {run.pk})" in text(browser, "/runs/")
    assert text(browser, f"/conversations/{run.episode.conversation_id}/").count("run ") == 1


def test_the_choices_are_the_engines_this_installation_has(desk: Desk, server: ModelServer) -> None:
    assert [(one.name, one.model) for one in shadowing.choices()] == [
        ("openai", MODEL),
        ("local", ""),
    ]
