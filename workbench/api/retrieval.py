"""POST /retrieve: what an agent may know about its subjects."""

from dataclasses import asdict

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router

from extraction.embedding import embedded_query
from knowledge.retrieval import Item, Retrieval, retrieve
from workbench.api import auth
from workbench.api.schemas import (
    EndingOut,
    ItemOut,
    ProblemOut,
    QuoteOut,
    RetrieveIn,
    RetrieveOut,
    WordsAlone,
)
from workbench.queries.keys import Grant

router = Router(tags=["retrieval"])


@router.post(
    "/retrieve",
    auth=auth.KeyAuth("retrieve"),
    response={200: RetrieveOut, frozenset({401, 403, 422, 503}): ProblemOut},
    summary="Find approved statements",
)
def find_statements(request: HttpRequest, wanted: RetrieveIn) -> RetrieveOut:
    """Find approved statements about exactly the key's subjects."""
    grant: Grant = request.auth  # type: ignore[attr-defined]  # ninja puts it there
    vector, model = embedded_query(wanted.query)
    found = retrieve(
        space_id=grant.space_id,
        subject_ids=grant.subject_ids,
        query=wanted.query,
        query_vector=vector,
        vector_model=model,
        k=wanted.k,
        valid_at=wanted.valid_at,
        known_at=wanted.known_at,
        token_budget=wanted.token_budget,
        types=wanted.types,
        history=wanted.history,
        now=timezone.now(),
    )
    _log(request, grant=grant, wanted=wanted, found=found)
    return RetrieveOut(
        items=[_item(item) for item in found.items],
        prompt=found.prompt,
        tokens=found.tokens,
        valid_at=found.valid_at,
        known_at=found.known_at,
        approximate=found.approximate,
        vector_model=model if found.used_vector else None,
        words_alone_because=_why_words_alone(found, model=model),
        statements_without_vector=found.missing_vectors,
    )


def _why_words_alone(found: Retrieval, *, model: str) -> WordsAlone | None:
    if found.used_vector:
        return None
    return "vectors_being_made" if model else "embedder_unavailable"


def _log(request: HttpRequest, *, grant: Grant, wanted: RetrieveIn, found: Retrieval) -> None:
    only = next(iter(grant.subject_ids)) if len(grant.subject_ids) == 1 else None
    auth.log(
        space_id=grant.space_id,
        by=auth.actor_of(request, grant),
        action="statements.retrieve",
        object_type="key",
        object_id=grant.prefix,
        subject_id=only,
        payload={
            "query": wanted.query,
            "valid_at": found.valid_at,
            "known_at": found.known_at,
            "history": wanted.history,
            "versions": [item.found.version_id for item in found.items],
        },
    )


def _item(item: Item) -> ItemOut:
    found = item.found
    names = ItemOut.model_fields.keys() - {
        "ended",
        "trust",
        "score",
        "found_by",
        "tokens",
        "quotes",
    }
    return ItemOut(
        **{name: getattr(found, name) for name in names},
        ended=EndingOut(**asdict(found.ended)) if found.ended else None,
        trust="contested" if found.contested else "approved",
        score=round(item.score, 6),
        found_by={hit.arm: hit.rank for hit in found.arms},
        tokens=item.tokens,
        quotes=[QuoteOut(**asdict(quote)) for quote in item.quotes],
    )
