"""`manage.py anchor_audit`: the ends of the chains, written outside the database."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction import anchoring
from extraction.errors import AnchorsUnavailable
from knowledge.errors import NotFound
from knowledge.queries import chain


class Command(BaseCommand):
    """Writes down the last event of each chain, so that a cut or a rewriting can be seen later."""

    help = (
        "Write the last event of each chain of the audit log where the database's administrators"
        " cannot write: one line of JSON each. Examples: manage.py anchor_audit;"
        " manage.py anchor_audit --to /mnt/others/anchors.jsonl;"
        " manage.py anchor_audit --space atlas --to https://anchors.example/atlas"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--space", default="", help="one chain: a space's short name, or system"
        )
        parser.add_argument("--to", default="", help="a file or an http address (AUDIT_ANCHOR)")
        parser.add_argument("--json", action="store_true", help="print what was written as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write what moved, and say how many. **Raises**: CommandError."""
        place = options["to"] or settings.AUDIT_ANCHOR
        if not place:
            raise CommandError("Say where: --to FILE or --to URL, or set AUDIT_ANCHOR.")
        try:
            among = chain.chains(options["space"])
            written = anchoring.anchor(among, place=place)
        except (NotFound, AnchorsUnavailable) as error:
            raise CommandError(str(error)) from error
        shown = anchoring.public_name(place)
        if options["json"]:
            ends = [{"chain": each.name, "seq": each.tail.seq} for each in written if each.tail]
            self.stdout.write(json.dumps({"anchors": shown, "written": ends}))
            return
        for each in written:
            if each.tail:
                self.stdout.write(f"{each.name}: event {each.tail.seq}")
        still = len(among) - len(written)
        self.stdout.write(f"{len(written)} written to {shown}, {still} unchanged or empty.")
