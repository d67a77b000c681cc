"""From the Job table to the queue: the row is the truth, django-q2 only delivers its id."""

from datetime import datetime

from django_q.tasks import async_task

from knowledge.commands import jobs

RUN_JOB = "extraction.tasks.run_job"


def deliver_due(*, now: datetime) -> int:
    """Tell workers of the jobs that are due; how many it told them of.

    Delivering too often is harmless: a job is leased by one worker at a time.
    """
    due = jobs.take_due(now=now)
    for job_id in due:
        async_task(RUN_JOB, job_id, task_name=f"job-{job_id}")
    return len(due)
