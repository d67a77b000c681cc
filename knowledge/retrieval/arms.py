"""The arms of the search: what each looks for, how much it counts, and how many it may bring."""

from dataclasses import dataclass

# Reciprocal rank fusion: Cormack, Clarke, Buettcher, SIGIR 2009, with their constant.
RANK_CONSTANT = 60
# BM25 for short texts: k1 and b as tuned by Anserini on MS MARCO passages.
BM25_K1 = 0.9
BM25_B = 0.4
# A cosine below this says nothing about any text; the ranks of what lies above decide.
NOISE_BELOW = 0.20
# Word similarity of pg_trgm below which a match is chance.
TRIGRAM_BELOW = 0.40
# How many of its best an arm may bring.
MOST = 50
MOST_CRITICAL = 20
# In a scope of more versions than this, the commonest words of a query are left out until what
# is left selects about so many entries. A common word says little and costs most.
SAMPLE_ABOVE = 3_000
SAMPLE_SIZE = 500
MOST_MATCHES = 3_000


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to find a version."""

    name: str
    weight: float
    needs_vector: bool = False


# Found by the words around a statement as well as by its own: on LoCoMo dev that gave recall
# .615/.683/.746 at 5/10/20 against .555/.608/.666 for the statement alone.
ARMS = (
    Arm("semantic", 1.0, needs_vector=True),
    Arm("lexical", 1.0),
    Arm("context_semantic", 1.0, needs_vector=True),
    Arm("context_lexical", 1.0),
    Arm("structured", 0.5),
    # Takes part so that it is packed, not so that it rises: what must be included has its own
    # share of the budget.
    Arm("critical", 0.0),
    Arm("trigram", 1.0),
)
# Stands in for the lexical arm when that finds nothing, so it adds nothing to what is possible.
_STAND_IN = "trigram"


def best_possible(*, has_vector: bool) -> float:
    """This function will return the score of a version that every usable arm ranks first."""
    usable = [a for a in ARMS if a.name != _STAND_IN and (has_vector or not a.needs_vector)]
    return sum(arm.weight for arm in usable) / (RANK_CONSTANT + 1)
