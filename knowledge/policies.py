"""Who may do what: each ``check_can_x`` has its ``can_x``; templates and commands share them."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q

from knowledge.errors import NotAllowed
from knowledge.models import Membership, Role

FREE_UNDO = timedelta(minutes=15)


def roles_of(*, user_id: int | None, space_id: int, now: datetime) -> frozenset[str]:
    """Return the roles a person holds in the space at the instant."""
    if user_id is None:
        return frozenset()
    open_now = Q(valid_to__isnull=True) | Q(valid_to__gt=now)
    found = Membership.objects.filter(
        open_now, user_id=user_id, space_id=space_id, valid_from__lte=now
    )
    return frozenset(found.values_list("role", flat=True))


def _holds(needed: Iterable[str], *, user_id: int | None, space_id: int, now: datetime) -> bool:
    return not roles_of(user_id=user_id, space_id=space_id, now=now).isdisjoint(needed)


def can_decide(*, user_id: int | None, space_id: int, now: datetime) -> bool:
    """Say whether the person may decide about proposals here."""
    return _holds([Role.CURATOR], user_id=user_id, space_id=space_id, now=now)


def check_can_decide(*, user_id: int | None, space_id: int, now: datetime) -> None:
    """Refuse whoever is not a curator here; superusers are no exception.

    **Raises**: NotAllowed.
    """
    if not can_decide(user_id=user_id, space_id=space_id, now=now):
        raise NotAllowed("Only a curator of this space may decide about its proposals.")


def can_ask_shadow(*, user_id: int | None, space_id: int, now: datetime) -> bool:
    """Say whether the person may have an episode run again for comparison, which costs."""
    return _holds([Role.CURATOR, Role.ADMIN], user_id=user_id, space_id=space_id, now=now)


def check_can_ask_shadow(*, user_id: int | None, space_id: int, now: datetime) -> None:
    """Refuse whoever is neither a curator nor an administrator of the space.

    **Raises**: NotAllowed.
    """
    if not can_ask_shadow(user_id=user_id, space_id=space_id, now=now):
        raise NotAllowed("Only a curator or an administrator of this space may run it again.")


def can_read(*, user_id: int | None, space_id: int, now: datetime) -> bool:
    """Say whether the person may look into the space at all."""
    return _holds(Role.values, user_id=user_id, space_id=space_id, now=now)


def can_manage_keys(*, user_id: int | None, space_id: int, now: datetime) -> bool:
    """Say whether the person may make and revoke API keys here."""
    return _holds([Role.ADMIN], user_id=user_id, space_id=space_id, now=now)


def check_can_manage_keys(*, user_id: int | None, space_id: int, now: datetime) -> None:
    """Refuse whoever is not an administrator of the space.

    **Raises**: NotAllowed.
    """
    if not can_manage_keys(user_id=user_id, space_id=space_id, now=now):
        raise NotAllowed("Only an administrator of this space may manage its keys.")


def check_can_be_second(
    *, user_id: int | None, first_id: int | None, contributor_ids: Iterable[int]
) -> None:
    """Refuse as second whoever approved first, edited, or proposed by hand.

    **Raises**: NotAllowed.
    """
    if user_id == first_id or user_id in set(contributor_ids):
        raise NotAllowed("A second person must agree: you approved, edited or proposed this first.")


def can_undo_freely(*, at: datetime | None, now: datetime) -> bool:
    """Say whether a decision of that instant may still be taken back without a reason."""
    return at is not None and now - at <= FREE_UNDO


def can_govern(*, user_id: int | None, space_id: int, now: datetime) -> bool:
    """Say whether the person may set the space's policy and guideline."""
    return _holds([Role.ADMIN], user_id=user_id, space_id=space_id, now=now)


def check_can_govern(*, user_id: int | None, space_id: int, now: datetime) -> None:
    """Refuse whoever is not an administrator of the space.

    **Raises**: NotAllowed.
    """
    if not can_govern(user_id=user_id, space_id=space_id, now=now):
        raise NotAllowed("Only an administrator of this space may set its policy and guideline.")


def can_manage_attributes(*, user_id: int | None, space_id: int, now: datetime) -> bool:
    """Say whether the person may change which attributes hold one value at a time here."""
    return _holds([Role.ADMIN], user_id=user_id, space_id=space_id, now=now)


def check_can_manage_attributes(*, user_id: int | None, space_id: int, now: datetime) -> None:
    """Refuse whoever is not an administrator of the space.

    **Raises**: NotAllowed.
    """
    if not can_manage_attributes(user_id=user_id, space_id=space_id, now=now):
        raise NotAllowed("Only an administrator of this space may change its attributes.")


def can_ask_erasure(*, user_id: int | None, space_id: int, now: datetime) -> bool:
    """Say whether the person may ask for an erasure, and lift tombstones."""
    return _holds([Role.PRIVACY], user_id=user_id, space_id=space_id, now=now)


def check_can_ask_erasure(*, user_id: int | None, space_id: int, now: datetime) -> None:
    """Refuse whoever is not a privacy officer of the space.

    **Raises**: NotAllowed.
    """
    if not can_ask_erasure(user_id=user_id, space_id=space_id, now=now):
        raise NotAllowed("Only a privacy officer of this space may have something erased.")


def can_confirm_erasure(
    *, user_id: int | None, asked_by_id: int | None, space_id: int, now: datetime
) -> bool:
    """Say whether the person may confirm what somebody else asked to be erased."""
    return user_id != asked_by_id and _holds(
        [Role.PRIVACY, Role.ADMIN], user_id=user_id, space_id=space_id, now=now
    )


def check_can_confirm_erasure(
    *, user_id: int | None, asked_by_id: int | None, space_id: int, now: datetime
) -> None:
    """Refuse who asked for it, and whoever is neither privacy officer nor administrator.

    **Raises**: NotAllowed.
    """
    if user_id == asked_by_id:
        raise NotAllowed("You asked for this, so another person has to confirm it.")
    if not can_confirm_erasure(
        user_id=user_id, asked_by_id=asked_by_id, space_id=space_id, now=now
    ):
        raise NotAllowed("Only a privacy officer or an administrator may confirm an erasure.")
