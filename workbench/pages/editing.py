"""The edit form of a card: the proposal's fields, or what a person wrote over them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_date

from knowledge.queries.review import ReviewCard
from workbench.queries.drafts import KeptDraft


@dataclass(frozen=True, slots=True)
class Draft:
    """What the edit form shows.

    **Shape**: ``saved_at`` is when it was kept, None for what nobody kept; ``restored`` says that
    it was kept before this page was asked for, ``older`` that the proposal changed since.
    """

    values: dict[str, Any]
    errors: dict[str, list[str]] = field(default_factory=dict)
    saved_at: datetime | None = None
    restored: bool = False
    older: bool = False


def fields_of(card: ReviewCard) -> dict[str, Any]:
    """Return a card's fields as the edit form shows them."""
    names = "text about attribute value memory_type criticality valid_from valid_to".split()
    values = {name: getattr(card, name) for name in names}
    for name in ("valid_from", "valid_to"):
        moment = values[name]
        values[name] = timezone.localtime(moment).date().isoformat() if moment else ""
    values["was_from"], values["was_to"] = values["valid_from"], values["valid_to"]
    return values


def blank(card: ReviewCard) -> Draft:
    """Begin an edit from what is proposed."""
    return Draft(values=fields_of(card))


def restored(card: ReviewCard, kept: KeptDraft) -> Draft:
    """Go on from what was kept.

    The days it is compared with are those of the card: a day that was left alone stays alone.
    """
    now = fields_of(card)
    values = {**now, **kept.fields, "was_from": now["was_from"], "was_to": now["was_to"]}
    for name, was in (("valid_from", "was_from"), ("valid_to", "was_to")):
        if kept.fields.get(name, "") == kept.fields.get(was, ""):
            values[name] = now[name]
    return Draft(
        values=values,
        saved_at=kept.saved_at,
        restored=True,
        older=kept.version != card.version,
    )


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a person had chosen and written beside the statement before the page came anew.

    **Shape**: ``change`` is '' where it was about something else than what is shown now;
    ``changed_from`` begins the chosen day in the space's zone.
    """

    change: str = ""
    changed_from: datetime | None = None
    note: str = ""


NOTHING_CHOSEN = Chosen()


def chosen_in(given: Mapping[str, Any], *, card: ReviewCard) -> Chosen:
    """Read from a form what is still right: a choice holds for the version it was made about."""
    target = card.target.version_id if card.target else ""
    same = str(given.get("target_seen", "")) == str(target)
    return Chosen(
        change=str(given.get("change", "")) if same else "",
        changed_from=_day(str(given.get("changed_from", ""))),
        note=str(given.get("note", ""))[:1000],
    )


def _day(text: str) -> datetime | None:
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return timezone.make_aware(datetime.combine(day, time())) if day and day.year > 1 else None
