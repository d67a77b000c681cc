"""`manage.py bench`: what this machine can do, beside a comparison of the same run."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from workbench import embedded
from workbench.benches import store
from workbench.benches.processes import ChildFailed

BENCHES = {"store": store.run}
HEADLINES = (
    *("approvals_per_s_1", "approvals_per_s_8", "approvals_per_s_8_spaces"),
    *(
        "plain_inserts_per_s",
        "plain_insert_us",
        "append_us",
        "append_ratio",
        "as_of_p50_ms",
        "as_of_p95_ms",
        "verify_s_per_50k",
        "conflicts",
        "wrong",
        "seconds",
    ),
)


class Command(BaseCommand):
    """Runs a bench in an embedded database of its own, which is removed afterwards."""

    help = (
        "Measure this machine. By default in a database made for it and removed afterwards."
        " Example: manage.py bench store --rows 100000 --json store.json"
    )
    requires_system_checks = ()  # the database they would look at may not be the one measured

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("bench", choices=sorted(BENCHES))
        parser.add_argument(
            "--rows", type=int, default=100_000, help="rows to read beside (100000)"
        )
        parser.add_argument("--approvals", type=int, default=1000, help="pairs to approve (1000)")
        parser.add_argument("--json", type=Path, help="write the figures to this file")
        parser.add_argument(
            "--here",
            action="store_true",
            help="measure in the configured database, where what it writes stays for ever",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure, print the main figures, and leave with 1 where something was wrong.

        **Raises**: CommandError.
        """
        if options["rows"] < 1000 or options["approvals"] < 20:
            raise CommandError("Measure with at least 1000 rows and 20 approvals.")
        if options["here"]:
            self.measure(options)
        elif os.environ.get("DATABASE_URL"):
            raise CommandError(
                "DATABASE_URL names a database, and what a bench writes is never deleted."
                " Unset it to measure in a database of its own, or say --here if you mean it."
            )
        else:
            self.measure_apart(options)

    def measure(self, options: dict[str, Any]) -> None:
        """Measure in the configured database."""
        call_command("migrate", verbosity=0, interactive=False)
        try:
            figures = BENCHES[options["bench"]](
                rows=options["rows"], approvals=options["approvals"], say=self.progress
            )
        except ChildFailed as error:
            raise CommandError(f"The bench was cut short: {error}.") from error
        self.progress("")
        if options["json"]:
            options["json"].write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        for name in HEADLINES:
            self.stdout.write(f"{name.replace('_', ' ')}: {figures[name]}")
        if figures["wrong"]:
            broken = "; ".join(
                f"{rule}: {count}" for rule, count in figures["broken_rules"].items()
            )
            raise CommandError(f"The store was found wrong. Rules broken: {broken}")

    def measure_apart(self, options: dict[str, Any]) -> None:
        """Measure in a child whose home is a temporary one, and remove its database."""
        home = Path(tempfile.mkdtemp(prefix="workbench-bench-"))
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "bench", options["bench"]]
        command += ["--here", "--rows", str(options["rows"])]
        command += ["--approvals", str(options["approvals"])]
        if options["json"]:
            command += ["--json", str(options["json"].absolute())]
        # Held here too, so that the last to leave is this process, which then clears up.
        server = embedded.server_for(home, settings=settings.EMBEDDED_POSTGRES_SETTINGS)
        try:
            server.ensure()
            outcome = subprocess.run(
                command, env=os.environ | {"WORKBENCH_HOME": str(home)}, check=False
            )
        finally:
            server.release()
            for directory in (server.places.base, server.places.sockets, home):
                shutil.rmtree(directory, ignore_errors=True)
        if outcome.returncode:
            sys.exit(outcome.returncode)

    def progress(self, line: str) -> None:
        """Show one line of progress on a terminal, and nothing elsewhere."""
        if sys.stderr.isatty():
            self.stderr.write(f"\r\033[K{line}", ending="")
            self.stderr.flush()
