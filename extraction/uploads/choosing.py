"""How a file is read and whose memory it feeds, as a row keeps it."""

from typing import Any

from extraction.importers.base import ImportProblem
from extraction.importing import Choices, ImportTally
from knowledge.results import SubjectRef
from knowledge.texts import keepable

# Figures of a tally that a row keeps, and in which an interrupted import goes on.
FIGURES = (
    "messages_new",
    "messages_known",
    "messages_invalid",
    "conversations",
    "left_out",
    "untimed",
    "silent",
    "read",
    "bytes_read",
)
# Problems a row keeps; all of them are in the file of rows that failed.
KEPT_PROBLEMS = 20
LONGEST_PROBLEM = 300


def write_choices(choices: Choices) -> dict[str, Any]:
    """Write choices as a row keeps them."""
    subject = choices.subject
    return {
        "format": choices.format,
        "zone": choices.zone,
        "day_first": choices.day_first,
        "speaker": choices.speaker,
        "subject": [subject.kind, subject.external_id, subject.name] if subject else None,
    }


def read_choices(kept: dict[str, Any]) -> Choices:
    """Read choices as a row keeps them; what was emptied is nothing chosen."""
    subject = kept.get("subject")
    return Choices(
        subject=SubjectRef(*subject) if subject else None,
        speaker=kept.get("speaker", ""),
        format=kept.get("format", ""),
        zone=kept.get("zone", ""),
        day_first=kept.get("day_first"),
    )


def write_tally(tally: ImportTally) -> dict[str, Any]:
    """Write a tally's figures as a row keeps them; no words of any message."""
    return {
        **{name: getattr(tally, name) for name in FIGURES},
        "stopped": dict(tally.stopped),
        "passed_over": dict(tally.passed_over),
    }


def read_tally(kept: dict[str, Any], *, problems: list[list[Any]]) -> ImportTally:
    """Read a tally as a row keeps it, with the first problems, to go on from there."""
    tally = ImportTally(**{name: kept.get(name, 0) for name in FIGURES})
    tally.stopped.update(kept.get("stopped", {}))
    tally.passed_over.update(kept.get("passed_over", {}))
    tally.problems = [ImportProblem(line, text, member) for member, line, text in problems]
    return tally


def write_problems(problems: list[ImportProblem]) -> list[list[Any]]:
    """Write the first problems as a row keeps them."""
    return [
        [one.member[:LONGEST_PROBLEM], one.line, keepable(one.message)[:LONGEST_PROBLEM]]
        for one in problems[:KEPT_PROBLEMS]
    ]
