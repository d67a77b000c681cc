"""An embedder that embeds each text once.

Statements of one message share the words around them, which are long: remembering them makes an
evaluation several times quicker and changes no vector.
"""

from array import array
from collections import OrderedDict
from collections.abc import Sequence

from extraction.embeddings.base import Embedder

MOST_REMEMBERED = 20_000  # about 60 MB at 384 dimensions


class Remembering:
    """The vectors of another embedder, the latest of them remembered by text."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, array[float]] = OrderedDict()
        self.model_id = embedder.model_id
        self.dimensions = embedder.dimensions
        self.normalised = embedder.normalised
        self.thresholds = embedder.thresholds
        self.embed_query = embedder.embed_query

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts that are to be found, each different one once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        vectors = self._embedder.embed_passages(new) if new else []
        fresh = {text: array("d", vector) for text, vector in zip(new, vectors, strict=True)}
        found = [fresh[text] if text in fresh else self._known[text] for text in texts]
        self._known.update(fresh)
        while len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)
        return [vector.tolist() for vector in found]
