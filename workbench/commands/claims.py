"""Who has which card open: ten minutes at a time, renewed while they look."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q

from workbench.models import Claim

HELD_FOR = timedelta(minutes=10)


def claim(*, proposal_id: int, space_id: int, by_id: int, page: UUID, now: datetime) -> None:
    """Say that a person has a card open, and no other card of the space.

    Opened again within its time it counts from when it was first opened. **Cost**: two queries.
    """
    own = Claim.objects.filter(user_id=by_id, space_id=space_id)
    own.filter(~Q(proposal_id=proposal_id) | Q(until__lte=now)).delete()
    Claim.objects.bulk_create(
        [
            Claim(
                space_id=space_id,
                user_id=by_id,
                proposal_id=proposal_id,
                page=page,
                since=now,
                until=now + HELD_FOR,
            )
        ],
        update_conflicts=True,
        unique_fields=["user", "proposal"],
        update_fields=["page", "until"],
    )


def release(*, proposal_id: int, by_id: int, page: UUID | None = None) -> None:
    """End a person's claim on a card; with ``page`` only if that page still shows it."""
    held = Claim.objects.filter(user_id=by_id, proposal_id=proposal_id)
    (held.filter(page=page) if page else held).delete()
