"""What a model may answer, and nothing else.

Strict: a number is no string, ``"false"`` is not false, a field nobody asked for is an error.
Fields a statement can do without may be missing.
"""

import re
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from extraction.engines.base import Kind, Modality, Outcome

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?"
)


def _printable(text: str) -> str:
    if _UNPRINTABLE.search(text):
        raise ValueError("must not hold control characters")
    return text


def _storable(text: str) -> str:
    if _UNSTORABLE.search(text):
        raise ValueError("must not hold NUL or half of a surrogate pair")
    return text


def _key(text: str) -> str:
    """Spell a property's name as keys are spelled: lower case, words joined by underscores."""
    return re.sub(r"\W+", "_", text.strip().lower()).strip("_")[:64]


def _moment(text: str | None) -> str | None:
    """Accept a day or a time, written out; nothing for an empty one."""
    if not text:
        return None
    found = _MOMENT.fullmatch(text)
    if not found:
        raise ValueError("must be YYYY-MM-DD, a full ISO time, or null")
    if len(text) == len(found["day"]):
        date.fromisoformat(text)
    else:
        datetime.fromisoformat(text.replace("Z", "+00:00"))
    return text


Words = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=2_000), AfterValidator(_printable)
]
Sentence = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000),
    AfterValidator(_printable),
]
Verbatim = Annotated[str, StringConstraints(max_length=10_000), AfterValidator(_storable)]
Moment = Annotated[str | None, AfterValidator(_moment)]


class Answer(BaseModel):
    """What all answers have in common."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class DescribeAnswer(Answer):
    """Title and narrative of an episode."""

    title: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=300),
        AfterValidator(_printable),
    ]
    narrative: Annotated[
        str,
        StringConstraints(strip_whitespace=True, max_length=8_000),
        AfterValidator(_printable),
    ]


class SegmentAnswer(Answer):
    """The numbers of the messages that begin a topic."""

    starts: Annotated[list[int], Field(max_length=200)]


class PredictionAnswer(Answer):
    """One expectation with what it rests on."""

    text: Sentence
    rests_on: Annotated[list[Words], Field(max_length=40)]


class PredictAnswer(Answer):
    """What is to be expected."""

    predictions: Annotated[list[PredictionAnswer], Field(max_length=40)]


class CoveringAnswer(Answer):
    """Words of a message that meet a prediction."""

    message: int
    quote: Verbatim


class OutcomeAnswer(Answer):
    """What the words made of one prediction."""

    prediction: int
    outcome: Outcome
    quotes: Annotated[list[CoveringAnswer], Field(max_length=40)] = []


class EvidenceAnswer(Answer):
    """Words of a message that bear a candidate."""

    message: int
    quote: Verbatim
    role: Literal["supports", "contradicts", "dates"] = "supports"


class ColdCandidateAnswer(Answer):
    """One statement the words make."""

    text: Sentence
    evidence: Annotated[list[EvidenceAnswer], Field(max_length=20)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    modality: Modality
    kind: Kind = "new"
    target: Words | None = None
    reason: Words = ""
    valid_from: Moment = None
    valid_to: Moment = None
    date_phrase: Verbatim = ""
    memory_type: Literal[
        "preference",
        "fact",
        "decision",
        "constraint",
        "goal",
        "lesson",
        "relationship",
        "event",
    ] = "fact"
    criticality: Literal["normal", "high_priority", "must_include"] = "normal"
    attribute: Annotated[Words, AfterValidator(_key)] = ""
    value: Words = ""
    about: Words = ""
    language: Words = ""


class CandidateAnswer(ColdCandidateAnswer):
    """One statement, with the prediction it departs from."""

    prediction: int | None = None


class ColdStartAnswer(Answer):
    """What is worth remembering of somebody unknown."""

    candidates: Annotated[list[ColdCandidateAnswer], Field(max_length=200)]


class CalibrateAnswer(Answer):
    """What became of the predictions, and what they did not hold."""

    outcomes: Annotated[list[OutcomeAnswer], Field(max_length=200)]
    candidates: Annotated[list[CandidateAnswer], Field(max_length=200)]


class SameAnswer(Answer):
    """Whether two statements say the same."""

    same: bool
