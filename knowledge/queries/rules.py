"""The rules a space decides by: what is in force, and what was."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.models import GuidelineVersion, PolicyVersion

SHOWN = 50


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One version of a space's policy.

    **Units**: ``expire_after_days`` counts from the end of a valid period; None means never;
    ``blind_share`` in per cent of decisions.
    """

    id: int
    four_eyes: str
    expire_after_days: int | None
    blind_share: int
    by: str
    set_at: datetime


@dataclass(frozen=True, slots=True)
class GuidelineRow:
    """One version of a space's guideline. **Shape**: ``markdown`` as it was written."""

    id: int
    markdown: str
    by: str
    set_at: datetime


def policies_of(space_id: int) -> tuple[PolicyRow, ...]:
    """List a space's policies, the one in force first; none where nobody set one. One query."""
    rows = PolicyVersion.objects.filter(space_id=space_id).select_related("by").order_by("-pk")
    return tuple(
        PolicyRow(
            id=row.pk,
            four_eyes=row.four_eyes,
            expire_after_days=row.expire_after_days,
            blind_share=row.blind_share,
            by=row.by.get_username() if row.by else "",
            set_at=row.created_at,
        )
        for row in rows[:SHOWN]
    )


def guidelines_of(space_id: int, *, most: int = SHOWN) -> tuple[GuidelineRow, ...]:
    """List a space's guidelines, the one in force first. One query."""
    rows = GuidelineVersion.objects.filter(space_id=space_id).select_related("by").order_by("-pk")
    return tuple(
        GuidelineRow(
            id=row.pk,
            markdown=row.markdown,
            by=row.by.get_username() if row.by else "",
            set_at=row.created_at,
        )
        for row in rows[:most]
    )


def guideline_of(space_id: int) -> GuidelineRow | None:
    """Return the guideline in force, if any. One query."""
    return next(iter(guidelines_of(space_id, most=1)), None)
