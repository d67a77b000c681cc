"""How far work came."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
    """This function will list jobs of these keys that wait or run, or that were given up."""
    states = [JobState.DEAD] if given_up else [JobState.QUEUED, JobState.RUNNING]
    rows = Job.objects.filter(kind=kind, key__in=keys, state__in=states).order_by("pk")
    return [
        JobRow(row.pk, row.key, row.state, row.run_after, row.attempts, row.progress, row.error)
        for row in rows
    ]
