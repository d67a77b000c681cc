"""Work to be done, and who holds it: leases with fencing numbers over the Job table."""

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from knowledge.commands import turns
from knowledge.errors import Conflict, NotFound
from knowledge.models import Job, JobState
from knowledge.models.job import OPEN_STATES
from knowledge.results import Lease
from knowledge.texts import keepable

MAX_ATTEMPTS = 5
# Longer than a worker may take for one task, and what a killed worker's job waits at most.
LEASE = timedelta(minutes=4)
REDELIVER = timedelta(minutes=1)
_BACKOFF_S = (5, 30, 120, 600)
# How soon work goes on that somebody's act came between, and how often before it counts as failed.
_AFTER_CONFLICT = timedelta(seconds=2)
_CONFLICTS_AT_MOST = 10
# An outage ends within a day, or somebody has to look.
AWAY_AT_MOST = timedelta(days=1)
_AWAY_SINCE = "away_since"


def enqueue(
    *,
    space_id: int | None,
    kind: str,
    key: str,
    payload: dict[str, Any],
    now: datetime,
    delay: timedelta = timedelta(0),
    until_idle: bool = False,
) -> Job:
    """Ask for work as a step of a command, so that both commit together.

    One job per key is open at a time: while it runs, asking again makes it run once more
    afterwards; while it waits, the earlier time wins. With ``until_idle`` the delay counts from
    the last time it was asked so: each puts it off, but never work that is wanted by a time.
    """
    run_after = now + delay
    marked = payload | ({turns.UNTIL_IDLE: True} if until_idle else {})
    defaults = {"space_id": space_id, "payload": marked, "run_after": run_after, "created_at": now}
    # Locked, so that one that completes at this moment is seen as done, and the wish not lost.
    waiting = Job.objects.select_for_update(no_key=True).filter(
        kind=kind, key=key, state__in=OPEN_STATES
    )
    while (job := waiting.first()) is None:
        try:
            with transaction.atomic():
                return Job.objects.create(kind=kind, key=key, **defaults)
        except IntegrityError:
            continue  # someone else asked first
    _ask_again(job, run_after=run_after, until_idle=until_idle, now=now)
    return job


def _ask_again(job: Job, *, run_after: datetime, until_idle: bool, now: datetime) -> None:
    """Join a further wish to the one an open job stands for; a running one keeps the next."""
    is_running = job.state == JobState.RUNNING
    is_first = is_running and not job.rerun
    may_wait = turns.UNTIL_IDLE in job.payload and job.run_after > now
    if is_running:
        job.rerun = True
    if is_first or may_wait:
        job.run_after = max(job.run_after, run_after) if until_idle and may_wait else run_after
        job.payload.pop(turns.UNTIL_IDLE, None)
        if until_idle:
            job.payload[turns.UNTIL_IDLE] = True
        if not is_running:
            job.created_at = now
    elif not until_idle:
        job.run_after = min(job.run_after, run_after)
    job.save(update_fields=["rerun", "run_after", "payload", "created_at"])


@transaction.atomic(durable=True)
def lease(*, job_id: int, now: datetime) -> Job | None:
    """Take the job for a while, counting the attempt before any work.

    **Returns**: None when someone else holds it, it is not due, it is not its turn, or it is done.
    """
    turns.hold(job_id)
    job = Job.objects.select_for_update(skip_locked=True).filter(pk=job_id).first()
    if job is None:
        return None
    runs_out = job.lease_until
    is_lost = job.state == JobState.RUNNING and runs_out is not None and runs_out <= now
    is_due = job.state == JobState.QUEUED and job.run_after <= now
    if not (is_due or is_lost) or turns.is_behind(job, now=now):
        return None
    if job.attempts >= MAX_ATTEMPTS:
        _give_up(job, error=job.error or "The work ended its worker every time.", now=now)
        return None
    job.state = JobState.RUNNING
    job.attempts += 1
    job.fence += 1
    job.rerun = False
    job.lease_until = now + LEASE
    job.payload.pop(turns.UNTIL_IDLE, None)
    job.save(update_fields=["state", "attempts", "fence", "rerun", "lease_until", "payload"])
    return job


def check_held(held: Lease | None) -> None:
    """Do the same as ``check_lease`` where work runs under a lease at all.

    **Raises**: Conflict.
    """
    if held is not None:
        check_lease(job_id=held.job_id, fence=held.fence)


def check_lease(*, job_id: int, fence: int) -> None:
    """Refuse, as a step, to let an overtaken worker write its result.

    **Raises**: Conflict.
    """
    held = Job.objects.select_for_update(no_key=True).filter(
        pk=job_id, fence=fence, state=JobState.RUNNING
    )
    if not held.exists():
        raise Conflict("Another worker has taken over this job.")


@transaction.atomic(durable=True)
def complete(*, job_id: int, fence: int, now: datetime, again: bool = False) -> Job:
    """Close the job, or queue it again where there is more to do.

    ``again`` is the worker's word that it stopped in the middle, and it keeps its turn. A wish
    that came while it ran queues behind what was asked for before, and not before its time.
    """
    check_lease(job_id=job_id, fence=fence)
    job = Job.objects.get(pk=job_id)
    job.lease_until = None
    job.error = ""
    job.progress.pop("conflicts", None)
    job.progress.pop(_AWAY_SINCE, None)
    if again:
        _queue(job, run_after=now)
        job.attempts, job.rerun = 0, False
    elif job.rerun:
        job.created_at = min(now, job.run_after)
        job.state, job.attempts, job.rerun = JobState.QUEUED, 0, False
        job.run_after, job.delivered_at = max(now, job.run_after), None
    else:
        job.state, job.finished_at = JobState.DONE, now
    job.save()
    return job


@transaction.atomic(durable=True)
def fail(*, job_id: int, fence: int, error: str, now: datetime, is_away: bool = False) -> Job:
    """Note a readable error and queue a later attempt, or give up.

    ``is_away`` says that whom the work needs answers nobody just now: it is tried on, as seldom
    as a last attempt, and only given up after ``AWAY_AT_MOST``.
    """
    check_lease(job_id=job_id, fence=fence)
    error = keepable(error)
    job = Job.objects.get(pk=job_id)
    if is_away and _is_waited_for(job, now=now):
        job.attempts = min(job.attempts, MAX_ATTEMPTS - 1)
    if job.attempts >= MAX_ATTEMPTS:
        _give_up(job, error=error, now=now)
        return job
    wait_s = _BACKOFF_S[min(job.attempts, len(_BACKOFF_S)) - 1]
    _queue(job, run_after=now + timedelta(seconds=wait_s))
    job.error = error
    job.save()
    return job


@transaction.atomic(durable=True)
def give_way(*, job_id: int, fence: int, reason: str, now: datetime) -> bool:
    """Queue work soon again that somebody's act came between; the attempt does not count.

    Where it was taken from its worker for that act, the attempt is given back all the same. What
    is stopped so again and again without any progress fails.

    **Returns**: whether the worker still held it.
    """
    rows = Job.objects.select_for_update(no_key=True).filter(pk=job_id)
    taken = rows.filter(state=JobState.QUEUED, fence=fence + 1, error="", attempts__gt=0).first()
    if taken is not None:
        taken.attempts -= 1
        taken.save(update_fields=["attempts"])
    job = rows.filter(state=JobState.RUNNING, fence=fence).first()
    if job is None:
        return False
    conflicts = job.progress.get("conflicts", 0) + 1
    job.progress["conflicts"] = conflicts
    if conflicts <= _CONFLICTS_AT_MOST:
        job.attempts -= 1
    elif job.attempts >= MAX_ATTEMPTS:
        _give_up(job, error=keepable(reason), now=now)
        return True
    _queue(job, run_after=now + _AFTER_CONFLICT)
    job.error = keepable(reason)
    job.save()
    return True


@transaction.atomic(durable=True)
def retry(*, job_id: int, now: datetime) -> Job:
    """Give a job that was given up another round of attempts.

    **Raises**: NotFound; Conflict when the job is not given up.
    """
    job = Job.objects.select_for_update().filter(pk=job_id).first()
    if job is None:
        raise NotFound("There is no such job.")
    if job.state != JobState.DEAD:
        raise Conflict("Only a job that was given up can be tried again.")
    job.state, job.attempts, job.run_after = JobState.QUEUED, 0, now
    job.finished_at = job.delivered_at = None
    job.progress.pop(_AWAY_SINCE, None)
    try:
        with transaction.atomic():
            job.save()
    except IntegrityError as error:
        raise Conflict("The same work waits already, asked for again since.") from error
    return job


@transaction.atomic(durable=True)
def take_due(*, now: datetime, limit: int = 100) -> list[int]:
    """List, and mark as delivered, jobs a worker should be told of.

    Those that wait and are due, and those whose lease ran out, when it is their turn. A delivery
    that led to nothing is repeated after ``REDELIVER``.
    """
    waiting = Q(state=JobState.QUEUED, run_after__lte=now)
    lost = Q(state=JobState.RUNNING, lease_until__lte=now)
    not_told = Q(delivered_at__isnull=True) | Q(delivered_at__lte=now - REDELIVER)
    due = (
        Job.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(waiting | lost)
        .filter(not_told)
        .exclude(pk__in=turns.all_behind(now=now))
        .order_by("run_after", "pk")
    )
    ids = list(due.values_list("pk", flat=True)[:limit])
    Job.objects.filter(pk__in=ids).update(delivered_at=now)
    return ids


@transaction.atomic(durable=True)
def note_progress(*, job_id: int, fence: int, progress: dict[str, Any], now: datetime) -> None:
    """Store how far the work came, renew the lease and count attempts anew.

    Only work that gets nowhere is given up.
    """
    Job.objects.filter(pk=job_id, fence=fence, state=JobState.RUNNING).update(
        progress=progress, lease_until=now + LEASE, attempts=1
    )


def _is_waited_for(job: Job, *, now: datetime) -> bool:
    """Say whether what a job needs has not been away for too long, counted from the first time."""
    since = job.progress.setdefault(_AWAY_SINCE, now.isoformat())
    return now - datetime.fromisoformat(since) < AWAY_AT_MOST


def _queue(job: Job, *, run_after: datetime) -> None:
    """Let a job that ran wait until a time that no later words put off."""
    job.state, job.run_after = JobState.QUEUED, run_after
    job.lease_until = job.delivered_at = None
    job.payload.pop(turns.UNTIL_IDLE, None)


def _give_up(job: Job, *, error: str, now: datetime) -> None:
    job.state, job.error, job.finished_at, job.lease_until = JobState.DEAD, error, now, None
    job.save()
