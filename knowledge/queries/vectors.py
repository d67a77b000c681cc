"""Which embedder's vectors a space holds, and which texts still lack one of the wanted model."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from knowledge.models import Proposal, ProposalVector, SearchEntry, Space
from knowledge.trust import WAITING_STATES

# The models of a space, each found by one step down the index: a space holds one or two of them
# and may hold millions of entries.
_MODELS = """
WITH RECURSIVE held AS (
    (SELECT model FROM {table} WHERE space_id = %(space)s ORDER BY model LIMIT 1)
    UNION ALL
    SELECT (SELECT t.model FROM {table} t
            WHERE t.space_id = %(space)s AND t.model > held.model ORDER BY t.model LIMIT 1)
    FROM held WHERE held.model IS NOT NULL
)
SELECT model FROM held WHERE model IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class ModelVectors:
    """How many texts of a space were embedded by one model.

    **Shape**: ``model`` is empty for what waits for its first vector. ``entries`` are what
    statements are found by, ``proposals`` what duplicates are compared with.
    """

    model: str
    entries: int
    proposals: int


def vectors_by_model(space_id: int) -> tuple[ModelVectors, ...]:
    """Count a space's vectors by model, most first. **Cost**: two or three counts of an index."""
    entries = Counter(
        {
            model: SearchEntry.objects.filter(space_id=space_id, model=model).count()
            for model in _models_of(SearchEntry._meta.db_table, space_id=space_id)
        }
    )
    proposals = Counter(
        {
            model: ProposalVector.objects.filter(space_id=space_id, model=model).count()
            for model in _models_of(ProposalVector._meta.db_table, space_id=space_id)
        }
    )
    missing = _waiting_without_vector(space_id).count()
    if missing:
        proposals[""] += missing
    found = [
        ModelVectors(model, entries[model], proposals[model]) for model in {*entries, *proposals}
    ]
    return tuple(sorted(found, key=lambda one: (-one.entries, -one.proposals, one.model)))


@dataclass(frozen=True, slots=True)
class Made:
    """A text and the vector that was made of it."""

    text: str
    vector: tuple[float, ...]


def texts_to_embed(*, model: str) -> int:
    """Count the texts of all spaces that lack a vector of this model."""
    counted = [
        one.entries + one.proposals
        for space_id in Space.objects.values_list("pk", flat=True)
        for one in vectors_by_model(space_id)
        if one.model != model
    ]
    return sum(counted)


def one_made_by(model: str) -> Made | None:
    """Give one text with its vector of this model, of any space, if there is one."""
    for space_id in Space.objects.order_by("pk").values_list("pk", flat=True):
        rows = SearchEntry.objects.filter(space_id=space_id, model=model, vector__isnull=False)
        found = rows.order_by("pk").first()
        if found is not None:
            return Made(found.text, tuple(found.vector))
    return None


def spaces_to_embed(*, model: str) -> list[int]:
    """List the spaces in which a text lacks a vector of this model. **Cost**: a few an each."""
    return [
        space_id
        for space_id in Space.objects.order_by("pk").values_list("pk", flat=True)
        if entries_to_embed(space_id=space_id, model=model, limit=1)
        or proposals_to_embed(space_id=space_id, model=model, limit=1)
    ]


def entries_to_embed(*, space_id: int, model: str, limit: int) -> list[tuple[int, str]]:
    """List (id, text) of search entries without a vector of this model.

    New ones first, which have none at all; then those of other models, one model after another.
    """
    found: list[tuple[int, str]] = []
    for other in _others(SearchEntry._meta.db_table, space_id=space_id, model=model):
        rows = SearchEntry.objects.filter(space_id=space_id, model=other).order_by("pk")
        found += rows.values_list("pk", "text")[: limit - len(found)]
        if len(found) >= limit:
            break
    return found


def proposals_to_embed(
    *, space_id: int, model: str, limit: int, besides: Collection[int] = ()
) -> list[tuple[int, str]]:
    """List (id, text) of proposals that duplicates are compared with, without such a vector.

    Waiting ones that have none at all, and every one that has another model's; not those in
    ``besides``, which were tried in vain.
    """
    waiting = _waiting_without_vector(space_id).exclude(pk__in=besides).order_by("pk")
    found = list(waiting.values_list("pk", "text")[:limit])
    for other in _others(ProposalVector._meta.db_table, space_id=space_id, model=model):
        if len(found) >= limit:
            break
        rows = ProposalVector.objects.filter(space_id=space_id, model=other)
        rows = rows.exclude(pk__in=besides).order_by("pk")
        found += rows.values_list("pk", "proposal__text")[: limit - len(found)]
    return found


def _waiting_without_vector(space_id: int) -> QuerySet[Proposal]:
    has_one = ProposalVector.objects.filter(proposal=OuterRef("pk"))
    waiting = Proposal.objects.filter(space_id=space_id, state__in=WAITING_STATES)
    return waiting.filter(~Exists(has_one)).exclude(text="")


def _others(table: str, *, space_id: int, model: str) -> Iterable[str]:
    return (held for held in _models_of(table, space_id=space_id) if held != model)


def _models_of(table: str, *, space_id: int) -> list[str]:
    """List the models of a space's vectors, the empty name of "none yet" first."""
    with connection.cursor() as cursor:
        cursor.execute(_MODELS.format(table=table), {"space": space_id})
        return [model for (model,) in cursor.fetchall()]
