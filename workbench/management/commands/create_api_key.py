"""`manage.py create_api_key`: a key for an agent."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from knowledge.errors import KnowledgeError
from knowledge.results import SYSTEM, SubjectRef
from workbench.acting_command import ActingCommand
from workbench.commands import keys
from workbench.models import Scope


class Command(ActingCommand):
    """Makes a key for fixed subjects of one space; it stands alone on the last line."""

    help = (
        "Make a key for an agent; prints it on the last line."
        " Example: manage.py create_api_key --space atlas --subject user:ana"
        " --subject project:atlas --scopes retrieve,capture --name 'coding agent'"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--space", required=True, help="short name of the space")
        parser.add_argument(
            "--subject",
            action="append",
            required=True,
            help="whose memory it opens, such as user:ana; may be given several times",
        )
        parser.add_argument(
            "--scopes", required=True, help=f"with commas between: {','.join(Scope.values)}"
        )
        parser.add_argument("--name", required=True, help="what people will see it as")
        parser.add_argument(
            "--expires-days", type=int, default=keys.DEFAULT_DAYS, help="default: %(default)s"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the key and print it once."""
        try:
            made = keys.create_key(
                space_slug=options["space"],
                name=options["name"],
                subjects=[subject_ref(given) for given in options["subject"]],
                scopes=[scope.strip() for scope in options["scopes"].split(",") if scope.strip()],
                by=SYSTEM,
                now=timezone.now(),
                days=options["expires_days"],
            )
        except KnowledgeError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Key “{made.name}” ({made.prefix}), valid until {made.expires_at:%Y-%m-%d}."
        )
        self.stdout.write("It is shown this once:")
        self.stdout.write(made.token)


def subject_ref(given: str) -> SubjectRef:
    """Read ``kind:id``; what is missing is refused where subjects are made."""
    kind, _, external_id = given.partition(":")
    return SubjectRef(kind.strip(), external_id.strip())
