"""What is to be forgotten, and what was: the search, and the lists of erasures and tombstones."""

from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from knowledge.erasing.plan import title_of
from knowledge.erasing.scope import ErasureScope
from knowledge.errors import KnowledgeError
from knowledge.queries import erasures, finding, tombstones
from knowledge.queries.erasures import ErasureRow
from knowledge.queries.tombstones import Attempt, Stopped, TombstoneRow
from workbench import privacy_words
from workbench.access import Seat
from workbench.marking import excerpt
from workbench.pages.shell import Shell, shell
from workbench.privacy_access import may_ask

_SEARCHES = {
    "subject": finding.by_subject,
    "words": finding.by_words,
    "conversation": finding.by_conversation,
}
FEWEST_LETTERS = 2
TITLE_LENGTH = 120
BEFORE_A_HIT = 90
AROUND_A_HIT = 240


@dataclass(frozen=True, slots=True)
class ErasureLine:
    """An erasure in a list. **Shape**: ``title`` has words only while it is open."""

    row: ErasureRow
    title: str
    state: str
    tone: str

    @property
    def messages(self) -> int:
        """Return how many messages lose words, whole or in part."""
        counts = self.row.counts
        return counts.get("messages", 0) + counts.get("messages losing words", 0)


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that holds the words, cut to what stands around them."""

    message: finding.FoundMessage
    text: str


@dataclass(frozen=True, slots=True)
class PrivacyView:
    """The way in. **Shape**: ``what`` and ``words`` are what was looked for, ``found`` what was."""

    shell: Shell
    what: str
    words: str
    found: finding.Found | None
    hits: tuple[Hit, ...]
    error: str
    waiting: tuple[ErasureLine, ...]
    standing: int
    may_ask: bool
    searches: tuple[tuple[str, str, str], ...] = privacy_words.SEARCHES
    most_found: int = finding.MOST_FOUND


@dataclass(frozen=True, slots=True)
class ErasuresView:
    """Every erasure, a page of it."""

    shell: Shell
    lines: tuple[ErasureLine, ...]
    next_url: str


@dataclass(frozen=True, slots=True)
class TombstonesView:
    """Tombstones that stand, or those that were lifted, a page of them."""

    shell: Shell
    rows: tuple[TombstoneRow, ...]
    lifted: bool
    next_url: str
    may_lift: bool


@dataclass(frozen=True, slots=True)
class TombstoneView:
    """One tombstone, what it stopped, and what else stands from the same decision."""

    shell: Shell
    stone: TombstoneRow
    stopped: tuple[Stopped, ...]
    attempts: tuple[Attempt, ...]
    beside: tuple[TombstoneRow, ...]
    may_lift: bool
    note: str = ""
    lost: str = ""
    error: str = ""


def privacy_view(*, seat: Seat, what: str, words: str, keys_on: bool) -> PrivacyView:
    """Build the way in. **Cost**: nine queries at most, and one for each open erasure."""
    what = what if what in _SEARCHES else "subject"
    short = bool(words) and len(words) < FEWEST_LETTERS
    search = words and not short
    found = _SEARCHES[what](words, space_id=seat.space_id) if search else None
    return PrivacyView(
        shell=shell(title="Privacy", seat=seat, current="privacy", keys_on=keys_on),
        what=what,
        words=words,
        found=found,
        hits=tuple(_hit(row, words=words) for row in found.messages.rows) if found else (),
        error="Write at least two letters." if short else "",
        waiting=tuple(_line(row) for row in erasures.open_erasures(seat.space_id)),
        standing=tombstones.standing_count(seat.space_id),
        may_ask=may_ask(seat),
    )


def erasures_view(*, seat: Seat, after: UUID | None, keys_on: bool) -> ErasuresView:
    """Build the list of erasures. **Cost**: three queries, and one for each open erasure."""
    found = erasures.erasures(space_id=seat.space_id, after=after)
    rows = found[: erasures.ERASURES_A_PAGE]
    more = len(found) > len(rows)
    return ErasuresView(
        shell=shell(title="Erasures", seat=seat, current="privacy", keys_on=keys_on),
        lines=tuple(_line(row) for row in rows),
        next_url=f"{reverse('erasures')}?after={rows[-1].id}" if more else "",
    )


def tombstones_view(
    *, seat: Seat, lifted: bool, after: int | None, keys_on: bool
) -> TombstonesView:
    """Build the list of tombstones. **Cost**: four queries."""
    found = tombstones.tombstones(space_id=seat.space_id, lifted=lifted, after=after)
    rows = found[: tombstones.TOMBSTONES_A_PAGE]
    more = f"{'lifted=1&' if lifted else ''}after={rows[-1].id}" if len(found) > len(rows) else ""
    return TombstonesView(
        shell=shell(title="Tombstones", seat=seat, current="privacy", keys_on=keys_on),
        rows=rows,
        lifted=lifted,
        next_url=f"{reverse('tombstones')}?{more}" if more else "",
        may_lift=may_ask(seat),
    )


def tombstone_view(
    stone: TombstoneRow,
    *,
    seat: Seat,
    keys_on: bool,
    note: str = "",
    lost: str = "",
    error: str = "",
) -> TombstoneView:
    """Build the page of one tombstone. **Cost**: six queries."""
    title = f"Tombstone {stone.id}"
    return TombstoneView(
        shell=shell(title=title, seat=seat, current="privacy", keys_on=keys_on),
        stone=stone,
        stopped=tombstones.stopped_by(stone.id, space_id=seat.space_id),
        attempts=tombstones.attempts_at(stone.id, space_id=seat.space_id),
        beside=tombstones.beside(stone.id, space_id=seat.space_id),
        may_lift=may_ask(seat) and stone.lifted is None,
        note=note,
        lost=lost,
        error=error,
    )


def scope_of(row: ErasureRow) -> ErasureScope:
    """Return what an erasure is about, as the core takes it."""
    return ErasureScope(
        space_id=row.space_id,
        kind=row.kind,
        target_id=row.target_id,
        words=row.words,
        whole_conversations=row.whole_conversations,
    )


def _line(row: ErasureRow) -> ErasureLine:
    state, tone = privacy_words.STATES[row.state]
    return ErasureLine(row=row, title=title_of_row(row), state=state, tone=tone)


def title_of_row(row: ErasureRow) -> str:
    """Name an erasure: in its words while it is open, afterwards by what it was about."""
    if row.is_open or row.is_under_way:
        try:
            return excerpt(title_of(scope_of(row)), limit=TITLE_LENGTH)
        except KnowledgeError:
            pass  # gone by another erasure meanwhile: then its words are nobody's any more
    kind = privacy_words.KINDS[row.kind]
    return f"{kind[:1].upper()}{kind[1:]}"


def _hit(row: finding.FoundMessage, *, words: str) -> Hit:
    place = max(row.text.casefold().find(words.casefold()), 0)
    start = max(place - BEFORE_A_HIT, 0)
    text = row.text[start:]
    return Hit(message=row, text=("…" if start else "") + excerpt(text, limit=AROUND_A_HIT))
