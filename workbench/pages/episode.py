"""An episode as a page: one conversation read once, and what was proposed from it beside it."""

from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from knowledge.queries.episodes import EpisodePart, PlacedMessage
from knowledge.queries.queue import Facets, QueuePage, decided_since, pending_count
from knowledge.queries.review import ReviewCard
from knowledge.queries.siblings import ReadTopic, Sibling, TopicRun, read_topic
from knowledge.queries.words import LONGEST_SHOWN, Mark
from workbench.access import Seat
from workbench.http import whole_number
from workbench.masking import masked_if
from workbench.pages import queue as queue_pages
from workbench.pages.address import query, read_cursor, read_filter
from workbench.pages.queue import Reading
from workbench.pages.review import ReviewView
from workbench.pages.shell import Shell, shell
from workbench.queries.claims import Held, held_by_others

PARAMETER = "episode"
"""Names in an address the episode a card is decided in."""


@dataclass(frozen=True, slots=True)
class EpisodeReading(Reading):
    """An episode as the list a card stands in: its neighbours are what waits beside it.

    **Shape**: ``episode_id`` is the part the address names, ``topic`` all that is read with it.
    """

    episode_id: int = 0
    topic: ReadTopic | None = None

    def neighbours(self, proposal_id: int) -> tuple[int | None, int | None]:
        """Return what waits before and after a proposal; after the last comes the first again.

        What others have open is passed over while anything else waits.
        """
        rows = self.topic.proposals if self.topic else ()
        ids = [row.id for row in rows if row.waits or row.id == proposal_id]
        place = ids.index(proposal_id) if proposal_id in ids else len(ids)
        before, after = ids[:place], ids[place + 1 :]
        further = [*after, *before]
        free = [pk for pk in further if pk not in self.held]
        return (before[-1] if before else None), next(iter(free or further), None)

    def card_url(self, proposal_id: int | None) -> str:
        """Return where a proposal is decided in this episode, '' for none."""
        if proposal_id is None:
            return ""
        here = reverse("episode", args=[self.episode_id])
        return here + query(self.chosen, cursor=self.cursor, at=proposal_id)

    @property
    def query(self) -> str:
        """Return the end of an address that leads back into this episode."""
        return query(self.chosen, cursor=self.cursor, **{PARAMETER: self.episode_id})

    @property
    def queue_url(self) -> str:
        """Return the address of the list the episode was opened from."""
        return reverse("queue") + query(self.chosen, cursor=self.cursor)


@dataclass(frozen=True, slots=True)
class ListedSibling:
    """A proposal of the episode and where it is decided. **Shape**: secrets are masked."""

    row: Sibling
    text: str
    url: str
    is_current: bool
    held: Held | None = None


@dataclass(frozen=True, slots=True)
class SpokenMessage:
    """A message with the marks in it. **Shape**: ``part`` is set where a further part begins."""

    message: PlacedMessage
    marks: tuple[Mark, ...]
    own: bool
    is_cut: bool
    part: EpisodePart | None = None
    part_number: int = 0

    @property
    def text(self) -> str:
        """Return as much of its words as is shown."""
        return self.message.text[:LONGEST_SHOWN]


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation beside the proposals."""

    title: str
    url: str
    source: str
    messages: tuple[SpokenMessage, ...]
    parts: tuple[EpisodePart, ...]
    runs: tuple[TopicRun, ...]
    subjects: tuple[str, ...]

    @property
    def several(self) -> bool:
        """Tell whether it feeds more than one memory."""
        return len(self.subjects) > 1


@dataclass(frozen=True, slots=True)
class EpisodeView(ReviewView):
    """An episode's page: the card of its current proposal, and everything around it.

    **Shape**: ``aside`` was set aside by the gates; ``where`` maps a proposal to its address.
    """

    episode_id: int = 0
    talk: Talk | None = None
    siblings: tuple[ListedSibling, ...] = ()
    aside: tuple[ListedSibling, ...] = ()
    waiting: int = 0
    alone_query: str = ""
    where: dict[int, str] = field(default_factory=dict)

    @property
    def undo_query(self) -> str:
        """Return the end of an undo's address, so that it leads back into the episode."""
        return self.query


@dataclass(frozen=True, slots=True)
class QuietView:
    """An episode from which nothing was proposed, or of which no word is left."""

    shell: Shell
    talk: Talk
    queue_url: str
    is_erased: bool


def asked_in(given: dict[str, str]) -> int | None:
    """Return the episode an address asks for, or None."""
    return whole_number(given.get(PARAMETER, ""))


def inside_url(given: dict[str, str], *, proposal_id: int) -> str:
    """Return where an address shows a card inside an episode, '' where it names none.

    What it asks of the card itself comes along.
    """
    episode_id = asked_in(given)
    if not episode_id:
        return ""
    rest = {name: value for name, value in given.items() if name not in (PARAMETER, "at")}
    tail = urlencode({**rest, "at": proposal_id})
    return f"{reverse('episode', args=[episode_id])}?{tail}"


def read(given: dict[str, str], *, seat: Seat, now: datetime) -> Reading:
    """Read what a card stands in: the episode the address names, else the list.

    **Cost**: fourteen queries for an episode; as ``queue.read`` for a list.
    """
    episode_id = asked_in(given)
    found = read_episode(episode_id, given=given, seat=seat, now=now) if episode_id else None
    return found or queue_pages.read(given, seat=seat, now=now)


def read_episode(
    episode_id: int, *, given: dict[str, str], seat: Seat, now: datetime
) -> EpisodeReading | None:
    """Read an episode as the list its proposals stand in; None where the space has none such."""
    topic = read_topic(episode_id, space_id=seat.space_id)
    if topic is None:
        return None
    waits = pending_count(seat.space_id)
    decided = decided_since(user_id=seat.user_id, space_id=seat.space_id, since=seat.today(now))
    chosen = read_filter(given)
    return EpisodeReading(
        chosen=chosen,
        cursor=read_cursor(given.get("after", ""), sort=chosen.sort),
        found=QueuePage(
            rows=(),
            following=None,
            next=None,
            matching=len(topic.due),
            facets=Facets(),
            tabs={"pending": waits, "deferred": 0, "second": 0, "aside": 0},
            decided_today=decided,
            kept=topic.kept,
        ),
        held=held_by_others(space_id=seat.space_id, user_id=seat.user_id, now=now),
        episode_id=episode_id,
        topic=topic,
    )


def current_in(reading: EpisodeReading, *, at: int | None) -> int | None:
    """Return which proposal is before the reader: the one asked for, else the first that waits."""
    topic = reading.topic
    if topic is None:
        return None
    if any(row.id == at for row in topic.proposals):
        return at
    free = [row for row in topic.due if row.id not in reading.held]
    open_ones = [row for row in topic.proposals if row.waits]
    first = next(iter((*free, *topic.due, *open_ones, *topic.proposals)), None)
    return first.id if first else None


def as_read_here(card: ReviewCard, reading: Reading) -> ReviewCard:
    """Number a card's gaps as they are numbered through the whole episode."""
    if not isinstance(reading, EpisodeReading) or reading.topic is None:
        return card
    marks = reading.topic.marks_for(card.id)
    place = {(mark.message_id, mark.start, mark.end): mark.number for mark in marks}
    anew = {
        mark.number: place.get((mark.message_id, mark.start, mark.end), mark.number)
        for mark in card.words.marks
    }
    numbered = tuple(mark for mark in marks if mark.number > 0)
    expected = tuple(
        replace(one, gaps=tuple(sorted(anew.get(number, number) for number in one.gaps)))
        for one in card.expected
    )
    return replace(card, words=replace(card.words, marks=numbered), expected=expected)


def episode_view(page: ReviewView, *, reading: EpisodeReading) -> EpisodeView:
    """Put a card into its episode."""
    topic = reading.topic
    if topic is None:
        raise ValueError("A reading of an episode holds it.")
    given: dict[str, Any] = {one.name: getattr(page, one.name) for one in fields(ReviewView)}
    given["queue_url"] = reading.queue_url
    aside = [row for row in topic.aside if row.id != page.card.id]
    return EpisodeView(
        **given,
        episode_id=reading.episode_id,
        talk=_talk(topic, current=page.card),
        siblings=tuple(
            _listed(row, reading=reading, current=page.card.id)
            for row in topic.proposals
            if row not in aside
        ),
        aside=tuple(_listed(row, reading=reading, current=page.card.id) for row in aside),
        waiting=len(topic.due),
        alone_query=query(reading.chosen, cursor=reading.cursor),
        where={row.id: reading.card_url(row.id) for row in topic.proposals},
    )


def quiet_view(reading: EpisodeReading, *, seat: Seat, keys_on: bool) -> QuietView:
    """Build the page of an episode without proposals."""
    topic = reading.topic
    if topic is None:
        raise ValueError("A reading of an episode holds it.")
    return QuietView(
        shell=shell(
            title=_title(topic),
            seat=seat,
            current="queue",
            keys_on=keys_on,
            waiting=reading.found.tabs["pending"],
        ),
        talk=_talk(topic, current=None),
        queue_url=reading.queue_url,
        is_erased=topic.is_erased,
    )


def onward(given: dict[str, str], *, seat: Seat, after: int | None) -> str:
    """Lead from a decision to what waits next in its episode, else back to the queue."""
    episode_id = asked_in(given) or 0
    reading = read_episode(episode_id, given=given, seat=seat, now=timezone.now())
    if reading is None or reading.topic is None:
        return reverse("queue")
    due = {row.id for row in reading.topic.due}
    free = due.difference(reading.held) or due
    ids = [row.id for row in reading.topic.proposals]
    place = ids.index(after) if after in ids else 0
    following = next((pk for pk in (*ids[place:], *ids[:place]) if pk in free), None)
    return reading.card_url(following) or reading.queue_url


def _listed(row: Sibling, *, reading: EpisodeReading, current: int) -> ListedSibling:
    return ListedSibling(
        row=row,
        text=masked_if(row.text, flags=row.flags),
        url=reading.card_url(row.id),
        is_current=row.id == current,
        held=reading.held.get(row.id),
    )


def _talk(topic: ReadTopic, *, current: ReviewCard | None) -> Talk:
    marks = topic.marks_for(current.id if current else 0)
    parts = {part.id: (number, part) for number, part in enumerate(topic.episode.parts, start=1)}
    told: list[SpokenMessage] = []
    before = 0
    for row in topic.episode.messages:
        number, part = parts[row.part_id]
        begins = row.part_id != before and len(parts) > 1
        before = row.part_id
        told.append(
            SpokenMessage(
                message=row,
                marks=tuple(mark for mark in marks if mark.message_id == row.id),
                own=row.speaker_id is not None,
                is_cut=len(row.text) > LONGEST_SHOWN,
                part=part if begins else None,
                part_number=number,
            )
        )
    return Talk(
        title=_title(topic),
        url=reverse("conversation", args=[topic.episode.conversation_id]),
        source=topic.source,
        messages=tuple(told),
        parts=topic.episode.parts,
        runs=topic.runs,
        subjects=topic.subjects,
    )


def _title(topic: ReadTopic) -> str:
    if topic.is_erased:
        return "[erased]"
    return topic.conversation_title or topic.episode.title or topic.external_id
