"""Which candidates are set aside, and which join what is already there.

Gates drop little, visibly and reversibly: whatever they hold back is a proposal with a reason,
listed, counted and restorable. They never judge whether something is worth knowing.
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from extraction.embeddings.base import DuplicateThresholds
from extraction.grounding import GroundReason
from extraction.languages import fold
from extraction.similarity import (
    adds_nothing,
    cosine,
    equal_words,
    guards_agree,
    is_clause_of,
)
from extraction.words import content_words, raw_tokens


class AsideReason(StrEnum):
    """Why a candidate is set aside; what a tombstone blocks, the core sets aside itself."""

    UNGROUNDED = "ungrounded"
    NOT_SAID_BY_SUBJECT = "not_said_by_subject"
    LOW_CONFIDENCE = "low_confidence"
    NOT_ASSERTED = "not_asserted"
    TRIVIAL = "trivial"
    GENERAL_KNOWLEDGE = "general_knowledge"
    NEAR_DUPLICATE = "near_duplicate"
    BLOCKED_BY_TOMBSTONE = "blocked_by_tombstone"
    REJECTED_BEFORE = "rejected_before"


ASIDE_WORDS: Mapping[str, str] = {
    AsideReason.UNGROUNDED: "the words do not say it",
    AsideReason.NOT_SAID_BY_SUBJECT: "the subject did not say it",
    AsideReason.LOW_CONFIDENCE: "the engine was too unsure",
    AsideReason.NOT_ASSERTED: "a thought, a question or a quotation, not a statement",
    AsideReason.TRIVIAL: "too little to remember",
    AsideReason.GENERAL_KNOWLEDGE: "general knowledge, not about the subject",
    AsideReason.NEAR_DUPLICATE: "already there; joined to it as evidence",
    AsideReason.BLOCKED_BY_TOMBSTONE: "erased or refuted, and not to be learned again",
    AsideReason.REJECTED_BEFORE: "you rejected it from the same message",
}

CURRENT = "current"
WAITING = frozenset({"pending", "deferred", "awaiting_second"})
SET_ASIDE = "set_aside"
REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Something of the same subject that a candidate may repeat; never an ended statement.

    **Shape**: ``ref`` is ``statement:<id>`` or ``proposal:<id>``; ``state`` is current, pending,
    deferred, awaiting_second, set_aside or rejected; ``shares_message`` says whether a message of
    the candidate's evidence is among its own.
    """

    ref: str
    text: str
    state: str
    vector: Sequence[float] | None = None
    shares_message: bool = False


@dataclass(frozen=True, slots=True)
class GateContext:
    """A candidate and what is known about it.

    **Shape**: ``grounding`` is the reason grounding gave; ``quotes`` the supporting words.
    **Units**: confidence 0..1.
    """

    text: str
    confidence: float
    confidence_floor: float
    modality: str = "asserted"
    grounding: GroundReason = ""
    kind: str = "new"
    target: str | None = None
    subject_name: str = ""
    subject_kind: str = "user"
    about: str = ""
    quotes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    vector: Sequence[float] | None = None
    thresholds: DuplicateThresholds | None = None
    neighbours: Sequence[Neighbour] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """What the gates decided: a reason to set aside, and what the candidate joins or repeats.

    **Shape**: ``near_duplicate`` with a ``join`` on a waiting proposal or a current statement
    means "further evidence for it"; with any other reason ``join`` only says what it repeats.
    """

    aside_reason: AsideReason | None = None
    join: str | None = None

    @property
    def passes(self) -> bool:
        """Say whether the candidate becomes a pending proposal of its own."""
        return self.aside_reason is None


def gate(context: GateContext) -> Gate:
    """Decide whether a candidate waits for a curator, is set aside, or joins
    what is there.
    """
    twins = tuple(n for n in context.neighbours if _repeats(context, n))
    reason = _own_reason(context)
    if reason:
        return Gate(reason, _first(twins, {SET_ASIDE, REJECTED, CURRENT, *WAITING}))
    rejected = next((t for t in twins if t.state == REJECTED and t.shares_message), None)
    if rejected:
        return Gate(AsideReason.REJECTED_BEFORE, rejected.ref)
    join = _first(twins, WAITING) or _first(twins, {CURRENT})
    return Gate(AsideReason.NEAR_DUPLICATE, join) if join else Gate()


def was_rejected(context: GateContext) -> bool:
    """Say whether a candidate repeats a rejected proposal: for the flag on one
    from new words.
    """
    return any(n.state == REJECTED and _repeats(context, n) for n in context.neighbours)


def _own_reason(context: GateContext) -> AsideReason | None:
    """Name the first reason that lies in the candidate itself."""
    if context.grounding:
        return AsideReason(context.grounding)
    if context.modality not in {"asserted", "negated"}:
        return AsideReason.NOT_ASSERTED
    if is_trivial(context.text):
        return AsideReason.TRIVIAL
    if is_general_knowledge(context):
        return AsideReason.GENERAL_KNOWLEDGE
    if not context.confidence >= context.confidence_floor:  # also when it is not a number
        return AsideReason.LOW_CONFIDENCE
    return None


def _first(twins: Sequence[Neighbour], states: AbstractSet[str]) -> str | None:
    return next((t.ref for t in twins if t.state in states), None)


# --- trivial and general --------------------------------------------------------------------

_MARKERS = frozenset(
    """always never must use uses prefer prefers preferred decided likes loves hates allergic
    immer nie muss nutzt bevorzugt entschieden toujours jamais doit utilise préfère décidé
    siempre nunca debe usa prefiere decidió sempre mai deve preferisce deciso""".split()
)
_CJK_MARKERS = re.compile(
    "总是|從不|从不|必须|必須|使用|喜欢|喜歡|决定|いつも|決して|必ず|使う|好き|決めた"
)


def is_trivial(text: str) -> bool:
    """Say whether a statement is empty, or one or two words without a marker of
    lasting meaning.
    """
    words = list(raw_tokens(text))
    if any(w.is_cjk for w in words):
        length = sum(len(w.written) if w.is_cjk else 2 for w in words)
        return length <= 3 and not _CJK_MARKERS.search(text)
    return len(words) <= 2 and not any(w.written.casefold() in _MARKERS for w in words)


_FIRST_PERSON = re.compile(
    r"(?<!\w)(?:i|me|my|mine|we|us|our|ours|i['\u2019]\w+|we['\u2019]\w+|ich|mich|mir"
    r"|mein\w*|wir|uns\w*|je|j['\u2019]\w+|moi|mon|ma|mes"
    r"|nous|notre|nos|yo|mi|mis|nosotros|nuestr\w+|io|mio|mia|noi|nostr\w+)(?!\w)|我|咱|私|僕|俺|うち",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    (
        r"^(?:the |a |an )?[\w .'-]{2,40}? (?:is|are|was|were|means|stands for|refers to"
        r"|consists of) (?:an? |the |one of |\w+ (?:of|in|for)\b)"
    ),
    re.IGNORECASE,
)


def is_general_knowledge(context: GateContext) -> bool:
    """Say whether a statement defines something of the world instead of telling
    of the subject.

    Only for people's memories, only where neither statement nor words mention the subject, and
    only for sentences shaped like a definition: in doubt a curator decides.
    """
    if "general_knowledge" in context.notes:
        return True
    if context.subject_kind != "user":
        return False
    subject = set(content_words(context.subject_name))
    if subject & set(content_words(context.text)) or subject & set(content_words(context.about)):
        return False
    if any(_FIRST_PERSON.search(text) for text in (context.text, *context.quotes)):
        return False
    return bool(_DEFINITION.match(fold(context.text)))


# --- duplicates -----------------------------------------------------------------------------


def _repeats(context: GateContext, neighbour: Neighbour) -> bool:
    """Say whether a candidate says what a neighbour says; never what it means to replace."""
    if neighbour.ref == context.target and context.kind in {"update", "contradiction"}:
        return False
    likeness = None
    if context.vector is not None and neighbour.vector is not None:
        likeness = cosine(context.vector, neighbour.vector)
    return is_duplicate(
        context.text, neighbour.text, likeness=likeness, thresholds=context.thresholds
    )


def is_duplicate(
    new: str,
    held: str,
    *,
    likeness: float | None = None,
    thresholds: DuplicateThresholds | None = None,
) -> bool:
    """Say whether a new text adds nothing to one already held.

    Equal words, or a whole clause of it, or a cosine over the embedder's threshold with every
    guard agreeing and no content word of its own. **Units**: ``likeness`` is a cosine.
    """
    if equal_words(new, held) or is_clause_of(new, held):
        return True
    if likeness is None or thresholds is None or likeness < thresholds.near:
        return False
    return guards_agree(new, held) and adds_nothing(new, held)
