"""One embedder of each name in a process."""

import logging
import threading
from collections.abc import Callable

from extraction.embeddings.base import Embedder
from extraction.embeddings.hashing import HashingEmbedder
from extraction.embeddings.local import LocalEmbedder
from extraction.errors import BadInput, EmbeddingError

logger = logging.getLogger(__name__)


class UnknownEmbedder(BadInput):
    """No embedder has this name."""

    def __init__(self, name: str) -> None:
        known = ", ".join(_MAKERS)
        super().__init__(f"There is no embedder “{name}”; known are {known}.")


def get_embedder(name: str = "local") -> Embedder:
    """Give the process's embedder of that name, loaded.

    Where the built-in model cannot run on this machine, hashing takes its place and the log says
    so: its ``model_id`` differs, so vectors of the two never mix. **Raises**: UnknownEmbedder.
    """
    if name not in _MAKERS:
        raise UnknownEmbedder(name)
    with _making:
        if name not in _made:
            _made[name] = _MAKERS[name]()
        return _made[name]


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
_made: dict[str, Embedder] = {}
_making = threading.Lock()
