"""Original words as a reviewer reads them: messages, numbered gaps, what was expected in them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Count, Q

from knowledge.models import Covered, Evidence, Gap, GapKind, Message, ProposalGap

Tone = Literal["this", "elsewhere", "nothing", "quote"]
LONGEST_SHOWN = 20_000
"""Code points of one message on a card; a marked span beyond it is still quoted in the list."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A span of a message that says something the prediction did not.

    **Units**: code points, half-open. **Shape**: ``number`` is 0 for a plain quote;
    ``otherwise`` says that the words go against a prediction.
    """

    gap_id: int
    message_id: int
    start: int
    end: int
    number: int
    tone: Tone
    otherwise: bool = False
    quote: str = ""
    proposals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """One original message with its marks. ``nearby`` ones are there for context only."""

    id: int
    ordinal: int
    speaker: str
    kind: str
    by_subject: bool
    nearby: bool
    sent_at: datetime
    sent_at_known: bool
    text: str
    cut: bool
    redacted: bool
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class ExpectedWords:
    """Words of the subject that a prediction covered, so that nothing was extracted from them."""

    id: int
    message_id: int
    start: int
    end: int
    quote: str
    predicted: str


@dataclass(frozen=True, slots=True)
class Words:
    """The words around a proposal. **Shape**: ``earlier`` and ``later`` count what is not shown."""

    messages: tuple[ShownMessage, ...]
    marks: tuple[Mark, ...]
    expected: tuple[ExpectedWords, ...]
    earlier: int
    later: int

    def with_tone(self, tone: Tone) -> tuple[Mark, ...]:
        """Return the gaps of one tone: this card's, another's, nobody's."""
        return tuple(mark for mark in self.marks if mark.tone == tone)


@dataclass(frozen=True, slots=True)
class ChosenWords:
    """Words of one message that a person may propose from. **Units**: code points, half-open.

    **Shape**: ``subject_id`` is whose memory it would be: the speaker's, else the conversation's
    only subject; None where that cannot be told.
    """

    message_id: int
    space_id: int
    conversation_id: int
    subject_id: int | None
    speaker: str
    sent_at: datetime
    text: str
    start: int
    end: int

    @property
    def quote(self) -> str:
        """Return the words themselves."""
        return self.text[self.start : self.end]


def chosen_words(message_id: int, *, space_id: int, start: int, end: int) -> ChosenWords | None:
    """Read a span, or None where there are no such words. Two queries."""
    message = (
        Message.objects.filter(pk=message_id, space_id=space_id, redacted_at__isnull=True)
        .select_related("conversation")
        .first()
    )
    if message is None or not 0 <= start < end <= len(message.text):
        return None
    subject_id = message.speaker_id
    if subject_id is None:
        subjects = list(message.conversation.subjects.values_list("pk", flat=True)[:2])
        subject_id = subjects[0] if len(subjects) == 1 else None
    return ChosenWords(
        message_id=message.pk,
        space_id=space_id,
        conversation_id=message.conversation_id,
        subject_id=subject_id,
        speaker=message.speaker_name,
        sent_at=message.sent_at,
        text=message.text,
        start=start,
        end=end,
    )


def space_of_message(message_id: int) -> int | None:
    """Return which space a message belongs to. One query."""
    return Message.objects.filter(pk=message_id).values_list("space_id", flat=True).first()


def marks_of_run(run_id: int, *, proposal_id: int | None) -> tuple[Mark, ...]:
    """Number the gaps of a run in reading order.

    **Cost**: two queries. **Shape**: ``tone`` is seen from the given proposal.
    """
    owners: dict[int, list[int]] = {}
    links = ProposalGap.objects.filter(gap__run_id=run_id).order_by("proposal_id")
    for gap_id, owner in links.values_list("gap_id", "proposal_id"):
        owners.setdefault(gap_id, []).append(owner)
    gaps = (
        Gap.objects.filter(run_id=run_id)
        .select_related("message")
        .order_by("message__ordinal", "start", "-end")
    )
    return tuple(
        Mark(
            gap_id=gap.pk,
            message_id=gap.message_id,
            start=gap.start,
            end=gap.end,
            number=number,
            tone=_tone(owners.get(gap.pk, []), proposal_id),
            otherwise=gap.kind == GapKind.CONTRADICTS,
            quote=gap.message.text[gap.start : gap.end],
            proposals=tuple(owners.get(gap.pk, [])),
        )
        for number, gap in enumerate(gaps, start=1)
    )


def quotes_of(proposal_id: int, *, beside: Sequence[Mark]) -> tuple[Mark, ...]:
    """Return a proposal's quotes that none of its gaps lies in. One query."""
    own = [mark for mark in beside if mark.tone == "this"]
    return tuple(
        quote
        for quote in all_quotes_of(proposal_id)
        if not any(
            gap.message_id == quote.message_id and gap.start < quote.end and quote.start < gap.end
            for gap in own
        )
    )


def all_quotes_of(proposal_id: int) -> tuple[Mark, ...]:
    """Return every quote a proposal rests on. One query."""
    return tuple(
        Mark(
            gap_id=0,
            message_id=evidence.message_id,
            start=evidence.start,
            end=evidence.end,
            number=0,
            tone="quote",
            quote=evidence.quote,
        )
        for evidence in Evidence.objects.filter(proposal_id=proposal_id).order_by("pk")
    )


def expected_in_run(run_id: int) -> tuple[ExpectedWords, ...]:
    """List the words a prediction covered, in reading order. One query."""
    rows = (
        Covered.objects.filter(run_id=run_id)
        .select_related("message", "predicted")
        .order_by("message__ordinal", "start")
    )
    return tuple(
        ExpectedWords(
            id=row.pk,
            message_id=row.message_id,
            start=row.start,
            end=row.end,
            quote=row.message.text[row.start : row.end],
            predicted=row.predicted.text,
        )
        for row in rows
    )


def messages_around(
    anchors: Iterable[int],
    *,
    conversation_id: int,
    marks: Sequence[Mark],
    subject_id: int,
    before: int,
    after: int,
) -> tuple[tuple[ShownMessage, ...], int, int]:
    """Return the anchored messages with their neighbours.

    **Shape**: messages in order, how many lie before the first and after the last.
    **Cost**: three queries.
    """
    wanted = set(anchors)
    rows = Message.objects.filter(conversation_id=conversation_id)
    ordinals = list(
        rows.filter(pk__in=wanted).order_by("ordinal").values_list("ordinal", flat=True)
    )
    if not ordinals:
        return (), 0, 0
    ranges = Q(ordinal__range=(ordinals[0] - 1 - before, ordinals[0]))
    for ordinal in ordinals:
        ranges |= Q(ordinal__range=(ordinal - 1, ordinal + 1))
    ranges |= Q(ordinal__range=(ordinals[-1], ordinals[-1] + 1 + after))
    shown = list(rows.filter(ranges).order_by("ordinal"))
    outside = rows.aggregate(
        earlier=Count("pk", filter=Q(ordinal__lt=shown[0].ordinal)),
        later=Count("pk", filter=Q(ordinal__gt=shown[-1].ordinal)),
    )
    return (
        tuple(_shown(row, wanted=wanted, marks=marks, subject_id=subject_id) for row in shown),
        outside["earlier"],
        outside["later"],
    )


def _shown(
    row: Message, *, wanted: set[int], marks: Sequence[Mark], subject_id: int
) -> ShownMessage:
    return ShownMessage(
        id=row.pk,
        ordinal=row.ordinal,
        speaker=row.speaker_name,
        kind=row.kind,
        by_subject=row.speaker_id == subject_id,
        nearby=row.pk not in wanted,
        sent_at=row.sent_at,
        sent_at_known=row.sent_at_known,
        text=row.text[:LONGEST_SHOWN],
        cut=len(row.text) > LONGEST_SHOWN,
        redacted=row.redacted_at is not None,
        marks=tuple(mark for mark in marks if mark.message_id == row.pk),
    )


def _tone(owners: Sequence[int], proposal_id: int | None) -> Tone:
    if not owners:
        return "nothing"
    return "this" if proposal_id in owners else "elsewhere"
