"""What a data set is once it is read: turns in their order, and what is asked about them."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from extraction.errors import BadInput

NAMES = ("locomo", "beam", "longmemeval")
SPLITS = frozenset({"dev", "test", "train", "heldout", "held-out"})


class UnreadableDataset(BadInput):
    """The path holds no data of that layout; the sentence says what was expected."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. ``id`` is unique in its sample; ``kind`` is a message kind of the store."""

    id: str
    speaker: str
    kind: str
    text: str
    session: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that answer it. ``counts`` says whether it is in the totals."""

    text: str
    category: str
    gold: tuple[str, ...]
    counts: bool = True
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Update:
    """A value that changed: the turns of the old one, and of the new one.

    **Shape**: ``is_clean`` says that a number of the answer stands in a new turn and in no old
    one, so that the label checks out without reading.
    """

    question: str
    answer: str
    old: frozenset[str]
    new: frozenset[str]
    is_clean: bool
    values: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements that cannot both hold, as the turns of either side."""

    question: str
    sides: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One memory: what was said to it, and what is asked of it.

    **Shape**: ``facts`` are the turns a reader of the whole would extract from, or None where
    the data do not say; ``gold`` of a question names turns; ``asked_back`` says that questions
    look back on everything instead of asking what holds at the end; ``by_session`` says that
    labels name whole sessions, so that no single turn is known to be needed.
    """

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...] = ()
    facts: frozenset[str] | None = None
    updates: tuple[Update, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    asked_back: bool = False
    by_session: bool = False
    skipped: int = 0

    @property
    def gold_turns(self) -> frozenset[str]:
        """Every turn that some label names."""
        named = {turn for question in self.questions if question.counts for turn in question.gold}
        for update in self.updates:
            named |= update.old | update.new
        for contradiction in self.contradictions:
            named = named.union(*contradiction.sides)
        return frozenset(named | (self.facts or frozenset()))


@dataclass(frozen=True, slots=True)
class Dataset:
    """Samples with where they come from; ``digest`` names the bytes that were read."""

    name: str
    split: str
    digest: str
    samples: tuple[Sample, ...]
    notes: dict[str, Any] = field(default_factory=dict)


def digest_of(files: Iterable[Path], *, extra: str = "") -> str:
    """Name the content of files, whatever folder they lie in."""
    whole = hashlib.sha256(extra.encode())
    for path in sorted(files, key=lambda file: file.parts[-3:]):
        whole.update("/".join(path.parts[-2:]).encode())
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]


def split_of(path: Path) -> str:
    """Name the split a path lies in, by one of its last three folders, or nothing."""
    return next((part for part in path.absolute().parts[:-4:-1] if part in SPLITS), "")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    **Raises**: UnreadableDataset.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableDataset(f"{path} is not a JSON document: {error}.") from error


def first(samples: Sequence[Path], limit: int | None) -> list[Path]:
    """Take the first few, or all."""
    return list(samples if limit is None else samples[:limit])
