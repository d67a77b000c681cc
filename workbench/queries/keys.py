"""Keys as the screens and the API see them."""

import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from knowledge.models import Subject
from workbench.commands.keys import TOKEN_FORM, digest_of
from workbench.models import ApiKey, Scope

SCOPES: tuple[tuple[str, str], ...] = tuple((scope.value, scope.label) for scope in Scope)

State = Literal["active", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key as it is listed. The secret is not part of it: nothing holds it."""

    id: int
    name: str
    prefix: str
    state: State
    scopes: tuple[str, ...]
    subjects: tuple[str, ...]
    created_by: str
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Grant:
    """What a presented key opens: one space, these subjects, these scopes."""

    key_id: int
    prefix: str
    name: str
    space_id: int
    state: State
    scopes: frozenset[str]
    subject_ids: frozenset[int]
    subjects: tuple[str, ...]


def keys_of_space(space_id: int, *, now: datetime) -> tuple[KeyRow, ...]:
    """List a space's keys, newest first. **Cost**: two queries."""
    rows = (
        ApiKey.objects.filter(space_id=space_id)
        .select_related("created_by")
        .prefetch_related("subjects")
    )
    return tuple(
        KeyRow(
            id=row.pk,
            name=row.name,
            prefix=row.prefix,
            state=_state(row, now=now),
            scopes=tuple(row.scopes),
            subjects=_names(row),
            created_by=row.created_by.get_username() if row.created_by else "the command line",
            created_at=row.created_at,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
            revoked_at=row.revoked_at,
        )
        for row in rows
    )


def subjects_of_space(space_id: int, *, limit: int = 100) -> tuple[str, ...]:
    """List subjects a key could be bound to, by name. **Cost**: one query."""
    rows = Subject.objects.filter(space_id=space_id).order_by("kind", "external_id")
    return tuple(str(row) for row in rows[:limit])


def grant_of(token: str, *, now: datetime) -> Grant | None:
    """Return what a token opens, or None where it is no key.

    The comparison takes as long for a wrong secret as for a right one. **Cost**: two queries.
    """
    form = TOKEN_FORM.fullmatch(token)
    if form is None:
        return None
    key = ApiKey.objects.prefetch_related("subjects").filter(prefix=form["prefix"]).first()
    stored = bytes(key.digest) if key else bytes(32)
    if not hmac.compare_digest(stored, digest_of(form["secret"])) or key is None:
        return None
    return Grant(
        key_id=key.pk,
        prefix=key.prefix,
        name=key.name,
        space_id=key.space_id,
        state=_state(key, now=now),
        scopes=frozenset(key.scopes),
        subject_ids=frozenset(subject.pk for subject in key.subjects.all()),
        subjects=_names(key),
    )


def _state(key: ApiKey, *, now: datetime) -> State:
    if key.revoked_at is not None:
        return "revoked"
    return "active" if key.is_usable(now=now) else "expired"


def _names(key: ApiKey) -> tuple[str, ...]:
    return tuple(sorted(str(subject) for subject in key.subjects.all()))
