"""Spaces, their people and their subjects."""

from dataclasses import dataclass

from knowledge.errors import NotFound
from knowledge.models import Space


@dataclass(frozen=True, slots=True)
class SpaceRow:
    """A space as commands and pages name it."""

    id: int
    slug: str
    name: str
    zone: str
    evaluation: bool


def space_by_slug(slug: str) -> SpaceRow:
    """Find a space.

    **Raises**: NotFound, naming the spaces there are.
    """
    row = Space.objects.filter(slug=slug).first()
    if row is None:
        known = ", ".join(Space.objects.order_by("slug").values_list("slug", flat=True)) or "none"
        raise NotFound(
            f"There is no space called {slug}. Spaces: {known}. "
            "Make one with: manage.py create_space " + slug
        )
    return SpaceRow(row.pk, row.slug, row.name, row.zone, row.evaluation)
