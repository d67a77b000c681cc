"""One review card as a page: the card, what changes, what may be pressed, and what comes next."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone

from knowledge.queries.near import Near
from knowledge.queries.review import ReviewCard
from knowledge.queries.words import Mark
from workbench import vocabulary
from workbench.access import Seat
from workbench.masking import SECRET_FLAGS, masked_if
from workbench.pages.queue import QueueList, Reading, queue_list
from workbench.pages.shell import Shell, shell
from workbench.wording import Difference, difference

CONTEXT_STEP = 3


@dataclass(frozen=True, slots=True)
class Lost:
    """A race that was lost: what happened meanwhile, in a sentence, and who did it."""

    sentence: str
    code: str


@dataclass(frozen=True, slots=True)
class NearRow:
    """A near statement or proposal; ``number`` is its key where it can be chosen."""

    near: Near
    number: int
    url: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What the edit form shows: the proposal's fields, or what the person wrote over them."""

    values: dict[str, Any]
    errors: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReviewView:
    """The card's page.

    **Shape**: ``lead`` is what would be approved; ``change`` its difference to the target;
    ``error`` a sentence about a form that was not sound; ``unanswered`` marks the choices.
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
    earlier_url: str
    later_url: str
    blocks: bool
    opened_at: datetime
    needs_choice: bool
    choices: tuple[tuple[str, str, str], ...]
    reject_reasons: tuple[tuple[str, str], ...]
    deferrals: tuple[tuple[str, str], ...]
    draft: Draft | None = None
    lost: Lost | None = None
    error: str = ""
    unanswered: bool = False
    memory_types: tuple[tuple[str, str], ...] = vocabulary.MEMORY_TYPES
    criticalities: tuple[tuple[str, str], ...] = vocabulary.CRITICALITIES

    @property
    def form_id(self) -> str:
        """Return which form the choices belong to."""
        return "edit-form" if self.draft else "approve-form"

    @property
    def needs_reason(self) -> bool:
        """Tell whether approving asks for a typed reason."""
        asks = SECRET_FLAGS.intersection(self.card.flags)
        return bool(asks) and self.card.is_open and self.shell.seat.may_decide

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
    """What the address asks of a card besides the card itself."""

    before: int = 0
    after: int = 0
    edit: bool = False
    blocks: bool = False


def read_asked(given: dict[str, str]) -> Asked:
    """Read how much context to show, and whether to edit."""
    return Asked(
        before=_small(given.get("earlier", "")),
        after=_small(given.get("later", "")),
        edit=given.get("edit") == "1",
        blocks=given.get("diff") == "blocks",
    )


def review_view(
    card: ReviewCard,
    *,
    reading: Reading,
    seat: Seat,
    asked: Asked,
    keys_on: bool,
    **said: Any,
) -> ReviewView:
    """Build the card's page. ``said`` holds what went wrong, if anything."""
    before, after = reading.found.neighbours(card.id)
    here = reading.card_url(card.id)
    draft = said.pop("draft", None)
    if draft is None and asked.edit and card.is_open and seat.may_decide:
        draft = Draft(values=draft_of(card))
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
        nearest=_numbered(card, reading),
        query=reading.query,
        next_id=after,
        next_url=reading.card_url(after),
        previous_url=reading.card_url(before),
        queue_url=reverse("queue") + reading.query,
        edit_url=_and(here, edit="1"),
        earlier_url=_more(here, asked, earlier=CONTEXT_STEP),
        later_url=_more(here, asked, later=CONTEXT_STEP),
        blocks=asked.blocks,
        opened_at=timezone.now(),
        needs_choice=card.target is not None and card.kind != "confirmation",
        choices=vocabulary.CHANGES,
        reject_reasons=vocabulary.REJECT_REASONS,
        deferrals=vocabulary.DEFERRALS,
        draft=draft,
        **said,
    )


def draft_of(card: ReviewCard) -> dict[str, Any]:
    """Return a card's fields as the edit form shows them."""
    names = "text about attribute value memory_type criticality valid_from valid_to".split()
    values = {name: getattr(card, name) for name in names}
    for name in ("valid_from", "valid_to"):
        moment = values[name]
        values[name] = timezone.localtime(moment).date().isoformat() if moment else ""
    values["was_from"], values["was_to"] = values["valid_from"], values["valid_to"]
    return values


def _edited(card: ReviewCard) -> Difference | None:
    return difference(str(card.original["text"]), card.text) if card.is_edited else None


def _numbered(card: ReviewCard, reading: Reading) -> tuple[NearRow, ...]:
    rows: list[NearRow] = []
    number = 0
    for near in card.nearest:
        choosable = near.version_id is not None and card.is_open
        number += 1 if choosable else 0
        name = "statement" if near.what == "statement" else "review"
        url = reverse(name, args=[near.id])
        rows.append(NearRow(near=near, number=number if choosable else 0, url=url))
    return tuple(rows)


def _more(here: str, asked: Asked, *, earlier: int = 0, later: int = 0) -> str:
    return _and(here, earlier=str(asked.before + earlier), later=str(asked.after + later))


def _and(url: str, **more: str) -> str:
    tail = "&".join(f"{name}={value}" for name, value in more.items() if value != "0")
    return f"{url}{'&' if '?' in url else '?'}{tail}"


def _small(text: str) -> int:
    return min(int(text), 60) if text.isdigit() and len(text) < 4 else 0
