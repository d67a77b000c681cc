"""`manage.py doctor`: what is wrong, and what to do."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from workbench import doctor

MARKS = {"ok": "ok     ", "warning": "warning", "failed": "FAILED "}


class Command(BaseCommand):
    """Looks at set-up, database, extensions, roles, model endpoints and worker."""

    help = (
        "Check this installation; exit code 1 and what to do where something is wrong."
        " Example: manage.py doctor"
    )
    requires_system_checks = ()  # they are part of what is reported

    def handle(self, *args: Any, **options: Any) -> None:
        """Print every finding and exit with 1 if one of them failed."""
        failed = 0
        for finding in doctor.examine():
            failed += finding.state == "failed"
            self.stdout.write(f"{MARKS[finding.state]}  {finding.about}: {finding.says}")
            if finding.todo:
                self.stdout.write(f"         what to do: {finding.todo}")
        if failed:
            sys.exit(1)
