"""The page in the place of a card whose words were erased."""

from dataclasses import dataclass

from knowledge.queries import erasures
from knowledge.queries.erasures import ErasureRow
from workbench.access import Seat
from workbench.pages.shell import Shell, shell
from workbench.privacy_access import may_see_privacy


@dataclass(frozen=True, slots=True)
class GoneView:
    """What is left of an erased card: when it went, and by which erasure."""

    shell: Shell
    erased: ErasureRow
    sees_erasures: bool


def gone_view(proposal_id: int, *, seat: Seat, keys_on: bool) -> GoneView | None:
    """Build the page, or None where no erasure emptied the card. **Cost**: two queries."""
    erased = erasures.erasure_of("proposals", proposal_id, space_id=seat.space_id)
    if erased is None:
        return None
    return GoneView(
        shell=shell(title="Erased", seat=seat, current="queue", keys_on=keys_on),
        erased=erased,
        sees_erasures=may_see_privacy(seat),
    )
