"""Who sees what was, and will be, erased: people who look after it, and those who audit them."""

from django.core.exceptions import PermissionDenied

from knowledge.models import Role
from workbench.access import Seat

READERS = frozenset({Role.PRIVACY, Role.ADMIN, Role.AUDITOR})


def may_see_privacy(seat: Seat) -> bool:
    """Tell whether the person may read erasures and tombstones here."""
    return not seat.roles.isdisjoint(READERS)


def check_may_see_privacy(seat: Seat) -> None:
    """Refuse whoever has nothing to do with erasing. **Raises**: PermissionDenied."""
    if not may_see_privacy(seat):
        raise PermissionDenied(
            f"You are {seat.role} in {seat.name}. Privacy officers, administrators and auditors "
            "see what is erased."
        )


def may_ask(seat: Seat) -> bool:
    """Tell whether the page offers the person to have something erased."""
    return Role.PRIVACY in seat.roles
