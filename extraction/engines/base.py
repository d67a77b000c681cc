"""The seam every extraction engine implements: four calls over plain dataclasses.

An engine never sees the database, never chooses the subject, and is never trusted:
whatever it returns is grounded, flagged and gated before it becomes a proposal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

Kind = Literal["new", "update", "contradiction", "confirmation"]
Modality = Literal["asserted", "negated", "hypothetical", "question", "quoted"]
Outcome = Literal["confirmed", "not_mentioned", "said_otherwise"]
GapKind = Literal["unpredicted", "refines", "contradicts"]


@dataclass(frozen=True, slots=True)
class EpisodeMessage:
    """One original message as an engine sees it.

    **Shape**: ``index`` is its place in the episode (0-based) and is how engines refer to it.
    ``by_subject`` says whether the subject of the extraction said it.
    """

    index: int
    kind: str
    speaker: str
    by_subject: bool
    text: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class KnownStatement:
    """A current statement, or a proposal still waiting, that the prediction may rest on.

    **Shape**: ``ref`` is opaque to engines: ``statement:<id>`` or ``proposal:<id>``.
    """

    ref: str
    text: str
    attribute: str = ""
    value: str = ""
    waiting: bool = False
    valid_from: datetime | None = None
    vector: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class EpisodeInput:
    """Everything an engine is shown for one episode. ``zone`` is an IANA name."""

    subject_name: str
    subject_kind: str
    zone: str
    messages: tuple[EpisodeMessage, ...]
    known: tuple[KnownStatement, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """Title and narrative of an episode: for finding only, never a source of facts."""

    title: str
    narrative: str


@dataclass(frozen=True, slots=True)
class Prediction:
    """One expectation, with the refs of the known statements it rests on."""

    text: str
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of one message. ``role`` is supports, contradicts or dates."""

    message: int
    quote: str
    role: Literal["supports", "contradicts", "dates"] = "supports"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One statement an engine believes the words make.

    **Units**: ``confidence`` 0..1; ``valid_from``/``valid_to`` aware UTC, half-open, None = open.
    ``start_basis`` is ``stated`` when ``valid_from`` came from the words.
    """

    text: str
    evidence: tuple[Quote, ...]
    confidence: float
    kind: Kind = "new"
    target: str | None = None
    reason: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    start_basis: Literal["stated", "said"] = "said"
    date_phrase: str = ""
    memory_type: str = "fact"
    criticality: str = "normal"
    attribute: str = ""
    value: str = ""
    about: str = ""
    language: str = "en"
    modality: Modality = "asserted"
    notes: tuple[str, ...] = ()  # engine-raised flags, e.g. "unresolved_pronoun", "unresolved_date"


@dataclass(frozen=True, slots=True)
class GapSpan:
    """A span of a message the prediction did not cover; code-point offsets, half-open."""

    message: int
    start: int
    end: int
    kind: GapKind
    prediction: int | None = None


@dataclass(frozen=True, slots=True)
class CoveredSpan:
    """A span of the subject's words that prediction number ``prediction`` covered."""

    message: int
    start: int
    end: int
    prediction: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What comparing the predictions with the original messages gave.

    **Shape**: ``outcomes`` has one entry per prediction, in order.
    """

    outcomes: tuple[Outcome, ...]
    candidates: tuple[Candidate, ...]
    gaps: tuple[GapSpan, ...] = ()
    covered: tuple[CoveredSpan, ...] = ()
    usage: dict[str, int] = field(default_factory=dict)


class Engine(Protocol):
    """Four calls. ``name``, ``model`` and ``prompt_version`` are stored with every run."""

    name: str
    model: str
    prompt_version: str
    confidence_floor: float

    def describe(self, episode: EpisodeInput) -> Description:
        """Title an episode and say what it is about, for finding it."""
        ...

    def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
        """Say what is to be expected, from title and known statements."""
        ...

    def calibrate(self, episode: EpisodeInput, predictions: tuple[Prediction, ...]) -> Calibration:
        """Compare the predictions with the original messages."""
        ...

    def judge_same(self, left: str, right: str) -> bool:
        """Say whether two statements say the same."""
        ...
