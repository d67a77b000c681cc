"""Dates of a text as plain intervals of days, for whoever measures or schedules.

Statements keep what words say: "from May to July" holds all of July, "two months ago" a whole
month, "until 2020" no beginning. A list of intervals needs one convention, and this is the usual
one of schedulers: up to the last part named, the very day counted to, the first day of "since".
"""

from datetime import UTC, datetime, timedelta

from extraction.date_found import FoundDate
from extraction.dates import find_dates


def resolve(text: str, reference: datetime, *, language: str = "") -> list[tuple[str, str]]:
    """List the days each resolved date of a text stands for, half-open, as ISO dates.

    **Units**: a ``reference`` without a zone is taken as UTC.
    """
    said_at = reference if reference.tzinfo else reference.replace(tzinfo=UTC)
    found = find_dates(text, reference=said_at, zone="UTC", language=language or None)
    return [days for date in found if (days := _days(date))]


def _days(found: FoundDate) -> tuple[str, str] | None:
    starts_at = found.starts_at
    if starts_at is None or found.to is None:
        return None
    if found.literal:
        first, after = found.literal
    elif found.role == "since" and found.exclusive and found.granularity == "day" and found.from_:
        first, after = found.from_.date(), found.to.date()
    elif found.role == "since":
        first, after = starts_at.date(), (starts_at + timedelta(days=1)).date()
    else:
        first, after = starts_at.date(), found.to.date()
    return first.isoformat(), after.isoformat()
