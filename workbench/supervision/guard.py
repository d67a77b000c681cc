"""Stands between `up` and one of its processes, so that neither outlives the other's purpose.

Standard input is a pipe whose other end only `up` holds. When it closes, because `up` asked for
it or because `up` was killed, the process is asked to end, and after a while made to.

Uses the standard library only: it must start fast and never fail.
"""

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress

GRACE_S = 6.0
LOOK_EVERY_S = 0.2


def run(command: list[str]) -> int:
    """Run ``command`` until it ends or standard input does.

    **Returns**: its exit code. Nothing of its process group is left afterwards.
    """
    target = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        while target.poll() is None:
            readable, _, _ = select.select([sys.stdin], [], [], LOOK_EVERY_S)
            if readable and not os.read(sys.stdin.fileno(), 1):
                end(target)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(target.pid, signal.SIGKILL)
    return target.wait()


def end(target: subprocess.Popen[bytes]) -> None:
    """Ask the process to end and wait for it, but not for ever."""
    target.terminate()
    deadline = time.monotonic() + GRACE_S
    while target.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    if target.poll() is None:
        os.killpg(target.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
