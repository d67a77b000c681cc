"""What tests of erasure share: two officers, all the way of an erasure, a search of every row."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from knowledge.commands import erasure
from knowledge.erasing.plan import plan_of
from knowledge.erasing.scope import ErasureScope
from knowledge.models import Role, Space
from tests.factories import NOW, actor, make_person


@dataclass
class Office:
    """Two privacy officers of a space."""

    space: Space
    asks: User
    confirms: User

    def scope(self, kind: str, target_id: int, **changes: Any) -> ErasureScope:
        """Name what is to be forgotten."""
        return ErasureScope(space_id=self.space.pk, kind=kind, target_id=target_id, **changes)

    def ask(self, scope: ErasureScope, *, note: str = "", blocks: bool = True) -> uuid.UUID:
        """Ask for what the dry run shows now."""
        return erasure.ask(
            scope=scope,
            reason_code="asked_by_subject",
            seen_digest=plan_of(scope).digest,
            request_id=uuid.uuid4(),
            by=actor(self.asks),
            now=NOW,
            note=note,
            blocks=blocks,
        )

    def confirm(self, erasure_id: uuid.UUID, scope: ErasureScope) -> None:
        """Confirm it as the other officer, as the dry run shows it now."""
        erasure.confirm(
            erasure_id=erasure_id,
            seen_digest=plan_of(scope).digest,
            by=actor(self.confirms),
            now=NOW,
        )

    def erase(self, kind: str, target_id: int, *, blocks: bool = True, **changes: Any) -> Any:
        """Ask, confirm and carry out; the certificate."""
        scope = self.scope(kind, target_id, **changes)
        erasure_id = self.ask(scope, note="as agreed", blocks=blocks)
        self.confirm(erasure_id, scope)
        return erasure.carry_out(erasure_id=erasure_id, now=NOW)


def make_office(space: Space) -> Office:
    """Seat two privacy officers in a space."""
    return Office(
        space=space,
        asks=make_person(space, role=Role.PRIVACY),
        confirms=make_person(space, role=Role.PRIVACY),
    )


def rows_holding(word: str) -> dict[str, int]:
    """Count, table by table, the rows that hold a word in any column."""
    found: dict[str, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables "
            "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        )
        for (table,) in cursor.fetchall():
            cursor.execute(
                f"SELECT count(*) FROM {table} t WHERE strpos(lower(t::text), lower(%s)) > 0",
                [word],
            )
            row = cursor.fetchone()
            if row and row[0]:
                found[table] = row[0]
    return found
