"""The watch over the worker: beats asked for, due jobs delivered, a silent cluster replaced."""

import time
from collections.abc import Callable

import structlog
from django.db import DatabaseError

from workbench import heartbeat
from workbench.supervision.processes import Process

log = structlog.get_logger(__name__)

BEAT_EVERY_S = 10.0
SILENT_AFTER_S = 45.0


class WorkerWatch:
    """Looks after one worker process. ``deliver`` hands due jobs to the queue."""

    def __init__(
        self,
        worker: Process,
        *,
        deliver: Callable[[], object],
        beat_every_s: float = BEAT_EVERY_S,
        silent_after_s: float = SILENT_AFTER_S,
    ) -> None:
        self.worker = worker
        self.deliver = deliver
        self.beat_every_s = beat_every_s
        self.silent_after_s = silent_after_s
        self._asked_at = 0.0

    def look(self) -> None:
        """Do one round; a database that is away is tried again next time."""
        try:
            self.deliver()
            if time.monotonic() - self._asked_at > self.beat_every_s:
                heartbeat.ask_for_beat()
                self._asked_at = time.monotonic()
            if self.is_silent():
                log.error("worker silent, starting it again", after_s=self.silent_after_s)
                self.worker.ask_to_end()
                self.worker.wait()
                self.worker.start()
        except DatabaseError as error:
            log.warning("database away", error=str(error))

    def is_silent(self) -> bool:
        """Say whether beats stopped although no long job explains it."""
        if not self.worker.is_running():
            return False  # starting it again is somebody else's part
        silent_for = time.monotonic() - self.worker.started_at
        age = heartbeat.seconds_since_beat()
        if age is not None:
            silent_for = min(silent_for, age)
        return silent_for > self.silent_after_s and not heartbeat.is_busy()
