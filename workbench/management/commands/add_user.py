"""`manage.py add_user`: a person, their role in a space, their first password."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from knowledge.errors import KnowledgeError
from knowledge.models import Role
from knowledge.results import SYSTEM
from workbench.acting_command import ActingCommand
from workbench.commands import people


class Command(ActingCommand):
    """Gives somebody a login and a role; the password stands alone on the last line."""

    help = (
        "Add a person to a space; prints the password on the last line."
        " Example: manage.py add_user ana --role curator --space atlas"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("username")
        parser.add_argument("--role", required=True, choices=Role.values)
        parser.add_argument("--space", required=True, help="short name of the space")

    def handle(self, *args: Any, **options: Any) -> None:
        """Add the person and print the password once."""
        try:
            added = people.add_person(
                username=options["username"],
                role=options["role"],
                space_slug=options["space"],
                by=SYSTEM,
                now=timezone.now(),
            )
        except KnowledgeError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{added.username} is now {added.role} of {options['space']}.")
        if added.password:
            self.stdout.write("The password is shown this once:")
            self.stdout.write(added.password)
        else:
            self.stdout.write("They keep the password they have.")
