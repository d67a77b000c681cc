"""The frame of every page: where one can go, in which space, and who one is."""

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

from knowledge.queries.queue import pending_count
from workbench.access import Seat
from workbench.privacy_access import may_see_privacy
from workbench.settings_access import may_see_settings

_PLACES: tuple[tuple[str, str, str], ...] = (
    ("Queue", "queue", "go-queue"),
    ("Statements", "statements", "go-statements"),
    ("Conversations", "conversations", "go-conversations"),
    ("Runs", "runs", ""),
    ("My decisions", "my_decisions", "go-mine"),
    ("Import", "imports", ""),
    ("Attributes", "attributes", ""),
    ("Policy", "policy", ""),
    ("Keys", "keys", ""),
    ("Privacy", "privacy", ""),
    ("Settings", "settings", ""),
    ("Audit", "admin:index", ""),
)


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the navigation."""

    label: str
    url: str
    action: str
    is_current: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Shell:
    """The frame. **Shape**: ``keys_on`` is False where the person switched single keys off."""

    title: str
    seat: Seat
    places: tuple[Place, ...]
    keys_on: bool = True

    @property
    def waiting(self) -> int:
        """Return how many proposals wait in the space."""
        return self.places[0].count or 0


def shell(
    *, title: str, seat: Seat, current: str, keys_on: bool = True, waiting: int | None = None
) -> Shell:
    """Build the frame of a page. **Cost**: one query, none with ``waiting``."""
    if waiting is None:
        waiting = pending_count(seat.space_id)
    places = [
        Place(
            label=label,
            url=url,
            action=action,
            is_current=name == current,
            count=waiting if name == "queue" else None,
        )
        for label, name, action in _PLACES
        if (url := _url(name)) and _is_open_to(seat, name)
    ]
    return Shell(title=title, seat=seat, places=tuple(places), keys_on=keys_on)


def _is_open_to(seat: Seat, name: str) -> bool:
    if name == "privacy":
        return may_see_privacy(seat)
    if name == "settings":
        return may_see_settings(seat)
    return seat.is_staff or not name.startswith("admin:")


def _url(name: str) -> str:
    """Return a place's address, or nothing where this set-up has none."""
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""
