"""`manage.py import`: bring conversations from a file."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from extraction.errors import BadInput
from extraction.importing import ImportTally, import_file
from extraction.processing import process_until_done
from knowledge.errors import KnowledgeError
from knowledge.queries import scope as spaces
from knowledge.queries.processing import figures_of_conversations
from knowledge.results import Actor, SubjectRef
from workbench.acting_command import ActingCommand

SHOWN_PROBLEMS = 10


class Command(ActingCommand):
    """Captures a file's conversations; the worker, or ``--wait``, extracts from them."""

    help = (
        "Import conversations from a file. The same file again adds nothing. Example:"
        " manage.py import chat.jsonl --space main --subject user:ana --wait"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--space", required=True, help="slug of the space")
        parser.add_argument("--subject", help="whose memory, as kind:id, such as user:ana")
        parser.add_argument("--name", default="", help="the subject's name, such as Ana")
        parser.add_argument("--format", help="the format's name, if it is not to be guessed")
        parser.add_argument("--wait", action="store_true", help="extract now, and wait for it")
        parser.add_argument("--json", type=Path, help="write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the file and say what came of it."""
        started = time.monotonic()
        try:
            space = spaces.space_by_slug(options["space"])
            tally = self.capture(space.id, options=options)
            if options["wait"]:
                process_until_done(tally.conversation_ids, say=self.progress)
        except (BadInput, KnowledgeError) as error:
            raise CommandError(str(error)) from error
        figures = self.figures(tally, seconds=time.monotonic() - started)
        self.report(tally, figures=figures)
        if options["json"]:
            options["json"].write_text(json.dumps(figures, indent=1) + "\n")

    def capture(self, space_id: int, *, options: dict[str, Any]) -> ImportTally:
        """Capture the whole file, showing how far it is."""
        path: Path = options["file"]
        size = path.stat().st_size if path.is_file() else 0
        tally = ImportTally()
        for tally in import_file(
            path,
            space_id=space_id,
            by=Actor(kind="system", id="import", channel="command"),
            now=timezone.now(),
            subject=subject_of(options["subject"], name=options["name"]),
            name=options["format"],
        ):
            share = min(100, 100 * tally.bytes_read // size) if size else 100
            self.progress(
                f"reading {share} % · {tally.conversations} conversations ·"
                f" {tally.messages_new} new messages"
            )
        return tally

    def progress(self, line: str) -> None:
        """Show one line of progress on a terminal, and nothing elsewhere."""
        if sys.stderr.isatty():
            self.stderr.write(f"\r\033[K{line}", ending="")
            self.stderr.flush()

    def figures(self, tally: ImportTally, *, seconds: float) -> dict[str, float | int]:
        """Gather the figures of the import."""
        found = figures_of_conversations(tally.conversation_ids)
        return {
            "messages_new": tally.messages_new,
            "messages_known": tally.messages_known,
            "messages_invalid": tally.messages_invalid,
            "conversations_stopped": len(tally.stopped),
            "episodes": found.episodes,
            "proposals": found.proposals,
            "joined": found.joined,
            "set_aside": found.set_aside,
            "seconds": round(seconds, 1),
        }

    def report(self, tally: ImportTally, *, figures: dict[str, float | int]) -> None:
        """Print the figures, and the first problems by line."""
        self.progress("")
        for problem in tally.problems[:SHOWN_PROBLEMS]:
            place = f"line {problem.line}: " if problem.line else ""
            self.stderr.write(self.style.WARNING(f"{place}{problem.message}"))
        for reason in dict.fromkeys(tally.stopped):
            number = tally.stopped.count(reason)
            self.stderr.write(self.style.WARNING(f"{number} not taken in: {reason}"))
        hidden = len(tally.problems) - SHOWN_PROBLEMS
        if hidden > 0:
            self.stderr.write(self.style.WARNING(f"and {hidden} more lines like these"))
        self.stdout.write(
            " · ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items())
        )


def subject_of(text: str | None, *, name: str) -> SubjectRef | None:
    """Read ``kind:id``.

    **Raises**: CommandError with what to write.
    """
    if not text:
        return None
    kind, colon, external_id = text.partition(":")
    if not colon or not external_id:
        raise CommandError(f"“{text}” names no subject. Write kind:id, such as user:ana.")
    return SubjectRef(kind, external_id, name)
