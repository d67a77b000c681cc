"""`manage.py evaluate`: a data set through the real pipeline and store, and the figures of it."""

import json
import signal
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from extraction.embeddings.registry import get_embedder
from extraction.engines.registry import get_engine
from extraction.errors import ExtractionError
from extraction.evaluation import reporting
from extraction.evaluation.arms import ARMS
from extraction.evaluation.database import scratch_database
from extraction.evaluation.datasets import NAMES
from extraction.evaluation.oracle import CURATORS
from extraction.evaluation.reading import read_dataset
from extraction.evaluation.remembering import Remembering
from extraction.evaluation.running import Plan, run
from extraction.pipeline import Tools
from knowledge.errors import KnowledgeError


class Command(BaseCommand):
    """Measures extraction, retrieval and change on labelled conversations.

    It works in a database made for it on the same server and dropped afterwards, since rows of
    the store can never be deleted; each conversation is an evaluation space of its own in there.
    """

    help = (
        "Run a data set through the pipeline and print what was kept, found and renewed."
        " Everything happens in a database that is thrown away.\n\n"
        "Example:\n"
        "  manage.py evaluate locomo data/locomo --json predict.json\n"
        "  manage.py evaluate locomo data/locomo --arm everything --json everything.json"
        " --compare predict.json"
    )
    requires_system_checks = ()  # the database they would look at is not the one used

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Keep the lines of the example as they are."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("dataset", choices=NAMES)
        parser.add_argument("path", type=Path, help="the data set's file or folder")
        parser.add_argument(
            "--arm",
            choices=sorted(ARMS),
            default="predict",
            help="predict: as it is used; everything: nothing is expected; turns: word for word",
        )
        parser.add_argument(
            "--curator",
            choices=sorted(CURATORS),
            default="approve-all",
            help="approve-all, or oracle: decides by the gold labels",
        )
        parser.add_argument("--engine", default="local", help="the engine (local)")
        parser.add_argument("--limit", type=int, help="the first N conversations only")
        parser.add_argument("--json", type=Path, help="write the figures to this file")
        parser.add_argument("--compare", type=Path, help="print beside an earlier run's JSON")
        parser.add_argument("--causes", action="store_true", help="list each miss with its cause")

    def handle(self, *args: Any, **options: Any) -> None:
        """Evaluate, print the table, and write the document.

        **Raises**: CommandError.
        """
        if options["limit"] is not None and options["limit"] < 1:
            raise CommandError("--limit counts conversations, from 1.")
        if options["json"] and not options["json"].absolute().parent.is_dir():
            raise CommandError(f"There is no folder {options['json'].absolute().parent}.")
        try:
            other = reporting.read_run(options["compare"]) if options["compare"] else None
            measured = self.measure(options, other=other)
        except (ExtractionError, KnowledgeError) as error:
            self.progress("")
            raise CommandError(str(error)) from error
        self.progress("")
        if options["json"]:
            text = json.dumps(measured, indent=1, ensure_ascii=False) + "\n"
            options["json"].write_text(text, encoding="utf-8")
        for line in reporting.table(*([other] if other else []), measured):
            self.stdout.write(line)
        if options["causes"]:
            for line in reporting.causes(measured):
                self.stdout.write(line)

    def measure(self, options: dict[str, Any], *, other: dict[str, Any] | None) -> dict[str, Any]:
        """Run the data set in a database of its own; unlike runs are refused before it."""
        dataset = read_dataset(options["dataset"], options["path"], limit=options["limit"])
        plan = Plan(
            Tools(engine=get_engine(options["engine"]), embedder=Remembering(get_embedder())),
            arm=options["arm"],
            curator=options["curator"],
        )
        if other:
            reporting.check_alike(
                {
                    "dataset": dataset.name,
                    "split": dataset.split or None,
                    "digest": dataset.digest,
                    "curator": plan.curator,
                },
                other,
            )
        self.progress("preparing a database")
        with ending_in_order(), scratch_database():
            figures = run(dataset, plan=plan, say=self.progress)
            return reporting.document(
                figures, dataset=dataset, plan=plan, limit=options["limit"], now=timezone.now()
            )

    def progress(self, line: str) -> None:
        """Show one line of progress on a terminal, and nothing elsewhere."""
        if sys.stderr.isatty():
            self.stderr.write(f"\r\033[K{line}", ending="")
            self.stderr.flush()


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Leave by an exception when told to end, so that what was made for the run is cleared up."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
