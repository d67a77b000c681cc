"""What a model may answer, how a server is asked for it, and what a refusal of a server means."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from extraction.engines.base import EpisodeInput, EpisodeMessage, KnownStatement, Prediction
from extraction.engines.openai import answers, calibrating, prompts, structure
from extraction.engines.openai.answers import CalibrateAnswer, ColdStartAnswer, SameAnswer
from extraction.engines.openai.failures import Failed, Trouble, from_status, retry_after
from extraction.engines.openai.reading import Fault, Unusable, read
from extraction.engines.openai.transport import Reply, parse
from extraction.models import StructuredOutput

AT = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
ANSWERS: tuple[type[BaseModel], ...] = (
    answers.DescribeAnswer,
    answers.SegmentAnswer,
    answers.PredictAnswer,
    CalibrateAnswer,
    ColdStartAnswer,
    SameAnswer,
)


def candidate(**fields: Any) -> dict[str, Any]:
    plain = {
        "text": "Ana lives in Lisbon.",
        "evidence": [{"message": 0, "quote": "I live in Lisbon"}],
        "confidence": 0.9,
        "modality": "asserted",
    }
    return plain | fields


def cold(**fields: Any) -> Reply:
    return Reply(json.dumps({"candidates": [candidate(**fields)]}))


# --- prompts ---


@pytest.mark.parametrize("name", sorted(prompts._PARTS))
def test_every_prompt_says_that_what_it_is_shown_is_data(name: str) -> None:
    text = prompts.prompt(name).text
    assert "data" in text
    assert "JSON object" in text


@pytest.mark.parametrize("name", sorted(prompts._PARTS))
def test_the_example_in_a_prompt_is_an_answer_that_fits(name: str) -> None:
    model = dict(zip(("describe", "segment", "predict", "calibrate", "cold_start", "same"), ANSWERS,
                     strict=True))[name]  # fmt: skip
    example = prompts.prompt(name).text.strip().splitlines()[-1]
    model.model_validate_json(example)


def test_the_version_of_the_prompts_changes_with_any_word_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = prompts.prompt_version()
    words = prompts._read
    monkeypatch.setattr(prompts, "_read", lambda name: words(name) + (name == "repair") * "!")
    prompts.prompt_version.cache_clear()
    try:
        assert prompts.prompt_version() != before
    finally:
        monkeypatch.undo()
        prompts.prompt_version.cache_clear()
    assert prompts.prompt_version() == before
    assert before.startswith(f"{prompts.VERSION}-")


# --- schemas ---


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_schema_is_plain_enough_for_every_server(answer: type[BaseModel]) -> None:
    schema = structure.schema_of(answer)

    def objects(node: Any) -> list[dict[str, Any]]:
        inside = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        mine = [node] if isinstance(node, dict) and node.get("type") == "object" else []
        return mine + [found for value in inside for found in objects(value)]

    assert "$ref" not in json.dumps(schema)
    for found in objects(schema):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])


def test_a_field_called_like_a_word_of_schemas_stays_in_the_schema() -> None:
    assert "title" in structure.schema_of(answers.DescribeAnswer)["properties"]


def test_the_way_that_worked_comes_first_and_the_others_strictest_first() -> None:
    assert [m.value for m in structure.order("json_object")] == [
        "json_object",
        "json_schema",
        "prompt",
    ]
    assert structure.below(StructuredOutput.PROMPT) is StructuredOutput.PROMPT


# --- strictness ---


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence": 100.0},
        {"confidence": -0.1},
        {"confidence": "0.9"},
        {"confidence": True},
        {"modality": "certain"},
        {"kind": "delete"},
        {"memory_type": "gossip"},
        {"evidence": "I live in Lisbon"},
        {"evidence": [{"message": "0", "quote": "I live"}]},
        {"evidence": [{"message": 0.5, "quote": "I live"}]},
        {"text": ""},
        {"text": "x" * 2_001},
        {"text": "Ana\x1b lives."},
        {"valid_from": "last May"},
        {"valid_from": "2024-13-01"},
        {"should_merge": "false"},
    ],
)
def test_what_does_not_fit_is_refused_whole(wrong: dict[str, Any]) -> None:
    with pytest.raises(Unusable) as raised:
        read(cold(**wrong), ColdStartAnswer, may_fence=True)
    assert raised.value.fault is Fault.UNFIT


@pytest.mark.parametrize(
    "text", ['{"candidates": [{"confidence": NaN}]}', '"\\ud800"', "[" * 5_000]
)
def test_what_is_hardly_json_harms_nothing(text: str) -> None:
    with pytest.raises(Unusable):
        read(Reply(text), ColdStartAnswer, may_fence=True)


def test_a_statement_can_do_without_what_only_adorns_it() -> None:
    [found] = read(cold(), ColdStartAnswer, may_fence=False).candidates
    assert (found.kind, found.target, found.criticality) == ("new", None, "normal")


def test_a_property_is_spelled_as_a_key() -> None:
    [found] = read(cold(attribute="Home City "), ColdStartAnswer, may_fence=False).candidates
    assert found.attribute == "home_city"


def test_a_fence_is_taken_away_only_where_nothing_promised_json() -> None:
    fenced = Reply('```json\n{"same": true}\n```')
    assert read(fenced, SameAnswer, may_fence=True).same
    with pytest.raises(Unusable, match="no_json"):
        read(fenced, SameAnswer, may_fence=False)
    around = Reply('Here it is:\n```json\n{"same": true}\n```')
    with pytest.raises(Unusable):
        read(around, SameAnswer, may_fence=True)


def test_a_whole_answer_is_taken_though_the_server_says_it_was_cut() -> None:
    assert read(Reply('{"same": true}', finish_reason="length"), SameAnswer, may_fence=False).same


# --- what a server sends ---


def test_content_may_come_in_parts_and_tokens_may_be_missing() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    raw = json.dumps({"choices": [{"message": {"content": parts}}], "usage": None})
    assert parse(raw.encode()) == Reply("ab")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b'{"choices": []}',
        b'{"choices": {}}',
        b'{"choices": [7]}',
        b'{"choices": [{"message": "x"}]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_completion_is_named_so(raw: bytes) -> None:
    with pytest.raises(Failed) as raised:
        parse(raw)
    assert raised.value.trouble is Trouble.GARBLED


@pytest.mark.parametrize("count", [-1, True, "12", 1.5, 10**12])
def test_a_count_that_is_none_is_not_believed(count: object) -> None:
    body = {"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": count}}
    assert parse(json.dumps(body).encode()).input_tokens is None


@pytest.mark.parametrize(
    ("status", "error", "trouble", "parameter"),
    [
        (401, "bad key", Trouble.KEY, ""),
        (403, "no", Trouble.KEY, ""),
        (429, "slow down", Trouble.BUSY, ""),
        (500, "boom", Trouble.SERVER, ""),
        (529, "overloaded", Trouble.SERVER, ""),
        (404, "nothing here", Trouble.NO_MODEL, ""),
        (400, "The model `x` does not exist", Trouble.NO_MODEL, ""),
        (400, "'response_format.type' must be 'json_schema' or 'text'", Trouble.REJECTED, ""),
        (400, "Use 'max_completion_tokens', not 'max_tokens'", Trouble.REJECTED,
         "max_completion_tokens"),
        (422, "temperature: extra fields not permitted", Trouble.REJECTED, "temperature"),
        (400, "maximum context length is 4096 tokens", Trouble.TOO_LONG, ""),
        (413, "too large", Trouble.TOO_LONG, ""),
        (400, "blocked by content management policy", Trouble.FILTERED, ""),
        (400, f"{'x ' * 200}temperature", Trouble.REJECTED, ""),
    ],
)  # fmt: skip
def test_a_refusal_is_read_from_its_status_and_words(
    status: int, error: str, trouble: Trouble, parameter: str
) -> None:
    failed = from_status(status, body={"error": {"message": error}}, headers={})
    assert (failed.trouble, failed.parameter) == (trouble, parameter)


@pytest.mark.parametrize("body", [None, "gone", [], {"error": "no"}, {"detail": [{"loc": ["x"]}]}])
def test_a_refusal_may_have_any_body(body: object) -> None:
    assert from_status(400, body=body, headers={}).trouble is Trouble.REJECTED


@pytest.mark.parametrize("trouble", list(Trouble))
def test_each_trouble_has_a_sentence_without_the_servers_words(trouble: Trouble) -> None:
    sentence = Failed(trouble, status=418, code="teapot").sentence(
        address="http://m/v1", model="m", timeout_s=30.0
    )
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert "None" not in sentence


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Mon, 01 Jun 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 01 Jun 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "Mon, 01 Jan 99999999999 00:00:00 GMT"}, None),
        ({"retry-after": "Mon, 01 Jan 2027 00:00:00 +99999999999999999"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait_is_read_in_every_form(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers, now=AT) == seconds


# --- held to the words ---


def episode(*texts: str, others: tuple[int, ...] = ()) -> EpisodeInput:
    return EpisodeInput(
        "Ana",
        "user",
        "UTC",
        tuple(
            EpisodeMessage(
                n, "user_message", "Ana", n not in others, text, AT + timedelta(minutes=n)
            )
            for n, text in enumerate(texts)
        ),
        (KnownStatement("statement:1", "Ana has a dog."),),
    )


DOG = Prediction("Ana has a dog.", ("statement:1",))


def calibrated(
    shown: EpisodeInput, *outcomes: dict[str, Any], candidates: tuple[dict[str, Any], ...] = ()
) -> Any:
    answer = CalibrateAnswer.model_validate_json(
        json.dumps({"outcomes": outcomes, "candidates": candidates})
    )
    return calibrating.from_calibration(answer, episode=shown, predictions=(DOG,))


def confirmed(*quotes: tuple[int, str], prediction: int = 0) -> dict[str, Any]:
    return {
        "prediction": prediction,
        "outcome": "confirmed",
        "quotes": [{"message": n, "quote": quote} for n, quote in quotes],
    }


def test_a_confirmation_needs_words_of_the_subject() -> None:
    shown = episode("My dog barks.", "Ana's dog is nice.", others=(1,))
    assert calibrated(shown, confirmed()).outcomes == ("not_mentioned",)
    assert calibrated(shown, confirmed((1, "Ana's dog"))).outcomes == ("not_mentioned",)
    held = calibrated(shown, confirmed((0, "My dog barks")))
    assert held.outcomes == ("confirmed",)
    assert [(c.message, c.start, c.end) for c in held.covered] == [(0, 0, 12)]


def test_outcomes_of_predictions_nobody_made_and_second_ones_count_for_nothing() -> None:
    shown = episode("My dog barks.")
    other = confirmed((0, "My dog")) | {"outcome": "said_otherwise"}
    found = calibrated(shown, confirmed((0, "My dog"), prediction=5), other, confirmed((0, "dog")))
    assert found.outcomes == ("said_otherwise",)
    assert found.covered == ()


def test_words_a_candidate_rests_on_are_a_gap_and_not_covered() -> None:
    shown = episode("My dog Rex barks. It rains.")
    rex = candidate(
        text="Ana's dog is called Rex.",
        evidence=[{"message": 0, "quote": "My dog Rex"}],
        prediction=0,
    )
    found = calibrated(shown, confirmed((0, "My dog Rex barks")), candidates=(rex,))
    assert found.covered == ()
    kinds = [(g.start, g.end, g.kind, g.prediction) for g in found.gaps]
    assert kinds == [(0, 10, "refines", 0), (18, 27, "unpredicted", None)]


def test_a_quote_that_stands_in_several_messages_is_left_where_it_was_claimed() -> None:
    shown = episode("Yes.", "Hm.", "Yes.")
    claim = candidate(evidence=[{"message": 1, "quote": "Yes"}])
    [found] = calibrated(shown, candidates=(claim,)).candidates
    assert found.evidence[0].message == 1


def test_what_names_no_language_is_written_in_the_one_it_is_written_in() -> None:
    shown = episode("Ich wohne in Wien.")
    words = candidate(text="Ana wohnt jetzt in Wien und nicht mehr in Graz.", language="German")
    [found] = calibrated(shown, candidates=(words,)).candidates
    assert found.language == "de"


def test_what_a_reader_could_not_understand_alone_is_flagged() -> None:
    shown = episode("I moved to Porto last month. It has a nice harbour.")
    claims = (
        candidate(text="Ana moved to Porto last month."),
        candidate(text="It has a nice harbour."),
        candidate(text="Ana moved to Porto in May 2026."),
    )
    found = calibrated(shown, candidates=claims).candidates
    assert [one.notes for one in found] == [("unresolved_date",), ("unresolved_pronoun",), ()]
