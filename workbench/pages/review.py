"""One review card as a page: the card, what changes, what may be pressed, and what comes next."""

import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone

from knowledge import policies
from knowledge.commands.review import NEEDS_REASON
from knowledge.errors import NotAllowed
from knowledge.queries.blind import compared_on
from knowledge.queries.near import Near
from knowledge.queries.record import Record, track_record
from knowledge.queries.review import ReviewCard
from knowledge.queries.rules import GuidelineRow, guideline_of
from knowledge.queries.targets import result_of, stamp_of
from knowledge.queries.words import Mark
from workbench import vocabulary
from workbench.access import Seat
from workbench.masking import masked_if
from workbench.pages import editing
from workbench.pages.compared import ComparedLine, lines_of
from workbench.pages.digest import digest_of
from workbench.pages.editing import NOTHING_CHOSEN, Chosen, Draft
from workbench.pages.lost import Lost, Mine, Panel, Settled, mine_of, panel_of, settled
from workbench.pages.queue import QueueList, Reading, queue_list
from workbench.pages.shell import Shell, shell
from workbench.queries.claims import Held
from workbench.queries.drafts import KeptDraft, draft_of
from workbench.wording import Difference, difference

CONTEXT_STEP = 3


@dataclass(frozen=True, slots=True)
class NearRow:
    """A near statement or proposal.

    **Shape**: ``number`` is its key where it can be chosen, else 0; then a form posts ``value`` as
    ``field`` to ``act_url``.
    """

    near: Near
    number: int
    url: str
    act_url: str
    field: str
    value: int


@dataclass(frozen=True, slots=True)
class ReviewView:
    """The card's page.

    **Shape**: ``lead`` is what would be approved; ``change`` its difference to the target;
    ``error`` a sentence about a form that was not sound; ``unanswered`` marks the choices;
    ``barred`` says why this person may not be the second; ``parts`` fill the form that splits;
    ``digest`` is the fingerprint of what the card shows, ``stamp`` what it is compared by when it
    was fetched ahead of time, ``token`` names this showing of it. ``kept`` is a draft that is not
    open, ``closed`` how the card was decided, ``mine`` what this person had written over it.
    """

    shell: Shell
    list: QueueList
    card: ReviewCard
    change: Difference | None
    edited: Difference | None
    nearest: tuple[NearRow, ...]
    query: str
    next_id: int | None
    next_url: str
    previous_url: str
    queue_url: str
    edit_url: str
    leave_url: str
    earlier_url: str
    later_url: str
    blocks: bool
    opened_at: datetime
    needs_choice: bool
    digest: str
    guideline: GuidelineRow | None
    barred: str
    choices: tuple[tuple[str, str, str], ...]
    reject_reasons: tuple[tuple[str, str], ...]
    deferrals: tuple[tuple[str, str], ...]
    split_url: str
    diff_url: str
    episode_url: str
    stamp: str
    token: uuid.UUID
    held: Held | None = None
    ahead: bool = False
    parts: tuple[str, ...] = ()
    draft: Draft | None = None
    kept: KeptDraft | None = None
    chosen: Chosen = NOTHING_CHOSEN
    lost: Panel | None = None
    closed: Settled | None = None
    mine: Mine | None = None
    compared: tuple[ComparedLine, ...] = ()
    record: Record | None = None
    error: str = ""
    unanswered: bool = False
    memory_types: tuple[tuple[str, str], ...] = vocabulary.MEMORY_TYPES
    criticalities: tuple[tuple[str, str], ...] = vocabulary.CRITICALITIES

    @property
    def target_ended(self) -> bool:
        """Tell whether what this would replace ended, so that approving only adds."""
        return _target_ended(self.card)

    @property
    def ahead_url(self) -> str:
        """Return the card a decision leads to: the next one, else the first of the list."""
        rows = self.list.rows
        others = (row.url for row in rows if row.row.id != self.card.id and row.held is None)
        return self.next_url or next(others, "")

    @property
    def leads(self) -> bool:
        """Tell whether the eye belongs on the statement: nothing else on the page asks for it."""
        writes = self.draft is not None and not self.draft.restored
        return not (self.lost or self.error or writes or self.parts)

    @property
    def last_quote(self) -> int:
        """Return the newest quote on the card."""
        return max((quote.id for quote in self.card.quotes), default=0)

    @property
    def form_id(self) -> str:
        """Return which form the choices belong to."""
        return "edit-form" if self.draft else "approve-form"

    @property
    def needs_reason(self) -> bool:
        """Tell whether approving asks for a typed reason."""
        asks = NEEDS_REASON.intersection(self.card.flags)
        return bool(asks) and self.may_act

    @property
    def may_act(self) -> bool:
        """Tell whether this person may decide on this card now."""
        return self.card.is_open and self.shell.seat.may_decide and not self.barred

    @property
    def words_shown(self) -> bool:
        """Tell whether the card showed the words the proposal rests on."""
        return bool(self.card.words.messages)

    @property
    def gaps_here(self) -> int:
        """Count the gaps this proposal was made from."""
        return len(self.card.words.with_tone("this"))

    @property
    def gaps_elsewhere(self) -> int:
        """Count the gaps that other proposals were made from."""
        return len(self.card.words.with_tone("elsewhere"))

    @property
    def gaps_nothing(self) -> int:
        """Count the gaps that became nothing."""
        return len(self.nothing)

    @property
    def nothing(self) -> tuple[Mark, ...]:
        """Return the gaps that became nothing."""
        return self.card.words.with_tone("nothing")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks of a card besides the card itself.

    **Shape**: ``edit`` is 1 to write, ``no`` to leave a draft closed; else a draft opens by itself.
    """

    before: int = 0
    after: int = 0
    edit: str = ""
    split: bool = False
    blocks: bool = False


def read_asked(given: dict[str, str]) -> Asked:
    """Read how much context to show, and whether to edit."""
    return Asked(
        before=_small(given.get("earlier", "")),
        after=_small(given.get("later", "")),
        edit=given.get("edit", ""),
        split=given.get("split") == "1",
        blocks=given.get("diff") == "blocks",
    )


def review_view(
    card: ReviewCard,
    *,
    reading: Reading,
    seat: Seat,
    asked: Asked,
    keys_on: bool,
    lost: Lost | None = None,
    given: dict[str, Any] | None = None,
    **said: Any,
) -> ReviewView:
    """Build the card's page. ``said`` holds what went wrong, if anything.

    **Shape**: ``given`` is the form that did not count, for what of it is still right.
    """
    now = timezone.now()
    barred = _barred(card, seat)
    acts = card.is_open and seat.may_decide and not barred
    kept = draft_of(proposal_id=card.id, user_id=seat.user_id) if seat.may_decide else None
    draft = _open_parts(said, card=card, kept=kept, asked=asked, acts=acts)
    over = given or (draft.values if draft else {})
    result = None if card.is_open else result_of(card.id, space_id=card.space_id)
    closed = settled(card, seat=seat, result=result, now=now)
    return ReviewView(
        shell=shell(
            title=f"Review: {masked_if(card.text, flags=card.flags)}",
            seat=seat,
            current="queue",
            keys_on=keys_on,
            waiting=reading.found.tabs["pending"],
        ),
        list=queue_list(reading, seat=seat, current=card.id),
        card=card,
        change=difference(card.target.text, card.text) if card.target else None,
        edited=_edited(card),
        nearest=_numbered(card, reading, acts=acts),
        **_addresses(card, reading=reading, asked=asked, writes=bool(kept or draft)),
        blocks=asked.blocks,
        opened_at=now,
        needs_choice=card.target is not None
        and card.kind != "confirmation"
        and not _target_ended(card),
        digest=digest_of(card),
        guideline=guideline_of(card.space_id),
        barred=barred,
        choices=vocabulary.CHANGES,
        reject_reasons=vocabulary.REJECT_REASONS,
        deferrals=vocabulary.DEFERRALS,
        stamp=stamp_of(card.version, card.target.version_id if card.target else None),
        token=uuid.uuid4(),
        held=reading.held.get(card.id),
        kept=None if draft else kept,
        chosen=editing.chosen_in(over, card=card),
        lost=panel_of(lost, card, seat=seat, closed=closed, now=now) if lost else None,
        closed=closed,
        mine=mine_of(card, kept, result=result),
        record=track_record(card.id, space_id=card.space_id, now=now),
        compared=() if card.is_open else lines_of(compared_on(card.id)),
        **said,
    )


def _addresses(card: ReviewCard, *, reading: Reading, asked: Asked, writes: bool) -> dict[str, Any]:
    """Say where the card's links lead."""
    before, after = reading.neighbours(card.id)
    here = reading.card_url(card.id)
    return {
        "query": reading.query,
        "next_id": after,
        "next_url": reading.card_url(after),
        "previous_url": reading.card_url(before),
        "queue_url": reverse("queue") + reading.query,
        "edit_url": _and(here, edit="1"),
        "leave_url": _and(here, edit="no") if writes else here,
        "earlier_url": _more(here, asked, earlier=CONTEXT_STEP),
        "later_url": _more(here, asked, later=CONTEXT_STEP),
        "split_url": _and(here, split="1"),
        "episode_url": reading.episode_url(card.episode_id, at=card.id) if card.siblings else "",
        "diff_url": here if asked.blocks else _and(here, diff="blocks"),
    }


def _open_parts(
    said: dict[str, Any], *, card: ReviewCard, kept: KeptDraft | None, asked: Asked, acts: bool
) -> Draft | None:
    """Open the editor where it was asked for, or where something was being written.

    What is closed, or this person's no more, has no editor: the words are offered apart.
    """
    if not acts:
        said.pop("draft", None)
        said.pop("parts", None)
        return None
    if asked.split:
        said.setdefault("parts", (card.text, card.text, "", ""))
    if "draft" in said or "parts" in said:
        draft: Draft | None = said.get("draft")
        return draft
    if kept is not None and kept.fields and asked.edit != "no":
        said["draft"] = replace(editing.restored(card, kept), restored=asked.edit != "1")
    elif asked.edit == "1":
        said["draft"] = editing.blank(card)
    return said.get("draft")


def _target_ended(card: ReviewCard) -> bool:
    return card.is_open and card.target is not None and not card.target.believed


def _edited(card: ReviewCard) -> Difference | None:
    return difference(str(card.original["text"]), card.text) if card.is_edited else None


def _barred(card: ReviewCard, seat: Seat) -> str:
    """Say why the person may not be the second here; nothing where they may."""
    if card.first is None or not seat.may_decide:
        return ""
    try:
        policies.check_can_be_second(
            user_id=seat.user_id,
            first_id=card.first.by_id,
            contributor_ids=card.first.contributors,
        )
    except NotAllowed as error:
        return str(error)
    return ""


def _numbered(card: ReviewCard, reading: Reading, *, acts: bool) -> tuple[NearRow, ...]:
    return tuple(
        _near_row(near, card=card, reading=reading, number=number if acts else 0)
        for number, near in enumerate(card.nearest, start=1)
    )


def _near_row(near: Near, *, card: ReviewCard, reading: Reading, number: int) -> NearRow:
    believed = near.version_id is not None
    act = reverse("same" if believed else "same_waiting", args=[card.id])
    return NearRow(
        near=near,
        number=number,
        url=reverse("statement" if believed else "review", args=[near.id]),
        act_url=act + reading.query,
        field="same_as" if believed else "other",
        value=near.version_id or near.id,
    )


def _more(here: str, asked: Asked, *, earlier: int = 0, later: int = 0) -> str:
    return _and(here, earlier=str(asked.before + earlier), later=str(asked.after + later))


def _and(url: str, **more: str) -> str:
    tail = "&".join(f"{name}={value}" for name, value in more.items() if value != "0")
    return f"{url}{'&' if '?' in url else '?'}{tail}"


def _small(text: str) -> int:
    return min(int(text), 60) if text.isascii() and text.isdigit() and len(text) < 4 else 0
