"""How many approvals a second: by one writer, by eight in one space, by eight in eight spaces."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from knowledge.models import Space
from knowledge.results import SubjectRef
from workbench.benches import processes, seeding, soundness

Say = Callable[[str], None]
Pairs = list[tuple[int, int]]
Answers = list[dict[str, Any]]

WRITERS = 8
WARM_UP_PAIRS = 3
CONTESTED = 0.1  # the share of the work that two writers are given at once
PATIENCE_S = 1800.0
ANA = SubjectRef("user", "ana", "Ana")


def measure_approvals(shared: Space, *, pairs: int, now: datetime, say: Say) -> dict[str, Any]:
    """Approve this many pairs in three ways, and look whether everything is as it must be.

    Of a pair the first is new and the second what it changed to; half the pairs go to the one
    writer, and as many each to the eight in one space and in eight.
    """
    say("proposals to decide about")
    half = pairs // 2
    shared_pairs = _propose(shared, count=2 * half + WARM_UP_PAIRS * (1 + WRITERS), now=now)
    others = [seeding.open_space(now=now) for _ in range(WRITERS)]
    own = [_propose(each, count=half // WRITERS + WARM_UP_PAIRS, now=now) for each in others]
    curators = seeding.seat_curators(shared, count=WRITERS, now=now)
    say("approvals by one writer")
    alone = _approve([_task(curators[0], _take(shared_pairs, half + WARM_UP_PAIRS))])
    say("approvals by eight writers in one space")
    warm = [_take(shared_pairs, WARM_UP_PAIRS) for _ in curators]
    shares = shares_of(shared_pairs)
    together = _approve(
        [_task(*each) for each in zip(curators, _joined(warm, shares), strict=True)]
    )
    say("approvals by eight writers in eight spaces")
    seated = [seeding.seat_curators(space, count=1, now=now)[0] for space in others]
    apart = _approve([_task(*each) for each in zip(seated, own, strict=True)])
    broken = Counter(
        soundness.broken_rules(space_id=shared.pk, acknowledged=_told([*alone, *together]))
    )
    for space, answer in zip(others, apart, strict=True):
        broken.update(soundness.broken_rules(space_id=space.pk, acknowledged=_told([answer])))
    return {
        "approvals_per_s_1": _per_second(alone),
        "approvals_per_s_8": _per_second(together),
        "approvals_per_s_8_spaces": _per_second(apart),
        "approvals": len(_told([*alone, *together, *apart])),
        "conflicts": sum(sum(answer["conflicts"].values()) for answer in together),
        "wrong": broken.total(),
        "broken_rules": broken,
    }


def shares_of(pairs: Pairs) -> list[Pairs]:
    """Deal the pairs to the writers, some of them to two neighbours at the same place."""
    contested = int(len(pairs) * CONTESTED)
    own = [pairs[contested + place :: WRITERS] for place in range(WRITERS)]
    for place, pair in enumerate(pairs[:contested]):
        couple = 2 * (place % (WRITERS // 2))
        for writer in (couple, couple + 1):
            own[writer].insert(min(2 * place, len(own[couple + 1])), pair)
    return own


def _propose(space: Space, *, count: int, now: datetime) -> Pairs:
    """Propose pairs of an employer and the next one, each of another person."""
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


def _take(pairs: Pairs, count: int) -> Pairs:
    taken = pairs[:count]
    del pairs[:count]
    return taken


def _joined(first: Sequence[Pairs], then: Sequence[Pairs]) -> list[Pairs]:
    return [[*before, *after] for before, after in zip(first, then, strict=True)]


def _task(user_id: int, pairs: Pairs) -> dict[str, Any]:
    """Describe one writer's work: the first few pairs are for warming up, before the clock."""
    return {
        "user_id": user_id,
        "warm_up": pairs[:WARM_UP_PAIRS],
        "pairs": pairs[WARM_UP_PAIRS:],
    }


def _approve(tasks: Sequence[dict[str, Any]]) -> Answers:
    return processes.work_at_once("workbench.benches.approving", tasks, patience_s=PATIENCE_S)


def _told(answers: Answers) -> list[str]:
    return [each for answer in answers for each in (*answer["prepared"], *answer["acknowledged"])]


def _per_second(answers: Answers) -> float:
    made = sum(len(answer["acknowledged"]) for answer in answers)
    return round(made / processes.seconds_of(answers), 1)
