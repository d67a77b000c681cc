"""The seam every embedder implements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

# The most numbers a column of pgvector's type `vector` holds. Search is exact and needs no index,
# whose limit of 2,000 is therefore none of ours.
MOST_DIMENSIONS = 16_000


@dataclass(frozen=True, slots=True)
class DuplicateThresholds:
    """Cosine at or above which two texts *may* say the same; per embedder, since scales differ."""

    near: float
    same: float


class Embedder(Protocol):
    """Texts in, vectors out.

    **Shape**: every vector has ``dimensions`` floats; ``normalised`` says whether its length is 1.
    ``model_id`` names model, dimensions and whatever else changes a passage's vector: vectors of
    different ids are never compared. **Raises**: EmbeddingError, from every member of an embedder
    that has to ask somebody.
    """

    @property
    def model_id(self) -> str:
        """Name what made a vector."""
        ...

    @property
    def dimensions(self) -> int:
        """Say how many numbers a vector has."""
        ...

    @property
    def normalised(self) -> bool:
        """Say whether vectors have length 1."""
        ...

    @property
    def thresholds(self) -> DuplicateThresholds:
        """Say from which cosine on two texts may say the same."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts that are to be found."""
        ...

    def embed_query(self, text: str) -> list[float]:
        """Embed a text to search by."""
        ...
