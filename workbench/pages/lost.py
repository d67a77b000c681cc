"""What a card says when the world moved: who decided, what is new, what becomes of one's words."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.timesince import timesince

from knowledge.policies import can_undo_freely
from knowledge.queries.decisions import UNDOABLE
from knowledge.queries.review import PastDecision, Quote, ReviewCard
from knowledge.queries.targets import Target
from knowledge.trust import TrustState
from workbench import vocabulary
from workbench.access import Seat
from workbench.queries.drafts import KeptDraft
from workbench.wording import Difference, difference


@dataclass(frozen=True, slots=True)
class Lost:
    """A race that was lost, as the core tells it.

    **Shape**: ``seen_quote`` is the newest quote the person had seen, ``seen_version`` the
    proposal's version, ``seen_target`` the version that would have been replaced.
    """

    sentence: str
    code: str
    seen_version: int = 0
    seen_quote: int = 0
    seen_target: int | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """The last decision on a card, in words for whoever looks.

    **Shape**: ``undo_id`` is the decision this person may still take back, else ''.
    """

    who: str
    what: str
    when: str
    at: datetime | None
    why: str
    note: str
    is_own: bool
    undo_id: str
    statement_url: str

    @property
    def sentence(self) -> str:
        """Return who did what and when: Ana approved this 2 minutes ago."""
        return f"{self.who} {self.what} this {self.when}"

    @property
    def heading(self) -> str:
        """Return the same with why: as new, not durable, the old was never so."""
        return f"{self.sentence}: {self.why}" if self.why else self.sentence

    @property
    def whose(self) -> str:
        """Return whose decision it is, for a button."""
        return "it as you decided" if self.is_own else f"what {self.who} decided"


@dataclass(frozen=True, slots=True)
class Panel:
    """What stands above a card whose decision did not count."""

    title: str
    sentence: str
    new_quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Mine:
    """A draft over a card that somebody else closed: what it says beyond theirs.

    **Shape**: ``as_update`` says that theirs is believed, so that mine would change it.
    """

    text: str
    saved_at: datetime
    change: Difference
    as_update: bool


def settled(
    card: ReviewCard, *, seat: Seat, result: Target | None, now: datetime
) -> Settled | None:
    """Say how a card was closed; None while it waits or where nobody decided."""
    if card.is_open or not card.decisions:
        return None
    last = card.decisions[0]
    return told(last, seat=seat, result=result, now=now)


def panel_of(
    lost: Lost, card: ReviewCard, *, seat: Seat, closed: Settled | None, now: datetime
) -> Panel:
    """Explain a lost race by what is there now."""
    new = tuple(quote for quote in card.quotes if quote.id > lost.seen_quote > 0)
    if closed is not None:
        return Panel(
            title=closed.heading, sentence="Yours came later and did not count.", new_quotes=()
        )
    if new and card.is_open:
        count = f"{len(new)} more quote{'s' if len(new) > 1 else ''}"
        return Panel(
            title=f"The card changed while you read: {count}",
            sentence="Your decision was about fewer words, so it does not count yet.",
            new_quotes=new,
        )
    if card.version != lost.seen_version > 0 and card.decisions:
        last = told(card.decisions[0], seat=seat, result=None, now=now)
        return Panel(title=last.heading, sentence=_AGAIN, new_quotes=())
    if lost.code == "target_moved" or _moved(lost, card):
        return Panel("What this would change has changed itself", lost.sentence, ())
    return Panel("Something changed while you read", lost.sentence, ())


def mine_of(card: ReviewCard, kept: KeptDraft | None, *, result: Target | None) -> Mine | None:
    """Offer a draft that somebody else's decision overtook; None where there is nothing in it."""
    offered = card.state in (TrustState.APPROVED, TrustState.REJECTED)
    if kept is None or kept.proposed_id is not None or not offered:
        return None
    text = kept.fields.get("text", "").strip()
    if not text:
        return None
    theirs = result.text if result else card.text
    return Mine(
        text=text,
        saved_at=kept.saved_at,
        change=difference(theirs, text),
        as_update=result is not None and result.believed,
    )


def told(last: PastDecision, *, seat: Seat, result: Target | None, now: datetime) -> Settled:
    """Put a decision in words for whoever looks."""
    is_own = last.by_id == seat.user_id
    fresh = can_undo_freely(at=last.at, now=now)
    undo = is_own and fresh and not last.undone and last.kind in UNDOABLE and seat.may_decide
    return Settled(
        who="You" if is_own else last.by,
        what=vocabulary.DECIDED[last.kind].lower(),
        when=_ago(last.at, now=now),
        at=last.at,
        why=vocabulary.WHY.get(last.reason_code, vocabulary.plain(last.reason_code)),
        note=last.note,
        is_own=is_own,
        undo_id=last.id if undo else "",
        statement_url=reverse("statement", args=[result.statement_id]) if result else "",
    )


_AGAIN = "Below is how it stands now. Nothing of yours was applied; decide again with what you see."


def _moved(lost: Lost, card: ReviewCard) -> bool:
    return card.target is not None and card.target.version_id != lost.seen_target


def _ago(at: datetime | None, *, now: datetime) -> str:
    if at is None or (now - at).total_seconds() < 60:
        return "just now"
    return f"{timesince(at, now, depth=1)} ago".replace("\xa0", " ")
