"""Who may bring a file into a space."""

from datetime import datetime

from knowledge import policies
from knowledge.errors import NotAllowed

# As the roles of the space are called: whoever decides, and whoever runs the space.
MAY_IMPORT = frozenset({"curator", "admin"})


def can_import(*, user_id: int | None, space_id: int, now: datetime) -> bool:
    """Say whether the person may bring files into the space."""
    roles = policies.roles_of(user_id=user_id, space_id=space_id, now=now)
    return not roles.isdisjoint(MAY_IMPORT)


def check_can_import(*, user_id: int | None, space_id: int, now: datetime) -> None:
    """Refuse whoever is neither curator nor administrator of the space.

    **Raises**: NotAllowed.
    """
    if not can_import(user_id=user_id, space_id=space_id, now=now):
        raise NotAllowed("Only curators and administrators of this space may import files.")
