"""Management commands that are acts of somebody: what the core refuses them is in the log too."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from knowledge.errors import KnowledgeError, NotFound
from knowledge.queries.scope import space_by_slug
from knowledge.results import Actor
from knowledge.texts import keepable
from workbench import auditing
from workbench.access import LONGEST_NAME


class ActingCommand(BaseCommand):
    """A command whose refusals and failures are logged, with what was tried and on which space.

    A subclass turns an error of the core into a ``CommandError`` raised from it, as it would
    anyway; the options ``space`` and ``by`` are read where it has them.
    """

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run, and log what the core would not do. **Raises**: CommandError."""
        try:
            return super().execute(*args, **options)
        except CommandError as error:
            if isinstance(error.__cause__, KnowledgeError):
                self.log(error.__cause__, options)
            raise
        except KnowledgeError as error:
            self.log(error, options)
            raise CommandError(str(error)) from error

    def log(self, error: KnowledgeError, options: dict[str, Any]) -> None:
        """Write one event after whatever it was has been rolled back. **Raises**: CommandError."""
        try:
            person, named = _person(options.get("by"))
            by = Actor(
                kind="user" if person else "system", id=person or "system", channel="command"
            )
            auditing.log(
                space_id=_space_id(options.get("space")),
                by=by,
                action=f"command.{type(self).__module__.rpartition('.')[2]}",
                outcome=auditing.outcome_of(error),
                reason_code=error.code,
                payload={"by": named} if named and not person else None,
            )
        except (auditing.AuditUnavailable, DatabaseError) as unwritten:
            raise CommandError(f"{error} The audit log cannot be written.") from unwritten


def _person(name: Any) -> tuple[str, str]:
    """Return who acts, where the name is anybody's, and the name as it was given."""
    named = keepable(str(name or ""))[:LONGEST_NAME]
    return (named if User.objects.filter(username=named).exists() else ""), named


def _space_id(slug: Any) -> int | None:
    """Return the space that was named; what names none is logged in the system's chain."""
    try:
        return space_by_slug(slug).id if isinstance(slug, str) and slug else None
    except NotFound:
        return None
