"""A job is done once: leased, fenced, retried, and given up in words."""

from datetime import timedelta

import pytest

from knowledge.commands import jobs
from knowledge.errors import Conflict
from knowledge.models import Job, JobState
from tests.factories import NOW

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def job() -> Job:
    return jobs.enqueue(space_id=None, kind="test", key="1", payload={"id": 1}, now=NOW)


def test_one_worker_holds_a_job_at_a_time(job: Job) -> None:
    held = jobs.lease(job_id=job.pk, now=NOW)
    assert held is not None
    assert (held.attempts, held.fence) == (1, 1)
    assert jobs.lease(job_id=job.pk, now=NOW + MINUTE) is None


def test_a_lost_lease_goes_to_another_and_the_overtaken_may_not_finish(job: Job) -> None:
    first = jobs.lease(job_id=job.pk, now=NOW)
    later = NOW + jobs.LEASE
    second = jobs.lease(job_id=job.pk, now=later)
    assert first is not None
    assert second is not None
    with pytest.raises(Conflict, match="Another worker"):
        jobs.complete(job_id=job.pk, fence=first.fence, now=later)
    assert jobs.complete(job_id=job.pk, fence=second.fence, now=later).state == JobState.DONE


def test_work_asked_for_while_it_runs_is_done_once_more(job: Job) -> None:
    held = jobs.lease(job_id=job.pk, now=NOW)
    again = jobs.enqueue(space_id=None, kind="test", key="1", payload={"id": 1}, now=NOW)
    assert held is not None
    assert again.pk == job.pk
    assert jobs.complete(job_id=job.pk, fence=held.fence, now=NOW).state == JobState.QUEUED
    held = jobs.lease(job_id=job.pk, now=NOW)
    assert held is not None
    assert jobs.complete(job_id=job.pk, fence=held.fence, now=NOW).state == JobState.DONE


def test_failures_wait_longer_each_time_and_end_with_a_readable_error(job: Job) -> None:
    now, waits = NOW, []
    for _ in range(jobs.MAX_ATTEMPTS):
        held = jobs.lease(job_id=job.pk, now=now)
        assert held is not None
        after = jobs.fail(job_id=job.pk, fence=held.fence, error="no answer", now=now)
        waits.append(after.run_after - now)
        now = after.run_after
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.DEAD, "no answer")
    assert waits[:-1] == sorted(waits[:-1])
    assert jobs.retry(job_id=job.pk, now=now).state == JobState.QUEUED
    with pytest.raises(Conflict):
        jobs.retry(job_id=job.pk, now=now)


def test_work_for_somebody_who_is_away_is_tried_on_for_a_day(job: Job) -> None:
    now, waits = NOW, []
    while now < NOW + jobs.AWAY_AT_MOST:
        held = jobs.lease(job_id=job.pk, now=now)
        assert held is not None
        after = jobs.fail(job_id=job.pk, fence=held.fence, error="away", now=now, is_away=True)
        assert after.state == JobState.QUEUED
        waits.append(after.run_after - now)
        now = after.run_after
    assert max(waits) == 10 * MINUTE
    held = jobs.lease(job_id=job.pk, now=now)
    assert held is not None
    jobs.fail(job_id=job.pk, fence=held.fence, error="away", now=now, is_away=True)
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.DEAD, "away")


def test_a_job_that_kills_its_worker_is_given_up(job: Job) -> None:
    now = NOW
    for _ in range(jobs.MAX_ATTEMPTS):
        assert jobs.lease(job_id=job.pk, now=now) is not None
        now += jobs.LEASE
    assert jobs.lease(job_id=job.pk, now=now) is None
    job.refresh_from_db()
    assert job.state == JobState.DEAD
    assert "ended its worker" in job.error


def test_due_jobs_are_delivered_once_and_again_when_nothing_came_of_it(job: Job) -> None:
    assert jobs.take_due(now=NOW) == [job.pk]
    assert jobs.take_due(now=NOW + MINUTE / 2) == []
    assert jobs.take_due(now=NOW + jobs.REDELIVER) == [job.pk]


def test_a_job_for_later_waits_and_an_earlier_wish_wins() -> None:
    later = jobs.enqueue(
        space_id=None, kind="test", key="2", payload={}, now=NOW, delay=30 * MINUTE
    )
    assert jobs.take_due(now=NOW) == []
    jobs.enqueue(space_id=None, kind="test", key="2", payload={}, now=NOW)
    assert jobs.take_due(now=NOW) == [later.pk]


def test_work_that_stops_in_the_middle_goes_on_in_another_slice(job: Job) -> None:
    held = jobs.lease(job_id=job.pk, now=NOW)
    assert held is not None
    after = jobs.complete(job_id=job.pk, fence=held.fence, now=NOW, again=True)
    assert (after.state, after.attempts) == (JobState.QUEUED, 0)
    assert jobs.take_due(now=NOW) == [job.pk]
