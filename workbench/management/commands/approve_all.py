"""`manage.py approve_all`: a curator who approves everything, in evaluation spaces alone."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from extraction.evaluation.approving import approve_all
from knowledge.errors import KnowledgeError
from knowledge.queries.scope import space_by_slug
from knowledge.results import Actor
from workbench.acting_command import ActingCommand


class Command(ActingCommand):
    """Approves whatever waits in an evaluation space, as its engine suggested."""

    help = (
        "Approve everything that waits in an evaluation space; refused in any other."
        " Example: manage.py approve_all --space trial --by rosa"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--space", required=True, help="short name of the space")
        parser.add_argument("--by", required=True, help="the curator who answers for it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Approve, and say how many and what was left."""
        person = User.objects.filter(username=options["by"]).first()
        if person is None:
            raise CommandError(f"There is nobody called {options['by']}. See: manage.py add_user")
        by = Actor(kind="user", id=person.username, channel="command", user_id=person.pk)
        try:
            space = space_by_slug(options["space"])
            done = approve_all(space_id=space.id, by=by, now=timezone.now())
        except KnowledgeError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{done.total} approved{_listed(done.approved)}.")
        if done.left:
            self.stdout.write(f"{sum(done.left.values())} left{_listed(done.left)}.")


def _listed(counts: dict[str, int]) -> str:
    words = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items())
    return f" ({words})" if words else ""
