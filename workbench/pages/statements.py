"""Statements: the list of what is believed, and one with its lineage."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from knowledge.queries.lineage import (
    STATEMENTS_A_PAGE,
    Lineage,
    ListedStatement,
    VersionRow,
    statements,
)
from workbench.access import Seat
from workbench.pages.shell import Shell, shell
from workbench.svg.bitemporal import Plot, plot
from workbench.wording import Difference, difference


@dataclass(frozen=True, slots=True)
class StatementsView:
    """What is believed now, a page of it."""

    shell: Shell
    rows: tuple[ListedStatement, ...]
    words: str
    next_url: str


@dataclass(frozen=True, slots=True)
class LineageRow:
    """A version and how it differs from the one it followed."""

    version: VersionRow
    change: Difference | None


@dataclass(frozen=True, slots=True)
class StatementView:
    """One statement's page."""

    shell: Shell
    statement: Lineage
    rows: tuple[LineageRow, ...]
    plot: Plot


def statements_view(
    *, seat: Seat, words: str, subject: int | None, after: int | None, keys_on: bool
) -> StatementsView:
    """Build the list of statements. **Cost**: two queries."""
    found = statements(space_id=seat.space_id, words=words, subject=subject, after=after)
    rows = found[:STATEMENTS_A_PAGE]
    more = {"q": words, "subject": subject or "", "after": rows[-1].version_id if rows else ""}
    return StatementsView(
        shell=shell(title="Statements", seat=seat, current="statements", keys_on=keys_on),
        rows=rows,
        words=words,
        next_url=f"{reverse('statements')}?{urlencode(more)}" if len(found) > len(rows) else "",
    )


def statement_view(found: Lineage, *, seat: Seat, now: datetime, keys_on: bool) -> StatementView:
    """Build a statement's page."""
    title = found.current.text or f"Statement {found.id}"
    return StatementView(
        shell=shell(title=title, seat=seat, current="statements", keys_on=keys_on),
        statement=found,
        rows=tuple(
            LineageRow(row, difference(row.before, row.text) if row.before else None)
            for row in found.versions
        ),
        plot=plot(found.versions, now=now, zone=seat.zone),
    )
