"""What two readers of one card decided, in words: the first, and the second who did not know."""

from dataclasses import dataclass

from django.urls import reverse

from knowledge.queries.blind import Compared
from workbench import vocabulary
from workbench.masking import masked_if

_VERDICTS = {"approve": "approved it", "reject": "rejected it"}


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """Two readers of one card in words. **Shape**: ``url`` leads to the proposal."""

    row: Compared
    text: str
    first: str
    second: str
    url: str

    @property
    def agrees(self) -> bool:
        """Tell whether both kept it, or both did not."""
        return self.row.agrees


def lines_of(rows: tuple[Compared, ...]) -> tuple[ComparedLine, ...]:
    """Put comparisons in words for whoever looks."""
    return tuple(
        ComparedLine(
            row=row,
            text=masked_if(row.text, flags=row.flags),
            first=_said(row.first_verdict, row.first_reason),
            second=_said(row.second_verdict, row.second_reason),
            url=reverse("review", args=[row.proposal_id]),
        )
        for row in rows
    )


def told(row: Compared) -> str:
    """Tell the second reader, after their answer, what the first had decided."""
    what = _said(row.first_verdict, row.first_reason)
    if row.agrees:
        return f"Recorded. You agree with {row.first_by}, who {what}."
    return f"Recorded. You see it differently from {row.first_by}, who {what}."


def _said(verdict: str, reason: str) -> str:
    why = vocabulary.WHY.get(reason, vocabulary.plain(reason))
    return f"{_VERDICTS[verdict]}: {why}" if why else _VERDICTS[verdict]
