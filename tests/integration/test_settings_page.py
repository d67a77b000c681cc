"""The page of settings: who sees it, what it says of models, trying them, and never a key."""

import logging
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from extraction import embedding
from extraction.embeddings import registry
from extraction.embeddings.openai import OpenAIEmbedder
from extraction.engines.openai import patience
from extraction.models import EndpointRole, ModelEndpoint
from knowledge.models import AuditEvent, Role
from knowledge.results import Lease
from tests import embedding_server as embeddings
from tests import openai_server as models
from tests.embedding_server import EmbeddingServer, embedding_server
from tests.factories import Desk, make_desk, make_person, make_proposal
from tests.openai_server import MODEL, ModelServer, model_server, says

pytestmark = pytest.mark.django_db

SAME = says({"same": True})
TRIALS = {"chat": "/settings/try-models/", "embedding": "/settings/try-embedder/"}


@pytest.fixture
def desk() -> Desk:
    return make_desk()


@pytest.fixture
def browser(desk: Desk) -> Client:
    """An administrator's."""
    return client(make_person(desk.space, role=Role.ADMIN, name="otto"))


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that proposes."""
    monkeypatch.setattr(patience, "FIRST_WAIT_S", 0.01)
    with model_server() as running:
        settings.LLM_BASE_URL = running.base_url
        settings.LLM_API_KEY = models.KEY
        settings.LLM_MODEL = settings.PREDICT_MODEL = MODEL
        running.plays(same=SAME)
        yield running


@pytest.fixture
def embedder(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """A model that finds."""
    monkeypatch.setattr(registry, "_made", {})
    with embedding_server() as running:
        settings.EMBEDDING_BASE_URL = running.base_url
        settings.EMBEDDING_API_KEY = embeddings.KEY
        settings.EMBEDDING_MODEL = "words-1"
        settings.EMBEDDING_TIMEOUT_S = 5.0
        yield running


def client(user: User) -> Client:
    """Log a user in."""
    found = Client()
    found.force_login(user)
    return found


def page(browser: Client) -> str:
    """Read the page."""
    return browser.get("/settings/").content.decode()


def events() -> list[AuditEvent]:
    """List what was logged of trials, in order."""
    return list(AuditEvent.objects.filter(action="settings.try").order_by("pk"))


# --- who ---


@pytest.mark.parametrize("role", [Role.CURATOR, Role.AUDITOR, Role.PRIVACY])
def test_others_than_administrators_are_refused_and_that_is_logged(
    desk: Desk, role: str, server: ModelServer
) -> None:
    other = client(make_person(desk.space, role=role, name="mara"))
    assert other.get("/settings/").status_code == 403
    assert [other.post(path).status_code for path in TRIALS.values()] == [403, 403]
    assert server.asked == []
    refused = AuditEvent.objects.filter(actor_id="mara", outcome="denied")
    assert {row.action for row in refused} == {"settings", "try_models", "try_embedder"}
    assert 'href="/settings/"' not in other.get("/queue/").content.decode()


def test_administrators_find_it_in_the_navigation(browser: Client) -> None:
    assert 'href="/settings/"' in browser.get("/queue/").content.decode()


def test_nothing_is_tried_by_an_address_alone_or_from_another_site(
    desk: Desk, server: ModelServer
) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_person(desk.space, role=Role.ADMIN))
    for path in TRIALS.values():
        assert strict.get(path).status_code == 405
        assert strict.post(path).status_code == 403
    assert server.asked == []


# --- what it says ---


def test_without_endpoints_the_built_in_ones_are_named(browser: Client) -> None:
    text = page(browser)
    assert "built in: rules that read plain sentences" in text
    assert "multilingual-e5-small" in text and "384 numbers a text" in text
    assert "LLM_BASE_URL" in text and "EMBEDDING_BASE_URL" in text
    assert "No endpoint was ever asked." in text and "Nothing to find yet." in text


def test_it_asks_no_model_and_says_what_is_set(
    browser: Client, server: ModelServer, embedder: EmbeddingServer, settings: Settings
) -> None:
    settings.PREDICT_MODEL = "scripted-mini"
    settings.LLM_RUN_TOKENS, settings.LLM_PRICE_INPUT, settings.LLM_PRICE_OUTPUT = 9_000, 0.5, 1.5
    settings.EMBEDDING_QUERY_PREFIX = "query:"
    text = page(browser)
    for words in (
        server.base_url,
        embedder.base_url,
        "scripted-mini",
        "under 0.70 a proposal is set aside",
        "9,000 tokens",
        "0.5 for a million tokens in, 1.5 out",
        "“query:” before a question",
        "nobody knows how long they are",
        "LLM_TIMEOUT_S",
        "docs/configuration.md",
    ):
        assert words in text, words
    assert text.count("a key is set") == 2
    assert (server.asked, embedder.asked) == ([], [])
    settings.LLM_API_KEY = settings.EMBEDDING_API_KEY = ""
    assert page(browser).count("no key") == 2


def test_addresses_are_shown_without_what_opens_them(browser: Client, settings: Settings) -> None:
    secret = "http://ana:hunter2@127.0.0.1:9/v1?token=hunter2"
    settings.LLM_BASE_URL = settings.EMBEDDING_BASE_URL = secret
    settings.LLM_MODEL = settings.PREDICT_MODEL = settings.EMBEDDING_MODEL = "m"
    texts = [page(browser), *(browser.post(path).content.decode() for path in TRIALS.values())]
    assert all("http://127.0.0.1:9/v1" in text for text in texts)
    assert not any("hunter2" in text for text in texts)
    payloads = [event.payload.body for event in events() if event.payload]
    assert len(payloads) == 2 and "hunter2" not in str(payloads)


def test_half_a_setting_and_a_resting_endpoint_stand_on_top(
    browser: Client, server: ModelServer, settings: Settings
) -> None:
    assert "left alone" not in page(browser).split("What proposes")[0]
    ModelEndpoint.objects.create(
        role=EndpointRole.CHAT,
        base_url=server.base_url,
        model=MODEL,
        failures=5,
        open_until=timezone.now() + timedelta(minutes=1),
        last_error="The model endpoint failed (500).",
    )
    top = page(browser).split("What proposes")[0]
    assert f"{MODEL} is left alone until" in top and "failed (500)" in top
    ModelEndpoint.objects.update(open_until=timezone.now() - timedelta(seconds=1))
    assert "left alone until" not in page(browser).split("What proposes")[0]
    settings.LLM_MODEL = ""
    assert "<code>LLM_MODEL</code> is not set" in page(browser)
    settings.EMBEDDING_BASE_URL = server.base_url
    settings.EMBEDDING_MODEL = ""
    assert "needs EMBEDDING_BASE_URL and EMBEDDING_MODEL" in page(browser)


def test_texts_that_wait_for_a_vector_are_counted(
    browser: Client, desk: Desk, embedder: EmbeddingServer
) -> None:
    make_proposal(desk.space, "Ana likes tea")
    assert "wait for a vector" not in page(browser)  # of which model, nobody knows yet
    browser.post(TRIALS["embedding"])
    top = page(browser).split("What proposes")[0]
    assert "1 of 1 texts wait for a vector of words-1@64" in top and "0 %" in top
    make_proposal(make_desk().space, "Bo likes tea")
    assert "1 of 1 texts" in page(browser)


# --- trying ---


def test_a_model_is_tried_and_told_in_words(browser: Client, server: ModelServer) -> None:
    server.always = lambda asked: (
        models.refuses(400, "no", param="temperature") if "temperature" in asked.body else None
    )
    answer = browser.post(TRIALS["chat"])
    text = answer.content.decode()
    assert answer.status_code == 200
    told = ("It works", "100 tokens in, 20 out", "exact shape", "Does not take a temperature")
    assert [words for words in told if words not in text] == []
    assert "held to a JSON schema" in text and "<code>temperature</code>" in text
    assert all("Ana" not in str(asked.body) for asked in server.asked)
    [event] = events()
    assert (event.actor_id, event.outcome, event.object_id) == ("otto", "ok", f"chat:{MODEL}")
    body = event.payload.body if event.payload else None
    assert body == {
        "role": "chat",
        "address": server.base_url,
        "model": MODEL,
        "ms": body and body["ms"],
        "problem": "",
        "input_tokens": 100,
        "output_tokens": 20,
    }


def test_both_models_are_tried_and_each_says_how_it_went(
    browser: Client, server: ModelServer, settings: Settings
) -> None:
    settings.PREDICT_MODEL = "missing"
    server.always = lambda asked: (
        models.refuses(404, "no", code="model_not_found")
        if asked.body["model"] == "missing"
        else None
    )
    text = browser.post(TRIALS["chat"]).content.decode()
    assert "It works" in text and "It does not work" in text
    assert "has no model missing" in text
    assert [(e.outcome, e.object_id) for e in events()] == [
        ("ok", f"chat:{MODEL}"),
        ("failed", "chat:missing"),
    ]


def test_an_embedder_is_tried_and_remembered(browser: Client, embedder: EmbeddingServer) -> None:
    text = browser.post(TRIALS["embedding"]).content.decode()
    assert "It works" in text and "words-1@64" in text
    assert "64 numbers a text" in text and "Tells other words for the same" in text
    assert "Does not say how many tokens it used." in text
    assert len(embedder.asked) == 1 and len(embedder.texts) == 3
    [event] = events()
    assert (event.outcome, event.object_id) == ("ok", "embedding:words-1@64")
    row = ModelEndpoint.objects.get(role=EndpointRole.EMBEDDING)
    assert (row.dimensions, row.failures, row.last_ok_at is not None) == (64, 0, True)


def test_an_embedder_that_was_left_alone_is_asked_all_the_same(
    browser: Client, embedder: EmbeddingServer
) -> None:
    embedder.fault = lambda body: embeddings.refuses(503, "busy")
    for _ in range(4):
        assert "answered 503" in browser.post(TRIALS["embedding"]).content.decode()
    assert ModelEndpoint.objects.get().failures == 4
    assert "4 failures in a row" in page(browser)
    embedder.fault = None
    assert "It works" in browser.post(TRIALS["embedding"]).content.decode()
    assert ModelEndpoint.objects.get().failures == 0


def test_the_built_in_ones_can_be_tried(browser: Client) -> None:
    engine = browser.post(TRIALS["chat"]).content.decode()
    assert "Finds plain statements in English by rules" in engine
    embedder = browser.post(TRIALS["embedding"]).content.decode()
    assert "nothing leaves it" in embedder and "384 numbers" in embedder
    assert [event.object_id.split(":")[0] for event in events()] == ["chat", "embedding"]


@pytest.mark.parametrize(
    ("address", "key", "says"),
    [
        ("http://127.0.0.1:9/v1", "k", "be reached"),
        ("127.0.0.1:9/v1", "k", "is no address"),
        ("no address", "k", "is no address"),
        ("http://[", "k", "be reached"),
        ("http://127.0.0.1:9/v1", "ключ", "_API_KEY holds"),
        ("http://127.0.0.1:9/v1", "k\nk", ""),
    ],
)
@pytest.mark.parametrize("what", ["chat", "embedding"])
def test_settings_that_cannot_work_are_told_in_a_sentence(
    browser: Client,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    address: str,
    key: str,
    says: str,
) -> None:
    monkeypatch.setattr(patience, "FIRST_WAIT_S", 0.01)
    name = "LLM" if what == "chat" else "EMBEDDING"
    for setting, value in (("BASE_URL", address), ("MODEL", "m"), ("API_KEY", key)):
        setattr(settings, f"{name}_{setting}", value)
    settings.PREDICT_MODEL = "m" if what == "chat" else ""
    assert page(browser)
    text = browser.post(TRIALS[what]).content.decode()
    assert "It does not work" in text and says in text
    assert [event.outcome for event in events()] == ["failed"]


def test_the_worker_s_look_lets_everybody_know_the_embedder(
    browser: Client, desk: Desk, embedder: EmbeddingServer
) -> None:
    held = Lease(job_id=0, fence=0)
    embedder.fault = lambda body: embeddings.refuses(404, "no")
    embedding.look_job({}, held)
    assert "1 failure in a row" in page(browser)
    embedder.fault = None
    make_proposal(desk.space, "Ana likes tea")
    embedding.look_job({}, held)
    assert "1 of 1 texts wait for a vector of words-1@64" in page(browser)
    assert "failure in a row" not in page(browser).split("What was learned")[1]
    made = registry.get_embedder()
    assert isinstance(made, OpenAIEmbedder)
    made.close()


# --- keys ---


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 500])
def test_a_key_the_server_gives_back_is_nowhere(
    browser: Client,
    server: ModelServer,
    embedder: EmbeddingServer,
    status: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.always = lambda asked: models.refuses(
        status, _echo(models.KEY), code=models.KEY, param=models.KEY
    )
    embedder.fault = lambda body: embeddings.refuses(status, _echo(embeddings.KEY))
    for path in TRIALS.values():
        text = browser.post(path).content.decode()
        assert "It does not work" in text
        assert _leaks(text) == []
    assert _leaks(page(browser)) == []
    assert _leaks(str([event.payload and event.payload.body for event in events()])) == []
    assert _leaks(str(list(ModelEndpoint.objects.values()))) == []
    assert _leaks(caplog.text) == []


def _echo(key: str) -> str:
    """Write a refusal that gives a key back, once where a sentence is cut."""
    return f"Incorrect key: Bearer {key}. {'Mind the key. ' * 9}It is {key}."


def _leaks(text: str) -> list[str]:
    """List the parts of a key, of twelve characters, that stand in a text."""
    keys = (models.KEY, embeddings.KEY)
    parts = {key[at : at + 12] for key in keys for at in range(len(key) - 11)}
    return sorted(part for part in parts if part in text)


# --- one at a time ---


@pytest.mark.django_db(transaction=True)
def test_a_person_tries_one_thing_at_a_time(
    browser: Client, desk: Desk, server: ModelServer
) -> None:
    begun, done = threading.Event(), threading.Event()
    statuses: list[int] = []

    def slow(asked: models.Asked) -> None:
        begun.set()
        done.wait(5)

    def try_first() -> None:
        statuses.append(browser.post(TRIALS["chat"]).status_code)
        connection.close()

    server.always = slow
    first = threading.Thread(target=try_first)
    first.start()
    assert begun.wait(5)
    second = Client()
    second.force_login(User.objects.get(username="otto"))
    refused = second.post(TRIALS["embedding"])
    assert refused.status_code == 409
    assert "Another trial of yours still runs" in refused.content.decode()
    other = client(make_person(desk.space, role=Role.ADMIN, name="olga"))
    assert other.post(TRIALS["embedding"]).status_code == 200
    done.set()
    first.join(10)
    assert statuses == [200]
    assert second.post(TRIALS["embedding"]).status_code == 200
