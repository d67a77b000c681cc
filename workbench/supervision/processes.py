"""The processes `up` starts, each behind a guard."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.supervision import guard

LONGEST_LOG = 10_000_000
STABLE_AFTER_S = 60.0
LONGEST_PAUSE_S = 30.0


@dataclass
class Process:
    """One command that should always run; started again, ever more slowly, when it ends.

    **Shape**: ``log`` takes its output. ``environment`` is added to this process's own.
    """

    name: str
    command: list[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    started_at: float = 0.0
    failures: int = 0
    _guard: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the command, its output appended to its log."""
        if self.log.exists() and self.log.stat().st_size > LONGEST_LOG:
            self.log.replace(self.log.with_suffix(".log.1"))
        with self.log.open("ab") as output:
            self._guard = subprocess.Popen(
                [sys.executable, str(Path(guard.__file__)), *self.command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env={**os.environ, **self.environment},
                start_new_session=True,  # the terminal's Ctrl-C is for `up` alone
            )
        self.started_at = time.monotonic()

    def is_running(self) -> bool:
        """Say whether the command still runs."""
        return self._guard is not None and self._guard.poll() is None

    def ask_to_end(self) -> None:
        """Ask the command to end, without waiting for it."""
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()

    def wait(self) -> None:
        """Return when nothing of the command is left."""
        if self._guard is not None:
            self._guard.wait()
            self._guard = None

    def start_again_if_ended(self) -> bool:
        """Start an ended command again once its pause is over."""
        if self.is_running():
            return False
        ran_s = time.monotonic() - self.started_at
        if ran_s > STABLE_AFTER_S:
            self.failures = 0
        if ran_s < min(2.0**self.failures, LONGEST_PAUSE_S):
            return False
        self.failures += 1
        self.ask_to_end()
        self.start()
        return True


def end_all(processes: list[Process]) -> None:
    """End the processes side by side and return when all are gone."""
    for process in processes:
        process.ask_to_end()
    for process in processes:
        process.wait()
