"""`manage.py draw_diagrams`: the pictures and tables of docs/, from the code."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from workbench import diagrams


class Command(BaseCommand):
    """Draws the trust states and the tables, so that docs/ says what the code does."""

    help = (
        "Draw the trust states and the tables into docs/, from the code."
        " Example: manage.py draw_diagrams; in a check: manage.py draw_diagrams --check"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--into", default=str(settings.BASE_DIR / "docs"), help="the folder")
        parser.add_argument(
            "--check", action="store_true", help="write nothing; exit 1 where a file is out of date"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the files that changed, or name them."""
        folder = Path(options["into"])
        changed = [
            (folder / name, text)
            for name, text in diagrams.drawn().items()
            if not (folder / name).is_file() or (folder / name).read_text("utf-8") != text
        ]
        if options["check"] and changed:
            names = ", ".join(path.name for path, _ in changed)
            raise CommandError(f"Out of date: {names}. Run manage.py draw_diagrams.")
        for path, text in changed:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            self.stdout.write(f"{path.name} drawn")
        if not changed:
            self.stdout.write("nothing changed")
