"""What a run took of a model: its calls, tokens and cost, as stored with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CallMade:
    """One question to a model. **Units**: tokens; ``cost_micro`` millionths; ``ms`` milliseconds.

    **Shape**: ``cost_micro`` is None without prices; ``is_measured`` says that the server told
    its tokens, and that they are not estimated.
    """

    purpose: str
    model: str
    prompt: str
    input_tokens: int
    output_tokens: int
    cost_micro: int | None
    ms: int
    attempts: int
    is_measured: bool


@dataclass(frozen=True, slots=True)
class Usage:
    """The calls of a run and their sums. **Units**: tokens; millionths of the currency of prices.

    **Shape**: ``earlier_tokens`` were used by attempts that failed before this one.
    """

    calls: tuple[CallMade, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micro: int | None = None
    earlier_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Return the tokens in and out."""
        return self.input_tokens + self.output_tokens

    @property
    def cost(self) -> float | None:
        """Return the cost in the currency of the prices."""
        return None if self.cost_micro is None else self.cost_micro / 1_000_000

    @property
    def is_estimated(self) -> bool:
        """Tell whether a server left its tokens unsaid."""
        return not all(call.is_measured for call in self.calls)


def usage_of(stored: Mapping[str, Any]) -> Usage:
    """Read what a run stored; runs without a model, and old ones, stored no calls."""
    earlier = stored.get("earlier") or {}
    return Usage(
        calls=tuple(_call(call) for call in stored.get("calls") or ()),
        input_tokens=int(stored.get("input_tokens") or 0),
        output_tokens=int(stored.get("output_tokens") or 0),
        cost_micro=stored.get("cost_micro"),
        earlier_tokens=int(earlier.get("input_tokens", 0)) + int(earlier.get("output_tokens", 0)),
    )


def _call(stored: Mapping[str, Any]) -> CallMade:
    return CallMade(
        purpose=str(stored["purpose"]),
        model=str(stored["model"]),
        prompt=str(stored["prompt"]),
        input_tokens=int(stored["input_tokens"]),
        output_tokens=int(stored["output_tokens"]),
        cost_micro=stored["cost_micro"],
        ms=int(stored["ms"]),
        attempts=int(stored["attempts"]),
        is_measured=bool(stored.get("is_measured", True)),
    )
