"""The two instants every read is made at, and what was believed and true at them."""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from knowledge.errors import NotFound
from knowledge.models import Version
from knowledge.models.statement import VersionQuerySet
from knowledge.periods import check_instant

# The tail of the decisions is what the ledger has stamped so far: a decision still being written
# has a later stamp, so a read at this instant stays the same for ever.
_LAST_STAMP = """
SELECT coalesce(
    (SELECT d.at FROM knowledge_decision d WHERE d.space_id = l.space_id
     ORDER BY d.seq DESC LIMIT 1),
    l.opened_at)
FROM knowledge_ledger l WHERE l.space_id = %s
"""


@dataclass(frozen=True, slots=True)
class Instants:
    """What was true at ``valid_at``, as known at ``known_at``. **Units**: UTC."""

    valid_at: datetime
    known_at: datetime


def last_stamp(space_id: int) -> datetime:
    """Return the last instant the space's ledger has stamped.

    **Cost**: one query. **Raises**: NotFound.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LAST_STAMP, [space_id])
        row = cursor.fetchone()
    if row is None:
        raise NotFound("There is no such space.")
    return check_instant(row[0], field="known_at")


def instants_of(
    *, space_id: int, valid_at: datetime | None, known_at: datetime | None, now: datetime
) -> Instants:
    """Settle both instants: by default now, and never beyond the ledger.

    Reading again with the returned ``known_at`` gives the same answer, whatever is decided later.

    **Cost**: one query. **Raises**: InvalidPeriod for a naive instant; NotFound.
    """
    latest = last_stamp(space_id)
    wanted = latest if known_at is None else check_instant(known_at, field="known_at")
    return Instants(
        valid_at=check_instant(now if valid_at is None else valid_at, field="valid_at"),
        known_at=min(wanted, latest),
    )


def believed_at(
    *, space_id: int, subject_ids: list[int] | None, instants: Instants
) -> VersionQuerySet:
    """Return what was believed and true at the instants, oldest first.

    ``subject_ids`` None means every subject of the space, for people; a key always names its own.
    """
    found = (
        Version.objects.filter(space_id=space_id)
        .known_at(instants.known_at)
        .valid_at(instants.valid_at)
    )
    if subject_ids is not None:
        found = found.filter(subject_id__in=subject_ids)
    return found.order_by("tx_from", "pk")
