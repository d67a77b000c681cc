"""What workers run: ids in, the core called, safe to run twice."""

import time
from collections.abc import Callable
from typing import Any

import structlog
from django.utils import timezone

from extraction import anchoring, embedding, expiry, forgetting, pipeline, shadowing
from extraction.errors import EngineAway
from extraction.uploads import running as uploads
from extraction.uploads.steps import EXPIRE_UPLOAD, IMPORT_UPLOAD, READ_UPLOAD
from knowledge.commands import jobs, turns
from knowledge.commands.anchors import ANCHOR_AUDIT
from knowledge.commands.erasure import ERASE
from knowledge.commands.governing import EXPIRE_BELIEFS
from knowledge.commands.indexing import EMBED_ENTRIES, LOOK_FOR_VECTORS
from knowledge.commands.shadows import SHADOW_RUN
from knowledge.commands.sources import PROCESS_CONVERSATION
from knowledge.errors import Conflict
from knowledge.models import Job
from knowledge.results import Lease

log = structlog.get_logger(__name__)

# How long one delivery goes on with the conversations that waited for the one before.
GOES_ON_S = 20.0

# Works for a while under its lease; says whether there is more to do.
Handler = Callable[[dict[str, Any], Lease], bool]

HANDLERS: dict[str, Handler] = {
    PROCESS_CONVERSATION: pipeline.process_job,
    SHADOW_RUN: shadowing.shadow_job,
    EMBED_ENTRIES: embedding.embed_job,
    LOOK_FOR_VECTORS: embedding.look_job,
    EXPIRE_BELIEFS: expiry.expire_job,
    ANCHOR_AUDIT: anchoring.anchor_job,
    ERASE: forgetting.erase_job,
    READ_UPLOAD: uploads.read_job,
    IMPORT_UPLOAD: uploads.import_job,
    EXPIRE_UPLOAD: uploads.expire_job,
}


def run_job(job_id: int, *, goes_on_s: float = GOES_ON_S) -> str:
    """Do the job's work under a lease, then that of conversations that waited for it, for a while.

    **Returns**: what became of the first, in a word.
    """
    ends_at = time.monotonic() + goes_on_s
    did = run_one(job_id)
    last, outcome = job_id, did
    while outcome == "done" and time.monotonic() < ends_at:
        following = turns.next_after(last, now=timezone.now())
        if following is None:
            break
        last, outcome = following, run_one(following)
    return did


def run_one(job_id: int) -> str:
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
        except Conflict as conflict:
            return _give_way(held, reason=str(conflict))
        except EngineAway as error:
            log.warning("endpoint_away", reason=str(error))
            return _fail(held, error=str(error), is_away=True)
        except Exception as error:
            log.exception("job_failed", attempt=job.attempts)
            return _fail(held, error=f"{type(error).__name__}: {error}")
        log.info("job_done", attempt=job.attempts)
        return "done"


def _give_way(held: Lease, *, reason: str) -> str:
    """Let what somebody's act came between be tried again soon, unless another has taken it."""
    still_held = jobs.give_way(
        job_id=held.job_id, fence=held.fence, reason=reason[:2000], now=timezone.now()
    )
    log.warning("job_waits" if still_held else "job_overtaken", reason=reason)
    return "waits" if still_held else "overtaken"


def _fail(held: Lease, *, error: str, is_away: bool = False) -> str:
    try:
        jobs.fail(
            job_id=held.job_id,
            fence=held.fence,
            error=error[:2000],
            now=timezone.now(),
            is_away=is_away,
        )
    except Conflict:
        return "overtaken"
    return "failed"
