"""Liveness and readiness as a probe sees them."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import settings
from django.db import OperationalError, connections
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ, Task

from knowledge.models.job import Job, JobState
from tests import scenes
from workbench import heartbeat
from workbench.queries import health

client = Client()


def beat_came_through(*, seconds_ago: int) -> None:
    """Record a beat as django-q2's monitor does."""
    at = timezone.now() - timedelta(seconds=seconds_ago)
    Task.objects.create(
        id=f"beat-{seconds_ago}",
        name="beat",
        func="workbench.heartbeat.beat",
        group=heartbeat.GROUP,
        started=at,
        stopped=at,
        success=True,
    )


def job(*, state: JobState, lease_seconds: int | None = None, waits_s: int = 0) -> None:
    """Add a job row."""
    now = timezone.now()
    lease = None if lease_seconds is None else now + timedelta(seconds=lease_seconds)
    since = now - timedelta(seconds=waits_s)
    Job.objects.create(
        kind="k", key=f"{state}", state=state, run_after=since, created_at=since, lease_until=lease
    )


def test_liveness_asks_nobody() -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.django_db
def test_ready_with_a_beating_worker() -> None:
    beat_came_through(seconds_ago=5)
    job(state=JobState.QUEUED, waits_s=7)

    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    assert answer.json()["seconds_since_beat"] in (5, 6)
    assert answer.json()["oldest_job_waits_s"] in (7, 8)


@pytest.mark.django_db
def test_a_silent_worker_degrades_without_taking_the_site_away() -> None:
    beat_came_through(seconds_ago=600)

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert answer.json()["worker"] == "silent"


@pytest.mark.django_db
@pytest.mark.parametrize(("lease_seconds", "silent"), [(60, False), (-60, True)])
def test_a_worker_inside_a_long_job_is_not_silent(lease_seconds: int, silent: bool) -> None:
    job(state=JobState.RUNNING, lease_seconds=lease_seconds)

    assert health.worker_health(now=timezone.now()).is_silent is silent


@pytest.mark.django_db
def test_unavailable_while_the_database_is_away() -> None:
    with patch.object(health, "check_database", side_effect=OperationalError("away")):
        answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["database"]) == (503, "down")


@pytest.mark.django_db
def test_unavailable_while_a_migration_is_missing() -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'axes' AND name LIKE '0001%'")

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["unapplied_migrations"] == ["axes.0001_initial"]


@pytest.mark.django_db
def test_beats_do_not_pile_up_while_the_cluster_is_away() -> None:
    for _ in range(heartbeat.WAITING_LIMIT + 5):
        heartbeat.ask_for_beat()

    assert OrmQ.objects.count() == heartbeat.WAITING_LIMIT


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("trace-0123456789", True), ("short", False), ("a" * 65, False), ("x\ny 12345678", False)],
)
def test_the_request_id_of_a_caller_is_kept_only_when_safe(sent: str, kept: bool) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": sent})

    assert (answer.headers["X-Request-ID"] == sent) is kept
    assert len(answer.headers["X-Request-ID"]) >= 8


def test_no_page_may_run_inline_script_or_be_framed() -> None:
    answer = client.get("/healthz")

    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (OperationalError("gone"), 503, b"The store cannot answer right now"),
        (ValueError("ours"), 500, b"Something broke"),
    ],
)
def test_a_page_tells_a_store_that_is_away_from_a_fault(
    error: Exception, status: int, words: bytes
) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(scenes.atlas().curator)
    with patch("workbench.views.queue.read", side_effect=error):
        answer = browser.get("/queue/")
    assert answer.status_code == status
    assert words in answer.content
    assert answer.headers.get("Retry-After") == ("5" if status == 503 else None)


ASK_WHILE_AWAY = """
import time, django
django.setup()
from django.test import Client
begun = time.monotonic()
print(Client().get("/readyz", secure=True).status_code, time.monotonic() - begun)
"""


def test_a_store_that_is_away_does_not_hold_requests(tmp_path: Path) -> None:
    away = {
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
        "WORKBENCH_HOME": str(tmp_path),
        "WORKBENCH_POOL": "1",
        "ALLOWED_HOSTS": "testserver",
    }
    done = subprocess.run(
        [sys.executable, "-c", ASK_WHILE_AWAY],
        env={**os.environ, **away},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    status, seconds = done.stdout.split()[-2:]
    assert status == "503"
    assert float(seconds) < 15
