"""What was proposed from one topic, side by side: its words with every gap, and its proposals.

A topic is read by a run for each of its parts and subjects; here their gaps are numbered through,
in the order of the words, so that one reading serves every proposal.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Q, QuerySet

from knowledge.models import (
    Conversation,
    Episode,
    Evidence,
    ExtractionRun,
    Gap,
    GapKind,
    Proposal,
    ProposalGap,
)
from knowledge.queries.episodes import MergedEpisode, merged_episode
from knowledge.queries.kept import Confidence, Kept, kept_of
from knowledge.queries.queue import confidence_of
from knowledge.queries.words import Mark, Tone
from knowledge.trust import WAITING_STATES, TrustState

_LAST = (2**31, 0)


@dataclass(frozen=True, slots=True)
class Sibling:
    """One proposal of a topic.

    **Shape**: ``subject`` is whose memory it is; ``about`` is '' where it speaks of the subject;
    ``numbers`` are the marks of its words, as they are numbered through the topic.
    """

    id: int
    kind: str
    state: str
    text: str
    subject: str
    about: str
    flags: tuple[str, ...]
    confidence: Confidence
    aside_reason: str
    numbers: tuple[int, ...]

    @property
    def waits(self) -> bool:
        """Tell whether it still waits for a decision."""
        return self.state in WAITING_STATES

    @property
    def is_due(self) -> bool:
        """Tell whether it waits for a first decision now: neither put off nor for a second."""
        return self.state == TrustState.PENDING


@dataclass(frozen=True, slots=True)
class TopicRun:
    """One reading of a part by an engine, for one subject."""

    id: int
    part_id: int
    subject: str
    engine: str
    cold_start: bool


@dataclass(frozen=True, slots=True)
class ReadTopic:
    """A topic as it is decided on.

    **Shape**: ``marks`` are its gaps, numbered from 1 in reading order, and the quotes outside of
    gaps, numbered from -1 downwards; ``proposals`` stand in the order of their words; ``kept`` is
    what their confidence was told by.
    """

    episode: MergedEpisode
    conversation_title: str
    external_id: str
    source: str
    runs: tuple[TopicRun, ...]
    marks: tuple[Mark, ...]
    proposals: tuple[Sibling, ...]
    kept: Kept

    @property
    def due(self) -> tuple[Sibling, ...]:
        """Return what waits for a first decision now, in the order of the words."""
        return tuple(row for row in self.proposals if row.is_due)

    @property
    def aside(self) -> tuple[Sibling, ...]:
        """Return what the gates set aside."""
        return tuple(row for row in self.proposals if row.state == TrustState.SET_ASIDE)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Return whose memory is fed here, each once."""
        return tuple(dict.fromkeys(row.subject for row in self.proposals))

    @property
    def is_erased(self) -> bool:
        """Tell whether no word of it is left."""
        rows = self.episode.messages
        return bool(rows) and all(row.redacted and not row.text for row in rows)

    def marks_for(self, proposal_id: int) -> tuple[Mark, ...]:
        """Return the marks as one proposal sees them: its own, another's, nobody's."""
        return tuple(
            replace(mark, tone=_tone(mark, proposal_id)) if mark.number > 0 else mark
            for mark in self.marks
        )


def space_of_episode(episode_id: int) -> int | None:
    """Return which space an episode belongs to. One query."""
    return Episode.objects.filter(pk=episode_id).values_list("space_id", flat=True).first()


def read_topic(episode_id: int, *, space_id: int) -> ReadTopic | None:
    """Read the topic an episode is part of, with all that was proposed from it.

    **Shape**: None where the space has no such episode. **Cost**: ten queries.
    """
    merged = merged_episode(episode_id, space_id=space_id)
    if merged is None:
        return None
    conversation = Conversation.objects.get(pk=merged.conversation_id)
    parts = [part.id for part in merged.parts]
    runs = ExtractionRun.objects.filter(episode__in=parts, shadow=False).order_by("pk")
    marks = _numbered([run.pk for run in runs])
    rows = _proposals(merged, space_id=space_id)
    evidence = list(
        Evidence.objects.filter(proposal__in=[row.pk for row in rows], message__episode__in=parts)
        .order_by("message__ordinal", "start", "pk")
        .select_related("message")
    )
    kept = kept_of(space_id)
    every = (*marks, *_quotes(evidence, beside=marks))
    return ReadTopic(
        episode=merged,
        conversation_title=conversation.title,
        external_id=conversation.external_id,
        source=conversation.source,
        runs=tuple(_run(run) for run in runs.select_related("subject")),
        marks=every,
        kept=kept,
        proposals=tuple(
            _sibling(row, marks=every, kept=kept) for row in _in_order(rows, evidence, marks=marks)
        ),
    )


def waiting_in_topics(episode_ids: Collection[int]) -> dict[int, int]:
    """Count what waits for a first decision in the topics of several episodes.

    **Shape**: by the given episode id. **Cost**: two queries, none for no episodes.
    """
    wanted = set(episode_ids)
    if not wanted:
        return {}
    talks = Episode.objects.filter(pk__in=wanted).values("conversation_id")
    roots: dict[int, int] = {}
    parts = Episode.objects.filter(conversation_id__in=talks).order_by("pk")
    for pk, continues in parts.values_list("pk", "continues_id"):
        roots[pk] = roots.get(continues, pk)
    topics = {roots[pk] for pk in wanted if pk in roots}
    read = [pk for pk, root in roots.items() if root in topics]
    waits: dict[int, int] = {}
    for pk, number in _waiting_by_episode(read):
        waits[roots[pk]] = waits.get(roots[pk], 0) + number
    return {pk: waits.get(roots[pk], 0) for pk in wanted if pk in roots}


def _waiting_by_episode(episode_ids: Sequence[int]) -> "QuerySet[Any, tuple[int, int]]":
    rows = Proposal.objects.filter(
        run__episode__in=episode_ids, state=TrustState.PENDING, redacted_at__isnull=True
    )
    return rows.order_by().values_list("run__episode_id").annotate(Count("pk"))


def _proposals(merged: MergedEpisode, *, space_id: int) -> list[Proposal]:
    """Find what was made of the topic, and what a person or an agent proposed on its words."""
    parts = [part.id for part in merged.parts]
    by_hand = Evidence.objects.filter(
        message__episode__in=parts, proposal__run__isnull=True
    ).values("proposal_id")
    rows = Proposal.objects.filter(
        Q(run__episode__in=parts) | Q(run__isnull=True, pk__in=by_hand),
        space_id=space_id,
        redacted_at__isnull=True,
    )
    return list(rows.exclude(state=TrustState.WITHDRAWN).select_related("subject", "run"))


def _numbered(run_ids: Sequence[int]) -> tuple[Mark, ...]:
    """Number the gaps of several runs through; the same words twice are one gap."""
    owners: dict[int, list[int]] = {}
    links = ProposalGap.objects.filter(gap__run__in=run_ids).order_by("proposal_id")
    for gap_id, owner in links.values_list("gap_id", "proposal_id"):
        owners.setdefault(gap_id, []).append(owner)
    found: dict[tuple[int, int, int], Mark] = {}
    gaps = Gap.objects.filter(run__in=run_ids).select_related("message")
    for gap in gaps.order_by("message__ordinal", "start", "-end", "pk"):
        place = (gap.message_id, gap.start, gap.end)
        earlier = found.get(place)
        before = earlier.proposals if earlier else ()
        found[place] = Mark(
            gap_id=earlier.gap_id if earlier else gap.pk,
            message_id=gap.message_id,
            start=gap.start,
            end=gap.end,
            number=earlier.number if earlier else len(found) + 1,
            tone="nothing",
            otherwise=gap.kind == GapKind.CONTRADICTS or bool(earlier and earlier.otherwise),
            quote=gap.message.text[gap.start : gap.end],
            proposals=tuple(dict.fromkeys((*before, *owners.get(gap.pk, ())))),
        )
    return tuple(found.values())


def _quotes(evidence: Sequence[Evidence], *, beside: Sequence[Mark]) -> tuple[Mark, ...]:
    """Mark the quotes that lie in no gap of their proposal."""
    found: dict[tuple[int, int, int], Mark] = {}
    for row in evidence:
        if any(_inside(row, gap) for gap in beside):
            continue
        place = (row.message_id, row.start, row.end)
        before = found[place].proposals if place in found else ()
        found[place] = Mark(
            gap_id=0,
            message_id=row.message_id,
            start=row.start,
            end=row.end,
            number=found[place].number if place in found else -len(found) - 1,
            tone="quote",
            quote=row.quote,
            proposals=tuple(dict.fromkeys((*before, row.proposal_id))),
        )
    return tuple(found.values())


def _inside(row: Evidence, gap: Mark) -> bool:
    return (
        row.proposal_id in gap.proposals
        and gap.message_id == row.message_id
        and gap.start < row.end
        and row.start < gap.end
    )


def _in_order(
    rows: Sequence[Proposal], evidence: Sequence[Evidence], *, marks: Sequence[Mark]
) -> list[Proposal]:
    """Put proposals in the order of the first words each rests on."""
    first: dict[int, tuple[int, int]] = {}
    for place in evidence:
        first.setdefault(place.proposal_id, (place.message.ordinal, place.start))
    for mark in marks:  # for what lost its quotes, its gaps tell where it stood
        for pk in mark.proposals:
            first.setdefault(pk, (_LAST[0], mark.number))
    return sorted(rows, key=lambda row: (first.get(row.pk, _LAST), row.ordinal or 0, row.pk))


def _sibling(row: Proposal, *, marks: Sequence[Mark], kept: Kept) -> Sibling:
    return Sibling(
        id=row.pk,
        kind=row.kind_suggested,
        state=row.state,
        text=row.text,
        subject=row.subject.name,
        about="" if row.about == row.subject.name else row.about,
        flags=tuple(row.flags),
        confidence=confidence_of(row, kept),
        aside_reason=row.aside_reason,
        numbers=tuple(mark.number for mark in marks if row.pk in mark.proposals),
    )


def _run(run: ExtractionRun) -> TopicRun:
    return TopicRun(run.pk, run.episode_id, run.subject.name, run.engine, run.cold_start)


def _tone(mark: Mark, proposal_id: int) -> Tone:
    if not mark.proposals:
        return "nothing"
    return "this" if proposal_id in mark.proposals else "elsewhere"
