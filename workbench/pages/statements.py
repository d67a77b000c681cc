"""Statements: the list of what is believed, and one with its lineage."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from knowledge.queries import erasures
from knowledge.queries.blind import compared_on
from knowledge.queries.contests import Contested
from knowledge.queries.erasures import ErasureRow
from knowledge.queries.lineage import (
    STATEMENTS_A_PAGE,
    Lineage,
    ListedStatement,
    VersionRow,
    statements,
)
from knowledge.queries.near import Near, nearest_beliefs
from knowledge.queries.review import Expected
from knowledge.queries.why import Why, predictions_behind, why
from workbench import vocabulary
from workbench.access import Seat
from workbench.masking import masked_if
from workbench.pages.compared import ComparedLine, lines_of
from workbench.pages.shell import Shell, shell
from workbench.privacy_access import may_ask, may_see_privacy
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
class Said:
    """What went wrong with a press. **Shape**: ``lost`` says what happened meanwhile."""

    lost: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class StatementView:
    """One statement's page.

    **Shape**: ``chosen`` is the believed version that decisions are about, None where nothing of
    the statement is believed; ``nearest`` are other beliefs it may be the same as, none for who
    may not decide; ``why`` stands behind ``shown``; ``erased`` is the erasure that emptied it.
    """

    shell: Shell
    statement: Lineage
    rows: tuple[LineageRow, ...]
    plot: Plot
    chosen: VersionRow | None
    shown: VersionRow
    nearest: tuple[Near, ...]
    why: Why | None
    expected: tuple[Expected, ...]
    opened_at: datetime
    said: Said
    erased: ErasureRow | None = None
    compared: tuple[ComparedLine, ...] = ()
    retract_reasons: tuple[tuple[str, str], ...] = vocabulary.RETRACT_REASONS
    refute_reasons: tuple[tuple[str, str], ...] = vocabulary.REFUTE_REASONS

    @property
    def may_decide(self) -> bool:
        """Tell whether this person decides what is believed here."""
        return self.shell.seat.may_decide

    @property
    def may_erase(self) -> bool:
        """Tell whether this person may ask for its erasure, and there is anything to erase."""
        return may_ask(self.shell.seat) and not self.statement.current.redacted

    @property
    def sees_erasures(self) -> bool:
        """Tell whether this person may look at the erasure."""
        return may_see_privacy(self.shell.seat)

    @property
    def contests(self) -> tuple[Contested, ...]:
        """Return the open contests of the statement."""
        return self.statement.contests


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


def statement_view(
    found: Lineage,
    *,
    seat: Seat,
    now: datetime,
    keys_on: bool,
    version_id: int | None = None,
    said: Said,
) -> StatementView:
    """Build a statement's page, about the version asked for. **Cost**: 19 queries at most."""
    chosen = found.standing(version_id)
    shown = chosen or found.current
    behind = why(shown.id, space_id=found.space_id)
    title = masked_if(found.current.text, flags=found.current.flags) or f"Statement {found.id}"
    redacted = any(row.redacted for row in found.versions)
    return StatementView(
        shell=shell(title=title, seat=seat, current="statements", keys_on=keys_on),
        statement=found,
        rows=tuple(
            LineageRow(row, difference(row.before, row.text) if row.before else None)
            for row in found.versions
        ),
        plot=plot(found.versions, now=now, zone=seat.zone),
        chosen=chosen,
        shown=shown,
        nearest=_nearest(found, chosen) if seat.may_decide else (),
        why=behind,
        expected=predictions_behind(behind) if behind else (),
        opened_at=now,
        said=said,
        erased=erasures.erasure_of("statements", found.id, space_id=found.space_id)
        if redacted
        else None,
        compared=lines_of(
            compared_on(*{row.proposal_id for row in found.versions if row.proposal_id})
        ),
    )


def _nearest(found: Lineage, chosen: VersionRow | None) -> tuple[Near, ...]:
    if chosen is None:
        return ()
    return nearest_beliefs(
        chosen.text, space_id=found.space_id, subject_id=found.subject_id, besides=found.id
    )
