"""The database server is killed in the middle of writes: what was acknowledged is there."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.integration.crash_writer import SERVER_GONE
from workbench.embedded import EmbeddedServer

CHECKOUT = Path(__file__).resolve().parents[2]
CODE = "import django; django.setup(); from tests.integration import crash_writer as w; w.main()"
# As durable as for everybody: nothing of what makes a test database fast.
KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "TZ", "COVERAGE_PROCESS_START")
ROUNDS = 2
ACKNOWLEDGED_BEFORE = 20
PATIENCE_S = 60


@dataclass(frozen=True)
class Home:
    """A home of its own, and the processes that work in it."""

    path: Path

    @property
    def server(self) -> EmbeddedServer:
        """The home's server, for finding its places; it is never started from here."""
        return EmbeddedServer(self.path, settings={})

    def start(self, act: str, **task: Any) -> subprocess.Popen[str]:
        """Start a process that does one act."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        process = subprocess.Popen(
            [sys.executable, "-c", CODE],
            cwd=CHECKOUT,
            env=kept
            | {"WORKBENCH_HOME": str(self.path), "DJANGO_SETTINGS_MODULE": "workbench.settings"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({"act": act, **task}) + "\n")
        process.stdin.flush()
        return process

    def ask(self, act: str, **task: Any) -> dict[str, Any]:
        """Let a process do one act, and return its answer."""
        process = self.start(act, **task)
        answer, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, errors
        found: dict[str, Any] = json.loads(answer)
        return found

    def kill_server(self) -> int:
        """Kill the postmaster and every process of its cluster, as a power cut would; how many."""
        data = self.server.places.data
        postmaster = int((data / "postmaster.pid").read_text(encoding="utf-8").split("\n")[0])
        ours = [process for process in psutil.process_iter() if works_in(process, data)]
        assert postmaster in {process.pid for process in ours}
        for process in sorted(ours, key=lambda each: each.pid != postmaster):
            process.kill()
        deadline = time.monotonic() + PATIENCE_S
        while any(works_in(process, data) for process in ours):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return len(ours)


def works_in(process: psutil.Process, data: Path) -> bool:
    """Say whether a process is a living postgres of this cluster."""
    try:
        return (
            process.name() == "postgres"
            and process.status() != psutil.STATUS_ZOMBIE
            and Path(process.cwd()) == data
        )
    except psutil.Error:
        return False


@pytest.fixture
def home() -> Iterator[Home]:
    """A new home; a server that a failure left in it is stopped, and everything removed."""
    top = Path(tempfile.mkdtemp(prefix="crash "))
    top.chmod(0o755)
    home = Home(top / "home")
    places = home.server.places
    yield home
    if (places.data / "postmaster.pid").exists():
        home.server._stop()
    for directory in (places.base, places.sockets, top):
        shutil.rmtree(directory, ignore_errors=True)


def read_until_gone(process: subprocess.Popen[str], found: list[str]) -> None:
    """Read the rest of what was acknowledged, and make sure that it ended with the server."""
    output, errors = process.communicate(timeout=PATIENCE_S)
    found += [json.loads(line) for line in output.splitlines()]
    assert process.returncode == SERVER_GONE, errors


def crash_while_approving(home: Home, *, seats: dict[str, Any]) -> list[str]:
    """Kill the server while two curators approve; return what they were told was done."""
    writers = [
        home.start("approve", user_id=curator, proposals=seats["proposals"][place::2])
        for place, curator in enumerate(seats["curators"])
    ]
    acknowledged: list[str] = []
    for _ in range(ACKNOWLEDGED_BEFORE):
        for writer in writers:
            assert writer.stdout is not None
            line = writer.stdout.readline()
            assert line, writer.communicate()[1]
            acknowledged.append(json.loads(line))
    assert home.kill_server() > len(writers)
    for writer in writers:
        read_until_gone(writer, acknowledged)
    return acknowledged


def test_what_was_acknowledged_survives_a_killed_server(home: Home) -> None:
    seats = home.ask("prepare")
    acknowledged: list[str] = []
    for number in range(1, ROUNDS + 1):
        acknowledged += crash_while_approving(home, seats=seats)
        found = home.ask("prove", space_id=seats["space_id"], acknowledged=acknowledged)

        print(f"\n{len(acknowledged)} acknowledged, {found}")  # noqa: T201 - figures, with -s
        assert found["broken"] == {}
        # At most the one each was about to be told of.
        assert 0 <= found["decisions"] - len(acknowledged) <= 2 * number
        assert found["events"] > found["decisions"]
        assert found["attacks_that_succeeded"] == []
    log = (home.server.places.data / "server.log").read_text(encoding="utf-8")
    assert log.count("automatic recovery in progress") == ROUNDS
