"""Working a run out: what it takes is counted, and what goes wrong is said in the run itself."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from extraction.engines.metering import Meter, metered, run_meter
from extraction.errors import ExtractionError
from knowledge.commands import proposals
from knowledge.errors import Conflict, KnowledgeError
from knowledge.results import RunOutcome


@contextmanager
def metered_run(run_id: int, *, began: float, beside: dict[str, Any]) -> Iterator[Meter]:
    """Count the calls of a run, and let it fail readably where its work fails.

    ``beside`` is put into the usage of a run that fails. What another worker or an erasure came
    between is no failure of the run.
    """
    meter = run_meter()
    try:
        with metered(meter):
            yield meter
    except Conflict:
        raise
    except Exception as error:
        proposals.fail_run(
            run_id=run_id,
            error=told(error),
            usage=beside | meter.usage(),
            duration_ms=since(began),
        )
        raise


def counted(outcome: RunOutcome, *, meter: Meter, beside: dict[str, Any]) -> RunOutcome:
    """Put into an outcome what its calls took, beside what the engine counted itself."""
    return replace(outcome, usage=outcome.usage | beside | meter.usage())


def told(error: Exception) -> str:
    """Say what went wrong to the person who looks at the run.

    Whatever is not a sentence of ours may quote anything, so only its kind is named.
    """
    if isinstance(error, ExtractionError | KnowledgeError):
        return str(error)
    return f"Something unexpected went wrong ({type(error).__name__}). The worker’s log says more."


def since(began: float) -> int:
    """Return the milliseconds since a second of the monotonic clock."""
    return round(1000 * (time.monotonic() - began))
