"""Workers are killed in the middle of an import, and what comes of it is the same."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.embedded import EmbeddedServer

CHECKOUT = Path(__file__).resolve().parents[2]
CODE = "import django; django.setup(); from tests.integration import killed_worker as w; w.main()"
KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "TZ", "COVERAGE_PROCESS_START")
KILLS = 10
# A worker lives this long, counted from when it begins to work.
LIVES_S = (0.01, 0.35)
LEASE_OVER_S = 3_600.0
PATIENCE_S = 300


@pytest.fixture
def home() -> Iterator[Path]:
    """A home of its own, whose server is stopped and which is removed at the end."""
    top = Path(tempfile.mkdtemp(prefix="killed "))
    top.chmod(0o755)
    yield top / "home"
    server = EmbeddedServer(top / "home", settings={})
    places = server.places
    if (places.data / "postmaster.pid").exists():
        server._stop()
    for directory in (places.base, places.sockets, top):
        shutil.rmtree(directory, ignore_errors=True)


def start(home: Path, act: str, **task: Any) -> subprocess.Popen[str]:
    """Start a process that does one act."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-c", CODE],
        cwd=CHECKOUT,
        env=kept | {"WORKBENCH_HOME": str(home), "DJANGO_SETTINGS_MODULE": "workbench.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps({"act": act, **task}) + "\n")
    process.stdin.flush()
    return process


def ask(home: Path, act: str, **task: Any) -> dict[str, Any]:
    """Let a process do one act, and return its last answer."""
    process = start(home, act, **task)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    found: dict[str, Any] = json.loads(answers(output)[-1])
    return found


def answers(output: str) -> list[str]:
    """Leave out what the log wrote between the answers."""
    return [line for line in output.splitlines() if line.startswith("{") and '"event"' not in line]


def work_and_be_killed(home: Path, *, lives_s: float, ahead_s: float) -> bool:
    """Start a worker and kill it after a while; whether there was still something to do."""
    process = start(home, "work", slug="disturbed", ahead_s=ahead_s)
    assert process.stdout is not None
    begun = process.stdout.readline()
    assert "works" in begun, process.communicate(timeout=PATIENCE_S)[1]
    time.sleep(lives_s)
    process.kill()
    output, _errors = process.communicate(timeout=PATIENCE_S)
    return '"done"' not in output


def test_a_worker_killed_ten_times_leaves_what_an_undisturbed_one_leaves(home: Path) -> None:
    ask(home, "prepare", spaces=["disturbed", "calm"])
    chance = random.Random(7)  # noqa: S311 - points in time, not secrets

    killed = [
        work_and_be_killed(home, lives_s=chance.uniform(*LIVES_S), ahead_s=LEASE_OVER_S * number)
        for number in range(KILLS)
    ]
    spaces = ["disturbed", "calm"]
    found = ask(home, "finish", spaces=spaces, ahead_s=LEASE_OVER_S * (KILLS + 1))
    disturbed, calm = (found[slug] for slug in spaces)

    print(f"\nkilled at work: {sum(killed)}, attempts: {disturbed['attempts']}")  # noqa: T201
    assert sum(killed) >= KILLS // 2  # else it was too quick to be disturbed
    assert set(disturbed["states"]) == {"done"}
    assert disturbed["left"] == 0
    assert len(disturbed["proposals"]) > 20
    assert len(disturbed["joined"]) > 5
    for what in ("proposals", "waiting", "joined", "episodes", "gaps"):
        assert disturbed[what] == calm[what], what
    # One run for each episode and person, and none left half done.
    assert len(disturbed["runs"]) == len(calm["runs"])
    assert {state for _, _, state in disturbed["runs"]} == {"done"}
