"""Liveness and readiness, for probes and for `up`."""

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from workbench.queries import health


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer as long as the process does; it asks nobody else."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Say whether requests can be served, and how the worker does.

    503 only where serving is impossible: a silent worker delays new proposals, while reviewing
    and retrieving go on, so it makes the answer ``degraded`` and not a reason to be taken out.
    """
    try:
        health.check_database()
        unapplied = health.pending_migrations()
        worker = health.worker_health(now=timezone.now()) if not unapplied else None
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "database": "down"}, status=503)
    if worker is None:
        answer = {"status": "unavailable", "database": "ok", "unapplied_migrations": unapplied}
        return JsonResponse(answer, status=503)
    return JsonResponse(
        {
            "status": "degraded" if worker.is_silent else "ok",
            "database": "ok",
            "unapplied_migrations": [],
            "worker": "silent" if worker.is_silent else "ok",
            "seconds_since_beat": worker.seconds_since_beat,
            "oldest_job_waits_s": worker.oldest_job_waits_s,
        }
    )
