"""An embedder behind HTTP: what it asks, what it believes, and how it fails."""

import base64
import logging
import math
import os
import struct
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from extraction.embeddings.calibration import measured_thresholds
from extraction.embeddings.local import LocalEmbedder
from extraction.embeddings.openai import Endpoint, OpenAIEmbedder, wire
from extraction.errors import (
    DimensionsRefused,
    EmbeddingError,
    EmbeddingUnavailable,
    TextRefused,
)
from tests.embedding_server import (
    KEY,
    EmbeddingServer,
    Fault,
    embedding_server,
    refuses,
    vector_of,
)
from tests.scripted_http import Reaction

TEXTS = ("Ines lives in Porto.", "Tomas plays the cello.", "The team releases on Tuesdays.")


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between attempts, which take no time here."""
    waited: list[float] = []
    monkeypatch.setattr(wire, "_sleep", waited.append)
    return waited


def embedder(server: EmbeddingServer, **changes: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder(server.endpoint(**changes))


def unit(text: str, dimensions: int = 64) -> list[float]:
    vector = vector_of(text, dimensions=dimensions)
    return [value / math.hypot(*vector) for value in vector]


def first(times: int, reaction: Reaction) -> Fault:
    """React so the first few times, then in good order."""
    left = [reaction] * times
    return lambda body: left.pop() if left else None


def always(reaction: Reaction) -> Fault:
    """React so to everything."""
    return lambda body: reaction


def failure_of(model: OpenAIEmbedder, text: str) -> str:
    """Ask in vain; what is said then."""
    with pytest.raises(EmbeddingError) as caught:
        model.embed_query(text)
    return str(caught.value)


def data(*vectors: object, indices: list[int | None] | None = None) -> Reaction:
    """Answer with these vectors."""
    places = indices or list(range(len(vectors)))
    return Reaction(
        {"data": [{"index": i, "embedding": v} for i, v in zip(places, vectors, strict=True)]}
    )


# --- what is asked ---


def test_passages_get_their_vectors_in_order_in_batches(server: EmbeddingServer) -> None:
    vectors = embedder(server, batch=2).embed_passages(TEXTS)
    assert vectors == [pytest.approx(unit(text)) for text in TEXTS]
    assert [len(body["input"]) for body in server.asked] == [2, 1]


def test_floats_are_asked_for_and_dimensions_only_where_they_are_set(
    server: EmbeddingServer,
) -> None:
    embedder(server).embed_query("x")
    assert server.asked[0]["encoding_format"] == "float"
    assert "dimensions" not in server.asked[0]
    assert len(embedder(server, dimensions=16).embed_query("x")) == 16
    assert server.asked[1]["dimensions"] == 16


def test_prefixes_stand_before_questions_and_passages_with_the_space_they_lost(
    server: EmbeddingServer,
) -> None:
    model = embedder(server, query_prefix="query:", passage_prefix="passage: ")
    model.embed_query("Where?")
    model.embed_passages(["There."])
    assert server.texts == ["query: Where?", "passage: There."]


def test_a_long_text_is_cut_and_an_empty_one_is_embedded_all_the_same(
    server: EmbeddingServer,
) -> None:
    embedder(server, longest=10).embed_passages(["a" * 50, "", "\x00\ud800 b"])
    assert server.texts == ["a" * 10, ".", " ? b"]


def test_the_same_question_is_asked_once(server: EmbeddingServer) -> None:
    model = embedder(server)
    assert model.embed_query("Where?") == model.embed_query("Where?")
    assert len(server.asked) == 1


def test_nothing_is_asked_before_it_is_needed_and_no_texts_ask_nothing(
    server: EmbeddingServer,
) -> None:
    assert embedder(server).embed_passages([]) == []
    assert server.asked == []


# --- who made a vector ---


def test_a_model_is_named_with_its_dimensions_wherever_it_runs(server: EmbeddingServer) -> None:
    model = embedder(server)
    assert model.model_id == "words-1@64"
    assert embedder(server, dimensions=16).model_id == "words-1@16"
    with embedding_server() as other:
        assert embedder(other).model_id == model.model_id


def test_a_passage_prefix_or_another_revision_makes_another_model_a_query_prefix_does_not() -> None:
    def named(**changes: Any) -> str:
        return Endpoint(base_url="http://h/v1", model="m", **changes).model_id(dimensions=8)

    assert named(query_prefix="query: ") == named() == "m@8"
    assert len({named(), named(passage_prefix="a: "), named(passage_prefix="b: ")}) == 3
    assert named(revision="2") == "m@8#2"


def test_names_too_long_for_their_column_stay_different() -> None:
    ids = {
        Endpoint(base_url="http://h", model="m" * 300 + end).model_id(dimensions=8)
        for end in ("a", "b")
    }
    assert len(ids) == 2 and all(len(one) <= 200 for one in ids)


def test_a_model_that_changed_under_its_name_is_refused_once_and_then_learned_anew(
    server: EmbeddingServer,
) -> None:
    model = embedder(server)
    assert model.model_id == "words-1@64"
    model.embed_query("Where?")
    server.dimensions = 32
    with pytest.raises(EmbeddingError, match="was changed on its server"):
        model.embed_passages(TEXTS)
    assert model.model_id == "words-1@32"
    assert len(model.embed_query("Where?")) == 32


# --- dimensions ---


def test_a_server_that_takes_no_dimensions_parameter_is_asked_without_it(
    server: EmbeddingServer,
) -> None:
    def fault(body: dict[str, Any]) -> Reaction | None:
        return refuses(400, "unknown field `dimensions`") if "dimensions" in body else None

    server.fault = fault
    model = embedder(server, dimensions=64)
    assert len(model.embed_query("x")) == 64
    model.embed_passages(TEXTS)
    assert ["dimensions" in body for body in server.asked] == [True, False, False]


def test_dimensions_that_the_model_cannot_give_are_refused_with_both_numbers(
    server: EmbeddingServer,
) -> None:
    server.fault = lambda body: data(vector_of("x", dimensions=64))
    with pytest.raises(DimensionsRefused, match="gives 64 numbers a text, not the 256"):
        embedder(server, dimensions=256).embed_query("x")


def test_a_vector_too_long_for_the_database_is_refused_with_the_reason(
    server: EmbeddingServer,
) -> None:
    server.dimensions = 16_001
    with pytest.raises(DimensionsRefused, match="16,001 numbers a text; the database holds"):
        _ = embedder(server).model_id


def test_a_server_that_knows_no_floats_is_understood_in_base64(server: EmbeddingServer) -> None:
    def fault(body: dict[str, Any]) -> Reaction:
        if body.get("encoding_format") == "float":
            return refuses(422, "encoding_format is not allowed")
        packed = struct.pack("<3f", 3.0, 0.0, 4.0)
        return data(base64.b64encode(packed).decode())

    server.fault = fault
    assert embedder(server).embed_query("x") == pytest.approx([0.6, 0.0, 0.8])


# --- what comes back ---


def test_vectors_of_any_length_become_of_length_one(server: EmbeddingServer) -> None:
    server.scale = 250.0
    for vector in embedder(server).embed_passages(TEXTS):
        assert math.hypot(*vector) == pytest.approx(1.0)


def test_vectors_out_of_order_are_put_in_order_by_their_index(server: EmbeddingServer) -> None:
    server.fault = lambda body: data([0.0, 1.0], [1.0, 0.0], indices=[1, 0])
    assert embedder(server).embed_passages(["a", "b"]) == [[1.0, 0.0], [0.0, 1.0]]


def test_without_any_index_the_order_counts(server: EmbeddingServer) -> None:
    server.fault = lambda body: data([0.0, 1.0], [1.0, 0.0], indices=[None, None])
    assert embedder(server).embed_passages(["a", "b"]) == [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (data([1.0, 0.0]), "gave 1 vectors for 2 texts"),
        (data([1.0], [1.0], indices=[0, 0]), "which vector belongs to which text"),
        (data([1.0], [1.0], indices=[1, 2]), "which vector belongs to which text"),
        (data([1.0], [1.0, 2.0]), "different lengths"),
        (data(["1.0"], ["2.0"]), "holds no vectors"),
        (data([[1.0]], [[2.0]]), "holds no vectors"),
        (data("%%%", "%%%"), "neither numbers nor base64"),
        (Reaction({"error": {"message": "overloaded"}}), "JSON of another shape"),
        (Reaction(b'{"data": [{"index": 0, "embed'), "holds no vectors"),
        (Reaction(b"<html>"), "not JSON"),
        (Reaction(b""), "it is empty"),
    ],
)
def test_an_answer_that_is_none_is_refused_in_words(
    server: EmbeddingServer, answer: Reaction, says: str
) -> None:
    server.fault = lambda body: answer
    with pytest.raises(EmbeddingError, match=says):
        embedder(server).embed_passages(["a", "b"])


@pytest.mark.parametrize("vector", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [1e-30, 0.0], []])
def test_a_vector_that_points_nowhere_is_refused(
    server: EmbeddingServer, vector: list[float]
) -> None:
    server.fault = lambda body: data(vector)
    with pytest.raises(TextRefused, match="zeros"):
        embedder(server).embed_passages(["a"])


# --- texts that are refused ---


def test_a_batch_too_large_for_the_server_is_halved_and_stays_so(server: EmbeddingServer) -> None:
    def fault(body: dict[str, Any]) -> Reaction | None:
        return refuses(413, "too many inputs") if len(body["input"]) > 4 else None

    server.fault = fault
    model = embedder(server, batch=8)
    texts = [f"Tomas has {n} bicycles." for n in range(16)]
    assert model.embed_passages(texts) == [pytest.approx(unit(text)) for text in texts]
    assert [len(body["input"]) for body in server.asked] == [8, 4, 4, 4, 4]


def test_a_text_too_long_for_the_model_is_embedded_by_its_beginning(
    server: EmbeddingServer,
) -> None:
    def fault(body: dict[str, Any]) -> Reaction | None:
        too_long = any(len(text) > 500 for text in body["input"])
        return refuses(500, "input is too large to process") if too_long else None

    server.fault = fault
    long = "word " * 300
    vectors = embedder(server).embed_passages(["short", long, "other"])
    assert vectors[1] == pytest.approx(unit(long[:375]))
    assert [vectors[0], vectors[2]] == [pytest.approx(unit(t)) for t in ("short", "other")]


def test_a_long_text_does_not_make_every_later_batch_small(server: EmbeddingServer) -> None:
    def fault(body: dict[str, Any]) -> Reaction | None:
        return refuses(400, "too long") if any(len(t) > 150 for t in body["input"]) else None

    server.fault = fault
    model = embedder(server, batch=8)
    model.embed_passages(["x" * 200, *(f"text {n}" for n in range(7))])
    server.asked.clear()
    model.embed_passages([f"text {n}" for n in range(8)])
    assert len(server.asked) <= 2


def test_a_text_that_no_cut_makes_acceptable_is_named_as_refused(server: EmbeddingServer) -> None:
    server.fault = lambda body: refuses(400, "content policy")
    with pytest.raises(TextRefused, match="content policy"):
        embedder(server).embed_passages(["x" * 300])


# --- servers that fail ---


@pytest.mark.parametrize(
    "reaction",
    [refuses(429, "slow down"), refuses(503), refuses(500), Reaction({}, cut=True)],
)
def test_a_failure_that_may_pass_is_asked_again(
    server: EmbeddingServer, waits: list[float], reaction: Reaction
) -> None:
    server.fault = first(2, reaction)
    assert embedder(server).embed_passages(["a"]) == [pytest.approx(unit("a"))]
    assert len(waits) == 2 and 0.25 <= waits[0] <= 0.5 <= waits[1] <= 1.0


def test_the_wait_a_server_asks_for_is_kept(server: EmbeddingServer, waits: list[float]) -> None:
    server.fault = first(1, refuses(429, headers={"retry-after": "2"}))
    embedder(server).embed_passages(["a"])
    assert waits == [2.0]


def test_a_wait_longer_than_anyone_would_wait_ends_the_question(
    server: EmbeddingServer, waits: list[float]
) -> None:
    server.fault = lambda body: refuses(429, "quota", headers={"retry-after": "3600"})
    with pytest.raises(EmbeddingUnavailable, match="answered 429: quota"):
        embedder(server).embed_passages(["a"])
    assert waits == [] and len(server.asked) == 1


@pytest.mark.parametrize(
    "header",
    [
        "soon",
        "nan",
        "Wed, 21 Oct 2015 07:28:00 GMT",
        "-5",
        "Mon, 01 Jan 99999999999 00:00:00 GMT",
    ],
)
def test_a_wait_that_cannot_be_read_or_is_over_is_no_obstacle(
    server: EmbeddingServer, waits: list[float], header: str
) -> None:
    server.fault = first(1, refuses(429, headers={"retry-after": header}))
    embedder(server).embed_passages(["a"])
    assert len(waits) == 1 and waits[0] <= 0.5


@pytest.mark.parametrize(
    "reaction",
    [Reaction(after_s=2.0), Reaction(drip_s=0.05)],
    ids=["late", "a byte at a time"],
)
def test_a_server_that_takes_too_long_is_given_up_in_time(
    server: EmbeddingServer, reaction: Reaction
) -> None:
    server.fault = always(replace(reaction, body=data([1.0] * 64).body))
    began = time.monotonic()
    with pytest.raises(EmbeddingUnavailable, match="did not answer within"):
        embedder(server, query_timeout_s=0.4).embed_query("x")
    assert time.monotonic() - began < 1.5


def test_a_question_is_not_asked_twice_of_a_server_that_fails(server: EmbeddingServer) -> None:
    server.fault = lambda body: refuses(503)
    with pytest.raises(EmbeddingUnavailable):
        embedder(server).embed_query("x")
    assert len(server.asked) == 1


def test_after_failures_in_a_row_nobody_waits_until_some_time_has_passed(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.fault = lambda body: refuses(503, "loading")
    model = embedder(server)
    for _ in range(5):
        with pytest.raises(EmbeddingUnavailable, match="loading"):
            model.embed_query("x")
    assert len(server.asked) == 3
    server.fault = None
    now = time.monotonic()
    monkeypatch.setattr(wire, "_now", lambda: now + 31)
    assert model.embed_query("x")


def test_a_server_nobody_runs_is_named_without_what_opens_it() -> None:
    model = OpenAIEmbedder(
        Endpoint(base_url="http://ann:secret@127.0.0.1:9/v1?key=secret", model="m")
    )
    with pytest.raises(EmbeddingUnavailable) as caught:
        model.embed_query("x")
    assert "http://127.0.0.1:9/v1 cannot be reached" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["nonsense", "host:9/v1", "ftp://host/v1", "http://[::1/v1"])
def test_an_address_that_is_none_is_an_error_in_words(address: str) -> None:
    with pytest.raises(EmbeddingError, match="EMBEDDING_BASE_URL is no address"):
        OpenAIEmbedder(Endpoint(base_url=address, model="m")).embed_query("x")


def test_a_key_with_letters_no_key_has_is_an_error_in_words(server: EmbeddingServer) -> None:
    with pytest.raises(EmbeddingError, match="EMBEDDING_API_KEY holds letters") as caught:
        embedder(server, api_key="sk-from…a-screen").embed_query("x")
    assert "screen" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "says"), [(401, "EMBEDDING_API_KEY"), (403, "EMBEDDING_API_KEY"), (404, "words-1")]
)
def test_a_wrong_key_or_model_is_said_at_once_and_not_tried_again(
    server: EmbeddingServer, status: int, says: str
) -> None:
    server.fault = lambda body: refuses(status)
    with pytest.raises(EmbeddingError, match=says):
        embedder(server).embed_passages(TEXTS)
    assert len(server.asked) == 1


def test_neither_key_nor_texts_are_told_in_errors_or_logs(
    server: EmbeddingServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "Ines keeps her savings in a blue tin."
    wrong = "sk-wrong-9876543210"
    told = [failure_of(embedder(server, api_key=wrong), secret)]
    for status in (400, 500, 429, 418):
        for words in (f"{KEY} may not ask", f"not this: {secret}"):
            server.fault = always(refuses(status, words))
            told.append(failure_of(embedder(server), secret))
    everything = "\n".join([*told, repr(server.endpoint()), caplog.text])
    assert KEY not in everything
    assert wrong not in everything
    assert "blue tin" not in everything


def test_no_header_of_another_account_goes_along(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody")
    model = embedder(server)
    assert model.embed_query("x")
    assert "org-private" not in str(model._wire._connected().default_headers)


def test_a_forked_process_makes_a_connection_of_its_own(server: EmbeddingServer) -> None:
    model = embedder(server)
    model.embed_query("before")
    before = model._wire._connected()
    model._wire._made_in = os.getpid() + 1
    assert model._wire._connected() is not before


# --- thresholds ---


def test_thresholds_that_are_set_are_taken_and_nothing_is_asked(server: EmbeddingServer) -> None:
    found = embedder(server, near=0.7, same=0.9).thresholds
    assert (found.near, found.same) == (0.7, 0.9)
    assert server.asked == []


def test_without_settings_a_model_is_measured_once_on_its_own_scale(
    server: EmbeddingServer,
) -> None:
    model = embedder(server, near=None, same=None)
    found = model.thresholds
    assert 0.2 < found.near < found.same < 1
    asked = len(server.asked)
    assert model.thresholds is found and len(server.asked) == asked


def test_a_model_that_puts_everything_in_one_place_calls_nothing_near(
    server: EmbeddingServer,
) -> None:
    def fault(body: dict[str, Any]) -> Reaction:
        return data(*([1.0, 0.001 * len(text)] for text in body["input"]))

    server.fault = fault
    assert embedder(server, near=None).thresholds.near == 0.999


def test_measured_thresholds_agree_with_those_measured_by_hand() -> None:

    model = LocalEmbedder()
    found = measured_thresholds(model.embed_passages)
    assert found.near == pytest.approx(model.thresholds.near, abs=0.01)
    assert found.same == pytest.approx(model.thresholds.same, abs=0.01)
