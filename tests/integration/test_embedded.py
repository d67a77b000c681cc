"""The embedded database under the conditions that broke others: real servers, real processes."""

import json
import os
import pwd
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from workbench import embedded, embedded_places
from workbench.embedded_places import SOCKET_NAME, EmbeddedDatabaseError
from workbench.local_secrets import make_private_directory

CHECKOUT = Path(__file__).resolve().parents[2]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@dataclass(frozen=True)
class Answer:
    """What a client saw of its server."""

    system: str
    started: str
    role: str
    data: str
    sockets: str


class Client:
    """One process that holds the server of a home."""

    def __init__(self, home: Path, *, uid: int | None = None) -> None:
        command = [sys.executable, "-m", "tests.integration.embedded_client", str(home)]
        self.process = subprocess.Popen(
            command if uid is None else [*command, str(uid)],
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def answer(self) -> Answer:
        """Wait for the next line of the client."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            pytest.fail(self.process.communicate()[1])
        return Answer(**json.loads(line))

    def ask(self) -> Answer:
        """Have the client query once more over its open connection."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.answer()

    def leave(self) -> None:
        """End the client in good order."""
        self.process.communicate(timeout=90)
        assert self.process.returncode == 0

    def kill(self) -> None:
        """End the client as the out-of-memory killer does."""
        self.process.kill()
        self.process.communicate()


MakeHome = Callable[[str], Path]
StartClient = Callable[..., Client]


def is_up(answer: Answer) -> bool:
    """Say whether something accepts connections on the socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(f"{answer.sockets}/{SOCKET_NAME}")
        except OSError:
            return False
    return True


@pytest.fixture
def home() -> Iterator[MakeHome]:
    """Makes homes that every account can reach; servers left by a failure are stopped."""
    top = Path(tempfile.mkdtemp(prefix="homes "))
    top.chmod(0o755)
    made: list[Path] = []

    def make(name: str) -> Path:
        made.append(top / name)
        return made[-1]

    yield make
    for each in made:
        clean_up(each)
    shutil.rmtree(top)


def clean_up(home: Path) -> None:
    """Stop what a failed test left and remove what lies outside the home."""
    server = embedded.EmbeddedServer(home, settings={})
    pid_file = server.places.data / "postmaster.pid"
    if pid_file.exists() and server._is_our_server(pid_file):
        server._stop()
    shutil.rmtree(server.places.sockets, ignore_errors=True)
    shutil.rmtree(server.places.base, ignore_errors=True)


@pytest.fixture
def client(home: MakeHome) -> Iterator[StartClient]:
    """Starts clients, and kills those a failed test left."""
    started: list[Client] = []

    def start(home: Path, *, uid: int | None = None) -> Client:
        started.append(Client(home, uid=uid))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.kill()


def test_four_cold_processes_share_one_server_and_the_last_stops_it(
    home: MakeHome, client: StartClient
) -> None:
    clients = [client(home("cold")) for _ in range(4)]
    answers = [each.answer() for each in clients]

    assert len({(each.system, each.started) for each in answers}) == 1
    assert answers[0].role == "workbench_app"
    for each in clients[:-1]:
        each.leave()
    assert clients[-1].ask() == answers[0]
    clients[-1].leave()
    assert not is_up(answers[0])


def test_killing_a_client_leaves_the_server_to_the_others(
    home: MakeHome, client: StartClient
) -> None:
    first, second = client(home("kill")), client(home("kill"))
    answer = first.answer()
    second.answer()

    first.kill()

    assert second.ask() == answer
    second.leave()
    assert not is_up(answer)


def test_a_server_whose_clients_were_all_killed_serves_the_next_one(
    home: MakeHome, client: StartClient
) -> None:
    first = client(home("orphan"))
    answer = first.answer()
    first.kill()

    second = client(home("orphan"))

    assert second.answer() == answer
    second.leave()
    assert not is_up(answer)


@pytest.mark.parametrize("culprit", ["another program", "another home's server"])
def test_a_stale_pid_file_whose_number_was_given_away(
    home: MakeHome, client: StartClient, culprit: str
) -> None:
    before = client(home("stale"))
    answer = before.answer()
    before.leave()
    pid = os.getpid()
    if culprit == "another home's server":
        other = client(home("other"))
        pid = int(Path(other.answer().data, "postmaster.pid").read_text().split("\n")[0])
    pid_file = Path(answer.data, "postmaster.pid")
    pid_file.write_text(
        f"{pid}\n{answer.data}\n1700000000\n5432\n{answer.sockets}\n\n  1 1\nready\n"
    )
    Path(answer.sockets, f"{SOCKET_NAME}.lock").write_text(f"{pid}\n{answer.data}\n")

    after = client(home("stale"))

    assert after.answer().system == answer.system
    os.kill(pid, 0)  # whoever has the number now was left alone
    after.leave()


@pytest.mark.parametrize("name", ["with a space", 'it\'s "quoted" é', "n" * 150])
def test_a_home_of_any_name(home: MakeHome, client: StartClient, name: str) -> None:
    answers = []
    for _ in range(2):  # the second start finds the first one's data
        one = client(home(name))
        answers.append(one.answer())
        one.leave()

    assert answers[0].system == answers[1].system
    assert len(os.fsencode(f"{answers[0].sockets}/{SOCKET_NAME}")) <= 107


def test_two_homes_at_once_are_two_servers(home: MakeHome, client: StartClient) -> None:
    left, right = client(home("left")), client(home("right"))
    answers = left.answer(), right.answer()

    left.leave()

    assert answers[0].system != answers[1].system
    assert right.ask() == answers[1]
    assert not is_up(answers[0])
    right.leave()


def test_only_its_owner_can_reach_the_socket_and_nothing_listens_on_the_network(
    home: MakeHome, client: StartClient
) -> None:
    one = client(home("private"))
    answer = one.answer()

    assert stat.S_IMODE(Path(answer.sockets).stat().st_mode) == 0o700
    assert stat.S_IMODE(Path(answer.data).stat().st_mode) == 0o700
    with psycopg.connect(
        host=answer.sockets, port="5432", user="workbench_owner", dbname="workbench"
    ) as owner:
        assert owner.execute("SHOW listen_addresses").fetchone() == ("",)
        assert owner.execute(
            "SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user"
        ).fetchone() == (False, False)
    one.leave()


def test_an_initialisation_that_was_killed_is_begun_again(
    home: MakeHome, client: StartClient
) -> None:
    places = embedded_places.find_places(home("half"))
    if places.account.switch:
        places.base.mkdir(parents=True)
        os.chown(places.base, places.account.uid, places.account.gid)
    (places.base / "initialising").mkdir(parents=True)
    (places.base / "initialising" / "PG_VERSION").write_text("18\n")

    one = client(home("half"))

    assert one.answer().system
    one.leave()


def test_a_server_whose_socket_was_swept_away_is_replaced(
    home: MakeHome, client: StartClient
) -> None:
    first = client(home("swept"))
    answer = first.answer()
    shutil.rmtree(answer.sockets)

    second = client(home("swept"))

    assert second.answer().system == answer.system
    second.leave()
    first.kill()


@needs_root
def test_a_socket_directory_made_by_somebody_else_is_refused(home: MakeHome) -> None:
    server = embedded.EmbeddedServer(home("trap"), settings={})
    server.socket_directory.mkdir()
    os.chown(server.socket_directory, 4711, 4711)

    with pytest.raises(EmbeddedDatabaseError, match="made by somebody else"):
        server.ensure()
    server.release()


@needs_root
def test_an_ordinary_user_runs_the_server_as_themselves(
    home: MakeHome, client: StartClient
) -> None:
    nobody = pwd.getpwnam("nobody")
    account = embedded_places.Account(nobody.pw_uid, nobody.pw_gid, switch=False)
    if not embedded_places.can_enter(account, Path(psycopg.__file__).parent):
        pytest.skip("this checkout lies where an ordinary user cannot read it")
    path = home("ordinary")
    path.mkdir()
    os.chown(path, nobody.pw_uid, nobody.pw_gid)

    one = client(path, uid=nobody.pw_uid)

    answer = one.answer()
    assert Path(answer.data).stat().st_uid == nobody.pw_uid
    assert Path(answer.data).is_relative_to(path)
    one.leave()
    assert not is_up(answer)

    as_root = client(path)  # and root finds the same data, under the same account
    assert as_root.answer().system == answer.system
    as_root.leave()


@needs_root
def test_root_in_a_closed_directory_opens_nobodys_door(tmp_path: Path, client: StartClient) -> None:
    tmp_path.chmod(0o700)
    home = tmp_path / "home"
    modes = {step: step.stat().st_mode for step in (tmp_path, *tmp_path.parents)}

    one = client(home)

    answer = one.answer()
    assert Path(answer.data).is_relative_to("/var/lib/memory-workbench")
    assert Path(answer.data).stat().st_uid != 0
    assert {step: step.stat().st_mode for step in modes} == modes
    one.leave()
    again = client(home)
    assert again.answer().system == answer.system
    again.leave()
    clean_up(home)


class TestGivenServer:
    """`DATABASE_URL` set: a second, separately started server, and nothing embedded."""

    @pytest.fixture
    def port(self, home: MakeHome) -> Iterator[int]:
        """A PostgreSQL on a TCP port, with its two roles, started by the test itself."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        top = home("given")
        server = embedded.EmbeddedServer(top, settings={})
        server.settings = {"listen_addresses": "127.0.0.1", "port": str(port), "fsync": "off"}
        make_private_directory(top)
        with server._starting():
            server._start()
        admin = {"host": "127.0.0.1", "port": port, "user": "workbench_admin", "autocommit": True}
        with psycopg.connect(dbname="postgres", **admin) as connection:
            connection.execute("CREATE ROLE site_owner LOGIN")
            connection.execute("CREATE ROLE site_app LOGIN")
            connection.execute("CREATE DATABASE site OWNER site_owner")
        with psycopg.connect(dbname="site", **admin) as connection:
            for extension in embedded.EXTENSIONS:
                connection.execute(f"CREATE EXTENSION {extension}")
        yield port
        server._stop()

    def test_it_is_migrated_by_its_owner_and_served_by_its_application_role(
        self, port: int, home: MakeHome
    ) -> None:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "workbench.settings",
            "WORKBENCH_HOME": str(home("client")),
            "DATABASE_URL": f"postgres://site_app@127.0.0.1:{port}/site",
            "DATABASE_OWNER_URL": f"postgres://site_owner@127.0.0.1:{port}/site",
        }
        script = (
            "from django.contrib.auth.models import User; from django.db import connection as c;"
            "User.objects.create_user('ana'); k = c.cursor();"
            "print(k.execute('SELECT current_user').fetchone()[0], User.objects.count())"
        )

        for arguments in (["migrate", "-v0"], ["shell", "-v0", "-c", script]):
            outcome = subprocess.run(
                [sys.executable, "manage.py", *arguments],
                cwd=CHECKOUT,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert outcome.returncode == 0, outcome.stderr

        assert outcome.stdout.strip() == "site_app 1"
        assert not (home("client") / "database").exists()
        assert not (home("client") / "instance").exists()


def test_a_restart_takes_well_under_a_second_of_waiting(
    home: MakeHome, client: StartClient
) -> None:
    one = client(home("speed"))
    one.answer()
    one.leave()
    server = embedded.EmbeddedServer(home("speed"), settings={"fsync": "off"})

    before = time.monotonic()
    server.ensure()
    seconds = time.monotonic() - before
    server.release()

    assert seconds < 5
