"""One candidate before everything that is known: what it relates to, its flags, its gate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from extraction.dates import find_dates
from extraction.embeddings.base import Embedder
from extraction.engines.base import Candidate, EpisodeInput, Kind
from extraction.engines.local.quantities import shared_topic
from extraction.flags import FlagContext, FlagEvidence, flags_for
from extraction.gates import CURRENT, AsideReason, GateContext, Neighbour, gate, was_rejected
from extraction.grounding import Grounded
from extraction.similarity import equal_words
from extraction.words import content_words
from knowledge.queries.known import (
    Known,
    NearText,
    near_texts,
    single_valued,
    was_believed_once,
)
from knowledge.trust import TrustState

# The part of a candidate's content words that a text must hold to be compared with it.
ALIKE = 0.7
REPLACING: frozenset[Kind] = frozenset({"update", "contradiction"})


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a candidate.

    **Shape**: ``target_id`` is a statement; ``waits_on`` and ``joined_to`` are proposals;
    ``joins`` and ``waits_on_draft`` are the places of earlier candidates of the same run.
    """

    kind: Kind
    flags: tuple[str, ...]
    target_id: int | None = None
    waits_on: int | None = None
    waits_on_draft: int | None = None
    reason: str = ""
    aside_reason: str = ""
    joined_to: int | None = None
    joins: int | None = None
    rejected_as: int | None = None


@dataclass(frozen=True, slots=True)
class _Relation:
    kind: Kind
    ref: str | None = None
    reason: str = ""


@dataclass
class Judge:
    """Judges the candidates of one run in turn, remembering those it has let pass."""

    space_id: int
    subject_id: int
    episode: EpisodeInput
    message_ids: tuple[int, ...]
    known: Sequence[Known]
    embedder: Embedder
    confidence_floor: float
    served: Sequence[str] = ()
    # What reads as much like it: now, or as it stood when another run read the same words.
    near: Callable[..., Sequence[NearText]] = near_texts
    ended: Callable[..., bool] = was_believed_once
    _heard: list[Neighbour] = field(default_factory=list)
    _told: list[tuple[int, Known]] = field(default_factory=list)
    _judged: int = 0
    _ends: int = 0

    def __post_init__(self) -> None:
        self._single_valued = single_valued(self.space_id)
        self._words = [frozenset(content_words(item.text)) for item in self.known]

    def look_ahead(self, candidates: Sequence[Candidate]) -> None:
        """Count what all candidates of the run would end, so that each of a burst is flagged."""
        relations = [self._relate(candidate) for candidate in candidates]
        self._ends = sum(one.kind in REPLACING and one.ref is not None for one in relations)

    def judge(
        self, candidate: Candidate, *, grounded: Grounded, vector: tuple[float, ...] | None
    ) -> Judgement:
        """Relate, flag and gate one candidate, by its words alone where it has no vector.

        **Cost**: up to four queries.
        """
        relation = self._relate(candidate)
        near = [] if vector is None else self._near(vector)
        context = self._gate_context(
            candidate, relation=relation, grounded=grounded, near=near, vector=vector
        )
        verdict = gate(context)
        flags = self._flags(
            candidate, relation=relation, grounded=grounded, rejected=was_rejected(context)
        )
        judgement = self._judgement(
            relation, aside=verdict.aside_reason, join=verdict.join, flags=flags
        )
        if not judgement.aside_reason:
            self._remember(candidate, vector)
        self._judged += 1
        return judgement

    def _near(self, vector: tuple[float, ...]) -> Sequence[NearText]:
        return self.near(
            vector,
            space_id=self.space_id,
            subject_id=self.subject_id,
            model=self.embedder.model_id,
            least_cosine=self.embedder.thresholds.near,
        )

    def _relate(self, candidate: Candidate) -> _Relation:
        """The engine's own suggestion; else what holds the one place this value would take, or
        what measured the same thing before: an engine is shown only part of what is known, and
        nothing of what is told earlier in the same episode.
        """
        about = candidate.about or self.episode.subject_name
        told = [item for item in self._told_before(candidate) if equal_words(item.about, about)]
        if candidate.target is not None:
            return self._renewed(candidate, told) or _Relation(
                candidate.kind, candidate.target, candidate.reason
            )
        same = [item for item in self.known if equal_words(item.about, about)]
        relation = self._placed(candidate, told) or self._placed(candidate, same)
        if relation is not None:
            return relation
        measured = _measured_before(candidate, [*same, *told])
        if measured is not None:
            return _Relation("update", measured.ref, f"possibly replaces: {measured.text}")
        return _Relation(candidate.kind, None, candidate.reason)

    def _placed(self, candidate: Candidate, known: Sequence[Known]) -> _Relation | None:
        if candidate.attribute not in self._single_valued or not candidate.value:
            return None
        return _in_its_place(candidate, known)

    def _renewed(self, candidate: Candidate, told: Sequence[Known]) -> _Relation | None:
        """What renewed, earlier in the episode, the belief that the engine would replace."""
        if candidate.kind != "update":
            return None
        placed = self._placed(candidate, told)
        if placed is not None and placed.kind == "update":
            return placed
        named = [item for item in self.known if item.ref == candidate.target]
        latest = _measured_before(candidate, [*named, *told])
        if latest is None or latest not in told:
            return None
        return _Relation("update", latest.ref, f"possibly replaces: {latest.text}")

    def _told_before(self, candidate: Candidate) -> list[Known]:
        """List what came of earlier messages of the episode; one message is told in one breath."""
        first = min((quote.message for quote in candidate.evidence), default=0)
        return [item for message, item in self._told if message < first]

    def _remember(self, candidate: Candidate, vector: tuple[float, ...] | None) -> None:
        """Keep a candidate that waits, for those after it."""
        ref = f"candidate:{self._judged}"
        self._heard.append(Neighbour(ref, candidate.text, "pending", vector, True))
        last = max((quote.message for quote in candidate.evidence), default=0)
        told = Known(
            ref=ref,
            text=candidate.text,
            about=candidate.about or self.episode.subject_name,
            attribute=candidate.attribute,
            value=candidate.value,
            waiting=True,
            valid_from=candidate.valid_from or self.episode.messages[last].sent_at,
        )
        self._told.append((last, told))

    def _gate_context(
        self,
        candidate: Candidate,
        *,
        relation: _Relation,
        grounded: Grounded,
        near: Sequence[NearText],
        vector: tuple[float, ...] | None,
    ) -> GateContext:
        own = frozenset(self.message_ids[span.message] for span in grounded.evidence)
        return GateContext(
            text=candidate.text,
            confidence=candidate.confidence,
            confidence_floor=self.confidence_floor,
            modality=candidate.modality,
            grounding=grounded.reason,
            kind=relation.kind,
            target=relation.ref,
            subject_name=self.episode.subject_name,
            subject_kind=self.episode.subject_kind,
            about=candidate.about,
            quotes=tuple(span.quote for span in grounded.evidence if span.role == "supports"),
            notes=candidate.notes,
            vector=vector,
            thresholds=self.embedder.thresholds,
            neighbours=[
                *(_neighbour(item, own=own) for item in near),
                *self._alike_in_words(candidate),
                *self._heard,
            ],
        )

    def _alike_in_words(self, candidate: Candidate) -> list[Neighbour]:
        """What shares most of the candidate's words, for those vectors do not bring together."""
        words = frozenset(content_words(candidate.text, candidate.language))
        return [
            Neighbour(item.ref, item.text, "pending" if item.waiting else CURRENT)
            for item, held in zip(self.known, self._words, strict=True)
            if len(words & held) >= ALIKE * len(words) and words
        ]

    def _flags(
        self, candidate: Candidate, *, relation: _Relation, grounded: Grounded, rejected: bool
    ) -> tuple[str, ...]:
        messages = self.episode.messages
        spans = grounded.evidence
        said_at = min((messages[span.message].sent_at for span in spans), default=None)
        replaces = relation.kind in REPLACING and relation.ref is not None
        return flags_for(
            FlagContext(
                text=candidate.text,
                subject_name=self.episode.subject_name,
                subject_kind=self.episode.subject_kind,
                about=candidate.about,
                attribute=candidate.attribute,
                modality=candidate.modality,
                evidence=tuple(
                    FlagEvidence(
                        quote=span.quote,
                        message=messages[span.message].text,
                        by_subject=messages[span.message].by_subject,
                        kind=messages[span.message].kind,
                    )
                    for span in spans
                ),
                dates=tuple(
                    date
                    for span in spans
                    for date in find_dates(
                        span.quote,
                        reference=messages[span.message].sent_at,
                        zone=self.episode.zone,
                        language=candidate.language,
                    )
                ),
                valid_from=candidate.valid_from,
                said_at=said_at,
                notes=candidate.notes,
                ends=1 if replaces and relation.ref and is_statement(relation.ref) else 0,
                ends_from_source=self._ends,
                was_rejected=rejected,
                was_ended=self.ended(
                    space_id=self.space_id,
                    subject_id=self.subject_id,
                    attribute=candidate.attribute,
                    value=candidate.value or candidate.text,
                ),
                served=self.served,
            )
        )

    def _judgement(
        self,
        relation: _Relation,
        *,
        aside: AsideReason | None,
        join: str | None,
        flags: tuple[str, ...],
    ) -> Judgement:
        kind, ref, reason = relation.kind, relation.ref, relation.reason
        if aside is None and kind == "confirmation" and ref and not is_statement(ref):
            # The same again while the first still waits: one proposal, more evidence.
            aside, join = AsideReason.NEAR_DUPLICATE, ref
        if aside == AsideReason.NEAR_DUPLICATE and join and is_statement(join):
            # Believed already: a confirmation waits for a person, and nothing is dropped.
            return Judgement("confirmation", flags, target_id=id_of(join), reason=reason)
        place = id_of(join) if join else None
        joined = place if aside == AsideReason.NEAR_DUPLICATE else None
        in_run = bool(join) and is_candidate(str(join))
        return Judgement(
            kind=kind,
            flags=flags,
            target_id=id_of(ref) if ref and is_statement(ref) else None,
            waits_on=id_of(ref) if ref and is_proposal(ref) and kind in REPLACING else None,
            waits_on_draft=id_of(ref) if ref and is_candidate(ref) and kind in REPLACING else None,
            reason=reason,
            aside_reason=aside.value if aside else "",
            joined_to=None if in_run else joined,
            joins=joined if in_run else None,
            rejected_as=place if aside == AsideReason.REJECTED_BEFORE else None,
        )


def _in_its_place(candidate: Candidate, known: Sequence[Known]) -> _Relation | None:
    """Say what a value does to the one that holds its place, the latest believed one first."""
    holders = [item for item in known if item.attribute == candidate.attribute]
    holders.sort(key=lambda item: (item.waiting, -item.valid_from.timestamp()))
    if not holders:
        return None
    holder = next((h for h in holders if equal_words(h.value, candidate.value)), holders[0])
    if equal_words(holder.value, candidate.value):
        return _Relation("confirmation", holder.ref, f"says again: {holder.text}")
    return _Relation("update", holder.ref, f"possibly replaces: {holder.text}")


def _measured_before(candidate: Candidate, known: Sequence[Known]) -> Known | None:
    """Find what told another figure of the same thing: what shares most, the latest of these."""
    if candidate.language != "en" or candidate.modality not in {"asserted", "negated"}:
        return None
    weighed = [(shared_topic(candidate.text, item.text), item) for item in known]
    weight, best = max(
        weighed, key=lambda pair: (pair[0], pair[1].valid_from.timestamp()), default=(0.0, None)
    )
    return best if weight else None


def is_statement(ref: str) -> bool:
    """Tell a statement's ref from a proposal's."""
    return ref.startswith("statement:")


def is_proposal(ref: str) -> bool:
    """Tell the ref of a proposal that waits."""
    return ref.startswith("proposal:")


def is_candidate(ref: str) -> bool:
    """Tell the ref of an earlier candidate of the same run: its place there."""
    return ref.startswith("candidate:")


def id_of(ref: str) -> int:
    """Return the number of a ref."""
    return int(ref.partition(":")[2])


def _neighbour(item: NearText, *, own: frozenset[int]) -> Neighbour:
    approved = item.state == TrustState.APPROVED
    ref = f"statement:{item.statement_id}" if approved else f"proposal:{item.proposal_id}"
    return Neighbour(
        ref=ref,
        text=item.text,
        state=CURRENT if approved else item.state,
        vector=item.vector,
        shares_message=not own.isdisjoint(item.message_ids),
    )
