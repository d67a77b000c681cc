"""What a run's calls to a model cost, counted as they are made, and stopped where it is too much.

The pipeline opens one meter per run; engines find it without being handed it, so that the seam
of four calls stays as it is.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings

from extraction.errors import BudgetExceeded

MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a model, with all the attempts it took.

    **Shape**: ``prompt`` is name and version of the prompt file; ``mode`` how the answer was held
    to JSON. ``is_measured`` is False where the server did not say its tokens and they are
    estimated. **Units**: tokens; ``cost_micro`` millionths of the currency prices are given in,
    None without prices; ``ms`` milliseconds, waiting included.
    """

    purpose: str
    model: str
    prompt: str
    mode: str
    input_tokens: int
    output_tokens: int
    cost_micro: int | None
    ms: int
    attempts: int
    temperature: float | None = None
    is_measured: bool = True


@dataclass(frozen=True, slots=True)
class Budget:
    """The most one run may use; None is no limit.

    **Units**: tokens in and out; millionths of the currency; seconds from the meter's making.
    """

    tokens: int | None = None
    cost_micro: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Meter:
    """Counts the calls of one run against its budget."""

    budget: Budget = Budget()
    calls: list[Call] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    @property
    def ends_at(self) -> float | None:
        """The monotonic second by which the run's last question must be answered."""
        return None if self.budget.seconds is None else self.began + self.budget.seconds

    @property
    def tokens(self) -> int:
        """Count the tokens used so far, in and out."""
        return sum(call.input_tokens + call.output_tokens for call in self.calls)

    @property
    def cost_micro(self) -> int | None:
        """Sum the cost so far; None as soon as one call has no price."""
        costs = [call.cost_micro for call in self.calls]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def check(self, *, tokens: int, cost_micro: int | None) -> None:
        """Refuse a call that would exceed the budget, before it is made.

        **Units**: the tokens and millionths the call is expected to use.
        **Raises**: BudgetExceeded.
        """
        self._compare(tokens=self.tokens + tokens, cost_micro=self._known_cost(cost_micro))

    def add(self, call: Call) -> None:
        """Count a call that was made, also one that used more than was left.

        Its answer is paid for, and throwing it away would only have it paid for again; the next
        call is refused.
        """
        self.calls.append(call)

    def usage(self) -> dict[str, Any]:
        """Give what a run stores: every call, and the sums."""
        return {
            "calls": [asdict(call) for call in self.calls],
            "input_tokens": sum(call.input_tokens for call in self.calls),
            "output_tokens": sum(call.output_tokens for call in self.calls),
            "cost_micro": self.cost_micro if self.calls else None,
        }

    def _known_cost(self, more: int | None) -> int:
        return sum(call.cost_micro or 0 for call in self.calls) + (more or 0)

    def _compare(self, *, tokens: int, cost_micro: int) -> None:
        most, dearest = self.budget.tokens, self.budget.cost_micro
        if most is not None and tokens > most:
            raise BudgetExceeded(
                f"This run would use about {tokens:,} tokens and may use {most:,}. "
                "Raise LLM_RUN_TOKENS, or let episodes be shorter."
            )
        if dearest is not None and cost_micro > dearest:
            raise BudgetExceeded(
                f"This run would cost about {cost_micro / MICRO:.4f} and may cost "
                f"{dearest / MICRO:.4f}. Raise LLM_RUN_COST, or let episodes be shorter."
            )


def run_meter() -> Meter:
    """Give a fresh meter with the budget this installation allows one run."""
    cost = settings.LLM_RUN_COST
    return Meter(
        Budget(
            tokens=settings.LLM_RUN_TOKENS or None,
            cost_micro=None if cost is None else round(cost * MICRO),
            seconds=settings.LLM_RUN_S or None,
        )
    )


@contextmanager
def metered(meter: Meter) -> Iterator[Meter]:
    """Let every call inside be counted by a meter."""
    token = _current.set(meter)
    try:
        yield meter
    finally:
        _current.reset(token)


def current() -> Meter | None:
    """Give the meter of the run that is being worked out, if one is open."""
    return _current.get()


_current: ContextVar[Meter | None] = ContextVar("meter", default=None)
