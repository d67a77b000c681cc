"""In which order waiting proposals are read, and how a page continues after another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any

from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from knowledge.models import Proposal, ProposalKind

EVERY_NTH_IS_OLDEST = 5
"""So that nothing starves while risk goes first."""

RISK = Case(
    When(Q(kind_suggested=ProposalKind.CONTRADICTION) | ~Q(flags=[]), then=Value(0)),
    When(kind_suggested=ProposalKind.UPDATE, then=Value(1)),
    When(kind_suggested=ProposalKind.NEW, then=Value(2)),
    default=Value(3),
    output_field=IntegerField(),
)


@dataclass(frozen=True, slots=True)
class Order:
    """Columns in turn; a leading minus reads downwards. The last one is unique."""

    columns: tuple[str, ...]

    def sort(self, rows: QuerySet[Proposal]) -> QuerySet[Proposal]:
        """Put the rows in this order."""
        return rows.order_by(*self.columns)

    def key(self, row: Proposal) -> tuple[Any, ...]:
        """Return where the row stands."""
        return tuple(getattr(row, column.lstrip("-")) for column in self.columns)

    def after(self, key: Sequence[Any]) -> Q:
        """Return what comes after a place, whatever left meanwhile."""
        behind, same = Q(pk__in=[]), Q()
        for column, value in zip(self.columns, key, strict=True):
            name = column.lstrip("-")
            behind |= same & Q(**{f"{name}__{'lt' if column.startswith('-') else 'gt'}": value})
            same &= Q(**{name: value})
        return behind


# What a person proposed came from no run. It stands last: a place beside NULL has nothing after it.
CONVERSATION = Coalesce(F("run__episode__conversation_id"), Value(2**63 - 1))
PLACE = Coalesce(F("run_id"), Value(2**63 - 1))

OLDEST = Order(("created_at", "id"))
ORDERS = {
    "risk": Order(("risk", "-surprise", "confidence", "created_at", "id")),
    "oldest": OLDEST,
    "newest": Order(("-created_at", "-id")),
    "confidence": Order(("confidence", "created_at", "id")),
    "conversation": Order(("conversation", "place", "id")),
}


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page ended.

    **Shape**: ``key`` is the last place of the main order, ``oldest`` that of the oldest-first
    stream woven into *risk*; ``phase`` keeps the weave's rhythm.
    """

    key: tuple[Any, ...] | None
    oldest: tuple[datetime, int] | None = None
    phase: int = 0


def ordered(rows: QuerySet[Proposal]) -> QuerySet[Proposal]:
    """Read the columns the orders need, and no others: rows are wide."""
    needed = ("id", "created_at", "surprise", "confidence")
    return rows.only(*needed).annotate(risk=RISK, conversation=CONVERSATION, place=PLACE)


def page_of(
    rows: QuerySet[Proposal], *, sort: str, cursor: Cursor, limit: int
) -> tuple[list[int], Cursor | None]:
    """Return the ids of one page and where the next begins.

    **Shape**: up to ``limit + 1`` ids; the one beyond the page is what comes after its last row.
    **Cost**: one query, two for *risk*.
    """
    order = ORDERS[sort]
    rows = ordered(rows)
    if cursor.key is not None:
        rows = rows.filter(order.after(cursor.key))
    if cursor.oldest is not None:
        rows = rows.filter(OLDEST.after(cursor.oldest))
    main = list(order.sort(rows)[: limit + 1])
    if sort != "risk":
        more = Cursor(key=order.key(main[limit - 1])) if len(main) > limit else None
        return [row.pk for row in main], more
    oldest = list(OLDEST.sort(rows)[: limit + 1])
    return _woven(main, oldest, cursor=cursor, limit=limit)


def _woven(
    main: list[Proposal], oldest: list[Proposal], *, cursor: Cursor, limit: int
) -> tuple[list[int], Cursor | None]:
    taken: list[int] = []
    key, age = cursor.key, cursor.oldest
    end: Cursor | None = None
    streams = (_unseen(main, taken), _unseen(oldest, taken))
    for place in count(cursor.phase):
        if len(taken) == limit:
            end = Cursor(key=key, oldest=age, phase=place % EVERY_NTH_IS_OLDEST)
        turn = (place + 1) % EVERY_NTH_IS_OLDEST == 0
        row = next(streams[turn], None)
        if row is None or len(taken) > limit:
            break
        taken.append(row.pk)
        if turn:
            age = (row.created_at, row.pk)
        else:
            key = ORDERS["risk"].key(row)
    return taken, (end if len(taken) > limit else None)


def _unseen(rows: list[Proposal], taken: list[int]) -> Iterator[Proposal]:
    return (row for row in rows if row.pk not in taken)
