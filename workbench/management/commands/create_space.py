"""`manage.py create_space`: a new space."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from knowledge.commands import scope
from knowledge.errors import KnowledgeError
from knowledge.results import SYSTEM
from workbench.acting_command import ActingCommand


class Command(ActingCommand):
    """Opens a space: an isolated store with its own people, clock and log."""

    help = (
        "Open a space. Example: manage.py create_space atlas --name 'Project Atlas'"
        " --zone Europe/Lisbon"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("slug", help="short name used in addresses and commands")
        parser.add_argument("--name", default="", help="the name people see")
        parser.add_argument("--zone", default="UTC", help="time zone for dates, such as Asia/Tokyo")
        parser.add_argument(
            "--evaluation",
            action="store_true",
            help="a scratch space: may be approved in bulk, is never served beside others",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Open the space and print its short name."""
        try:
            space = scope.create_space(
                slug=options["slug"],
                name=options["name"],
                zone=options["zone"],
                evaluation=options["evaluation"],
                by=SYSTEM,
                now=timezone.now(),
            )
        except KnowledgeError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(space.slug)
