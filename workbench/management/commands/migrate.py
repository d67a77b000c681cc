"""`migrate`, on the alias that owns the tables unless told otherwise."""

from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from django.db import connections

from workbench.grants import grant_rows_to_application


class Command(migrate.Command):
    """Django's own command with `--database owner` as the default.

    Before it, everything the owner is about to create is opened to the application role:
    rows only, never tables, triggers or functions.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        """Change the default of `--database`."""
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        """Open new tables to the application role and migrate."""
        owner = connections[options["database"]]
        application_role = connections["default"].settings_dict["USER"]
        grant_rows_to_application(owner, role=application_role)
        super().handle(*args, **options)
