"""Two models predict on the same conversations, behind a real server, in one report."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests.integration.test_evaluation_runs import locomo_file as locomo_file
from tests.integration.test_openai_runs import DESCRIBED, claim
from tests.openai_server import KEY, MODEL, Asked, ModelServer, model_server, says
from tests.scripted_http import Reaction

GOOD, POOR = "good-model", "poor-model"
FACTS = {
    "I work as a nurse at Bloom Clinic.": "Mira works as a nurse at Bloom Clinic.",
    "I bought a kiln for my pottery.": "Tom bought a kiln for his pottery.",
    "I adopted a greyhound called Biscuit.": "Mira adopted a greyhound called Biscuit.",
    "My sister lives in Oslo.": "Tom's sister lives in Oslo.",
}


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    """A model that extracts what it should, and predicts as well as its name says."""
    with model_server() as running:
        settings.LLM_BASE_URL = running.base_url
        settings.LLM_API_KEY = KEY
        settings.LLM_MODEL = settings.PREDICT_MODEL = MODEL
        settings.LLM_PRICE_INPUT, settings.LLM_PRICE_OUTPUT = 0.5, 2.0
        running.plays(
            describe=says(DESCRIBED), cold_start=cold_start, predict=predict, calibrate=calibrate
        )
        yield running


def said(asked: Asked) -> list[tuple[int, str]]:
    """List what the subject said in the messages a model was shown."""
    return [(row["number"], row["text"]) for row in asked.data["messages"] if row["by_subject"]]


def claims(asked: Asked, **more: Any) -> list[dict[str, Any]]:
    """Extract every fact of the subject's words."""
    return [
        claim(FACTS[text], (place, text), about=FACTS[text].split()[0], **more)
        for place, text in said(asked)
        if text in FACTS
    ]


def cold_start(asked: Asked) -> Reaction:
    """Find every fact."""
    return says({"candidates": claims(asked)})


def predict(asked: Asked) -> Reaction:
    """Expect what is known, or nothing."""
    known = asked.data["known"] if asked.body["model"] == GOOD else []
    return says({"predictions": [{"text": row["text"], "rests_on": [row["ref"]]} for row in known]})


def calibrate(asked: Asked) -> Reaction:
    """Cover what was predicted, and find the rest."""
    expected = [row["text"] for row in asked.data["predictions"]]
    outcomes = []
    for place, told in enumerate(expected):
        quotes = [
            {"message": n, "quote": text} for n, text in said(asked) if FACTS.get(text) == told
        ]
        outcome = "confirmed" if quotes else "not_mentioned"
        outcomes.append({"prediction": place, "outcome": outcome, "quotes": quotes})
    new = [one for one in claims(asked, prediction=None) if one["text"] not in expected]
    return says({"outcomes": outcomes, "candidates": new})


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_two_prediction_models_stand_side_by_side_with_rate_precision_and_tokens(
    server: ModelServer, locomo_file: Path, tmp_path: Path
) -> None:
    out, target = StringIO(), tmp_path / "models.json"
    call_command(
        "evaluate",
        *("locomo", str(locomo_file), "--engine", "openai"),
        *("--predict-model", GOOD, "--predict-model", POOR, "--json", str(target)),
        stdout=out,
    )
    report = json.loads(target.read_text())
    good, poor = report["runs"]
    assert (report["dataset"], report["curator"]) == ("locomo", "approve-all")
    assert [run["predict_model"] for run in report["runs"]] == [GOOD, POOR]
    assert {asked.body["model"] for asked in server.of("predict")} == {GOOD, POOR}
    assert (good["covered"], poor["covered"]) == (1, 0)
    assert good["extraction_rate"] < poor["extraction_rate"]
    for run in (good, poor):
        assert run["turn_precision"] is not None
        assert run["calls"] == run["input_tokens"] // 100 > 0
        assert run["cost"] == pytest.approx(run["calls"] * 90 / 1_000_000)
    lines = out.getvalue().splitlines()
    assert [GOOD, POOR] in [line.split() for line in lines]
    (tokens,) = [line.split()[-2:] for line in lines if line.strip().startswith("tokens in")]
    assert tokens == [str(good["input_tokens"]), str(poor["input_tokens"])]

    again = StringIO()
    call_command("evaluate", "locomo", str(locomo_file), "--compare", str(target), stdout=again)
    heads = [line.split() for line in again.getvalue().splitlines()]
    assert [GOOD, POOR, "predict"] in heads


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--predict-model", "small"], "Only --engine openai predicts with a model"),
        (
            ["--engine", "openai", "--arm", "everything", "--predict-model", "small"],
            "With --arm everything nothing predicts",
        ),
        (
            ["--engine", "openai", "--predict-model", "one", "--predict-model", "one"],
            "names another model",
        ),
        (["--engine", "openai", "--predict-model", " "], "names another model"),
    ],
)
def test_models_that_would_predict_nothing_or_twice_are_refused(
    server: ModelServer, locomo_file: Path, arguments: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("evaluate", "locomo", str(locomo_file), *arguments)
    assert server.asked == []


def test_an_engine_that_is_not_set_up_is_named(locomo_file: Path) -> None:
    with pytest.raises(CommandError, match="needs an endpoint"):
        call_command("evaluate", "locomo", str(locomo_file), "--engine", "openai")
