"""The page of keys."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime

from workbench.access import Seat
from workbench.commands.keys import DEFAULT_DAYS, NewKey
from workbench.pages.shell import Shell, shell
from workbench.queries.keys import SCOPES, KeyRow, keys_of_space, subjects_of_space


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to tick."""

    value: str
    label: str
    ticked: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """What the form holds, and what was wrong with it by field."""

    name: str = ""
    days: str = str(DEFAULT_DAYS)
    typed: str = ""
    ticked: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ("retrieve",)
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeysView:
    """Every key of the space. **Shape**: ``made`` is a key just made, shown this once."""

    shell: Shell
    rows: tuple[KeyRow, ...]
    may_manage: bool
    draft: Draft
    subjects: tuple[Option, ...]
    scopes: tuple[Option, ...]
    form_id: str
    made: NewKey | None = None
    error: str = ""


def keys_view(
    *,
    seat: Seat,
    now: datetime,
    keys_on: bool,
    may_manage: bool,
    draft: Draft | None = None,
    made: NewKey | None = None,
    error: str = "",
) -> KeysView:
    """Build the page. **Cost**: four queries."""
    draft = draft or Draft()
    return KeysView(
        shell=shell(title="Keys", seat=seat, current="keys", keys_on=keys_on),
        rows=keys_of_space(seat.space_id, now=now),
        may_manage=may_manage,
        draft=draft,
        subjects=tuple(
            Option(name, name, name in draft.ticked) for name in subjects_of_space(seat.space_id)
        ),
        scopes=tuple(Option(word, label, word in draft.scopes) for word, label in SCOPES),
        form_id=str(uuid.uuid4()),
        made=made,
        error=error,
    )
