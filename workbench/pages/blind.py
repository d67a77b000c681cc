"""A blind second review as a page, and what came of those that were answered."""

from dataclasses import dataclass, fields
from typing import Any

from django.urls import reverse

from knowledge.queries.queue import QueueFilter
from knowledge.queries.review import ReviewCard
from workbench.access import Seat
from workbench.pages.address import with_change
from workbench.pages.queue import Reading
from workbench.pages.review import Asked, ReviewView, review_view


@dataclass(frozen=True, slots=True)
class BlindView(ReviewView):
    """The card of a second review: the same evidence, and no sign of what was decided.

    **Shape**: ``draw_id`` names it; ``list_url`` leads to the list of second reviews.
    """

    draw_id: int = 0
    list_url: str = ""


def second_url() -> str:
    """Return the address of the list of second reviews."""
    return reverse("queue") + with_change(QueueFilter(), tab="second")


def blind_view(
    card: ReviewCard,
    *,
    draw_id: int,
    reading: Reading,
    seat: Seat,
    asked: Asked,
    keys_on: bool,
    error: str = "",
    given: dict[str, Any] | None = None,
) -> BlindView:
    """Build the page of a second review."""
    page = review_view(
        card,
        reading=reading,
        seat=seat,
        asked=Asked(before=asked.before, after=asked.after, edit="no", blocks=asked.blocks),
        keys_on=keys_on,
        given=given,
        error=error,
        unanswered=bool(error) and "happened" in error,
    )
    here = reverse("blind", args=[draw_id])
    held: dict[str, Any] = {one.name: getattr(page, one.name) for one in fields(ReviewView)}
    held |= {
        "query": "",
        "next_id": None,
        "next_url": "",
        "previous_url": "",
        "queue_url": second_url(),
        "episode_url": "",
        "diff_url": here if asked.blocks else f"{here}?diff=blocks",
        "earlier_url": f"{here}?earlier={asked.before + 3}&later={asked.after}",
        "later_url": f"{here}?earlier={asked.before}&later={asked.after + 3}",
        "kept": None,
        "mine": None,
        "held": None,
    }
    return BlindView(**held, draw_id=draw_id, list_url=second_url())
