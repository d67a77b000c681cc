"""`manage.py up`: everything, until it is told to end."""

import fcntl
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import close_old_connections, connections
from django.utils import timezone

from extraction import anchoring, dispatch, embedding
from extraction.errors import DimensionsRefused, ExtractionError
from workbench import first_start, static_files
from workbench.embedded_places import EmbeddedDatabaseError
from workbench.local_secrets import make_private_directory
from workbench.supervision.processes import Process, end_all
from workbench.supervision.worker import WorkerWatch

ADDRESS = "127.0.0.1"
READY_WITHIN_S = 60.0
LOOK_EVERY_S = 0.5


class Ending(Exception):
    """Raised by the signal handlers, so that every `finally` runs."""


def end(number: int, frame: FrameType | None) -> NoReturn:
    """Turn the first SIGINT or SIGTERM into an orderly end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Ending


class Command(BaseCommand):
    """Starts the database, the web server and the worker, and looks after them."""

    help = (
        "Start everything: database, web server, worker; the first time also a space, logins and"
        " a sample. Ends on Ctrl-C. Example: manage.py up --port 8001"
    )
    requires_system_checks = ()  # they look at the database settings, and run again in `migrate`

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--port", type=int, default=8000, help="port of the web server (8000)")
        parser.add_argument("--no-sample", action="store_true", help="start without sample data")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until SIGINT or SIGTERM, and leave nothing behind."""
        signal.signal(signal.SIGTERM, end)
        signal.signal(signal.SIGINT, end)
        processes: list[Process] = []
        try:
            with_sample = not options["no_sample"]
            home = make_private_directory(settings.WORKBENCH_HOME)
            lock = self.take_lock(home)
            self.check_port(options["port"])
            self.prepare(home, with_sample=with_sample)
            processes = self.start(home, port=options["port"])
            self.watch(processes, port=options["port"], home=home)
            os.close(lock)
        except Ending:
            self.say("Ending ...")
        except EmbeddedDatabaseError as error:
            raise CommandError(str(error)) from error
        finally:
            end_all(processes)
            connections.close_all()

    def say(self, line: str) -> None:
        """Print one line at once, whoever reads it."""
        self.stdout.write(line)
        self.stdout.flush()

    def take_lock(self, home: Path) -> int:
        """Make sure that this home is up only once."""
        handle = os.open(home / "up.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"Memory Workbench is already running on {home}. End that one first, or set"
                " WORKBENCH_HOME to another directory."
            ) from None
        return handle

    def check_port(self, port: int) -> None:
        """Refuse a port that cannot be had, before anything was started."""
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((ADDRESS, port))
            except (OSError, OverflowError) as error:
                raise CommandError(
                    f"Port {port} cannot be used ({error}). End what uses it, or choose another:"
                    f" make run ARGS='--port {port + 1}'"
                ) from None

    def prepare(self, home: Path, *, with_sample: bool) -> None:
        """Bring tables, static files and the first data up to date."""
        self.say("Starting the database ...")
        connections["owner"].ensure_connection()
        self.say("Preparing the tables ...")
        call_command("migrate", verbosity=0, interactive=False)
        connections["owner"].close()
        self.say("Collecting static files ...")
        static_files.collect_if_changed(home / "static.stamp")
        first_start.prepare(home, with_sample=with_sample, say=self.say)
        anchoring.begin(now=timezone.now())
        self.look_at_embedder()
        embedding.begin(now=timezone.now())

    def look_at_embedder(self) -> None:
        """Refuse vectors that cannot be stored; say so where none come, and start all the same."""
        try:
            embedding.try_embedder()
        except DimensionsRefused as error:
            raise CommandError(str(error)) from error
        except ExtractionError as error:
            self.say(f"{error} Until there are vectors, words alone find.")

    def start(self, home: Path, *, port: int) -> list[Process]:
        """Start the web server and the worker."""
        self.say("Starting the web server and the worker ...")
        logs = make_private_directory(home / "logs")
        # Plain HTTP on the loopback address; somebody who serves otherwise has said so.
        plain = {"WORKBENCH_HTTPS": os.environ.get("WORKBENCH_HTTPS", "0")}
        plain["DJANGO_SETTINGS_MODULE"] = os.environ["DJANGO_SETTINGS_MODULE"]
        granian = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws"]
        granian += ["--host", ADDRESS, "--port", str(port), "--workers", "2"]
        granian += ["--blocking-threads", "8", "--respawn-failed-workers"]
        granian += ["--workers-kill-timeout", "4", "--working-dir", str(settings.BASE_DIR)]
        granian += ["workbench.wsgi:application"]
        manage = str(settings.BASE_DIR / "manage.py")
        processes = [
            Process("web", granian, logs / "web.log", plain | {"WORKBENCH_POOL": "1"}),
            Process("worker", [sys.executable, manage, "qcluster"], logs / "worker.log", plain),
        ]
        for process in processes:
            process.start()
        return processes

    def watch(self, processes: list[Process], *, port: int, home: Path) -> None:
        """Say when it is ready, and keep everything running from then on."""
        worker = WorkerWatch(processes[1], deliver=lambda: dispatch.deliver_due(now=timezone.now()))
        deadline = time.monotonic() + READY_WITHIN_S
        is_ready = False
        while True:
            if not is_ready and answers(port):
                is_ready = True
                self.say(f"ready http://{ADDRESS}:{port}")
            if not is_ready and time.monotonic() > deadline:
                raise CommandError(f"The web server does not answer; see {home / 'logs'}.")
            for process in processes:
                if process.start_again_if_ended():
                    self.say(f"The {process.name} ended and was started again; see {process.log}.")
            close_old_connections()
            worker.look()
            time.sleep(LOOK_EVERY_S)


def answers(port: int) -> bool:
    """Say whether `/readyz` answers that requests can be served."""
    connection = HTTPConnection(ADDRESS, port, timeout=5)
    with suppress(OSError, HTTPException):
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    connection.close()
    return False
