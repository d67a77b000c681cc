"""The built-in embedder and its last resort: shape, meaning, safety, and their thresholds."""

import logging
import math
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import pytest

from extraction.embeddings import local, registry
from extraction.embeddings.base import Embedder
from extraction.embeddings.hashing import HashingEmbedder
from extraction.embeddings.local import LocalEmbedder
from extraction.embeddings.query_memory import QueryMemory
from extraction.embeddings.registry import UnknownEmbedder, get_embedder
from extraction.errors import EmbeddingError
from tests.unit import embedding_pairs as pairs

CHECKOUT = Path(__file__).resolve().parents[2]
TEXTS = ("Ines lives in Porto.", "", "我住在北京。", "🐕 loves Biscuit", "a" * 5_000)


@pytest.fixture(params=["local", "hashing"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return LocalEmbedder() if request.param == "local" else HashingEmbedder()


@pytest.fixture
def fresh_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """No embedder has been made in this process."""
    monkeypatch.setattr(registry, "_made", {})


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def cosines(embedder: Embedder, of: pairs.Pairs) -> list[float]:
    flat = embedder.embed_passages([text for pair in of for text in pair])
    return [cosine(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)]


def test_every_text_gets_one_vector_of_length_one(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert [len(v) for v in vectors] == [embedder.dimensions] * len(TEXTS)
    assert all(math.isclose(cosine(v, v), 1, abs_tol=1e-4) for v in vectors)
    assert all(isinstance(value, float) for value in vectors[0])


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed_passages([]) == []


def test_a_text_has_the_same_vector_alone_and_in_a_long_batch(embedder: Embedder) -> None:
    texts = [f"Ines read book number {n}." for n in range(70)]
    together = embedder.embed_passages(texts)
    for place in (0, 31, 32, 69):
        assert embedder.embed_passages([texts[place]])[0] == pytest.approx(
            together[place], abs=1e-5
        )


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800 half a pair", "\udfff"])
def test_text_that_c_or_utf8_cannot_hold_is_embedded_all_the_same(
    embedder: Embedder, text: str
) -> None:
    assert len(embedder.embed_query(text)) == embedder.dimensions


def test_words_after_a_nul_count(embedder: Embedder) -> None:
    before, whole = embedder.embed_passages(["Ines", "Ines\x00lives in Porto"])
    assert before != whole


def test_the_model_finds_the_passage_that_answers_in_other_words_and_languages() -> None:
    model = get_embedder()
    passages = [
        "Ines works as a nurse at a hospital.",
        "Tomas plays the cello in an orchestra.",
        "The team releases on Tuesdays.",
    ]
    vectors = model.embed_passages(passages)
    for question, place in (
        ("What is her profession?", 0),
        ("¿Qué instrumento toca?", 1),
        ("Wann wird ausgeliefert?", 2),
    ):
        query = model.embed_query(question)
        scores = [cosine(query, vector) for vector in vectors]
        assert scores.index(max(scores)) == place


def test_a_question_and_a_passage_of_the_same_words_differ() -> None:
    model = get_embedder("local")
    assert (
        model.embed_query("Ines lives in Porto") != model.embed_passages(["Ines lives in Porto"])[0]
    )


def test_hashing_finds_shared_words_in_scripts_without_spaces() -> None:
    hashing = HashingEmbedder()
    query = hashing.embed_query("北京 住在")
    near, far = hashing.embed_passages(["我住在北京。", "他喜欢喝绿茶。"])
    assert cosine(query, near) > cosine(query, far)


def test_vectors_of_different_embedders_never_share_a_model_id() -> None:
    assert get_embedder("local").model_id != get_embedder("hashing").model_id


def test_a_remembered_query_cannot_be_changed_from_outside() -> None:
    model = LocalEmbedder()
    first = model.embed_query("one")
    first[0] = 99.0
    assert model.embed_query("one")[0] != 99.0


def test_remembered_queries_stay_within_their_bound_the_least_used_forgotten_first() -> None:
    memory = QueryMemory(most=3)
    for place, text in enumerate(("one", "two", "three")):
        memory.keep(text, [float(place)])
    assert memory.recall("one") == [0.0]
    memory.keep("four", [3.0])
    found = [text for text in ("one", "two", "three", "four") if memory.recall(text)]
    assert found == ["one", "three", "four"]


def test_a_remembered_query_does_not_run_the_model_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model = LocalEmbedder()
    before = model.embed_query("Where does Ines live?")
    monkeypatch.setattr(model, "_model", None)
    monkeypatch.setattr(local, "_load", lambda: pytest.fail("the model was asked"))
    assert model.embed_query("Where does Ines live?") == before


def test_making_an_embedder_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_load", lambda: pytest.fail("the model was loaded"))
    assert LocalEmbedder().dimensions == 384


def test_threads_that_share_an_embedder_get_the_vectors_of_one() -> None:
    model = LocalEmbedder()
    texts = [f"Tomas has {n} bicycles." for n in range(24)]
    expected = LocalEmbedder().embed_passages(texts)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: model.embed_passages(texts), range(6)))
    for answer in answers:
        assert answer[0] == pytest.approx(expected[0], abs=1e-6)
        assert answer[-1] == pytest.approx(expected[-1], abs=1e-6)


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter in which every warning is an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_forked_worker_embeds_after_its_parent_did() -> None:
    done = run_python(
        """
import os, signal
from extraction.embeddings.registry import get_embedder
texts = ["Ines lives in Porto."] * 8
get_embedder("local").embed_passages(texts)
child = os.fork()
if not child:
    signal.alarm(20)  # a child that hangs is ended by the alarm
    get_embedder("local").embed_passages(texts)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    )
    assert (done.stdout.strip(), done.stderr) == ("0", "")


def test_importing_and_embedding_warns_about_nothing() -> None:
    done = run_python(
        "from extraction.embeddings.registry import get_embedder as g; g('local').embed_query('x')"
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.usefixtures("fresh_registry")
def test_a_process_has_one_embedder_of_each_name() -> None:
    assert get_embedder() is get_embedder("local")
    assert get_embedder("hashing") is get_embedder("hashing")


@pytest.mark.usefixtures("fresh_registry")
def test_where_the_model_cannot_load_hashing_takes_over_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(local, "PACKAGE", "no_such_package")
    with caplog.at_level(logging.WARNING, logger=registry.__name__):
        embedder = get_embedder("local")
    assert embedder.model_id == HashingEmbedder.model_id
    assert "no_such_package" in caplog.text


@pytest.mark.parametrize("error", [OSError("no AVX"), RuntimeError("bad model"), ImportError("x")])
def test_an_engine_that_does_not_load_is_named(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(name: str) -> object:
        raise error

    monkeypatch.setattr("importlib.import_module", fail)
    with pytest.raises(EmbeddingError, match=str(error)):
        LocalEmbedder().load()


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownEmbedder, match="local, hashing, endpoint"):
        get_embedder("nonsense")


def test_thresholds_hold_what_was_measured_for_the_model() -> None:
    model = get_embedder("local")
    near, same = model.thresholds.near, model.thresholds.same
    plain = cosines(model, pairs.PARAPHRASES)
    assert sum(value >= same for value in plain) >= 0.85 * len(plain)
    assert min(plain) >= near
    free = cosines(model, pairs.FREE_PARAPHRASES)
    assert sum(value >= near for value in free) >= 0.7 * len(free)
    assert median(cosines(model, pairs.SAME_TOPIC)) < near
    assert max(cosines(model, pairs.NEGATED)) < same


def test_unrelated_statements_stay_below_near(embedder: Embedder) -> None:
    statements = [left for left, _ in pairs.PARAPHRASES]
    shifted = tuple(zip(statements, statements[7:] + statements[:7], strict=True))
    assert max(cosines(embedder, shifted)) < embedder.thresholds.near


def test_no_threshold_tells_an_update_from_a_repeat() -> None:
    """Why number, negation and value guards must decide: the vectors overlap."""
    model = get_embedder("local")
    repeats = cosines(model, pairs.PARAPHRASES)
    for updates in (pairs.OTHER_NUMBER, pairs.OTHER_VALUE):
        assert max(cosines(model, updates)) > min(repeats)


def test_hashing_calls_no_changed_number_or_negation_the_same() -> None:
    hashing = HashingEmbedder()
    for updates in (pairs.OTHER_NUMBER, pairs.NEGATED):
        assert max(cosines(hashing, updates)) < hashing.thresholds.same
