"""Waiting for work: done here, or by whichever worker holds it."""

import time
from collections.abc import Callable, Sequence

from django.utils import timezone

from extraction import tasks
from knowledge.commands import sources, turns
from knowledge.commands.sources import PROCESS_CONVERSATION
from knowledge.errors import KnowledgeError
from knowledge.queries.jobs import JobRow, open_jobs
from knowledge.results import SYSTEM, Actor

LOOK_EVERY_S = 0.5


class WorkGivenUp(KnowledgeError):
    """A job failed every time; its error says why, and it can be tried again."""

    code = "work_given_up"


def process_until_done(
    conversation_ids: Sequence[int], *, say: Callable[[str], object], by: Actor = SYSTEM
) -> None:
    """Extract from the conversations now, beside any worker, until none waits.

    What waits for its conversation to be idle does not wait any longer, and what comes before
    them, because it has a subject in common, is worked off too. Stopping it in the middle loses
    nothing: the jobs stay, and a worker goes on.

    **Raises**: WorkGivenUp with the readable error of a job that failed every time.
    """
    keys = [str(key) for key in dict.fromkeys(conversation_ids)]
    for job in open_jobs(kind=PROCESS_CONVERSATION, keys=keys):
        if job.run_after > timezone.now():
            sources.process_now(conversation_id=int(job.key), by=by, now=timezone.now())
    while waiting := open_jobs(kind=PROCESS_CONVERSATION, keys=keys):
        say(_so_far(waiting, of=len(keys)))
        first = turns.first_before([job.id for job in waiting], now=timezone.now())
        did = [
            tasks.run_job(job_id, goes_on_s=LOOK_EVERY_S)
            for job_id in first or [job.id for job in waiting]
        ]
        if "done" not in did:
            time.sleep(LOOK_EVERY_S)
    dead = open_jobs(kind=PROCESS_CONVERSATION, keys=keys, given_up=True)
    if dead:
        raise WorkGivenUp(
            f"{len(dead)} conversations could not be processed. The first: {dead[0].error}"
        )


def _so_far(waiting: Sequence[JobRow], *, of: int) -> str:
    """Say how far it is, and what the first that failed waits for."""
    told = f"extracting · {of - len(waiting)} of {of} conversations"
    why = next((job.error for job in waiting if job.error), "")
    return f"{told} · tried again by itself: {why}" if why else told
