"""Whether this installation can serve: the facts behind `/readyz` and `doctor`."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from knowledge.models import Job, JobState
from workbench import heartbeat

SILENT_AFTER = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class WorkerHealth:
    """**Units**: ages in whole seconds; None where nothing was seen."""

    seconds_since_beat: int | None
    oldest_job_waits_s: int | None
    is_silent: bool


def check_database() -> None:
    """Ask the database for one row. **Raises**: ``OperationalError``."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


@cache
def migrations_on_disk() -> frozenset[tuple[str, str]]:
    """Return app and name of every migration this code brings."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def pending_migrations() -> list[str]:
    """Return the names of migrations that are not applied yet.

    **Cost**: one query; the files are read once per process.
    """
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(".".join(key) for key in migrations_on_disk() - applied.keys())


def worker_health(*, now: datetime) -> WorkerHealth:
    """Say how the worker does. **Cost**: three small queries."""
    beat_at = heartbeat.last_beat_at()
    waiting_since = (
        Job.objects.filter(state__in=[JobState.QUEUED, JobState.RUNNING], run_after__lte=now)
        .order_by("run_after")
        .values_list("run_after", flat=True)
        .first()
    )
    silent = beat_at is None or now - beat_at > SILENT_AFTER
    return WorkerHealth(
        seconds_since_beat=None if beat_at is None else int((now - beat_at).total_seconds()),
        oldest_job_waits_s=(
            None if waiting_since is None else int((now - waiting_since).total_seconds())
        ),
        is_silent=silent and not heartbeat.is_busy(),
    )
