"""One of several processes that work on the database at the same moment.

``python -m workbench.benches.child MODULE`` reads its task as one line of JSON, says ``ready``
once it is connected, waits for another line, lets ``MODULE.work`` do the task, and answers with
one line of JSON. What ``MODULE.prepare`` did before, where there is one, is not in the time taken:
a process that has just begun is slow for reasons of its own.
"""

import json
import sys
import time
from importlib import import_module
from typing import Any

import django
from django.db import connection


def main(name: str) -> None:
    """Do one task when told to, and say what came of it and when it began and ended."""
    django.setup()
    module: Any = import_module(name)
    task = json.loads(sys.stdin.readline())
    connection.settings_dict["NAME"] = task["database"]  # a test run's differs from the settings'
    connection.ensure_connection()
    if hasattr(module, "prepare"):
        task["prepared"] = module.prepare(task)
    _say("ready")
    sys.stdin.readline()
    began = time.monotonic()
    result = module.work(task)
    _say(json.dumps({"began": began, "ended": time.monotonic(), **result}))
    connection.close()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
