"""The seam every embedder implements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class DuplicateThresholds:
    """Cosine at or above which two texts *may* say the same; per embedder, since scales differ."""

    near: float
    same: float


class Embedder(Protocol):
    """Texts in, vectors out.

    **Shape**: every vector has ``dimensions`` floats; ``normalised`` says whether its length is 1.
    ``model_id`` names model and revision: vectors of different ids are never compared.
    """

    model_id: str
    dimensions: int
    normalised: bool
    thresholds: DuplicateThresholds

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts that are to be found."""
        ...

    def embed_query(self, text: str) -> list[float]:
        """Embed a text to search by."""
        ...
