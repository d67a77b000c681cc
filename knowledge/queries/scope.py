"""Spaces, their people and their subjects."""

from dataclasses import dataclass

from knowledge.errors import NotFound
from knowledge.models import Space, Subject
from knowledge.results import SubjectRef


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


def subject_id_of(name: str, *, space_id: int) -> int:
    """Return the id of a subject named as the outside names it, such as ``user:ana``.

    **Raises**: NotFound.
    """
    kind, _, external_id = name.partition(":")
    found = Subject.objects.filter(space_id=space_id, kind=kind, external_id=external_id).first()
    if found is None:
        raise NotFound(f"There is no subject {name} in this space.")
    return found.pk


def subject_refs(space_id: int, *, most: int = 500) -> list[SubjectRef]:
    """List the subjects of a space that were not erased, by kind and name."""
    rows = Subject.objects.filter(space_id=space_id, redacted_at__isnull=True)
    found = rows.order_by("kind", "name", "pk").values_list("kind", "external_id", "name")
    return [SubjectRef(*row) for row in found[:most]]
