"""What is believed or waiting already that reads much like a text."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.contrib.postgres.search import TrigramSimilarity
from django.db.models import QuerySet

from knowledge.models import Proposal, Version
from knowledge.models.statement import VersionQuerySet
from knowledge.trust import TrustState

LEAST_SIMILAR = 0.2
SHOWN = 3
COMPARED = 2_000
"""Rows of one subject whose texts are compared: more would make the card wait."""


@dataclass(frozen=True, slots=True)
class Near:
    """A statement or a waiting proposal that reads alike.

    **Units**: ``similarity`` 0..1 over trigrams. **Shape**: ``version_id`` is the version seen,
    None for a proposal; ``since`` is the valid start of a statement, the day a proposal came.
    """

    what: Literal["statement", "proposal"]
    id: int
    version_id: int | None
    text: str
    since: datetime
    state: str
    similarity: float


def nearest_to(text: str, *, space_id: int, subject_id: int, besides: int = 0) -> tuple[Near, ...]:
    """Return up to three that read most alike, nearest first.

    **Cost**: four queries, each inside the subject's newest ``COMPARED`` rows.
    """
    alike = TrigramSimilarity("text", text)
    newest = Version.objects.current().filter(space_id=space_id, subject_id=subject_id)
    believed = (
        Version.objects.filter(pk__in=_newest(newest))
        .annotate(alike=alike)
        .filter(alike__gte=LEAST_SIMILAR)
        .order_by("-alike", "pk")[:SHOWN]
    )
    latest = Proposal.objects.filter(
        space_id=space_id,
        subject_id=subject_id,
        state__in=[TrustState.PENDING, TrustState.DEFERRED],
    ).exclude(pk=besides)
    waiting = (
        Proposal.objects.filter(pk__in=_newest(latest))
        .annotate(alike=alike)
        .filter(alike__gte=LEAST_SIMILAR)
        .order_by("-alike", "pk")[:SHOWN]
    )
    found = [_believed(row) for row in believed] + [_waiting(row) for row in waiting]
    found.sort(key=lambda near: (-near.similarity, near.what, near.id))
    return tuple(found[:SHOWN])


def nearest_then(text: str, *, subject_id: int, believed: VersionQuerySet) -> tuple[Near, ...]:
    """Return up to three of the given versions that read most alike, nearest first.

    **Cost**: two queries.
    """
    rows = (
        Version.objects.filter(pk__in=_newest(believed.filter(subject_id=subject_id)))
        .annotate(alike=TrigramSimilarity("text", text))
        .filter(alike__gte=LEAST_SIMILAR)
        .order_by("-alike", "pk")[:SHOWN]
    )
    return tuple(_believed(row) for row in rows)


def nearest_beliefs(text: str, *, space_id: int, subject_id: int, besides: int) -> tuple[Near, ...]:
    """Return up to three other statements believed now that read most alike, nearest first.

    **Shape**: ``besides`` is the statement they are compared with. **Cost**: two queries.
    """
    newest = Version.objects.current().filter(space_id=space_id, subject_id=subject_id)
    rows = (
        Version.objects.filter(pk__in=_newest(newest.exclude(statement_id=besides)))
        .annotate(alike=TrigramSimilarity("text", text))
        .order_by("-alike", "pk")[:SHOWN]
    )
    return tuple(_believed(row) for row in rows)


def _newest(rows: QuerySet[Any]) -> list[int]:
    """Read apart: inside one statement the planner compares every text before it limits."""
    return list(rows.order_by("-pk").values_list("pk", flat=True)[:COMPARED])


def _believed(row: Version) -> Near:
    return Near(
        what="statement",
        id=row.statement_id,
        version_id=row.pk,
        text=row.text,
        since=row.valid.lower,
        state="believed",
        similarity=_alike(row),
    )


def _waiting(row: Proposal) -> Near:
    return Near(
        what="proposal",
        id=row.pk,
        version_id=None,
        text=row.text,
        since=row.created_at,
        state=row.state,
        similarity=_alike(row),
    )


def _alike(row: object) -> float:
    return float(vars(row)["alike"])
