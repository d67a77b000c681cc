"""People who may log in."""

import secrets
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from knowledge.commands import audit, scope
from knowledge.errors import InvalidInput, NotFound
from knowledge.models import Role, Space
from knowledge.results import Actor

# Letters and digits that cannot be taken for one another when read aloud or copied by hand.
ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
PASSWORD_GROUPS, GROUP_LENGTH = 4, 5
# Compliance works in the administration pages, which ask for this flag.
STAFF_ROLES = frozenset({Role.AUDITOR, Role.PRIVACY, Role.ADMIN})


@dataclass(frozen=True, slots=True)
class AddedPerson:
    """**Shape**: ``password`` is empty where the person had one already."""

    username: str
    role: str
    password: str


def new_password() -> str:
    """Return a random password of twenty characters in four groups."""
    groups = (
        "".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH))
        for _ in range(PASSWORD_GROUPS)
    )
    return "-".join(groups)


def add_person(
    *,
    username: str,
    role: str,
    space_slug: str,
    by: Actor,
    now: datetime,
    password: str = "",
) -> AddedPerson:
    """Give a person a role in a space, and a login if they have none.

    Two commands of the core, each whole: repeated after a failure it goes on where it stopped.
    **Raises**: InvalidInput for a role or name that cannot be; NotFound for the space.
    """
    if role not in Role.values:
        raise InvalidInput(
            f"There is no role called {role}. Choose one of {', '.join(Role.values)}.",
            field="role",
        )
    space = Space.objects.filter(slug=space_slug).first()
    if space is None:
        raise NotFound(f"There is no space called {space_slug}. Make it with create_space.")
    user = User.objects.filter(username=username).first()
    chosen = ""
    if user is None:
        chosen = password or new_password()
        user = create_login(username=username, password=chosen, by=by)
    widen_login(user_id=user.pk, role=role, by=by)
    scope.add_membership(space_id=space.pk, user_id=user.pk, role=role, by=by, now=now)
    return AddedPerson(username=username, role=role, password=chosen)


@transaction.atomic(durable=True)
def create_login(*, username: str, password: str, by: Actor) -> User:
    """Create a user and say so in the system's chain.

    **Raises**: InvalidInput for a name Django does not take.
    """
    try:
        User(username=username).clean_fields(exclude=["password"])
    except ValidationError as error:
        raise InvalidInput(
            "A user name has up to 150 letters, digits and @ . + - _ only.", field="username"
        ) from error
    user = User.objects.create_user(username, password=password)
    audit.append(
        space_id=None,
        by=by,
        action="user.create",
        object_type="user",
        object_id=str(user.pk),
        payload={"username": username},
    )
    return user


@transaction.atomic(durable=True)
def widen_login(*, user_id: int, role: str, by: Actor) -> None:
    """Open the administration pages to roles that work there, once.

    Nobody becomes a superuser: who administers one space could then take any login of another.
    """
    if role not in STAFF_ROLES:
        return
    if User.objects.filter(pk=user_id, is_staff=False).update(is_staff=True):
        audit.append(
            space_id=None,
            by=by,
            action="user.change",
            object_type="user",
            object_id=str(user_id),
            reason_code=role,
            payload={"is_staff": True},
        )
