"""What workers run: ids in, the core called, safe to run twice."""

from collections.abc import Callable
from typing import Any

import structlog
from django.utils import timezone

from extraction import anchoring, embedding, expiry, forgetting, pipeline
from knowledge.commands import jobs
from knowledge.commands.anchors import ANCHOR_AUDIT
from knowledge.commands.erasure import ERASE
from knowledge.commands.governing import EXPIRE_BELIEFS
from knowledge.commands.indexing import EMBED_ENTRIES
from knowledge.commands.sources import PROCESS_CONVERSATION
from knowledge.errors import Conflict
from knowledge.models import Job
from knowledge.results import Lease

log = structlog.get_logger(__name__)

# Works for a while under its lease; says whether there is more to do.
Handler = Callable[[dict[str, Any], Lease], bool]

HANDLERS: dict[str, Handler] = {
    PROCESS_CONVERSATION: pipeline.process_job,
    EMBED_ENTRIES: embedding.embed_job,
    EXPIRE_BELIEFS: expiry.expire_job,
    ANCHOR_AUDIT: anchoring.anchor_job,
    ERASE: forgetting.erase_job,
}


def run_job(job_id: int) -> str:
    """Do the job's work under a lease; what became of it, in a word."""
    job = jobs.lease(job_id=job_id, now=timezone.now())
    if job is None:
        return "not due, or held by another worker"
    return _work(job, held=Lease(job.pk, job.fence))


def _work(job: Job, *, held: Lease) -> str:
    with structlog.contextvars.bound_contextvars(job_id=job.pk, job_kind=job.kind):
        try:
            more = HANDLERS[job.kind](job.payload, held)
            jobs.complete(job_id=held.job_id, fence=held.fence, now=timezone.now(), again=more)
        except Conflict as overtaken:
            log.warning("job_overtaken", reason=str(overtaken))
            return "overtaken"
        except Exception as error:
            log.exception("job_failed", attempt=job.attempts)
            return _fail(held, error=f"{type(error).__name__}: {error}")
        log.info("job_done", attempt=job.attempts)
        return "done"


def _fail(held: Lease, *, error: str) -> str:
    try:
        jobs.fail(job_id=held.job_id, fence=held.fence, error=error[:2000], now=timezone.now())
    except Conflict:
        return "overtaken"
    return "failed"
