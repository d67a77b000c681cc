"""Episodes as they are read: the parts of one topic together, in the order it was spoken.

A part never changes once it is opened, so that its runs and evidence stay what they were; what
goes on with its topic is a further part. Only the reading of them is one.
"""

from dataclasses import dataclass
from datetime import datetime

from knowledge.models import Episode, Message


@dataclass(frozen=True, slots=True)
class EpisodePart:
    """One part: what was known of the topic when it was processed."""

    id: int
    title: str
    narrative: str
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class PlacedMessage:
    """A message of a topic; ``part_id`` is the episode whose runs read it.

    **Shape**: ``speaker_id`` is None for whoever is nobody's subject; ``sent_at_known`` is False
    where the time is that of the import.
    """

    id: int
    part_id: int
    ordinal: int
    speaker: str
    kind: str
    text: str
    sent_at: datetime
    redacted: bool
    speaker_id: int | None = None
    sent_at_known: bool = True


@dataclass(frozen=True, slots=True)
class MergedEpisode:
    """A topic from its beginning to its end.

    **Shape**: ``id`` is that of its first part; parts and messages in order. The title is the
    first that a part was given, the narrative those of all parts: each tells only of its own
    words, so that an erasure of words ends what was told of them.
    """

    id: int
    conversation_id: int
    title: str
    narrative: str
    parts: tuple[EpisodePart, ...]
    messages: tuple[PlacedMessage, ...]


def merged_episode(episode_id: int, *, space_id: int) -> MergedEpisode | None:
    """Read the whole topic that an episode is a part of. **Cost**: three queries."""
    one = Episode.objects.filter(space_id=space_id, pk=episode_id).first()
    if one is None:
        return None
    parts = _parts(one)
    messages = Message.objects.filter(episode__in=[part.pk for part in parts])
    return MergedEpisode(
        id=parts[0].pk,
        conversation_id=one.conversation_id,
        title=next((part.title for part in parts if part.title), ""),
        narrative="\n".join(part.narrative for part in parts if part.narrative),
        parts=tuple(
            EpisodePart(part.pk, part.title, part.narrative, part.created_at) for part in parts
        ),
        messages=tuple(_placed(row) for row in messages.order_by("ordinal")),
    )


def part_ids(episode_id: int) -> list[int]:
    """List the parts of an episode's topic, in order. **Cost**: two queries."""
    return [part.pk for part in _parts(Episode.objects.get(pk=episode_id))]


def _parts(one: Episode) -> list[Episode]:
    """Follow the parts that belong together; each but the first goes on with the one before."""
    found: list[Episode] = []
    for episode in Episode.objects.filter(conversation_id=one.conversation_id).order_by("pk"):
        if not found or episode.continues_id != found[-1].pk:
            if one in found:
                break
            found = []
        found.append(episode)
    return found


def _placed(row: Message) -> PlacedMessage:
    if row.episode_id is None:
        raise ValueError("A message of an episode names it.")
    return PlacedMessage(
        id=row.pk,
        part_id=row.episode_id,
        ordinal=row.ordinal,
        speaker=row.speaker_name,
        kind=row.kind,
        text=row.text,
        sent_at=row.sent_at,
        redacted=row.redacted_at is not None,
        speaker_id=row.speaker_id,
        sent_at_known=row.sent_at_known,
    )
