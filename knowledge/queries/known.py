"""What is known of a subject already: believed, or waiting for a decision."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Q, QuerySet, When
from pgvector.django import CosineDistance

from knowledge.fingerprints import forms
from knowledge.models import Attribute, Proposal, ProposalVector, Version
from knowledge.trust import WAITING_STATES, TrustState


@dataclass(frozen=True, slots=True)
class Known:
    """A current statement, or a proposal that waits; ``ref`` is ``statement:<id>`` or
    ``proposal:<id>``.
    """

    ref: str
    text: str
    about: str
    attribute: str
    value: str
    waiting: bool
    valid_from: datetime


@dataclass(frozen=True, slots=True)
class NearText:
    """A proposal whose text has a similar vector.

    **Shape**: ``statement_id`` is what it became, where it is still believed; ``message_ids`` are
    the messages it rests on.
    """

    proposal_id: int
    text: str
    state: str
    vector: tuple[float, ...]
    statement_id: int | None
    message_ids: frozenset[int]


def known_of_subject(
    *, space_id: int, subject_id: int, valid_at: datetime, limit: int = 400
) -> list[Known]:
    """List what is believed or waiting, newest first, valid at the instant.

    **Cost**: two queries inside one subject, ``limit`` rows each.
    """
    believed = (
        Version.objects.current()
        .filter(space_id=space_id, subject_id=subject_id)
        .filter(Q(valid__contains=valid_at) | Q(valid__startswith__gt=valid_at))
        .order_by("-valid", "pk")[:limit]
    )
    waiting = Proposal.objects.filter(
        space_id=space_id, subject_id=subject_id, state__in=WAITING_STATES
    ).order_by("-created_at", "pk")[:limit]
    return known_from(believed, waiting=waiting)


def known_from(believed: Iterable[Version], *, waiting: Iterable[Proposal]) -> list[Known]:
    """Put what is believed and what waits in one shape, in this order."""
    return [
        Known(
            ref=f"statement:{row.statement_id}",
            text=row.text,
            about=row.about,
            attribute=row.attribute,
            value=row.value,
            waiting=False,
            valid_from=row.valid.lower,
        )
        for row in believed
    ] + [
        Known(
            ref=f"proposal:{row.pk}",
            text=row.text,
            about=row.about,
            attribute=row.attribute,
            value=row.value,
            waiting=True,
            valid_from=row.valid_from,
        )
        for row in waiting
    ]


def near_texts(
    vector: Sequence[float],
    *,
    space_id: int,
    subject_id: int,
    model: str,
    least_cosine: float,
    limit: int = 5,
) -> list[NearText]:
    """List the subject's proposals with the nearest vectors, nearest first.

    Among waiting, set aside, rejected and still believed ones; never among ended beliefs, and
    never beyond the subject, so that another tenant's texts cannot crowd them out.

    **Cost**: one exact scan of the subject's vectors, one query for what became of them.
    """
    rows = alike(
        vector, space_id=space_id, subject_id=subject_id, model=model, least_cosine=least_cosine
    )
    near = list(rows.exclude(proposal__state=TrustState.WITHDRAWN)[:limit])
    believed = dict(
        Version.objects.current()
        .filter(space_id=space_id, proposal_id__in=[row.proposal_id for row in near])
        .values_list("proposal_id", "statement_id")
    )
    return [
        near_text(row, state=row.proposal.state, statement_id=believed.get(row.proposal_id))
        for row in near
        if row.proposal.state != TrustState.APPROVED or row.proposal_id in believed
    ]


def alike(
    vector: Sequence[float], *, space_id: int, subject_id: int, model: str, least_cosine: float
) -> QuerySet[ProposalVector, ProposalVector]:
    """Read a subject's proposals with near vectors, the nearest first, and what they rest on.

    Not those that were joined to another: their words are there already.
    """
    # Inside the condition, so that no plan compares vectors of two models, or of two lengths.
    distance = Case(When(model=model, then=CosineDistance("vector", list(vector))))
    return (
        ProposalVector.objects.filter(space_id=space_id, subject_id=subject_id, model=model)
        .filter(proposal__joined_to__isnull=True)
        .annotate(distance=distance)
        .filter(distance__lte=1 - least_cosine)
        .order_by("distance", "pk")
        .select_related("proposal")
        .prefetch_related("proposal__evidence")
    )


def near_text(row: ProposalVector, *, state: str, statement_id: int | None) -> NearText:
    """Put a proposal that is near, in a state, in shape."""
    return NearText(
        proposal_id=row.proposal_id,
        text=row.proposal.text,
        state=state,
        vector=tuple(row.vector),
        statement_id=statement_id,
        message_ids=frozenset(item.message_id for item in row.proposal.evidence.all()),
    )


def single_valued(space_id: int) -> frozenset[str]:
    """List the attributes of which a subject holds one value at a time."""
    rows = Attribute.objects.filter(space_id=space_id, single_valued=True)
    return frozenset(rows.values_list("key", flat=True))


def was_believed_once(*, space_id: int, subject_id: int, attribute: str, value: str) -> bool:
    """Say whether this value was believed and is no more."""
    same = Version.objects.filter(
        space_id=space_id, subject_id=subject_id, value_key__in=forms(attribute, value)
    )
    return same.filter(tx_to__isnull=False).exists() and not same.current().exists()
