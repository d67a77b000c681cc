"""`manage.py import`: bring conversations from a file, a folder or a zip."""

import json
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from extraction.errors import BadInput
from extraction.importers import in_words
from extraction.importers.errors import AnswerNeeded
from extraction.importing import Choices, ImportTally, import_file, size_of
from extraction.processing import process_until_done
from extraction.uploads.failed_rows import FailedRows
from extraction.uploads.previewing import Preview, preview
from knowledge.errors import KnowledgeError
from knowledge.queries import scope as spaces
from knowledge.queries.processing import figures_of_conversations
from knowledge.results import Actor, SubjectRef
from workbench.acting_command import ActingCommand

SHOWN_PROBLEMS = 10
SHOWN_SPEAKERS = 10
SHOWN_LETTERS = 100
ANSWERS = {"zone": "--zone Europe/Berlin", "day_first": "--dates day-first, or month-first"}


class Command(ActingCommand):
    """Captures a file's conversations; the worker, or ``--wait``, extracts from them."""

    help = (
        "Import conversations from a file, a folder or a zip. The same again adds nothing."
        " Look first: manage.py import chat.jsonl --space main --preview. Then:"
        " manage.py import chat.jsonl --space main --subject user:ana --wait"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, help="a file, a folder or a zip")
        parser.add_argument("--space", required=True, help="slug of the space")
        parser.add_argument("--subject", help="whose memory, as kind:id, such as user:ana")
        parser.add_argument("--name", default="", help="the subject's name, such as Ana")
        parser.add_argument("--speaker", default="", help="how the file calls the subject")
        parser.add_argument("--format", help="the format's name, if it is not to be guessed")
        parser.add_argument("--zone", default="", help="where times without a zone were written")
        parser.add_argument(
            "--dates", choices=["day-first", "month-first"], help="what 03/04 means in the file"
        )
        parser.add_argument(
            "--preview", action="store_true", help="say what would come in, and write nothing"
        )
        parser.add_argument("--failed", type=Path, help="write the rows that failed to this CSV")
        parser.add_argument("--wait", action="store_true", help="extract now, and wait for it")
        parser.add_argument("--json", type=Path, help="write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the file, or look through it, and say what came of it."""
        started = time.monotonic()
        try:
            space = spaces.space_by_slug(options["space"])
            if options["preview"]:
                figures = self.look(space.id, options=options)
            else:
                tally = self.capture(space.id, options=options)
                if options["wait"]:
                    process_until_done(tally.conversation_ids, say=self.progress)
                figures = self.figures(tally)
                self.report(tally)
        except AnswerNeeded as error:
            raise CommandError(f"{error} ({ANSWERS[error.option]})") from error
        except (BadInput, KnowledgeError) as error:
            raise CommandError(str(error)) from error
        figures["seconds"] = round(time.monotonic() - started, 1)
        self.stdout.write(
            " · ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items())
        )
        if options["json"]:
            options["json"].write_text(json.dumps(figures, indent=1) + "\n")

    def capture(self, space_id: int, *, options: dict[str, Any]) -> ImportTally:
        """Capture the whole file, showing how far it is."""
        path: Path = options["file"]
        tally, size = ImportTally(), size_of(path)
        failed: Path | None = options["failed"]
        if failed is not None:
            make_way(failed, source=path)
        with ExitStack() as stack:
            rows = stack.enter_context(FailedRows(failed)) if failed else None
            for tally in import_file(
                path,
                space_id=space_id,
                by=Actor(kind="system", id="import", channel="command"),
                now=timezone.now(),
                choices=choices_of(options),
            ):
                if tally.problem is not None and rows is not None:
                    rows.add(tally.problem)
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

    def figures(self, tally: ImportTally) -> dict[str, float | int]:
        """Gather the figures of the import."""
        found = figures_of_conversations(tally.conversation_ids)
        return {
            **counts(tally),
            "episodes": found.episodes,
            "proposals": found.proposals,
            "joined": found.joined,
            "set_aside": found.set_aside,
        }

    def look(self, space_id: int, *, options: dict[str, Any]) -> dict[str, float | int]:
        """Say what is in the file and what would come of it."""
        found = preview(
            options["file"],
            space_id=space_id,
            choices=choices_of(options),
            now=timezone.now(),
            longest_s=float("inf"),
        )
        self.stdout.write(f"{options['file'].name} is of the format {found.choices.format}.")
        self.say_who(found)
        for message in found.messages:
            when = message["sent_at"][:16].replace("T", " ") or "no time"
            text = " ".join(message["text"][:SHOWN_LETTERS].split())
            self.stdout.write(f"  {when}  {message['speaker']}: {text}")
        self.report(found.tally)
        return counts(found.tally)

    def say_who(self, found: Preview) -> None:
        """Name who speaks, and who seems to be the subject."""
        listed = found.speakers.listed()
        for one in listed[:SHOWN_SPEAKERS]:
            ref = f" ({one.kind}:{one.external_id})" if one.external_id else ""
            self.stdout.write(f"  {one.speaker}{ref}: {one.messages} messages")
        if len(listed) > SHOWN_SPEAKERS:
            self.stdout.write(f"  and {len(listed) - SHOWN_SPEAKERS} more")
        if found.guessed is not None:
            subject = found.guessed.subject
            known = f" --subject {subject}" if subject else ""
            self.stdout.write(
                f"The subject seems to be {found.guessed.speaker}: {found.guessed.reason}."
                f" Say so with --speaker “{found.guessed.speaker}”{known}"
            )

    def report(self, tally: ImportTally) -> None:
        """Print the first problems by line, and what was not taken in."""
        self.progress("")
        for problem in tally.problems[:SHOWN_PROBLEMS]:
            self.stderr.write(self.style.WARNING(in_words(problem)))
        hidden = len(tally.problems) - SHOWN_PROBLEMS
        if hidden > 0:
            self.stderr.write(self.style.WARNING(f"and {hidden} more lines like these"))
        for reason, number in tally.stopped.items():
            self.stderr.write(self.style.WARNING(f"{number} not taken in: {reason}"))
        if tally.left_out:
            self.stderr.write(f"{tally.left_out} conversations without the subject left out")
        if tally.untimed:
            self.stderr.write(f"{tally.untimed} messages have no time; they take that of now")


def counts(tally: ImportTally) -> dict[str, float | int]:
    """Return what a trial and an import both count."""
    return {
        "messages_new": tally.messages_new,
        "messages_known": tally.messages_known,
        "messages_invalid": tally.messages_invalid,
        "conversations": tally.conversations,
        "conversations_left_out": tally.left_out,
        "conversations_stopped": sum(tally.stopped.values()),
    }


def make_way(failed: Path, *, source: Path) -> None:
    """Delete an earlier table of rows that failed, and nothing else.

    **Raises**: CommandError where the table would replace what is imported, or cannot be written.
    """
    if failed.is_dir() or not failed.parent.is_dir():
        raise CommandError(f"{failed} cannot be written: name a file in a folder that is there.")
    if failed.exists() and failed.samefile(source):
        raise CommandError(
            f"{failed} is the file to import. Name another one for the rows that fail."
        )
    failed.unlink(missing_ok=True)


def choices_of(options: dict[str, Any]) -> Choices:
    """Read how the file is to be read. **Raises**: CommandError."""
    subject = subject_of(options["subject"], name=options["name"])
    choices = Choices(
        subject=subject,
        speaker=options["speaker"],
        format=options["format"] or "",
        zone=options["zone"],
    )
    if options["dates"]:
        choices = replace(choices, day_first=options["dates"] == "day-first")
    return choices


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
