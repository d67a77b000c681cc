"""The page of attributes: what holds one value at a time, and what a switch would mean."""

from dataclasses import dataclass, field

from knowledge.queries.attributes import AttributeRow, attributes_of
from workbench.access import Seat
from workbench.attribute_forms import HOLDS
from workbench.pages.shell import Shell, shell


@dataclass(frozen=True, slots=True)
class Line:
    """One attribute as the page shows it. ``follows`` says what switching it would mean."""

    row: AttributeRow
    follows: str

    @property
    def switch_to(self) -> str:
        """What the form of the line posts."""
        return "many" if self.row.single_valued else "one"


@dataclass(frozen=True, slots=True)
class Draft:
    """What the form for a new attribute holds, and what was wrong with it by field."""

    key: str = ""
    holds: str = ""
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttributesView:
    """Every attribute of the space."""

    shell: Shell
    lines: tuple[Line, ...]
    may_manage: bool
    draft: Draft
    choices: tuple[tuple[str, str], ...] = HOLDS
    error: str = ""


def attributes_view(
    *, seat: Seat, keys_on: bool, may_manage: bool, draft: Draft | None = None, error: str = ""
) -> AttributesView:
    """Build the page. **Cost**: three queries."""
    rows = attributes_of(seat.space_id)
    return AttributesView(
        shell=shell(title="Attributes", seat=seat, current="attributes", keys_on=keys_on),
        lines=tuple(Line(row, follows(row)) for row in rows),
        may_manage=may_manage,
        draft=draft or Draft(),
        error=error,
    )


def follows(row: AttributeRow) -> str:
    """Say in words what switching the attribute would mean for what is believed."""
    if row.single_valued:
        return (
            "What is approved from now on may stand beside what is believed. "
            "Nothing believed changes."
        )
    words = "What is approved from now on holds one value at a time."
    if not row.believed:
        return words
    words += " What is believed already stays as it is and does not stand in the way."
    if row.crowded:
        holders = "one holder has" if row.crowded == 1 else f"{row.crowded} holders have"
        words += f" Now {holders} several values for the same time: they stay until someone decides"
        words += " about them."
    return words
