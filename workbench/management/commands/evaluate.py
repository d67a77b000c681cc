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
from extraction.engines.registry import NAMES as NAMES_OF_ENGINES
from extraction.engines.registry import OPENAI, get_engine
from extraction.errors import BadInput, ExtractionError
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
        " --compare predict.json\n"
        "  manage.py evaluate locomo data/locomo --engine openai --predict-model small"
        " --predict-model large --json models.json"
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
        parser.add_argument(
            "--engine", default="local", help=f"the engine: {' or '.join(NAMES_OF_ENGINES)}"
        )
        parser.add_argument(
            "--predict-model",
            action="append",
            default=[],
            metavar="MODEL",
            help="the model that predicts (engine openai); twice: both, side by side",
        )
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
            others = reporting.read_runs(options["compare"]) if options["compare"] else []
            measured = self.measure(options, others=others)
        except (ExtractionError, KnowledgeError) as error:
            self.progress("")
            raise CommandError(str(error)) from error
        self.progress("")
        if options["json"]:
            text = json.dumps(reporting.report(measured), indent=1, ensure_ascii=False) + "\n"
            options["json"].write_text(text, encoding="utf-8")
        for line in reporting.table(*others, *measured):
            self.stdout.write(line)
        if options["causes"]:
            for one in measured:
                for line in reporting.causes(one):
                    self.stdout.write(line)

    def measure(
        self, options: dict[str, Any], *, others: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Run the data set in a database of its own; unlike runs are refused before it.

        **Returns**: a document for each plan.
        """
        plans = plans_of(options)
        dataset = read_dataset(options["dataset"], options["path"], limit=options["limit"])
        for other in others:
            reporting.check_alike(
                {
                    "dataset": dataset.name,
                    "split": dataset.split or None,
                    "digest": dataset.digest,
                    "curator": options["curator"],
                },
                other,
            )
        self.progress("preparing a database")
        with ending_in_order(), scratch_database():
            return [
                reporting.document(
                    run(dataset, plan=plan, say=self.progress),
                    dataset=dataset,
                    plan=plan,
                    limit=options["limit"],
                    now=timezone.now(),
                )
                for plan in plans
            ]

    def progress(self, line: str) -> None:
        """Show one line of progress on a terminal, and nothing elsewhere."""
        if sys.stderr.isatty():
            self.stderr.write(f"\r\033[K{line}", ending="")
            self.stderr.flush()


def plans_of(options: dict[str, Any]) -> list[Plan]:
    """Plan one run, or one for each model that is to predict.

    **Raises**: BadInput where no model would predict, or the same one twice.
    """
    models: list[str] = options["predict_model"]
    if models and options["engine"] != OPENAI:
        raise BadInput("Only --engine openai predicts with a model.")
    if models and options["arm"] != "predict":
        raise BadInput(f"With --arm {options['arm']} nothing predicts: leave --predict-model out.")
    if len(set(models)) < len(models) or not all(model.strip() for model in models):
        raise BadInput("Each --predict-model names another model.")
    embedder = Remembering(get_embedder())
    return [
        Plan(
            Tools(engine=get_engine(options["engine"], predict_model=model), embedder=embedder),
            arm=options["arm"],
            curator=options["curator"],
            predict_model=model,
        )
        for model in models or [""]
    ]


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Leave by an exception when told to end, so that what was made for the run is cleared up."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
