"""Which candidates fit into what the caller can afford."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.retrieval.results import Found

CRITICAL_SHARE = 0.20
MOST_CRITICAL = 3

PACKED = "packed"
PACKED_CRITICAL = "packed as critical"
OVER_BUDGET = "over the token budget"
BEYOND_K = "beyond k"
NOT_FOUND = "not found by the query"


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate with its score and what it costs. **Units**: ``tokens`` by estimate."""

    found: Found
    score: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Packing:
    """What was packed, in order, and for every offer why or why not."""

    chosen: tuple[Offer, ...]
    reasons: dict[int, str]


def pack(offers: Sequence[Offer], *, k: int, token_budget: int | None) -> Packing:
    """Choose at most ``k`` offers within the budget.

    A fifth of the budget is kept for at most three critical statements, which go first whether
    the query found them or not; the rest is taken greedily in the given order, which is by score.

    **Units**: ``token_budget`` tokens by estimate; None means that only ``k`` limits.
    """
    critical = _critical(offers, k=k, token_budget=token_budget)
    taken = {offer.found.version_id for offer in critical}
    reasons = dict.fromkeys(taken, PACKED_CRITICAL)
    chosen = list(critical)
    spent = sum(offer.tokens for offer in critical)
    for offer in offers:
        version_id = offer.found.version_id
        if version_id in taken:
            continue
        if not offer.found.fused:
            reasons[version_id] = NOT_FOUND
        elif len(chosen) >= k:
            reasons[version_id] = BEYOND_K
        elif token_budget is not None and spent + offer.tokens > token_budget:
            reasons[version_id] = OVER_BUDGET
        else:
            chosen.append(offer)
            spent += offer.tokens
            reasons[version_id] = PACKED
    return Packing(chosen=tuple(chosen), reasons=reasons)


def _critical(offers: Sequence[Offer], *, k: int, token_budget: int | None) -> list[Offer]:
    share = None if token_budget is None else token_budget * CRITICAL_SHARE
    chosen: list[Offer] = []
    for offer in offers:
        if not offer.found.is_critical or offer.found.ended:
            continue
        spent = sum(taken.tokens for taken in chosen)
        if share is None or spent + offer.tokens <= share:
            chosen.append(offer)
        if len(chosen) == min(MOST_CRITICAL, k):
            break
    return chosen
