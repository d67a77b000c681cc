"""``bench store``: deciding, reading on both axes, and proving the log."""

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, connections
from django.utils import timezone

from knowledge.models import Space
from knowledge.results import SubjectRef
from workbench.benches import facts, inserting, processes, reading, seeding, soundness

Say = Callable[[str], None]
Pairs = list[tuple[int, int]]

WRITERS = 8
CONTESTED = 0.1  # the share of the work that two writers are given at once
WARM_UP_PAIRS = 3
PATIENCE_S = 1800.0
EVENTS_AT_ONCE = 1000
ANA = SubjectRef("user", "ana", "Ana")
_APPEND = """
SELECT count(audit_append(%s, 'system', 'bench', 'command', 'bench.event', 'ok', 'proposal',
    number::text, NULL, NULL, '', '', jsonb_build_object('text', 'Somebody said fact ' || number)))
FROM generate_series(1, %s) AS number
"""


def run(*, rows: int, approvals: int, say: Say) -> dict[str, Any]:
    """Measure the store; ``rows`` is the largest number of versions read beside.

    **Units**: as the keys say; ``wrong`` counts what must not be, and is 0 where all is well.
    """
    began = time.monotonic()
    now = timezone.now()
    figures = {"machine": facts.machine(), "versions": facts.versions()}
    load_at_start = facts.load()
    figures["durability"] = facts.durability()
    space = seeding.open_space(slug=f"bench-{now:%Y%m%d-%H%M%S-%f}", now=now)
    figures |= _measure_inserts(space, rows=approvals, say=say)
    figures |= _measure_approvals(space, approvals=approvals, now=now, say=say)
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
            alone = _insert(space, writers=1, rows=rows)
            together = _insert(space, writers=WRITERS, rows=rows)
        finally:
            owner.execute(f"DROP TABLE {inserting.TABLE}")
    return {"plain_inserts_per_s": alone, "plain_inserts_per_s_8": together}


def _insert(space: Space, *, writers: int, rows: int) -> float:
    tasks = [{"space_id": space.pk, "rows": max(1, rows // writers)}] * writers
    answers = processes.work_at_once(inserting.__name__, tasks, patience_s=PATIENCE_S)
    rows_written = float(sum(each["rows"] for each in answers))
    return round(rows_written / processes.seconds_of(answers), 1)


def _measure_approvals(space: Space, *, approvals: int, now: datetime, say: Say) -> dict[str, Any]:
    say("proposals to decide about")
    warming = WARM_UP_PAIRS * (1 + WRITERS)
    pairs = _propose_pairs(space, count=approvals + warming, now=now)
    warm_up, pairs = pairs[:warming], pairs[warming:]
    half = len(pairs) // 2
    curators = seeding.seat_curators(space, count=WRITERS, now=now)
    say("approvals by one writer")
    alone = _approve(curators[:1], shares=[pairs[:half]], warm_up=warm_up)
    say("approvals by eight writers")
    together = _approve(curators, shares=shares_of(pairs[half:]), warm_up=warm_up)
    acknowledged = [
        each
        for answer in [*alone, *together]
        for each in (*answer["prepared"], *answer["acknowledged"])
    ]
    broken = soundness.broken_rules(space_id=space.pk, acknowledged=acknowledged)
    return {
        "approvals_per_s_1": _per_second(alone),
        "approvals_per_s_8": _per_second(together),
        "approvals": len(acknowledged),
        "conflicts": sum(sum(answer["conflicts"].values()) for answer in together),
        "wrong": sum(broken.values()),
        "broken_rules": broken,
    }


def _propose_pairs(space: Space, *, count: int, now: datetime) -> Pairs:
    """Propose ``count`` pairs of an employer and the next one, each of another person."""
    said = [
        seeding.Said(
            text=f"Friend {number} works at firm {turn} of town {number}.",
            about=f"Friend {number}",
            attribute="employer",
            value=f"firm {turn} of town {number}",
            at=now - timedelta(days=700 - 300 * turn),
        )
        for number in range(count)
        for turn in range(2)
    ]
    ids = seeding.propose(space, subject=ANA, said=said, now=now)
    return list(zip(ids[::2], ids[1::2], strict=True))


def shares_of(pairs: Pairs) -> list[Pairs]:
    """Deal the pairs to the writers, some of them to two neighbours at the same place."""
    contested = int(len(pairs) * CONTESTED)
    own = [pairs[contested + place :: WRITERS] for place in range(WRITERS)]
    for place, pair in enumerate(pairs[:contested]):
        couple = 2 * (place % (WRITERS // 2))
        for writer in (couple, couple + 1):
            own[writer].insert(min(2 * place, len(own[couple + 1])), pair)
    return own


def _approve(
    curators: Sequence[int], *, shares: Sequence[Pairs], warm_up: Pairs
) -> list[dict[str, Any]]:
    """Let each curator decide about a share; ``warm_up`` loses what is used before the clock."""
    tasks = []
    for user_id, pairs in zip(curators, shares, strict=True):
        warm = [warm_up.pop() for _ in range(WARM_UP_PAIRS)]
        tasks.append({"user_id": user_id, "pairs": pairs, "warm_up": warm})
    return processes.work_at_once("workbench.benches.approving", tasks, patience_s=PATIENCE_S)


def _per_second(answers: Sequence[dict[str, Any]]) -> float:
    made = sum(len(answer["acknowledged"]) for answer in answers)
    return round(made / processes.seconds_of(answers), 1)


def _measure_reading(space: Space, *, rows: int, now: datetime, say: Say) -> dict[str, Any]:
    sizes = []
    for versions in (rows // 10, rows):
        say(f"both axes beside {versions} versions")
        sizes.append(reading.measure_reading(space_id=space.pk, versions=versions, now=now))
    largest = sizes[-1]
    return {"as_of": sizes, "as_of_p50_ms": largest["p50_ms"], "as_of_p95_ms": largest["p95_ms"]}


def _measure_chain(space: Space, *, events: int, say: Say) -> dict[str, Any]:
    for start in range(0, events, EVENTS_AT_ONCE):
        say(f"event {start} of {events} for the log")
        with connection.cursor() as cursor:
            cursor.execute(_APPEND, [space.pk, min(EVENTS_AT_ONCE, events - start)])
    say("recomputing the log")
    began = time.monotonic()
    chain = soundness.recompute_chain(space.pk)
    taken = time.monotonic() - began
    if chain.first_bad is not None:
        raise RuntimeError(f"event {chain.first_bad} of the bench's own log does not hold")
    return {
        "verify_s_per_50k": round(taken * 50_000 / chain.events, 3),
        "events_verified": chain.events,
    }
