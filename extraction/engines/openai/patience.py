"""How often, and how long, one question is put again."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from extraction.engines.openai.failures import Failed, Trouble
from extraction.engines.openai.transport import Reply

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
# An attempt that has less time than this is not begun.
LEAST_S = 1.0


@dataclass(frozen=True, slots=True)
class Patience:
    """The most attempts, the most one may take, and the monotonic second all must end by."""

    attempts: int
    timeout_s: float
    ends_at: float

    @property
    def left_s(self) -> float:
        """Seconds until no answer would be waited for any more."""
        return self.ends_at - time.monotonic()


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply and the attempts it took."""

    reply: Reply
    attempts: int


def insist(send: Callable[[float], Reply], *, patience: Patience) -> Answered:
    """Put a question until it is answered, waiting longer each time.

    A server's own wish for patience is honoured, as long as there is time for it.
    **Shape**: ``send`` takes the seconds it may wait. **Raises**: Failed, the last one.
    """
    last = Failed(Trouble.TIME_UP)
    for attempt in range(1, patience.attempts + 1):
        if patience.left_s < LEAST_S:
            break
        try:
            return Answered(send(min(patience.timeout_s, patience.left_s)), attempt)
        except Failed as failure:
            last = failure
        if not last.may_pass or attempt == patience.attempts:
            break
        wait_s = _wait(last, attempt=attempt)
        if wait_s + LEAST_S > patience.left_s:
            break
        time.sleep(wait_s)
    raise last


def _wait(failure: Failed, *, attempt: int) -> float:
    grown = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (attempt - 1))
    jittered = grown * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, protects nothing
    return max(jittered, failure.retry_after_s or 0.0)
