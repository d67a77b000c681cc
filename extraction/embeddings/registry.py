"""One embedder of each kind in a process, and which of them this installation uses."""

import logging
import threading
from collections.abc import Callable, Hashable

from django.conf import settings

from extraction.embeddings.base import Embedder
from extraction.embeddings.hashing import HashingEmbedder
from extraction.embeddings.local import LocalEmbedder
from extraction.embeddings.openai import Endpoint, OpenAIEmbedder
from extraction.errors import BadInput, EmbeddingError

logger = logging.getLogger(__name__)

ENDPOINT = "endpoint"


class UnknownEmbedder(BadInput):
    """No embedder has this name."""

    def __init__(self, name: str) -> None:
        known = ", ".join((*_MAKERS, ENDPOINT))
        super().__init__(f"There is no embedder “{name}”; known are {known}.")


def get_embedder(name: str | None = None) -> Embedder:
    """Give the process's embedder of that name; without one, the one this installation is set to.

    That is the endpoint where EMBEDDING_BASE_URL names one, else the built-in model. Where the
    built-in model cannot run on this machine, hashing takes its place and the log says so: its
    ``model_id`` differs, so vectors of the two never mix. Nothing ever takes the place of an
    endpoint: while it is away, words alone find.

    **Raises**: UnknownEmbedder; EmbeddingError where the settings name half an endpoint.
    """
    name = name or chosen()
    if name == ENDPOINT:
        endpoint = configured_endpoint()
        return _one_of((ENDPOINT, endpoint), lambda: OpenAIEmbedder(endpoint))
    if name not in _MAKERS:
        raise UnknownEmbedder(name)
    return _one_of(name, _MAKERS[name])


def chosen() -> str:
    """Name the embedder this installation is set to."""
    return ENDPOINT if settings.EMBEDDING_BASE_URL else "local"


def configured_endpoint() -> Endpoint:
    """Give the endpoint the settings name.

    **Raises**: EmbeddingError where the address or the model is missing.
    """
    if not (settings.EMBEDDING_BASE_URL and settings.EMBEDDING_MODEL):
        raise EmbeddingError("An embedding endpoint needs EMBEDDING_BASE_URL and EMBEDDING_MODEL.")
    return Endpoint(
        base_url=settings.EMBEDDING_BASE_URL.strip(),
        model=settings.EMBEDDING_MODEL,
        api_key=settings.EMBEDDING_API_KEY.strip(),
        dimensions=settings.EMBEDDING_DIMENSIONS,
        revision=settings.EMBEDDING_REVISION,
        query_prefix=settings.EMBEDDING_QUERY_PREFIX,
        passage_prefix=settings.EMBEDDING_PASSAGE_PREFIX,
        near=settings.EMBEDDING_NEAR,
        same=settings.EMBEDDING_SAME,
        batch=settings.EMBEDDING_BATCH,
        longest=settings.EMBEDDING_TEXT_LIMIT,
        timeout_s=settings.EMBEDDING_TIMEOUT_S,
        query_timeout_s=settings.EMBEDDING_QUERY_TIMEOUT_S,
    )


def _one_of(key: Hashable, make: Callable[[], Embedder]) -> Embedder:
    with _making:
        if key not in _made:
            _made[key] = make()
        return _made[key]


def _local_or_hashing() -> Embedder:
    try:
        embedder = LocalEmbedder()
        embedder.load()
    except EmbeddingError as error:
        logger.warning("embedder_fallback to hashing, which knows words but no meaning: %s", error)
        return HashingEmbedder()
    return embedder


_MAKERS: dict[str, Callable[[], Embedder]] = {
    "local": _local_or_hashing,
    "hashing": HashingEmbedder,
}
_made: dict[Hashable, Embedder] = {}
_making = threading.Lock()
