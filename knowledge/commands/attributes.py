"""What a space knows of its attributes: one value at a time, or many."""

import re
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from knowledge import policies
from knowledge.commands import audit
from knowledge.errors import InvalidInput
from knowledge.models import Attribute
from knowledge.results import Actor

LONGEST_KEY = 64
_KEY = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class AttributeSet:
    """What became of an attribute. ``was`` is None where the space did not know it before."""

    key: str
    single_valued: bool
    was: bool | None

    @property
    def is_changed(self) -> bool:
        """Whether anything was written."""
        return self.was is not self.single_valued


@transaction.atomic(durable=True)
def set_attribute(
    *, space_id: int, key: str, single_valued: bool, by: Actor, now: datetime
) -> AttributeSet:
    """Say how many values of an attribute a subject may hold at a time; twice changes nothing.

    It holds for what is approved from then on. Versions keep the slot they were opened with, so
    that nothing believed is rewritten, even where statements overlap in what holds one now.

    **Raises**: NotAllowed for whoever is no administrator; InvalidInput for a key of another form.
    """
    _check_may_manage(by, space_id=space_id, now=now)
    _check_key(key)
    row, is_new = Attribute.objects.select_for_update().get_or_create(
        space_id=space_id, key=key, defaults={"single_valued": single_valued}
    )
    done = AttributeSet(key, single_valued, was=None if is_new else row.single_valued)
    if not done.is_changed:
        return done
    if not is_new:
        row.single_valued = single_valued
        row.save(update_fields=["single_valued"])
    audit.append(
        space_id=space_id,
        by=by,
        action="attribute.add" if is_new else "attribute.change",
        object_type="attribute",
        object_id=key,
        reason_code="single_valued" if single_valued else "many_valued",
    )
    return done


def _check_may_manage(by: Actor, *, space_id: int, now: datetime) -> None:
    """The terminal may, since whoever has it has the database; of the others only people."""
    if by.kind != "system":
        policies.check_can_manage_attributes(user_id=by.user_id, space_id=space_id, now=now)


def _check_key(key: str) -> None:
    if not key:
        raise InvalidInput("Give the attribute a key, such as home_city.", field="key")
    if len(key) > LONGEST_KEY:
        raise InvalidInput(
            f"A key has at most {LONGEST_KEY} characters; this one has {len(key)}.", field="key"
        )
    if not _KEY.fullmatch(key):
        raise InvalidInput(
            "Write the key in small letters, digits and underscores, beginning with a letter:"
            " home_city.",
            field="key",
        )
