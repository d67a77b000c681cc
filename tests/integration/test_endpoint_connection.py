"""Where the words of a conversation go, and how much of a server's error is read."""

import gzip
import json
import time
import tracemalloc
from collections.abc import Iterator

import pytest

from extraction.embeddings.openai import Endpoint, OpenAIEmbedder
from extraction.engines.openai import OpenAIEngine, patience
from extraction.engines.openai.config import Config
from extraction.errors import EmbeddingError, EngineAnswerInvalid, EngineMisconfigured
from tests.openai_server import KEY, MODEL, ModelServer, model_server, says
from tests.scripted_http import Reaction

pytestmark = pytest.mark.django_db

WORDS = "Ana keeps her spare key under the blue pot."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setattr(patience, "FIRST_WAIT_S", 0.01)
    with model_server() as running:
        yield running


def engine(server: ModelServer) -> OpenAIEngine:
    config = Config(server.base_url, MODEL, MODEL, api_key=KEY, timeout_s=3.0, attempts=1)
    return OpenAIEngine(config)


def embedder(server: ModelServer) -> OpenAIEmbedder:
    return OpenAIEmbedder(Endpoint(server.base_url, "vectors-1", api_key=KEY, timeout_s=3.0))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_words_are_never_sent_on_to_another_address(server: ModelServer, status: int) -> None:
    with model_server() as stranger:
        elsewhere = stranger.base_url.replace("127.0.0.1", "localhost")
        server.always = lambda asked: Reaction(
            status=status, headers={"Location": elsewhere + asked.path.removeprefix("/v1")}
        )
        with pytest.raises(EngineMisconfigured, match="names another address"):
            engine(server).judge_same(WORDS, "another")
        with pytest.raises(EmbeddingError, match="names another address"):
            embedder(server).embed_passages([WORDS])
        assert len(server.asked) == 2
        assert stranger.asked == []


def test_an_error_that_comes_a_byte_at_a_time_is_not_read_to_its_end(server: ModelServer) -> None:
    page = json.dumps({"error": {"message": "x" * 500}}).encode()
    server.always = lambda asked: Reaction(page, status=401, drip_s=0.1)
    began = time.monotonic()
    with pytest.raises(EngineMisconfigured, match="does not accept the key"):
        engine(server).judge_same("a", "b")
    with pytest.raises(EmbeddingError, match="refuses the key"):
        embedder(server).embed_passages(["a"])
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("packed", [True, False])
def test_of_a_huge_error_only_the_beginning_is_kept(server: ModelServer, packed: bool) -> None:
    page = gzip.compress(bytes(200_000_000), 1) if packed else bytes(40_000_000)
    headers = {"content-encoding": "gzip"} if packed else {}
    server.always = lambda asked: Reaction(page, status=401, headers=headers)
    tracemalloc.start()
    try:
        with pytest.raises(EngineMisconfigured):
            engine(server).judge_same("a", "b")
        with pytest.raises(EmbeddingError):
            embedder(server).embed_passages(["a"])
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_field_a_model_makes_of_somebodys_words_is_not_repeated(server: ModelServer) -> None:
    server.plays(same=says({"same": True, WORDS: 1, "should_merge": 2}))
    with pytest.raises(EngineAnswerInvalid) as failed:
        engine(server).judge_same("a", "b")
    assert "blue pot" not in str(failed.value)
    assert "should_merge: Extra" in str(failed.value)
