"""The page of the rules a space decides by, and of those it decided by before."""

from dataclasses import dataclass, field

from knowledge.blindness import DEFAULT_SHARE
from knowledge.queries.rules import GuidelineRow, PolicyRow, guidelines_of, policies_of
from workbench import vocabulary
from workbench.access import Seat
from workbench.pages.shell import Shell, shell


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """A policy in words."""

    row: PolicyRow
    four_eyes: str
    means: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What the forms hold, and what was wrong with them by field."""

    four_eyes: str = ""
    expire_after_days: str = ""
    blind_share: str = str(DEFAULT_SHARE)
    markdown: str | None = None
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PolicyView:
    """The rules of the space. **Shape**: the first of each list is in force."""

    shell: Shell
    policies: tuple[PolicyLine, ...]
    guidelines: tuple[GuidelineRow, ...]
    may_govern: bool
    draft: Draft
    error: str = ""
    choices: tuple[tuple[str, str, str], ...] = vocabulary.FOUR_EYES

    @property
    def markdown(self) -> str:
        """Return what the guideline's form holds: what was written, else what is in force."""
        if self.draft.markdown is not None:
            return self.draft.markdown
        return self.guidelines[0].markdown if self.guidelines else ""


def policy_view(
    *, seat: Seat, keys_on: bool, may_govern: bool, draft: Draft | None = None, error: str = ""
) -> PolicyView:
    """Build the page. **Cost**: three queries."""
    rows = policies_of(seat.space_id)
    return PolicyView(
        shell=shell(title="Policy", seat=seat, current="policy", keys_on=keys_on),
        policies=tuple(_line(row) for row in rows),
        guidelines=guidelines_of(seat.space_id),
        may_govern=may_govern,
        draft=draft or _in_force(rows),
        error=error,
    )


def _in_force(rows: tuple[PolicyRow, ...]) -> Draft:
    """Fill the form with what holds now: changing one rule must not change the other by slip."""
    if not rows:
        return Draft(four_eyes="never")
    days = rows[0].expire_after_days
    return Draft(
        four_eyes=rows[0].four_eyes,
        expire_after_days="" if days is None else str(days),
        blind_share=str(rows[0].blind_share),
    )


def _line(row: PolicyRow) -> PolicyLine:
    words = {word: (label, means) for word, label, means in vocabulary.FOUR_EYES}
    label, means = words[row.four_eyes]
    return PolicyLine(row=row, four_eyes=label, means=means)
