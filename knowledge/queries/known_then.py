"""What was known of a subject when its words were first read: for reading them again.

Another engine is only compared fairly where it starts from the same: not from what people decided
since, and not from what the first run itself found. What was erased meanwhile stays erased.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import Q

from knowledge.fingerprints import forms
from knowledge.models import Decision, Proposal, Version
from knowledge.queries.known import Known, NearText, alike, known_from, near_text
from knowledge.trust import WAITING_STATES, TrustState


def known_then(
    *, space_id: int, subject_id: int, valid_at: datetime, known_at: datetime, limit: int = 400
) -> list[Known]:
    """List what was believed or waiting at an instant, newest first.

    **Cost**: three queries inside one subject, ``limit`` rows each.
    """
    believed = (
        Version.objects.known_at(known_at)
        .filter(space_id=space_id, subject_id=subject_id, redacted_at__isnull=True)
        .filter(Q(valid__contains=valid_at) | Q(valid__startswith__gt=valid_at))
        .order_by("-valid", "pk")[:limit]
    )
    waiting = _waiting(space_id, subject_id=subject_id, known_at=known_at)[:limit]
    return known_from(believed, waiting=waiting)


def near_then(
    vector: Sequence[float],
    *,
    space_id: int,
    subject_id: int,
    model: str,
    least_cosine: float,
    known_at: datetime,
    limit: int = 5,
) -> list[NearText]:
    """List what was near in meaning and there at an instant, in the state it then had.

    **Cost**: one exact scan of the subject's vectors, and three queries for what was near.
    """
    rows = alike(
        vector, space_id=space_id, subject_id=subject_id, model=model, least_cosine=least_cosine
    )
    there = rows.filter(proposal__created_at__lt=known_at, proposal__redacted_at__isnull=True)
    near = list(there[: 4 * limit])
    states = _states_then((row.proposal for row in near), known_at=known_at)
    believed = dict(
        Version.objects.known_at(known_at)
        .filter(space_id=space_id, proposal_id__in=states)
        .values_list("proposal_id", "statement_id")
    )
    return [
        near_text(row, state=states[row.proposal_id], statement_id=believed.get(row.proposal_id))
        for row in near
        if _counts(states[row.proposal_id], is_believed=row.proposal_id in believed)
    ][:limit]


def was_believed_then(
    *, space_id: int, subject_id: int, attribute: str, value: str, known_at: datetime
) -> bool:
    """Say whether this value had been believed, and was no more, at an instant."""
    same = Version.objects.filter(
        space_id=space_id, subject_id=subject_id, value_key__in=forms(attribute, value)
    )
    return same.filter(tx_to__lte=known_at).exists() and not same.known_at(known_at).exists()


def _waiting(space_id: int, *, subject_id: int, known_at: datetime) -> list[Proposal]:
    """List what waited then: what waits still, or was decided only afterwards."""
    of_subject = Proposal.objects.filter(
        space_id=space_id,
        subject_id=subject_id,
        created_at__lt=known_at,
        redacted_at__isnull=True,
    )
    decided_since = Decision.objects.filter(
        space_id=space_id, at__gt=known_at, proposal__subject_id=subject_id
    ).values("proposal_id")
    rows = list(
        of_subject.filter(Q(state__in=WAITING_STATES) | Q(pk__in=decided_since)).order_by(
            "-created_at", "pk"
        )
    )
    states = _states_then(rows, known_at=known_at)
    return [row for row in rows if states[row.pk] in WAITING_STATES]


def _states_then(rows: Iterable[Proposal], *, known_at: datetime) -> dict[int, str]:
    """Say in which state each was: that before its first decision since. One query."""
    states = {row.pk: str(row.state) for row in rows}
    since = Decision.objects.filter(proposal_id__in=states, at__gt=known_at).exclude(
        state_before=""
    )
    first = since.order_by("proposal_id", "seq").distinct("proposal_id")
    return states | dict(first.values_list("proposal_id", "state_before"))


def _counts(state: str, *, is_believed: bool) -> bool:
    """Leave out what was withdrawn, or believed and no more."""
    return state != TrustState.WITHDRAWN and (state != TrustState.APPROVED or is_believed)
