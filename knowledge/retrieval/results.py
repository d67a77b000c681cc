"""What a retrieval gives back: frozen, free of models."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.queries.quotes import Quote


@dataclass(frozen=True, slots=True)
class ArmHit:
    """Where one arm placed a version. ``score`` is in the arm's own unit."""

    arm: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Ending:
    """How a statement ended.

    **Shape**: ``how`` is an end reason of the store, or ``over`` where its stated time ran out;
    ``at`` is in world time where it was true until then, in belief time where belief ended.
    """

    how: str
    at: datetime
    replaced_by_version_id: int | None


@dataclass(frozen=True, slots=True)
class Found:
    """One version the search found, before packing.

    **Units**: ``fused`` and ``confidence`` 0..1. ``tie`` orders equal scores by content.
    """

    version_id: int
    statement_id: int
    subject_id: int
    subject: str
    about: str
    text: str
    memory_type: str
    criticality: str
    attribute: str
    value: str
    language: str
    valid_from: datetime
    valid_to: datetime | None
    start_basis: str
    believed_from: datetime
    believed_until: datetime | None
    ended: Ending | None
    contested: bool
    confidence: float
    fused: float
    arms: tuple[ArmHit, ...]
    tie: str

    @property
    def is_critical(self) -> bool:
        """Say whether the statement must reach the agent."""
        return self.criticality == "must_include"


@dataclass(frozen=True, slots=True)
class Item:
    """One statement that is served, with the words it rests on.

    **Units**: ``score`` about 0..1, comparable inside one answer only; ``tokens`` by estimate.
    """

    found: Found
    score: float
    tokens: int
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What became of one candidate, for whoever asks why something was or was not served."""

    version_id: int
    statement_id: int
    score: float
    arms: tuple[ArmHit, ...]
    tokens: int
    packed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Retrieval:
    """An answer: what is served, as a block for a prompt and item by item.

    **Shape**: repeating the call with these ``valid_at`` and ``known_at`` gives the same
    statements. ``approximate`` is False where every statement in scope was compared.
    ``used_vector`` is False where words alone decided; ``missing_vectors`` counts the statements
    in scope that the query's model has not embedded yet, which words alone can find.
    **Units**: ``tokens`` of ``prompt``, by our own estimate.
    """

    items: tuple[Item, ...]
    prompt: str
    tokens: int
    valid_at: datetime
    known_at: datetime
    approximate: bool
    used_vector: bool
    missing_vectors: int
    candidates: tuple[Candidate, ...]
