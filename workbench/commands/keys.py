"""Keys for agents: made once, shown once, revoked for good."""

import hashlib
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from knowledge import policies
from knowledge.commands import audit
from knowledge.commands.sources import ensure_subject
from knowledge.errors import Conflict, InvalidInput, NotAllowed, NotFound
from knowledge.models import Space
from knowledge.results import Actor, SubjectRef
from workbench.models import ApiKey, ApiKeySubject, Scope

DEFAULT_DAYS = 90
MOST_DAYS = 730
TOKEN_FORM = re.compile(r"mwk_(?P<prefix>[a-z0-9]{8})_(?P<secret>[A-Za-z0-9_-]{43})")

_PREFIX_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
# Often enough to see that a key is alive, seldom enough that reading does not become writing.
_USE_IS_NOTED_EVERY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key just made. ``token`` is the only copy there will ever be."""

    key_id: int
    name: str
    prefix: str
    token: str
    expires_at: datetime


@transaction.atomic(durable=True)
def create_key(
    *,
    space_slug: str,
    name: str,
    subjects: Collection[SubjectRef],
    scopes: Collection[str],
    by: Actor,
    now: datetime,
    days: int = DEFAULT_DAYS,
    form_id: UUID | None = None,
) -> NewKey:
    """Make a key for fixed subjects of one space.

    A subject that has no memory yet is made, so that a key can exist before its first capture.

    **Units**: ``days`` until it expires. **Raises**: NotAllowed, NotFound, InvalidInput; Conflict
    for a form that made a key already.
    """
    space = Space.objects.filter(slug=space_slug).first()
    if space is None:
        raise NotFound(f"There is no space called {space_slug}. Make it with create_space.")
    _check_may_manage(by, space_id=space.pk, now=now)
    _check(name=name, subjects=subjects, scopes=scopes, days=days)
    prefix = "".join(secrets.choice(_PREFIX_LETTERS) for _ in range(8))
    secret = secrets.token_urlsafe(32)
    key = _insert(
        space=space,
        name=name.strip(),
        prefix=prefix,
        digest=digest_of(secret),
        scopes=sorted(set(scopes)),
        created_by_id=by.user_id,
        created_at=now,
        expires_at=now + timedelta(days=days),
        form_id=form_id,
    )
    bound = {ensure_subject(space_id=space.pk, ref=ref, now=now).pk for ref in subjects}
    ApiKeySubject.objects.bulk_create([ApiKeySubject(key=key, subject_id=pk) for pk in bound])
    audit.append(
        space_id=space.pk,
        by=by,
        action="key.create",
        object_type="key",
        object_id=prefix,
        payload={
            "name": key.name,
            "scopes": key.scopes,
            "subjects": sorted(str(ref) for ref in subjects),
            "expires_at": key.expires_at,
        },
    )
    token = f"mwk_{prefix}_{secret}"
    return NewKey(key.pk, key.name, prefix, token, key.expires_at)


@transaction.atomic(durable=True)
def revoke_key(*, key_id: int, space_id: int, typed_prefix: str, by: Actor, now: datetime) -> None:
    """End a key at once and for good; it stays listed.

    ``typed_prefix`` must be the key's: whoever revokes has looked at which one.

    **Raises**: NotAllowed; NotFound in another space; InvalidInput for another prefix; Conflict
    when it is revoked already.
    """
    _check_may_manage(by, space_id=space_id, now=now)
    key = ApiKey.objects.select_for_update().filter(pk=key_id, space_id=space_id).first()
    if key is None:
        raise NotFound("There is no such key in this space.")
    if typed_prefix != key.prefix:
        raise InvalidInput(
            f"Type {key.prefix} to revoke this key; nothing was changed.", field="prefix"
        )
    if key.revoked_at is not None:
        raise Conflict("This key is revoked already.")
    key.revoked_at = now
    key.save(update_fields=["revoked_at"])
    audit.append(
        space_id=space_id, by=by, action="key.revoke", object_type="key", object_id=key.prefix
    )


def note_use(*, key_id: int, now: datetime) -> None:
    """Remember that a key was used, at most once every five minutes."""
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - _USE_IS_NOTED_EVERY)
    ApiKey.objects.filter(stale, pk=key_id).update(last_used_at=now)


def digest_of(secret: str) -> bytes:
    """Return what is stored of a secret: it has 256 random bits."""
    return hashlib.sha256(secret.encode()).digest()


def _insert(**values: Any) -> ApiKey:
    try:
        with transaction.atomic():
            return ApiKey.objects.create(**values)
    except IntegrityError as error:
        if "form_id" not in str(error):
            raise
        raise Conflict("That key was made already; it is shown only once.") from error


def _check_may_manage(by: Actor, *, space_id: int, now: datetime) -> None:
    """The terminal may, since whoever has it has the database; of the others only people."""
    if by.kind == "system":
        return
    if by.kind != "user":
        raise NotAllowed("Only a person may manage keys.")
    policies.check_can_manage_keys(user_id=by.user_id, space_id=space_id, now=now)


def _check(
    *, name: str, subjects: Collection[SubjectRef], scopes: Collection[str], days: int
) -> None:
    if not 1 <= len(name.strip()) <= 100:
        raise InvalidInput("Give the key a name of up to 100 characters.", field="name")
    if not subjects:
        raise InvalidInput(
            "Name at least one subject, such as user:ana: a key reads nothing else.",
            field="subject",
        )
    unknown = sorted(set(scopes) - set(Scope.values))
    if unknown or not scopes:
        given = f"There is no scope called {unknown[0]}." if unknown else "Choose a scope."
        raise InvalidInput(f"{given} Scopes are {', '.join(Scope.values)}.", field="scopes")
    if not 1 <= days <= MOST_DAYS:
        raise InvalidInput(
            f"A key lives between 1 and {MOST_DAYS} days; {days} is outside.", field="expires_days"
        )
