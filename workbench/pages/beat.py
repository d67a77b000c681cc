"""What an open card hears now and then: the list as it is now, who else looks, what changed."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.queries.review import decisions_on, quotes_after
from knowledge.queries.targets import Standing
from knowledge.trust import WAITING_STATES
from workbench.access import Seat
from workbench.pages.lost import told
from workbench.pages.queue import QueueList, Reading, queue_list
from workbench.queries.claims import Held


@dataclass(frozen=True, slots=True)
class News:
    """What changed on a card since it was shown. **Shape**: ``url`` shows it as it is now."""

    sentence: str
    quotes: tuple[str, ...]
    url: str


@dataclass(frozen=True, slots=True)
class BeatView:
    """The list beside the card, and what there is to say above it."""

    list: QueueList
    waiting: int
    held: Held | None
    news: News | None
    opened_at: datetime


def beat_view(
    proposal_id: int,
    *,
    standing: Standing,
    stamp: str,
    last_quote: int,
    reading: Reading,
    seat: Seat,
    now: datetime,
) -> BeatView:
    """Build the answer. **Cost**: the list's queries, and three more where the card changed."""
    news = None
    if stamp and stamp != standing.stamp:
        sentence, quotes = _news(
            proposal_id, standing=standing, last_quote=last_quote, seat=seat, now=now
        )
        news = News(sentence=sentence, quotes=quotes, url=reading.card_url(proposal_id))
    return BeatView(
        list=queue_list(reading, seat=seat, current=proposal_id),
        waiting=reading.found.tabs["pending"],
        held=reading.held.get(proposal_id),
        news=news,
        opened_at=now,
    )


def _news(
    proposal_id: int, *, standing: Standing, last_quote: int, seat: Seat, now: datetime
) -> tuple[str, tuple[str, ...]]:
    """Say in a sentence what is new, with the words that joined."""
    joined = quotes_after(proposal_id, last=last_quote) if last_quote else ()
    if joined and standing.state in WAITING_STATES:
        count = f"{len(joined)} more quote{'s' if len(joined) > 1 else ''}"
        return f"The card changed: {count}.", tuple(quote.text for quote in joined)
    decided = decisions_on(proposal_id)
    if decided and (standing.state not in WAITING_STATES or not decided[0].undone):
        return f"{told(decided[0], seat=seat, result=None, now=now).sentence}.", ()
    return "What this would change has changed itself.", ()
