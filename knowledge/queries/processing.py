"""What the pipeline still has to do, read for it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q

from knowledge.models import (
    Conversation,
    ConversationSubject,
    Episode,
    ExtractionRun,
    Message,
    Proposal,
    RunState,
)
from knowledge.queries.episodes import part_ids


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """A message as the pipeline needs it; ``speaker_id`` is a subject's id, if it is one's."""

    id: int
    ordinal: int
    kind: str
    speaker_id: int | None
    speaker_name: str
    text: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class ProposingSubject:
    """Whose statements a conversation may propose."""

    id: int
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class OpenConversation:
    """A conversation with its space's zone and its proposing subjects."""

    id: int
    space_id: int
    zone: str
    subjects: tuple[ProposingSubject, ...]


def open_conversation(conversation_id: int) -> OpenConversation:
    """Load a conversation for processing. **Cost**: two queries."""
    row = Conversation.objects.select_related("space").get(pk=conversation_id)
    links = (
        ConversationSubject.objects.filter(
            conversation=row, proposes=True, subject__redacted_at__isnull=True
        )
        .select_related("subject")
        .order_by("pk")
    )
    subjects = tuple(
        ProposingSubject(link.subject_id, link.subject.kind, link.subject.name) for link in links
    )
    return OpenConversation(row.pk, row.space_id, row.space.zone, subjects)


def unprocessed_messages(conversation_id: int) -> list[SourceMessage]:
    """List messages no episode has taken, in order."""
    return _messages(
        Message.objects.filter(conversation_id=conversation_id, episode__isnull=True)
        .exclude(text="", redacted_at__isnull=False)
        .order_by("ordinal")
    )


def topic_so_far(conversation_id: int, *, most: int) -> list[SourceMessage]:
    """List the last messages of the topic a conversation stopped at, in order.

    **Cost**: four queries at most.
    """
    last = Episode.objects.filter(conversation_id=conversation_id).order_by("-pk").first()
    if last is None:
        return []
    rows = (
        Message.objects.filter(episode__in=part_ids(last.pk))
        .exclude(text="", redacted_at__isnull=False)
        .order_by("-ordinal")
    )
    return _messages(reversed(rows[:most]))


def episode_messages(episode_id: int) -> list[SourceMessage]:
    """List an episode's messages, in order."""
    return _messages(
        Message.objects.filter(episode_id=episode_id)
        .exclude(text="", redacted_at__isnull=False)
        .order_by("ordinal")
    )


def unfinished_runs(conversation_id: int) -> list[tuple[int, ProposingSubject]]:
    """List (episode, subject) pairs that no engine has finished, in order.

    What one engine has read waits for people already: another engine, or new rules of the same,
    would only ask them again.
    """
    subjects = open_conversation(conversation_id).subjects
    done = set(
        ExtractionRun.objects.filter(
            episode__conversation_id=conversation_id, shadow=False, state=RunState.DONE
        ).values_list("episode_id", "subject_id")
    )
    has_words = Message.objects.filter(episode=OuterRef("pk")).exclude(
        text="", redacted_at__isnull=False
    )
    episodes = (
        Episode.objects.filter(conversation_id=conversation_id)
        .filter(Exists(has_words))
        .order_by("pk")
    )
    return [
        (episode_id, subject)
        for episode_id in episodes.values_list("pk", flat=True)
        for subject in subjects
        if (episode_id, subject.id) not in done
    ]


def episode_title(episode_id: int) -> str:
    """Return the episode's title, empty before it was described."""
    return Episode.objects.values_list("title", flat=True).get(pk=episode_id)


def _messages(rows: Iterable[Message]) -> list[SourceMessage]:
    return [
        SourceMessage(
            id=row.pk,
            ordinal=row.ordinal,
            kind=row.kind,
            speaker_id=row.speaker_id,
            speaker_name=row.speaker_name,
            text=row.text,
            sent_at=row.sent_at,
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class ConversationFigures:
    """What came of conversations. ``set_aside`` leaves out what was joined."""

    episodes: int
    proposals: int
    joined: int
    set_aside: int


def figures_of_conversations(conversation_ids: Iterable[int]) -> ConversationFigures:
    """Count episodes and proposals of conversations. **Cost**: two queries."""
    ids = list(dict.fromkeys(conversation_ids))
    found = Proposal.objects.filter(run__episode__conversation_id__in=ids).aggregate(
        joined=Count("pk", filter=Q(joined_to__isnull=False)),
        set_aside=Count("pk", filter=Q(joined_to__isnull=True) & ~Q(aside_reason="")),
        every=Count("pk"),
    )
    return ConversationFigures(
        episodes=Episode.objects.filter(conversation_id__in=ids).count(),
        proposals=found["every"] - found["joined"] - found["set_aside"],
        joined=found["joined"],
        set_aside=found["set_aside"],
    )
