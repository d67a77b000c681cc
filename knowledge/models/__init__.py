"""The tables of the core, one module per concept."""

from knowledge.models.audit import AuditEvent, AuditPayload, Outcome
from knowledge.models.decision import Batch, Decision, DecisionKind
from knowledge.models.job import Job, JobState
from knowledge.models.policy import FourEyes, GuidelineVersion, PolicyVersion
from knowledge.models.proposal import (
    Criticality,
    Evidence,
    EvidenceRole,
    MemoryType,
    Modality,
    Proposal,
    ProposalGap,
    ProposalKind,
    StartBasis,
)
from knowledge.models.run import (
    Covered,
    ExtractionRun,
    Gap,
    GapKind,
    PredictedStatement,
    PredictionOutcome,
    RunState,
)
from knowledge.models.scope import (
    Attribute,
    Ledger,
    Membership,
    Role,
    Space,
    Subject,
    SubjectKind,
)
from knowledge.models.search import ProposalVector, SearchEntry, SearchSource
from knowledge.models.source import (
    Conversation,
    ConversationSubject,
    Episode,
    Message,
    MessageKind,
)
from knowledge.models.statement import (
    Confirmation,
    Contest,
    Derivation,
    EndReason,
    Statement,
    Version,
)

__all__ = [
    "Attribute",
    "AuditEvent",
    "AuditPayload",
    "Batch",
    "Confirmation",
    "Contest",
    "Conversation",
    "ConversationSubject",
    "Covered",
    "Criticality",
    "Decision",
    "DecisionKind",
    "Derivation",
    "EndReason",
    "Episode",
    "Evidence",
    "EvidenceRole",
    "ExtractionRun",
    "FourEyes",
    "Gap",
    "GapKind",
    "GuidelineVersion",
    "Job",
    "JobState",
    "Ledger",
    "Membership",
    "MemoryType",
    "Message",
    "MessageKind",
    "Modality",
    "Outcome",
    "PolicyVersion",
    "PredictedStatement",
    "PredictionOutcome",
    "Proposal",
    "ProposalGap",
    "ProposalKind",
    "ProposalVector",
    "Role",
    "RunState",
    "SearchEntry",
    "SearchSource",
    "Space",
    "StartBasis",
    "Statement",
    "Subject",
    "SubjectKind",
    "Version",
]
