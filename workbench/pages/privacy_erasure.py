"""One erasure as pages: the dry run, the request another person confirms, the certificate."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from knowledge import policies
from knowledge.erasing.plan import Falling, LosingWords, Plan, Staying, plan_of
from knowledge.erasing.scope import ErasureScope, Span
from knowledge.errors import InvalidInput, NotFound
from knowledge.queries import erasures
from knowledge.queries.erasures import ErasureRow
from workbench import privacy_words
from workbench.access import Seat
from workbench.pages.privacy import scope_of, title_of_row
from workbench.pages.shell import Shell, shell
from workbench.privacy_access import may_ask

MOST_WITHOUT_TYPING = 25
LONGEST_SHOWN = 700
BESIDE_A_SPAN = 160
OPEN_AT_FIRST = 12


@dataclass(frozen=True, slots=True)
class Count:
    """How many of something, in words, and what happens to them."""

    number: int
    noun: str
    fate: str


@dataclass(frozen=True, slots=True)
class Losing:
    """A message that loses words. **Units**: ``spans`` in code points of the shown ``text``."""

    message: LosingWords
    text: str
    spans: tuple[Span, ...]
    begins_later: bool
    ends_earlier: bool


@dataclass(frozen=True, slots=True)
class Effect:
    """What an erasure would do, as the pages show it.

    **Shape**: ``falls`` is how many statements, proposals and messages lose words; the lists hold
    the first of them, ``more_*`` how many others there are.
    """

    plan: Plan
    counts: tuple[Count, ...]
    falling: tuple[Falling, ...]
    more_falling: int
    losing: tuple[Losing, ...]
    more_losing: int
    staying: tuple[Staying, ...]
    falls: int
    others: int

    @property
    def must_type(self) -> bool:
        """Tell whether so much falls that a number has to be typed."""
        return self.falls > MOST_WITHOUT_TYPING

    @property
    def opens_falling(self) -> bool:
        """Tell whether what falls is little enough to be shown at once."""
        return len(self.falling) <= MOST_WITHOUT_TYPING

    @property
    def opens_losing(self) -> bool:
        """Tell whether the messages are few enough to be shown at once."""
        return len(self.losing) <= OPEN_AT_FIRST


@dataclass(frozen=True, slots=True)
class AskDraft:
    """What the form that asks holds, and what was wrong with it by field."""

    reason: str = ""
    note: str = ""
    blocks: bool = True
    errors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DryRunView:
    """What erasing something would do. **Shape**: no ``effect`` where ``error`` says why."""

    shell: Shell
    scope: ErasureScope
    effect: Effect | None
    draft: AskDraft
    may_ask: bool
    lost: str = ""
    error: str = ""
    words_error: str = ""
    reasons: tuple[tuple[str, str], ...] = privacy_words.REASONS


@dataclass(frozen=True, slots=True)
class Certificate:
    """What went, by whose word, and what follows later. **Shape**: no words of what it was."""

    done_at: datetime | None
    counts: tuple[Count, ...]
    follows_later: tuple[str, ...]
    tombstones: tuple[int, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class ErasureView:
    """One erasure. **Shape**: ``effect`` while it is open, ``certificate`` once it is done."""

    shell: Shell
    row: ErasureRow
    title: str
    state: str
    tone: str
    kind: str
    effect: Effect | None
    gone: str
    failure: str
    certificate: Certificate | None
    is_own: bool
    may_confirm: bool
    may_withdraw: bool
    lost: str = ""
    error: str = ""
    confirm_error: str = ""
    typed: str = ""

    @property
    def number_to_type(self) -> int:
        """Return the number whoever confirms has to type; 0 where so little falls that none is."""
        must = self.may_confirm and self.effect is not None and self.effect.must_type
        return self.effect.falls if must and self.effect else 0

    @property
    def has_changed(self) -> bool:
        """Tell whether it reaches other things than when it was asked for."""
        return self.effect is not None and self.effect.plan.digest != self.row.digest


def dry_run_view(
    scope: ErasureScope,
    *,
    seat: Seat,
    keys_on: bool,
    draft: AskDraft | None = None,
    lost: str = "",
    error: str = "",
) -> DryRunView:
    """Build the dry run. **Raises**: NotFound where there is no such thing to erase.

    **Cost**: as ``plan_of``.
    """
    words_error = ""
    try:
        effect: Effect | None = effect_of(plan_of(scope))
    except InvalidInput as wrong:
        effect, words_error = None, str(wrong)
    return DryRunView(
        shell=shell(title="What erasing would do", seat=seat, current="privacy", keys_on=keys_on),
        scope=scope,
        effect=effect,
        draft=draft or AskDraft(),
        may_ask=may_ask(seat),
        lost=lost,
        error=error,
        words_error=words_error,
    )


def erasure_view(
    row: ErasureRow,
    *,
    seat: Seat,
    now: datetime,
    keys_on: bool,
    **said: str,
) -> ErasureView:
    """Build the page of one erasure; ``said`` holds what went wrong, if anything.

    **Cost**: as ``plan_of`` while it is open, else five queries.
    """
    state, tone = privacy_words.STATES[row.state]
    effect, gone = _live(row) if row.is_open else (None, "")
    may_confirm = row.is_open and policies.can_confirm_erasure(
        user_id=seat.user_id, asked_by_id=row.asked_by_id, space_id=row.space_id, now=now
    )
    is_own = row.asked_by_id == seat.user_id
    title = effect.plan.title if effect else title_of_row(row)
    return ErasureView(
        shell=shell(title=f"Erasure: {state}", seat=seat, current="privacy", keys_on=keys_on),
        row=row,
        title=title,
        state=state,
        tone=tone,
        kind=privacy_words.KINDS[row.kind],
        effect=effect,
        gone=gone,
        failure=erasures.failure_of(row.id) if row.is_under_way else "",
        certificate=_certificate(row.certificate) if row.certificate else None,
        is_own=is_own,
        may_confirm=may_confirm,
        may_withdraw=row.is_open and (may_confirm or (is_own and may_ask(seat))),
        **said,
    )


def effect_of(plan: Plan) -> Effect:
    """Put a plan into words and excerpts."""
    falling = sorted(plan.falling, key=lambda row: (not row.of_other_subject, not row.is_believed))
    losing = tuple(_losing(row) for row in plan.losing)
    touched = plan.counts["messages"] + plan.counts["messages losing words"]
    return Effect(
        plan=plan,
        counts=counts_in_words(plan.counts),
        falling=tuple(falling),
        more_falling=max(plan.counts["proposals"] - len(falling), 0),
        losing=losing,
        more_losing=max(touched - len(losing), 0),
        staying=plan.staying,
        falls=plan.counts["proposals"] + touched,
        others=sum(row.of_other_subject for row in falling),
    )


def counts_in_words(counts: Mapping[str, int]) -> tuple[Count, ...]:
    """Name what is counted, what people know first; what there is none of is left out."""
    known = [noun for noun in privacy_words.COUNTS if noun in counts]
    others = sorted(noun for noun in counts if noun not in privacy_words.COUNTS)
    return tuple(
        Count(counts[noun], *privacy_words.count_words(noun, counts[noun]))
        for noun in (*known, *others)
        if counts[noun]
    )


def _live(row: ErasureRow) -> tuple[Effect | None, str]:
    """What an open erasure would do now, or why it can do nothing any more."""
    try:
        return effect_of(plan_of(scope_of(row))), ""
    except (NotFound, InvalidInput) as error:
        return None, str(error)


def _losing(row: LosingWords) -> Losing:
    """Cut a long message to what stands around the first words that go."""
    text, spans = row.text, row.spans
    start = 0
    if len(text) > LONGEST_SHOWN and spans:
        start = max(spans[0][0] - BESIDE_A_SPAN, 0)
    end = min(start + LONGEST_SHOWN, len(text))
    shown = ((0, end - start),) if row.whole else tuple((a - start, b - start) for a, b in spans)
    return Losing(
        message=row,
        text=text[start:end],
        spans=shown,
        begins_later=start > 0,
        ends_earlier=end < len(text),
    )


def _certificate(kept: Mapping[str, Any]) -> Certificate:
    return Certificate(
        done_at=parse_datetime(kept["done_at"]),
        counts=counts_in_words(kept["counts"]),
        follows_later=tuple(kept["follows_later"]),
        tombstones=tuple(kept["tombstones"]),
        sha256=kept["sha256"],
    )
