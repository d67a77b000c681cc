"""Which cards others have open."""

from dataclasses import dataclass
from datetime import datetime

from workbench.models import Claim


@dataclass(frozen=True, slots=True)
class Held:
    """A card that somebody has open. **Shape**: ``since`` they opened it, ``until`` it counts."""

    by: str
    since: datetime
    until: datetime


def held_by_others(*, space_id: int, user_id: int, now: datetime) -> dict[int, Held]:
    """Return what others have open in a space, by proposal. One query.

    **Shape**: of several people with the same card open, the one who opened it first.
    """
    rows = (
        Claim.objects.filter(space_id=space_id, until__gt=now)
        .exclude(user_id=user_id)
        .order_by("since", "pk")
        .values_list("proposal_id", "user__username", "since", "until")
    )
    found: dict[int, Held] = {}
    for proposal_id, name, since, until in rows:
        found.setdefault(proposal_id, Held(by=name, since=since, until=until))
    return found
