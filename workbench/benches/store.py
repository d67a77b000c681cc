"""``bench store``: deciding, reading on both axes, and proving the log."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import connection, connections
from django.utils import timezone

from knowledge.models import Space
from knowledge.queries import chain
from workbench.benches import (
    appending,
    deciding,
    facts,
    inserting,
    processes,
    reading,
    seeding,
    soundness,
)

Say = Callable[[str], None]

WRITERS = 8
PATIENCE_S = 600.0
INSERTS_FOR_A_PAIR = 10  # they are that much quicker, and a figure needs its seconds
APPENDS_FOR_A_PAIR = 3
EVENTS_AT_ONCE = 1000
_APPEND = """
SELECT count(audit_append(%s, 'system', 'bench', 'command', 'bench.event', 'ok', 'proposal',
    number::text, NULL, NULL, '', '', jsonb_build_object('text', 'Somebody said fact ' || number)))
FROM generate_series(1, %s) AS number
"""


def run(*, rows: int, approvals: int, say: Say) -> dict[str, Any]:
    """Measure the store; ``rows`` is the largest number of versions read beside, ``approvals``
    the number of pairs to approve.

    **Units**: as the keys say; ``wrong`` counts what must not be, and is 0 where all is well.
    """
    began = time.monotonic()
    now = timezone.now()
    figures = {"machine": facts.machine(), "versions": facts.versions()}
    load_at_start = facts.load()
    figures["durability"] = facts.durability()
    space = seeding.open_space(now=now)
    figures |= _measure_inserts(space, rows=INSERTS_FOR_A_PAIR * approvals, say=say)
    figures |= deciding.measure_approvals(space, pairs=approvals, now=now, say=say)
    figures |= _measure_reading(space, rows=rows, now=now, say=say)
    figures |= _measure_chain(space, events=rows // 2, say=say)
    return figures | {
        "load_at_start": load_at_start,
        "load_at_end": facts.load(),
        "seconds": round(time.monotonic() - began, 1),
    }


def _measure_inserts(space: Space, *, rows: int, say: Say) -> dict[str, Any]:
    say("plain inserts, for comparison")
    with connections["owner"].cursor() as owner:
        owner.execute(f"DROP TABLE IF EXISTS {inserting.TABLE}")
        owner.execute(inserting.CREATE)
        owner.execute(f"GRANT INSERT ON {inserting.TABLE} TO PUBLIC")
        try:
            alone = _write(inserting.__name__, space, writers=1, rows=rows)
            together = _write(inserting.__name__, space, writers=WRITERS, rows=rows)
        finally:
            owner.execute(f"DROP TABLE {inserting.TABLE}")
    say("events of the log, one by one")
    appended = _write(
        appending.__name__, space, writers=1, rows=rows * APPENDS_FOR_A_PAIR // INSERTS_FOR_A_PAIR
    )
    return {
        "plain_inserts_per_s": alone,
        "plain_inserts_per_s_8": together,
        "plain_insert_us": round(1e6 / alone, 1),
        "append_us": round(1e6 / appended, 1),
        "append_ratio": round(alone / appended, 2),
    }


def _write(module: str, space: Space, *, writers: int, rows: int) -> float:
    """Return the rows that a module's writers wrote in a second."""
    tasks = [{"space_id": space.pk, "rows": max(1, rows // writers)}] * writers
    answers = processes.work_at_once(module, tasks, patience_s=PATIENCE_S)
    rows_written = float(sum(each["rows"] for each in answers))
    return round(rows_written / processes.seconds_of(answers), 1)


def _measure_reading(space: Space, *, rows: int, now: datetime, say: Say) -> dict[str, Any]:
    sizes = []
    for versions in (rows // 10, rows):
        say(f"both axes beside {versions} versions")
        sizes.append(reading.measure_reading(space_id=space.pk, versions=versions, now=now))
    largest = sizes[-1]
    return {"as_of": sizes, "as_of_p50_ms": largest["p50_ms"], "as_of_p95_ms": largest["p95_ms"]}


def _measure_chain(space: Space, *, events: int, say: Say) -> dict[str, Any]:
    began = time.monotonic()
    for start in range(0, events, EVENTS_AT_ONCE):
        say(f"event {start} of {events} for the log")
        with connection.cursor() as cursor:
            cursor.execute(_APPEND, [space.pk, min(EVENTS_AT_ONCE, events - start)])
    appending_s = time.monotonic() - began
    say("recomputing the log")
    began = time.monotonic()
    found = chain.recompute(soundness.chain_of(space.pk))
    taken = time.monotonic() - began
    if found.fault is not None:
        raise RuntimeError(f"the bench's own log does not hold: {found.fault}")
    return {
        "verify_s_per_50k": round(taken * 50_000 / found.events, 3),
        "events_verified": found.events,
        "append_in_bulk_us": round(appending_s * 1e6 / events, 1),
        "compare_s": round(_time_comparison(space), 3),
    }


def _time_comparison(space: Space) -> float:
    """Return how long it takes to hold the space's tables beside its log."""
    began = time.monotonic()
    if faults := chain.disagreements(soundness.chain_of(space.pk)):
        raise RuntimeError(f"the bench's own tables are not what its log says: {faults[0]}")
    return time.monotonic() - began
