"""`manage.py up` as a real process: it gets ready, ends cleanly, and leaves nothing behind."""

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import psutil
import psycopg
import pytest

from workbench import embedded

CHECKOUT = Path(__file__).resolve().parents[2]
READY = re.compile(r"^ready http://127\.0\.0\.1:(\d+)$")


def free_port() -> int:
    """Return a port nobody uses just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Wait for ``condition``, and say whether it came."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


class Up:
    """One `manage.py up` on a home of its own."""

    def __init__(self, home: Path, *, port: int = 0, sample: bool = False) -> None:
        self.home = home
        self.port = port or free_port()
        self.lines: list[str] = []
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("WORKBENCH_")
        }
        self.process = subprocess.Popen(
            [
                *(sys.executable, "manage.py", "up", "--port", str(self.port)),
                *([] if sample else ["--no-sample"]),
            ],
            cwd=CHECKOUT,
            env=environment
            | {
                "DJANGO_SETTINGS_MODULE": "workbench.settings",
                "WORKBENCH_HOME": str(home),
                "WORKBENCH_POSTGRES_SETTINGS": "fsync=off",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_until_ready(self) -> None:
        """Read the output up to the ready line."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if READY.match(self.lines[-1]):
                return
        pytest.fail("\n".join([*self.lines, self.process.communicate()[1]]))

    def family(self) -> list[psutil.Process]:
        """Return every process that works for this home."""
        children: list[psutil.Process] = psutil.Process(self.process.pid).children(recursive=True)
        server = self.server()
        return children + ([server] if server else [])

    def server(self) -> psutil.Process | None:
        """Return this home's PostgreSQL, if it runs."""
        data = embedded.EmbeddedServer(self.home, settings={}).places.data
        try:
            pid = int((data / "postmaster.pid").read_text(encoding="utf-8").split("\n")[0])
            return psutil.Process(pid)
        except (OSError, psutil.NoSuchProcess):
            return None

    def waiting_proposals(self) -> int:
        """Count what waits for a curator."""
        sockets = embedded.EmbeddedServer(self.home, settings={}).socket_directory
        query = "SELECT count(*) FROM knowledge_proposal WHERE state = 'pending'"
        with psycopg.connect(
            host=str(sockets), port=embedded.PORT, user=embedded.APPLICATION, dbname="workbench"
        ) as connection:
            return int((connection.execute(query).fetchone() or [0])[0])

    def get(self, path: str) -> tuple[int, dict[str, object]]:
        """Ask the web server."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


def all_gone(family: list[psutil.Process]) -> bool:
    """Say whether none of the processes is left (zombies have ended)."""
    return not any(
        process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in family
    )


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """One home for this module: starting on data that is there is what happens every day."""
    top = Path(tempfile.mkdtemp(prefix="up-"))
    top.chmod(0o755)
    yield top / "home"
    server = embedded.EmbeddedServer(top / "home", settings={})
    shutil.rmtree(server.places.sockets, ignore_errors=True)
    shutil.rmtree(top)


@pytest.fixture
def start(home: Path) -> Iterator[Callable[..., Up]]:
    """Starts `up`; what a failed test left is ended."""
    started: list[Up] = []

    def begin(*, port: int = 0, sample: bool = False) -> Up:
        started.append(Up(home, port=port, sample=sample))
        return started[-1]

    yield begin
    for up in started:
        if up.process.poll() is None:
            up.process.terminate()
        up.process.communicate(timeout=90)


def test_first_start_makes_logins_gets_ready_and_ends_cleanly(
    home: Path, start: Callable[..., Up]
) -> None:
    up = start(sample=True)
    up.wait_until_ready()

    logins = (home / "logins.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split()[0] for line in logins] == ["curator", "auditor", "privacy", "admin"]
    assert all(f"  {line}" in up.lines for line in logins)
    assert stat.S_IMODE((home / "logins.txt").stat().st_mode) == 0o600
    assert sum(bool(READY.match(line)) for line in up.lines) == 1
    assert up.get("/readyz")[0] == 200
    assert wait_until(lambda: up.get("/readyz")[1]["worker"] == "ok", seconds=30)
    assert wait_until(lambda: up.waiting_proposals() > 0, seconds=60)  # the worker read the sample

    family = up.family()
    assert len(family) >= 8  # two guards, two web workers, the cluster's five, the database
    up.process.send_signal(signal.SIGTERM)
    up.process.wait(timeout=60)

    assert all_gone(family)
    assert up.process.returncode == 0


def test_a_second_start_is_quick_keeps_the_data_and_shows_no_password(
    home: Path, start: Callable[..., Up]
) -> None:
    logins = (home / "logins.txt").read_text(encoding="utf-8")
    before = time.monotonic()
    up = start()
    up.wait_until_ready()
    assert time.monotonic() - before < 15

    assert (home / "logins.txt").read_text(encoding="utf-8") == logins
    assert not any(password in line for password in logins.split()[1::2] for line in up.lines)
    up.process.send_signal(signal.SIGINT)
    up.process.wait(timeout=60)


def test_killed_hard_its_children_notice_and_the_last_one_stops_the_database(
    start: Callable[..., Up],
) -> None:
    up = start()
    up.wait_until_ready()
    family = up.family()
    server = up.server()
    assert server is not None

    up.process.kill()

    assert wait_until(lambda: all_gone(family), seconds=60), [each.cmdline() for each in family]
    assert wait_until(lambda: not server.is_running(), seconds=10)


def test_a_web_server_that_dies_is_started_again(start: Callable[..., Up]) -> None:
    up = start()
    up.wait_until_ready()
    granian = next(
        process
        for process in up.family()
        if "granian" in process.cmdline() and "guard.py" not in " ".join(process.cmdline())
    )

    granian.kill()

    assert wait_until(lambda: not granian.is_running(), seconds=30)
    assert wait_until(lambda: can_serve(up), seconds=60)


def can_serve(up: Up) -> bool:
    """Say whether the web server answers."""
    try:
        return up.get("/healthz")[0] == 200
    except OSError:
        return False


@pytest.mark.parametrize("taken", ["port", "home"])
def test_what_is_taken_is_named_with_what_to_do(taken: str, start: Callable[..., Up]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        first = None
        if taken == "home":
            first = start()
            first.wait_until_ready()
        second = start(port=other.getsockname()[1])
        said = second.process.communicate(timeout=120)[1]

    assert second.process.returncode == 1
    assert ("--port" if taken == "port" else "already running") in said
    assert "Traceback" not in said
