"""The list of what waits, as a page of its own and beside a card."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.urls import reverse

from extraction.uploads.queries import conversations_of
from knowledge.queries.blind import BlindRow, blind_count, blind_rows
from knowledge.queries.queue import QueueFilter, QueuePage, QueueRow, has_any_proposal, queue_page
from knowledge.queries.queue_order import Cursor
from knowledge.queries.siblings import waiting_in_topics
from workbench import vocabulary
from workbench.access import Seat
from workbench.masking import masked_if
from workbench.pages.address import query, read_cursor, read_filter, with_change
from workbench.pages.shell import Shell, shell
from workbench.queries.claims import Held, held_by_others


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter, tab or order one can choose: where it leads and whether it is chosen."""

    label: str
    url: str
    is_current: bool
    count: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row and the address of its card.

    **Shape**: secrets in ``text`` are masked; ``held`` names somebody else who has it open;
    ``together`` counts what waits in the same conversation's topic where there is more than this.
    """

    row: QueueRow
    text: str
    url: str
    is_current: bool
    held: Held | None = None
    together: int = 0
    together_url: str = ""


@dataclass(frozen=True, slots=True)
class BlindListed:
    """A second review that waits for the reader. **Shape**: secrets in ``text`` are masked."""

    row: BlindRow
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class AllHeld:
    """All that waits is open with others: how many, until when at the latest, and the first."""

    count: int
    until: datetime
    url: str


@dataclass(frozen=True, slots=True)
class QueueList:
    """The list. **Shape**: ``empty`` names which emptiness it is; '' where there are rows."""

    heading: str
    rows: tuple[ListedRow, ...]
    tabs: tuple[Choice, ...]
    filters: tuple[Choice, ...]
    sorts: tuple[Choice, ...]
    order: str
    empty: str
    hidden: int
    all_url: str
    next_url: str
    first_url: str
    decided_today: int
    matching: int
    all_held: AllHeld | None = None
    blind: tuple[BlindListed, ...] = ()


@dataclass(frozen=True, slots=True)
class QueueView:
    """The queue's page."""

    shell: Shell
    list: QueueList


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read for a list, kept so that a card can find its neighbours.

    **Shape**: ``held`` is what others have open, by proposal; ``blind`` counts the second reviews
    that chance laid before this person.
    """

    chosen: QueueFilter
    cursor: Cursor | None
    found: QueuePage
    held: dict[int, Held] = field(default_factory=dict)
    blind: int = 0

    def neighbours(self, proposal_id: int) -> tuple[int | None, int | None]:
        """Return what stands before and what comes after; what others have open is passed over."""
        return self.found.neighbours(proposal_id, passing=self.held)

    def card_url(self, proposal_id: int | None) -> str:
        """Return the address of a card in this list, '' for none."""
        if proposal_id is None:
            return ""
        ends = proposal_id == self.found.following
        cursor = self.found.next if ends else self.cursor
        return reverse("review", args=[proposal_id]) + query(self.chosen, cursor=cursor)

    def episode_url(self, episode_id: int | None, *, at: int) -> str:
        """Return where a proposal is decided in its episode, '' where it has none."""
        if episode_id is None:
            return ""
        here = reverse("episode", args=[episode_id])
        return here + query(self.chosen, cursor=self.cursor, at=at)

    @property
    def query(self) -> str:
        """Return the end of an address that leads back to this list."""
        return query(self.chosen, cursor=self.cursor)


def read(given: dict[str, str], *, seat: Seat, now: datetime) -> Reading:
    """Read the list an address asks for. **Cost**: twelve queries."""
    chosen = read_filter(given)
    cursor = read_cursor(given.get("after", ""), sort=chosen.sort)
    found = queue_page(
        space_id=seat.space_id,
        user_id=seat.user_id,
        chosen=chosen,
        cursor=cursor,
        now=now,
        today=seat.today(now),
        within=conversations_of(chosen.file) if chosen.file else None,
    )
    held = held_by_others(space_id=seat.space_id, user_id=seat.user_id, now=now)
    blind = blind_count(space_id=seat.space_id, user_id=seat.user_id) if seat.may_decide else 0
    return Reading(chosen=chosen, cursor=cursor, found=found, held=held, blind=blind)


def queue_view(reading: Reading, *, seat: Seat, keys_on: bool) -> QueueView:
    """Build the queue's page."""
    waiting = reading.found.tabs["pending"]
    frame = shell(title="Queue", seat=seat, current="queue", keys_on=keys_on, waiting=waiting)
    return QueueView(shell=frame, list=queue_list(reading, seat=seat))


def queue_list(reading: Reading, *, seat: Seat, current: int | None = None) -> QueueList:
    """Build the list, with the row of the open card marked."""
    chosen, found = reading.chosen, reading.found
    more = reading.found.next
    base = reverse("queue")
    together = waiting_in_topics([row.episode_id for row in found.rows if row.episode_id])
    return QueueList(
        heading=_heading(reading),
        rows=tuple(
            ListedRow(
                row=row,
                text=masked_if(row.text, flags=row.flags),
                url=reading.card_url(row.id),
                is_current=row.id == current,
                held=reading.held.get(row.id),
                **_together(row, reading=reading, counts=together),
            )
            for row in found.rows
        ),
        tabs=tuple(
            Choice(
                label=label,
                url=base + with_change(QueueFilter(), tab=tab),
                is_current=tab == chosen.tab,
                count=found.tabs[tab] + (reading.blind if tab == "second" else 0),
            )
            for tab, label in vocabulary.TABS
        ),
        filters=_filters(reading, base),
        sorts=tuple(
            Choice(label, base + with_change(chosen, sort=sort), sort == chosen.sort)
            for sort, label in vocabulary.SORTS
        ),
        order=dict(vocabulary.SORTS)[chosen.sort],
        empty=_empty(reading, seat),
        hidden=found.facets.total,
        all_url=base + with_change(QueueFilter(), tab=chosen.tab),
        next_url=base + query(chosen, cursor=more) if more else "",
        first_url=base + query(chosen) if reading.cursor else "",
        decided_today=found.decided_today,
        matching=found.matching,
        all_held=_all_held(reading),
        blind=_blind(reading, seat) if chosen.tab == "second" and reading.blind else (),
    )


def _blind(reading: Reading, seat: Seat) -> tuple[BlindListed, ...]:
    """List what chance laid before this person, on the first page alone."""
    if reading.cursor:
        return ()
    return tuple(
        BlindListed(
            row=row,
            text=masked_if(row.text, flags=row.flags),
            url=reverse("blind", args=[row.id]),
        )
        for row in blind_rows(space_id=seat.space_id, user_id=seat.user_id)
    )


def _together(row: QueueRow, *, reading: Reading, counts: Mapping[int, int]) -> dict[str, Any]:
    """Say how many wait in the row's topic, and where they are read at once."""
    count = counts.get(row.episode_id or 0, 0)
    if count < 2:
        return {}
    return {"together": count, "together_url": reading.episode_url(row.episode_id, at=row.id)}


def _all_held(reading: Reading) -> AllHeld | None:
    """Say so where others have everything open that this list would lead to."""
    rows, held = reading.found.rows, reading.held
    if not rows or reading.found.next or any(row.id not in held for row in rows):
        return None
    return AllHeld(
        count=len(rows),
        until=max(held[row.id].until for row in rows),
        url=reading.card_url(rows[0].id),
    )


def _heading(reading: Reading) -> str:
    words = {
        "pending": "waiting",
        "deferred": "deferred",
        "second": "awaiting a second review",
        "aside": "set aside",
    }
    matching = reading.found.matching + (reading.blind if reading.chosen.tab == "second" else 0)
    return f"{matching:,} {words[reading.chosen.tab]}"


def _filters(reading: Reading, base: str) -> tuple[Choice, ...]:
    chosen, facets = reading.chosen, reading.found.facets
    kinds = [
        Choice(
            label=label,
            url=base + with_change(chosen, kind="" if chosen.kind == kind else kind),
            is_current=chosen.kind == kind,
            count=facets.kinds.get(kind, 0),
        )
        for kind, label in vocabulary.KINDS
        if facets.kinds.get(kind) or chosen.kind == kind
    ]
    flags = [
        Choice(
            label="Flagged" if name == "any" else vocabulary.flag_word(name).capitalize(),
            url=base + with_change(chosen, flag="" if chosen.flag == name else name),
            is_current=chosen.flag == name,
            count=facets.flagged if name == "any" else facets.flags.get(name, 0),
        )
        for name in dict.fromkeys(["any", chosen.flag or "any"])
        if facets.flagged or chosen.flag
    ]
    narrowed = [
        Choice(label, base + with_change(chosen, **{field: empty}), is_current=True)
        for field, empty, label in (
            ("band", "", f"{chosen.band} confidence"),
            ("subject", None, f"subject {chosen.subject}"),
            ("attribute", "", vocabulary.plain(chosen.attribute)),
            ("age", "", f"older than a {chosen.age}"),
            ("file", None, f"from import {chosen.file}"),
        )
        if getattr(chosen, field)
    ]
    return (*kinds, *flags, *narrowed)


def _empty(reading: Reading, seat: Seat) -> str:
    if reading.found.rows or (reading.chosen.tab == "second" and reading.blind):
        return ""
    if reading.cursor:
        return "end"
    if reading.chosen.narrows and reading.found.facets.total:
        return "filters"
    if not any(reading.found.tabs.values()) and not has_any_proposal(seat.space_id):
        return "nothing"
    return "done" if reading.chosen.tab == "pending" else "tab"
