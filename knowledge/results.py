"""What goes into and comes out of commands: frozen, free of models."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, and through which door.

    **Shape**: ``kind`` user | key | worker | system; ``channel`` web | api | command | worker.
    ``user_id`` is set for people alone: only people decide.
    """

    kind: Literal["user", "key", "worker", "system"]
    id: str
    channel: str
    user_id: int | None = None
    request_id: str = ""


WORKER = Actor(kind="worker", id="worker", channel="worker")
SYSTEM = Actor(kind="system", id="system", channel="command")


@dataclass(frozen=True, slots=True)
class Lease:
    """The hold of a worker on a job; a result written under an overtaken one is refused."""

    job_id: int
    fence: int


@dataclass(frozen=True, slots=True)
class SubjectRef:
    """A subject as the outside names it, such as ``user:ana``."""

    kind: str
    external_id: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.external_id}"


@dataclass(frozen=True, slots=True)
class NewMessage:
    """One message to capture. ``sent_at`` None means the source gave no time."""

    external_id: str
    speaker_name: str
    kind: str
    text: str
    sent_at: datetime | None
    speaker: SubjectRef | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """What a capture did; the same capture again gives ``messages_new == 0``."""

    conversation_id: int
    messages_new: int
    messages_known: int
    job_id: int | None


@dataclass(frozen=True, slots=True)
class EvidenceDraft:
    """Words a draft rests on: code-point span of one message, half-open."""

    message_id: int
    start: int
    end: int
    quote: str
    role: str = "supports"


@dataclass(frozen=True, slots=True)
class SpanDraft:
    """A gap or a covered span; ``predicted`` is the ordinal of a prediction, or None."""

    message_id: int
    start: int
    end: int
    kind: str = ""
    predicted: int | None = None


@dataclass(frozen=True, slots=True)
class PredictionDraft:
    """One expectation with its outcome."""

    text: str
    rests_on: tuple[str, ...]
    outcome: str


@dataclass(frozen=True, slots=True)
class ProposalDraft:
    """A proposal about to be written.

    **Shape**: ``gaps`` are positions in the run's gap list. What repeats a waiting proposal names
    it in ``joined_to``; what repeats an earlier draft of the run names its place in ``joins``.
    What would replace a waiting proposal names it in ``waits_on``, what would replace an earlier
    draft of the run its place in ``waits_on_draft``.
    """

    text: str
    about: str
    evidence: tuple[EvidenceDraft, ...]
    valid_from: datetime
    confidence: float
    surprise: float
    memory_type: str = "fact"
    criticality: str = "normal"
    attribute: str = ""
    value: str = ""
    valid_to: datetime | None = None
    start_basis: str = "said"
    date_phrase: str = ""
    language: str = "en"
    modality: str = "asserted"
    kind: str = "new"
    target_id: int | None = None
    reason: str = ""
    unexpected: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    aside_reason: str = ""
    joined_to: int | None = None
    joins: int | None = None
    rejected_as: int | None = None
    waits_on: int | None = None
    waits_on_draft: int | None = None
    gaps: tuple[int, ...] = ()
    vector: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Everything an engine's run found, ready to be written in one transaction."""

    predictions: tuple[PredictionDraft, ...]
    gaps: tuple[SpanDraft, ...]
    covered: tuple[SpanDraft, ...]
    drafts: tuple[ProposalDraft, ...]
    usage: dict[str, Any] = field(default_factory=dict)
    duration_ms: int = 0
    embedder: str = ""


@dataclass(frozen=True, slots=True)
class ShadowArm:
    """Which engine is to read an episode again, and how.

    **Shape**: ``predict_model`` is empty where ``model`` predicts; ``arm`` predict | everything.
    """

    engine: str
    model: str
    prompt_version: str
    predict_model: str = ""
    arm: str = "predict"


@dataclass(frozen=True, slots=True)
class Recorded:
    """How many proposals a run wrote, by what became of them."""

    pending: int
    set_aside: int
    joined: int


@dataclass(frozen=True, slots=True)
class Edits:
    """What a curator changed before approving; None leaves a field as it was."""

    text: str | None = None
    about: str | None = None
    memory_type: str | None = None
    criticality: str | None = None
    attribute: str | None = None
    value: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    clear_valid_to: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """How a decision reached us: the version seen, the form's id, what was before their eyes."""

    proposal_id: int
    seen_version: int
    request_id: uuid.UUID
    note: str = ""
    opened_at: datetime | None = None
    evidence_opened: bool = False
    card_digest: str = ""
    batch_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class BatchItem:
    """What became of one item of a batch; ``outcome`` is done | changed | failed."""

    proposal_id: int
    outcome: str
    sentence: str = ""
    decision_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class BatchDone:
    """What became of a batch, item by item, in the order they were given."""

    batch_id: uuid.UUID
    items: tuple[BatchItem, ...]
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class StatementReview:
    """How a decision about a believed version reached us: the version seen, the form's id."""

    version_id: int
    request_id: uuid.UUID
    reason_code: str = ""
    note: str = ""
    opened_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """The result of a decision; ``replayed`` says the same form came twice."""

    decision_id: uuid.UUID
    kind: str
    proposal_id: int
    statement_id: int | None = None
    version_id: int | None = None
    replayed: bool = False
    awaits_second: bool = False
