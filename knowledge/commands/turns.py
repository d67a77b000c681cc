"""Whose turn it is: conversations of one subject are processed one after another.

In the order they were captured, so that what joins what depends on what was said and not on which
worker was quicker. Conversations without a common subject do not wait for each other.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import connection

from knowledge.models import Job

PROCESS_CONVERSATION = "process_conversation"
# In a job's payload: it waits until its conversation has been idle, and later words put it off.
UNTIL_IDLE = "until_idle"

# A conversation that still waits to be idle was not asked for yet, so nobody waits for it.
_PLACES = """
WITH asked AS (
    SELECT job.id, job.created_at, link.subject_id,
        job.state = 'queued' AND job.run_after <= %(now)s AS is_due,
        job.state = 'running' AND job.lease_until > %(now)s AS is_at_work
    FROM knowledge_job job
    JOIN knowledge_conversationsubject link
        ON link.conversation_id = (job.payload ->> 'conversation_id')::bigint AND link.proposes
    WHERE job.kind = 'process_conversation' AND job.state IN ('queued', 'running')
        AND (%(of)s::bigint[] IS NULL OR link.subject_id IN (
            SELECT subject_id FROM knowledge_conversationsubject own
            JOIN knowledge_job mine
                ON own.conversation_id = (mine.payload ->> 'conversation_id')::bigint
            WHERE mine.id = ANY (%(of)s) AND mine.kind = 'process_conversation' AND own.proposes))
        AND NOT (
            job.state = 'queued' AND job.run_after > %(now)s
            AND jsonb_exists(job.payload, 'until_idle'))
), placed AS (
    SELECT id, is_due, is_at_work, created_at, row_number() OVER (
        PARTITION BY subject_id ORDER BY is_at_work DESC, created_at, id
    ) AS place
    FROM asked
)
"""
_BEHIND = f"{_PLACES} SELECT DISTINCT id FROM placed WHERE place > 1"
_FIRST = f"{_PLACES} SELECT id FROM placed WHERE place = 1 ORDER BY is_at_work, created_at, id"
_FIRST_DUE = f"{_PLACES} SELECT id FROM placed WHERE place = 1 AND is_due ORDER BY created_at, id"


def hold(job_id: int) -> None:
    """Let nobody else take a conversation of this space until the transaction ends.

    Before any other lock, so that whoever waits for it holds nothing.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended('turns of ' || space_id, 0))"
            " FROM knowledge_job WHERE id = %s AND kind = %s",
            [job_id, PROCESS_CONVERSATION],
        )


def is_behind(job: Job, *, now: datetime) -> bool:
    """Say whether an earlier conversation with the same subject comes first."""
    return job.kind == PROCESS_CONVERSATION and job.pk in _ids(_BEHIND, now=now, of=[job.pk])


def all_behind(*, now: datetime) -> list[int]:
    """List jobs that wait for their turn."""
    return _ids(_BEHIND, now=now, of=None)


def next_after(job_id: int, *, now: datetime) -> int | None:
    """Name the job whose turn it is among those with a subject of this one, if one is due."""
    return next(iter(_ids(_FIRST_DUE, now=now, of=[job_id])), None)


def first_before(job_ids: Collection[int], *, now: datetime) -> list[int]:
    """List the jobs whose turn it is with the subjects of these."""
    return _ids(_FIRST, now=now, of=list(job_ids))


def _ids(query: str, *, now: datetime, of: list[int] | None) -> list[int]:
    values: dict[str, Any] = {"now": now, "of": of}
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return [row[0] for row in cursor.fetchall()]
