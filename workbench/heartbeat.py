"""The worker's pulse: a task that does nothing, delivered and finished like any other.

Only a task that came all the way through proves that the cluster works: when its idle workers
are killed while they wait, the cluster looks alive and takes nothing any more.
"""

from datetime import datetime

from django.utils import timezone
from django_q.models import OrmQ, Task
from django_q.tasks import async_task

from knowledge.models import Job, JobState

GROUP = "heartbeat"
WAITING_LIMIT = 20  # beats asked of a cluster that is away would only pile up


def beat() -> None:
    """Do nothing: that it ran, and when, is what django-q2 records."""


def ask_for_beat() -> None:
    """Queue one beat, unless many deliveries wait already."""
    if OrmQ.objects.count() < WAITING_LIMIT:
        async_task("workbench.heartbeat.beat", group=GROUP, save=True)


def last_beat_at() -> datetime | None:
    """Return when the worker last finished anything, or None.

    A beat is only asked for so that there is something to finish while nothing else waits.
    """
    stopped: datetime | None = (
        Task.objects.order_by("-stopped").values_list("stopped", flat=True).first()
    )
    return stopped


def seconds_since_beat() -> float | None:
    """Return the age of the last beat, or None where there was none."""
    at = last_beat_at()
    return None if at is None else (timezone.now() - at).total_seconds()


def is_busy() -> bool:
    """Say whether a job runs whose lease still holds.

    A worker inside a long job cannot beat, and must not be taken for a silent one.
    """
    return Job.objects.filter(state=JobState.RUNNING, lease_until__gt=timezone.now()).exists()
