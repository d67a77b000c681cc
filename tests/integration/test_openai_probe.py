"""Choosing the engine by the settings, and trying it with one harmless question."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from extraction import endpoints
from extraction.engines.local import LocalEngine
from extraction.engines.openai import OpenAIEngine, patience
from extraction.engines.probing import probe
from extraction.engines.registry import EngineNotSet, get_engine
from extraction.errors import BadInput
from extraction.models import ModelEndpoint
from tests.openai_server import KEY, MODEL, ModelServer, model_server, refuses, says

pytestmark = pytest.mark.django_db

SAME = says({"same": True})


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setattr(patience, "FIRST_WAIT_S", 0.01)
    with model_server() as running:
        settings.LLM_BASE_URL = running.base_url
        settings.LLM_API_KEY = KEY
        settings.LLM_MODEL = settings.PREDICT_MODEL = MODEL
        running.plays(same=SAME)
        yield running


def test_without_an_endpoint_the_built_in_engine_works() -> None:
    assert isinstance(get_engine(), LocalEngine)
    [told] = probe()
    assert (told.engine, told.works, told.address) == ("local", True, "")
    with pytest.raises(EngineNotSet, match="LLM_BASE_URL and LLM_MODEL"):
        get_engine("openai")
    with pytest.raises(BadInput, match="local, openai"):
        get_engine("magic")


def test_half_a_setting_is_told(settings: Settings) -> None:
    settings.LLM_BASE_URL = "http://127.0.0.1:9/v1"
    [told] = probe()
    assert told.engine == "local"
    assert "LLM_MODEL is not set" in told.cannot[0]


def test_with_an_endpoint_its_engine_is_chosen_and_made_once(server: ModelServer) -> None:
    engine = get_engine()
    assert isinstance(engine, OpenAIEngine)
    assert get_engine("openai") is engine
    other = get_engine("openai", predict_model="scripted-mini")
    assert isinstance(other, OpenAIEngine)
    assert (other.model, other.predict_model) == (MODEL, "scripted-mini")
    assert isinstance(get_engine("local"), LocalEngine)


def test_a_trial_sends_no_words_of_anybody_and_says_what_works(server: ModelServer) -> None:
    [told] = probe()
    assert told.works
    assert "exact shape" in told.can[1]
    assert any("no cost" in sentence for sentence in told.cannot)
    assert server.asked[0].data == {"left": "Water is wet.", "right": "Water is wet."}
    assert (told.input_tokens, told.output_tokens) == (100, 20)
    assert [row.answers for row in endpoints.remembered()] == ["held to a JSON schema"]


def test_a_trial_learns_afresh_and_asks_what_was_left_alone(server: ModelServer) -> None:
    server.always = lambda asked: refuses(400) if asked.mode != "prompt" else None
    assert "asked to in words" in probe()[0].can[1]
    server.always = lambda asked: refuses(503)
    for _ in range(5):
        assert "failed" in probe()[0].problem
    assert ModelEndpoint.objects.get().open_until is not None
    server.always = None
    assert "exact shape" in probe()[0].can[1]
    assert ModelEndpoint.objects.get().open_until is None


def test_each_model_is_tried_and_a_wrong_key_is_told_without_it(
    server: ModelServer, settings: Settings
) -> None:
    settings.PREDICT_MODEL = "scripted-mini"
    settings.LLM_API_KEY = "sk-wrong-9876"
    told = probe()
    assert [one.model for one in told] == [MODEL, "scripted-mini"]
    assert all("does not accept the key" in one.problem for one in told)
    assert "9876" not in repr(told)


def test_a_model_that_gets_it_wrong_and_a_quirky_server_are_told(server: ModelServer) -> None:
    server.plays(same=says({"same": False}, usage=None))
    server.always = lambda asked: (
        refuses(400, "temperature is not supported", param="temperature")
        if "temperature" in asked.body
        else None
    )
    [told] = probe()
    assert told.works
    said = " ".join(told.cannot)
    assert "says the same as itself" in said
    assert "vary from time to time" in said
    assert "estimates" in said
