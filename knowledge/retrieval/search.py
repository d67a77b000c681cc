"""Retrieval from end to end: settle the instants, search, rank, pack, quote, write the block."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection

from knowledge.errors import InvalidInput
from knowledge.models import MemoryType
from knowledge.queries import asof
from knowledge.queries.quotes import quotes_of
from knowledge.retrieval import prompt
from knowledge.retrieval.arms import (
    ARMS,
    BM25_B,
    BM25_K1,
    LEAST_EMBEDDED,
    MOST,
    MOST_CRITICAL,
    MOST_MATCHES,
    NOISE_BELOW,
    RANK_CONSTANT,
    SAMPLE_ABOVE,
    SAMPLE_SIZE,
    TRIGRAM_BELOW,
    best_possible,
)
from knowledge.retrieval.lexemes import fold, query_terms
from knowledge.retrieval.pack import Offer, Packing, pack
from knowledge.retrieval.rank import ordered
from knowledge.retrieval.results import ArmHit, Candidate, Ending, Found, Item, Retrieval

MOST_ITEMS = 100
LONGEST_QUERY = 4_000

_SQL = Path(__file__).with_name("hybrid.sql").read_text()


def retrieve(
    *,
    space_id: int,
    subject_ids: Collection[int],
    query: str,
    query_vector: Sequence[float] | None,
    vector_model: str,
    k: int,
    valid_at: datetime | None,
    known_at: datetime | None,
    token_budget: int | None,
    types: Collection[str],
    history: bool,
    now: datetime,
) -> Retrieval:
    """Find the approved statements of the subjects that answer a query.

    Without ``query_vector`` the words alone decide, as they do while its model has embedded less
    than half of what is in scope. ``types`` empty means all. ``history`` also
    admits what has ended, saying how.

    **Units**: instants aware; None means now, and ``known_at`` never passes the ledger.
    **Cost**: three queries. **Raises**: InvalidInput, InvalidPeriod, NotFound.
    """
    _check(query=query, k=k, token_budget=token_budget, types=types)
    instants = asof.instants_of(space_id=space_id, valid_at=valid_at, known_at=known_at, now=now)
    candidates, coverage = _search(
        _scope_parameters(space_id, subject_ids=subject_ids, types=types, history=history)
        | {"valid_at": instants.valid_at, "known_at": instants.known_at}
        | _lexical_parameters(query)
        | _vector_parameters(query_vector, model=vector_model)
    )
    offers = [
        Offer(found, score, prompt.estimate_tokens(f"{prompt.line(found)}\n"))
        for found, score in ordered(candidates)
    ]
    frame = prompt.block([], valid_at=instants.valid_at, known_at=instants.known_at)
    left = None if token_budget is None else token_budget - prompt.estimate_tokens(frame)
    packing = pack(offers, k=k, token_budget=left)
    used_vector = bool(query_vector) and coverage.is_enough
    return _answer(
        offers,
        packing=packing,
        instants=instants,
        coverage=_Coverage(used_vector, coverage.missing if query_vector else 0),
    )


def _check(*, query: str, k: int, token_budget: int | None, types: Collection[str]) -> None:
    if not query.strip():
        raise InvalidInput("The query is empty. Say what you are looking for.", field="query")
    if len(query) > LONGEST_QUERY:
        raise InvalidInput(f"The query is longer than {LONGEST_QUERY:,} characters.", field="query")
    if not 1 <= k <= MOST_ITEMS:
        raise InvalidInput(f"k must lie between 1 and {MOST_ITEMS}.", field="k")
    if token_budget is not None and token_budget < 1:
        raise InvalidInput("The token budget must be positive.", field="token_budget")
    unknown = sorted(set(types) - set(MemoryType.values))
    if unknown:
        raise InvalidInput(
            f"There is no memory type called {unknown[0]}. "
            f"Choose among {', '.join(MemoryType.values)}.",
            field="types",
        )


def _scope_parameters(
    space_id: int, *, subject_ids: Collection[int], types: Collection[str], history: bool
) -> dict[str, Any]:
    return {
        "space_id": space_id,
        "subject_ids": sorted(subject_ids),
        "types": sorted(types) or None,
        "history": history,
    }


def _lexical_parameters(query: str) -> dict[str, Any]:
    terms = list(query_terms(query))
    folded = " ".join(fold(query).replace("\x00", " ").split())
    return {
        "terms": terms,
        "asked_terms": ["'" + term.replace("'", "''") + "'" for term in terms],
        "sample_above": SAMPLE_ABOVE,
        "sample_size": SAMPLE_SIZE,
        "most_matches": MOST_MATCHES,
        "folded": folded,
        "words": "".join(c if c.isalnum() else " " for c in folded).split(),
        "k1": BM25_K1,
        "b": BM25_B,
        "trigram_below": TRIGRAM_BELOW,
    }


def _vector_parameters(vector: Sequence[float] | None, *, model: str) -> dict[str, Any]:
    arms = [arm for arm in ARMS if vector or not arm.needs_vector]
    return {
        "query_vector": f"[{','.join(map(repr, map(float, vector)))}]" if vector else None,
        "vector_model": model if vector else None,
        "noise_below": NOISE_BELOW,
        "rank_constant": RANK_CONSTANT,
        "best_possible": best_possible(has_vector=bool(vector)),
        "best_of_words": best_possible(has_vector=False),
        "least_embedded": LEAST_EMBEDDED,
        "arm_names": [arm.name for arm in arms],
        "arm_weights": [float(arm.weight) for arm in arms],
        "most": MOST,
        "most_critical": MOST_CRITICAL,
    }


@dataclass(frozen=True, slots=True)
class _Coverage:
    """How far the query's model has come in the scope."""

    is_enough: bool
    missing: int


def _search(parameters: dict[str, Any]) -> tuple[list[Found], _Coverage]:
    """Run the statement, whose every row says how far the model has come, and one is sure."""
    with connection.cursor() as cursor:
        cursor.execute(_SQL, parameters)
        names = [column.name for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    covered = [_Coverage(row.pop("used_vector"), row.pop("missing_vectors")) for row in rows]
    return [_found(row) for row in rows if row["version_id"] is not None], covered[0]


def _found(row: dict[str, Any]) -> Found:
    how, until = row.pop("ended"), row["believed_until"]
    replaced_by = row.pop("replaced_by_version_id")
    ending = Ending(how, until or row["valid_to"], replaced_by) if how else None
    hits = (
        ArmHit(arm, hit["rank"], hit["score"]) for arm, hit in json.loads(row.pop("arms")).items()
    )
    return Found(**row, ended=ending, arms=tuple(sorted(hits, key=lambda hit: hit.arm)))


def _answer(
    offers: Sequence[Offer],
    *,
    packing: Packing,
    instants: asof.Instants,
    coverage: _Coverage,
) -> Retrieval:
    served = [offer.found for offer in packing.chosen]
    quotes = quotes_of([found.version_id for found in served], known_at=instants.known_at)
    text = prompt.block(served, valid_at=instants.valid_at, known_at=instants.known_at)
    taken = {found.version_id for found in served}
    return Retrieval(
        items=tuple(
            Item(offer.found, offer.score, offer.tokens, quotes.get(offer.found.version_id, ()))
            for offer in packing.chosen
        ),
        prompt=text,
        tokens=prompt.estimate_tokens(text),
        valid_at=instants.valid_at,
        known_at=instants.known_at,
        approximate=False,
        used_vector=coverage.is_enough,
        missing_vectors=coverage.missing,
        candidates=tuple(
            Candidate(
                version_id=offer.found.version_id,
                statement_id=offer.found.statement_id,
                score=offer.score,
                arms=offer.found.arms,
                tokens=offer.tokens,
                packed=offer.found.version_id in taken,
                reason=packing.reasons[offer.found.version_id],
            )
            for offer in offers
        ),
    )
