"""What the API takes and gives. Unknown fields are refused, never ignored."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from knowledge.retrieval.search import LONGEST_QUERY, MOST_ITEMS

_NO_ZONE = "It has no time zone. Write it with an offset, such as 2026-03-02T00:00:00Z"


def _written_with_offset(value: Any) -> Any:
    """Refuse what pydantic would read and people would not mean: numbers and bare days."""
    if not isinstance(value, str):
        raise PydanticCustomError("instant", "Write it as text, such as 2026-03-02T00:00:00Z")
    try:
        read = datetime.fromisoformat(value)
    except ValueError as error:
        raise PydanticCustomError(
            "instant", "It is not a time. Write it like 2026-03-02T00:00:00Z"
        ) from error
    if read.tzinfo is None:
        raise PydanticCustomError("instant", _NO_ZONE)
    return read


def _in_utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise PydanticCustomError("instant", "It lies outside the years 1 to 9999") from error


def _without_nul(value: str) -> str:
    if "\x00" in value:
        raise PydanticCustomError("text", "It holds a NUL character, which no text has")
    return value


Instant = Annotated[AwareDatetime, BeforeValidator(_written_with_offset), AfterValidator(_in_utc)]
MemoryType = Literal[
    "preference", "fact", "decision", "constraint", "goal", "lesson", "relationship", "event"
]


class Strict(Schema):
    """Base of everything taken in."""

    model_config = ConfigDict(extra="forbid")


class RetrieveIn(Strict):
    """A question to what people approved about the key's subjects."""

    query: Annotated[str, AfterValidator(_without_nul)] = Field(
        min_length=1, max_length=LONGEST_QUERY, description="What to look for, in any language."
    )
    k: int = Field(10, ge=1, le=MOST_ITEMS, strict=True, description="At most so many items.")
    valid_at: Instant | None = Field(
        None, description="What was true then; now if left out. RFC 3339 with offset."
    )
    known_at: Instant | None = Field(
        None, description="As known then; now if left out. The answer repeats it: replay with it."
    )
    token_budget: int | None = Field(
        None, ge=64, le=200_000, strict=True, description="Estimated tokens `prompt` may take."
    )
    types: list[MemoryType] = Field(
        default_factory=list, max_length=8, description="Only these memory types; all if empty."
    )
    history: bool = Field(
        False, strict=True, description="Also what has ended, saying how each ended."
    )


class AtIn(Strict):
    """Both instants, in an address."""

    valid_at: Instant | None = None
    known_at: Instant | None = None


class QuoteOut(Schema):
    """Original words. `start` and `end` are code points of the message, half-open."""

    text: str
    role: str
    message_id: int
    message_external_id: str
    message_kind: str
    conversation_id: int
    speaker: str
    sent_at: datetime
    sent_at_known: bool
    start: int
    end: int


class EndingOut(Schema):
    """How a statement ended: `over` where its stated time ran out."""

    how: str
    at: datetime
    replaced_by_version_id: int | None


class ItemOut(Schema):
    """One approved statement."""

    statement_id: int
    version_id: int
    subject: str
    about: str
    text: str
    memory_type: str
    criticality: str
    attribute: str
    value: str
    language: str
    valid_from: datetime
    valid_to: datetime | None
    start_basis: str
    believed_from: datetime
    believed_until: datetime | None
    ended: EndingOut | None
    trust: Literal["approved", "contested"]
    confidence: float
    score: float
    found_by: dict[str, int] = Field(
        description="Which arms of the search found it, at which rank."
    )
    tokens: int
    quotes: list[QuoteOut]


WordsAlone = Literal["embedder_unavailable", "vectors_being_made"]


class RetrieveOut(Schema):
    """What was found, item by item and as one block for a prompt."""

    items: list[ItemOut]
    prompt: str
    tokens: int = Field(description="Of `prompt`, by our own estimate.")
    valid_at: datetime
    known_at: datetime
    approximate: bool
    vector_model: str | None = Field(description="None where the words alone decided.")
    words_alone_because: WordsAlone | None = Field(
        description="Why `vector_model` is None: the embedder gave no answer, or has embedded"
        " less than half of the scope since the model was changed."
    )
    statements_without_vector: int = Field(
        description="How many statements in scope `vector_model` has not embedded yet: until it"
        " has, only their words find them."
    )


class VersionOut(Schema):
    """One version of a statement, as it was known at `known_at`."""

    version_id: int
    text: str
    about: str
    memory_type: str
    criticality: str
    attribute: str
    value: str
    language: str
    valid_from: datetime
    valid_to: datetime | None
    start_basis: str
    believed_from: datetime
    believed_until: datetime | None
    end_reason: str | None
    successor_id: int | None
    derived_from_id: int | None
    derivation: str | None
    confidence: float
    redacted: bool
    quotes: list[QuoteOut]


class StatementOut(Schema):
    """A statement with the version that holds, else the last one decided on."""

    statement_id: int
    subject: str
    valid_at: datetime
    known_at: datetime
    holds: bool
    version: VersionOut


class HistoryOut(Schema):
    """A statement's versions in order of belief."""

    statement_id: int
    subject: str
    valid_at: datetime
    known_at: datetime
    versions: list[VersionOut]


class ProblemOut(Schema):
    """Any failure (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    instance: str
    request_id: str
    field: str | None = None
    errors: list[dict[str, str]] | None = None
