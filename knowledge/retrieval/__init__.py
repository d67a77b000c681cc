"""Finding approved statements: the one public function is ``retrieve``."""

from knowledge.retrieval.results import ArmHit, Candidate, Ending, Found, Item, Retrieval
from knowledge.retrieval.search import retrieve

__all__ = ["ArmHit", "Candidate", "Ending", "Found", "Item", "Retrieval", "retrieve"]
