"""A person's own decisions, and the sheet of keys."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.queries.blind import compared_of
from knowledge.queries.decisions import OwnDecision, decisions_of
from workbench.access import Seat
from workbench.pages.compared import ComparedLine, lines_of
from workbench.pages.shell import Shell, shell


@dataclass(frozen=True, slots=True)
class MineView:
    """The last decisions of whoever looks, and those that two people took blindly."""

    shell: Shell
    decisions: tuple[OwnDecision, ...]
    compared: tuple[ComparedLine, ...]


@dataclass(frozen=True, slots=True)
class ShortcutsView:
    """The sheet of keys as a page."""

    shell: Shell


def mine_view(*, seat: Seat, now: datetime, keys_on: bool) -> MineView:
    """Build the page of one's own decisions. **Cost**: four queries."""
    return MineView(
        shell=shell(title="My decisions", seat=seat, current="my_decisions", keys_on=keys_on),
        decisions=decisions_of(user_id=seat.user_id, space_id=seat.space_id, now=now),
        compared=lines_of(compared_of(user_id=seat.user_id, space_id=seat.space_id)),
    )


def shortcuts_view(*, seat: Seat, keys_on: bool) -> ShortcutsView:
    """Build the sheet of keys."""
    return ShortcutsView(
        shell=shell(title="Shortcuts", seat=seat, current="shortcuts", keys_on=keys_on)
    )
