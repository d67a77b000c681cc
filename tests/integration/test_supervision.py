"""The parts of `up` that keep its processes running, and the watch over the worker."""

import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from django.db import OperationalError
from django.utils import timezone
from django_q.models import OrmQ, Task

from knowledge.models import Job, JobState
from workbench import heartbeat
from workbench.supervision.processes import Process, end_all
from workbench.supervision.worker import WorkerWatch

SLEEPER = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);" + SLEEPER
FORKER = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEPER!r}]);"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Process]]:
    """Starts a Python program behind its guard and waits for its first word."""
    started: list[Process] = []

    def begin(program: str) -> Process:
        log = tmp_path / f"{len(started)}.log"
        started.append(Process("program", [sys.executable, "-c", program], log))
        started[-1].start()
        assert wait_until(lambda: log.exists() and b"up" in log.read_bytes())
        return started[-1]

    yield begin
    end_all(started)


def wait_until(condition: Callable[[], bool], *, seconds: float = 10) -> bool:
    """Wait for ``condition``, and say whether it came."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def descendants(process: Process) -> list[psutil.Process]:
    """Return the guard and everything below it."""
    assert process._guard is not None
    guard = psutil.Process(process._guard.pid)
    return [guard, *guard.children(recursive=True)]


def test_a_program_that_will_not_end_is_made_to(start: Callable[[str], Process]) -> None:
    stubborn = start(STUBBORN)
    family = descendants(stubborn)

    before = time.monotonic()
    end_all([stubborn])

    assert time.monotonic() - before < 9
    assert not any(each.is_running() for each in family)


def test_what_a_program_leaves_behind_is_ended_with_it(start: Callable[[str], Process]) -> None:
    program = start(FORKER + SLEEPER)
    family = descendants(program)
    assert len(family) == 3

    end_all([program])

    assert wait_until(lambda: not any(is_alive(each) for each in family))


def is_alive(process: psutil.Process) -> bool:
    """Say whether the process still does anything."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_a_program_that_ended_is_started_again_but_not_in_a_rush(
    start: Callable[[str], Process],
) -> None:
    program = start("print('up', flush=True)")
    assert wait_until(lambda: not program.is_running())

    assert not program.start_again_if_ended()  # its pause of one second is not over
    assert wait_until(program.start_again_if_ended)
    assert program.failures == 1


class FakeWorker(Process):
    """A worker that runs since long ago and counts how often it was started."""

    def __init__(self, *, started_s_ago: float) -> None:
        super().__init__("worker", [], Path("worker.log"))
        self.started_at = time.monotonic() - started_s_ago
        self.starts = 0

    def start(self) -> None:
        """Count."""
        self.starts += 1

    def is_running(self) -> bool:
        """Say yes."""
        return True


def watch(worker: Process, deliver: Callable[[], object] = lambda: None) -> WorkerWatch:
    """Make a watch that finds a minute's silence too long."""
    return WorkerWatch(worker, deliver=deliver, beat_every_s=15, silent_after_s=60)


def beat(*, seconds_ago: int) -> None:
    """Record a beat that came through."""
    at = timezone.now() - timedelta(seconds=seconds_ago)
    Task.objects.create(
        id="beat", name="beat", func="f", group="heartbeat", started=at, stopped=at, success=True
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("started_s_ago", "beat_s_ago", "replaced"),
    [(600, 120, True), (600, 10, False), (10, 120, False), (600, None, True), (10, None, False)],
)
def test_a_silent_worker_is_replaced(
    started_s_ago: int, beat_s_ago: int | None, replaced: bool
) -> None:
    worker = FakeWorker(started_s_ago=started_s_ago)
    if beat_s_ago is not None:
        beat(seconds_ago=beat_s_ago)

    watch(worker).look()

    assert worker.starts == int(replaced)


@pytest.mark.django_db
def test_a_worker_inside_a_long_job_is_left_alone() -> None:
    now = timezone.now()
    Job.objects.create(
        kind="k",
        key="long",
        state=JobState.RUNNING,
        run_after=now,
        created_at=now,
        lease_until=now + timedelta(minutes=5),
    )
    worker = FakeWorker(started_s_ago=600)

    watch(worker).look()

    assert worker.starts == 0


@pytest.mark.django_db
def test_a_beat_is_asked_for_once_in_a_while_and_due_jobs_are_delivered_each_time() -> None:
    delivered = []
    watcher = watch(FakeWorker(started_s_ago=1), deliver=lambda: delivered.append(1))

    for _ in range(3):
        watcher.look()

    assert OrmQ.objects.count() == 1
    assert OrmQ.objects.get().task["func"] == "workbench.heartbeat.beat"
    assert len(delivered) == 3
    heartbeat.beat()  # the task itself exists and needs nothing


@pytest.mark.django_db
def test_a_database_that_is_away_does_not_end_the_watch() -> None:
    def away() -> None:
        raise OperationalError("away")

    worker = FakeWorker(started_s_ago=600)

    watch(worker, deliver=away).look()

    assert worker.starts == 0
