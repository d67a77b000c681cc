"""Real processes at work at the same moment, each with a connection of its own."""

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import connection

Child = subprocess.Popen[str]


class ChildFailed(Exception):
    """A process ended without an answer; what it wrote to standard error says why."""


def work_at_once(
    module: str, tasks: Sequence[dict[str, Any]], *, patience_s: float
) -> list[dict[str, Any]]:
    """Have ``module.work`` do each task in a process of its own, all beginning together.

    **Shape**: what each answered, with ``began`` and ``ended`` on one monotonic clock.
    **Raises**: ChildFailed, also for those that take longer than the patience.
    """
    children = [_start(module) for _ in tasks]
    watchdog = threading.Timer(patience_s, _kill, [children])
    watchdog.start()
    try:
        for child, task in zip(children, tasks, strict=True):
            _tell(child, json.dumps({"database": connection.settings_dict["NAME"], **task}))
        for child in children:
            _hear(child)
        for child in children:
            _tell(child, "go")
        answers = [json.loads(_hear(child)) for child in children]
        for child in children:
            child.communicate(timeout=patience_s)
        return answers
    finally:
        watchdog.cancel()
        _kill(children)


def seconds_of(answers: Sequence[dict[str, Any]]) -> float:
    """Return how long it took from the first that began to the last that ended."""
    return float(max(each["ended"] for each in answers) - min(each["began"] for each in answers))


def _start(module: str) -> Child:
    return subprocess.Popen(
        [sys.executable, "-m", "workbench.benches.child", module],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _tell(child: Child, line: str) -> None:
    if child.stdin is None:
        raise ChildFailed("the process has no standard input")
    try:
        child.stdin.write(line + "\n")
        child.stdin.flush()
    except BrokenPipeError as error:
        raise ChildFailed("a process ended before it was given its task") from error


def _hear(child: Child) -> str:
    line = child.stdout.readline() if child.stdout is not None else ""
    if not line:
        raise ChildFailed("a process ended without an answer, or took too long")
    return line


def _kill(children: Sequence[Child]) -> None:
    for child in children:
        if child.poll() is None:
            child.kill()
            child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                stream.close()
