"""Who sees how the installation is set up, and tries its models."""

from django.core.exceptions import PermissionDenied

from knowledge.models import Role
from workbench.access import Seat


def may_see_settings(seat: Seat) -> bool:
    """Tell whether the person may read the settings and try the models."""
    return Role.ADMIN in seat.roles


def check_may_see_settings(seat: Seat) -> None:
    """Refuse whoever administers nothing here. **Raises**: PermissionDenied."""
    if not may_see_settings(seat):
        raise PermissionDenied(
            f"You are {seat.role} in {seat.name}. Administrators see how models are set up,"
            " and try them."
        )
