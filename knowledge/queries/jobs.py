"""How far work came."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef

from knowledge.models import Job, JobState


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as pages and commands show it."""

    id: int
    key: str
    state: str
    run_after: datetime
    attempts: int
    progress: dict[str, Any]
    error: str


def open_jobs(*, kind: str, keys: Sequence[str], given_up: bool = False) -> list[JobRow]:
    """List jobs of these keys that wait or run, or that were given up.

    One that was given up counts until the same work is asked for again.
    """
    states = [JobState.DEAD] if given_up else [JobState.QUEUED, JobState.RUNNING]
    rows = Job.objects.filter(kind=kind, key__in=keys, state__in=states).order_by("pk")
    if given_up:
        later = Job.objects.filter(
            kind=OuterRef("kind"), key=OuterRef("key"), pk__gt=OuterRef("pk")
        )
        rows = rows.exclude(Exists(later))
    return [
        JobRow(row.pk, row.key, row.state, row.run_after, row.attempts, row.progress, row.error)
        for row in rows
    ]
