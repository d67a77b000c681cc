"""Spaces and their people."""

import hashlib
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import transaction

from knowledge.commands import audit
from knowledge.errors import Conflict, InvalidInput
from knowledge.models import Attribute, Ledger, Membership, Role, Space
from knowledge.models.scope import SYSTEM_CHAIN
from knowledge.results import Actor
from knowledge.texts import check_text

# What a person or a project holds one of at a time; everything else holds many.
SINGLE_VALUED = (
    "name",
    "birthday",
    "employer",
    "job_title",
    "home_city",
    "home_country",
    "diet",
    "package_manager",
    "deadline",
    "salary",
)


@transaction.atomic(durable=True)
def create_space(
    *,
    slug: str,
    name: str,
    by: Actor,
    now: datetime,
    zone: str = "UTC",
    evaluation: bool = False,
) -> Space:
    """Open a space with its ledger and its attribute registry.

    **Raises**: InvalidInput for an unknown time zone; Conflict when the slug is taken.
    """
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise InvalidInput(
            f"There is no time zone called {zone}. Use an IANA name such as Europe/Lisbon.",
            field="zone",
        ) from error
    check_text(slug, field="slug", most=50)
    check_text(name, field="name", most=200)
    if slug == SYSTEM_CHAIN:
        raise InvalidInput(
            f"{SYSTEM_CHAIN} is the name of the log of logins and people. Choose another.",
            field="slug",
        )
    if Space.objects.filter(slug=slug).exists():
        raise Conflict(f"There is already a space called {slug}.")
    space = Space.objects.create(
        slug=slug, name=name or slug, zone=zone, evaluation=evaluation, created_at=now
    )
    genesis = hashlib.sha256(f"memory workbench: {space.pk}: {slug}".encode()).digest()
    Ledger.objects.create(space=space, genesis=genesis, opened_at=now)
    Attribute.objects.bulk_create(
        [Attribute(space=space, key=key, single_valued=True) for key in SINGLE_VALUED]
    )
    audit.append(
        space_id=space.pk,
        by=by,
        action="space.create",
        object_type="space",
        object_id=str(space.pk),
        payload={"slug": slug, "evaluation": evaluation},
    )
    return space


@transaction.atomic(durable=True)
def add_membership(
    *, space_id: int, user_id: int, role: str, by: Actor, now: datetime
) -> Membership:
    """Give a person a role in the space from now on; twice changes nothing.

    **Raises**: InvalidInput for an unknown role.
    """
    if role not in Role.values:
        raise InvalidInput(
            f"There is no role called {role}. Choose one of {', '.join(Role.values)}.",
            field="role",
        )
    membership, is_new = Membership.objects.get_or_create(
        space_id=space_id,
        user_id=user_id,
        role=role,
        valid_to=None,
        defaults={"valid_from": now},
    )
    if is_new:
        audit.append(
            space_id=space_id,
            by=by,
            action="membership.add",
            object_type="user",
            object_id=str(user_id),
            reason_code=role,
        )
    return membership
