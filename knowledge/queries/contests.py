"""Beliefs that cannot both be right, as long as nobody has said which is."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from knowledge.models import Contest


@dataclass(frozen=True, slots=True)
class Contested:
    """An open contest, seen from one of its sides.

    **Shape**: ``mine`` and ``other`` are the versions on either side. Both are believed: what is
    believed no more contests nothing.
    """

    id: int
    mine: int
    other: int
    other_statement_id: int
    other_text: str
    other_flags: tuple[str, ...]


def contests_of(version_ids: Collection[int]) -> tuple[Contested, ...]:
    """List the open contests that versions of a statement are part of. One query."""
    rows = (
        Contest.objects.filter(
            Q(version_a__in=version_ids) | Q(version_b__in=version_ids), resolved_by__isnull=True
        )
        .select_related("version_a__proposal", "version_b__proposal")
        .order_by("pk")
    )
    return tuple(_from_side(row, version_ids) for row in rows)


def decisions_about_contests(version_ids: Collection[int]) -> set[UUID]:
    """Return which decisions opened or settled a contest of the versions. One query."""
    rows = Contest.objects.filter(Q(version_a__in=version_ids) | Q(version_b__in=version_ids))
    found = rows.values_list("opened_by_id", "resolved_by_id")
    return {decision for pair in found for decision in pair} - {None}


def is_about(contest_id: int, *, version_id: int) -> bool:
    """Tell whether a version is one of the sides of a contest. One query."""
    sides = Q(version_a=version_id) | Q(version_b=version_id)
    return Contest.objects.filter(sides, pk=contest_id).exists()


def _from_side(row: Contest, version_ids: Collection[int]) -> Contested:
    mine, other = row.version_a, row.version_b
    if mine.pk not in version_ids:
        mine, other = other, mine
    return Contested(
        id=row.pk,
        mine=mine.pk,
        other=other.pk,
        other_statement_id=other.statement_id,
        other_text=other.text,
        other_flags=tuple(other.proposal.flags),
    )
