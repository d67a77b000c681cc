"""`manage.py replay_erasures`: make a restored backup forget what was erased since."""

from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from extraction import forgetting
from extraction.errors import BadInput
from knowledge.commands import replaying
from knowledge.errors import KnowledgeError
from workbench.acting_command import ActingCommand


class Command(ActingCommand):
    """Brings database and ledger in step: what either forgot, both have forgotten afterwards."""

    help = (
        "Erase again, after a backup was restored, what the ledger names, and enter in it what"
        " it lacks."
        " Example: manage.py replay_erasures --ledger /safe/erasures.jsonl"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--ledger", type=Path, help="the ledger to go through (default: ERASURE_LEDGER)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay, and say how many were done.

        **Raises**: CommandError where the ledger cannot be read, or an entry cannot be replayed.
        """
        path = options["ledger"] or forgetting.ledger_path()
        outcomes: Counter[str] = Counter()
        try:
            entries = forgetting.read(path)
            entered = sum(forgetting.enter(entry, path=path) for entry in forgetting.not_in(path))
            for number, entry in enumerate(entries, start=1):
                if self.stdout.isatty():
                    self.stdout.write(f"\rerasure {number} of {len(entries)}", ending="")
                outcomes[replaying.replay(entry=entry, now=timezone.now()).outcome] += 1
        except (BadInput, KnowledgeError, KeyError) as error:
            raise CommandError(f"{error} Nothing of that entry was changed.") from error
        if self.stdout.isatty():
            self.stdout.write("")
        self.stdout.write(
            f"{outcomes['done']} erasures done again, {outcomes['already']} were done already"
            + (f", {entered} entered in the ledger" if entered else "")
            + (
                f", {outcomes['not_here']} of subjects not here (run it again should they come)"
                if outcomes["not_here"]
                else ""
            )
            + (f", {outcomes['no_space']} of spaces not here" if outcomes["no_space"] else "")
            + "."
        )
