"""One review card as a page: the card, what changes, what may be pressed, and what comes next."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone

from knowledge import policies
from knowledge.commands.review import NEEDS_REASON
from knowledge.errors import NotAllowed
from knowledge.queries.near import Near
from knowledge.queries.review import ReviewCard
from knowledge.queries.rules import GuidelineRow, guideline_of
from knowledge.queries.words import Mark
from workbench import vocabulary
from workbench.access import Seat
from workbench.masking import masked_if
from workbench.pages.digest import digest_of
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
class Draft:
    """What the edit form shows: the proposal's fields, or what the person wrote over them."""

    values: dict[str, Any]
    errors: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReviewView:
    """The card's page.

    **Shape**: ``lead`` is what would be approved; ``change`` its difference to the target;
    ``error`` a sentence about a form that was not sound; ``unanswered`` marks the choices;
    ``barred`` says why this person may not be the second; ``parts`` fill the form that splits;
    ``digest`` is the fingerprint of what the card shows.
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
    digest: str
    guideline: GuidelineRow | None
    barred: str
    choices: tuple[tuple[str, str, str], ...]
    reject_reasons: tuple[tuple[str, str], ...]
    deferrals: tuple[tuple[str, str], ...]
    split_url: str
    parts: tuple[str, ...] = ()
    draft: Draft | None = None
    lost: Lost | None = None
    error: str = ""
    unanswered: bool = False
    memory_types: tuple[tuple[str, str], ...] = vocabulary.MEMORY_TYPES
    criticalities: tuple[tuple[str, str], ...] = vocabulary.CRITICALITIES

    @property
    def target_ended(self) -> bool:
        """Tell whether what this would replace ended, so that approving only adds."""
        return _target_ended(self.card)

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
    """What the address asks of a card besides the card itself."""

    before: int = 0
    after: int = 0
    edit: bool = False
    split: bool = False
    blocks: bool = False


def read_asked(given: dict[str, str]) -> Asked:
    """Read how much context to show, and whether to edit."""
    return Asked(
        before=_small(given.get("earlier", "")),
        after=_small(given.get("later", "")),
        edit=given.get("edit") == "1",
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
    **said: Any,
) -> ReviewView:
    """Build the card's page. ``said`` holds what went wrong, if anything."""
    before, after = reading.found.neighbours(card.id)
    here = reading.card_url(card.id)
    barred = _barred(card, seat)
    acts = card.is_open and seat.may_decide and not barred
    if acts and asked.edit:
        said.setdefault("draft", Draft(values=draft_of(card)))
    if acts and asked.split:
        said.setdefault("parts", (card.text, card.text, "", ""))
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
        needs_choice=card.target is not None
        and card.kind != "confirmation"
        and not _target_ended(card),
        digest=digest_of(card),
        guideline=guideline_of(card.space_id),
        barred=barred,
        split_url=_and(here, split="1"),
        choices=vocabulary.CHANGES,
        reject_reasons=vocabulary.REJECT_REASONS,
        deferrals=vocabulary.DEFERRALS,
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
