"""Random histories against a slow model of both time axes: every pair of dates agrees.

The model keeps whole snapshots of what is believed after each decision, and knows nothing of
versions, remnants or stamps. ``HISTORIES`` in the environment sets how many are tried.
"""

import os
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.commands import ending, undoing
from knowledge.errors import Conflict, SlotTaken, UndoRefused
from knowledge.models import Contest, Decision, Proposal, Version
from knowledge.results import StatementReview
from knowledge.trust import WhatHappened
from tests.factories import NOW, Desk, actor, approve, make_desk, make_proposal, utc

pytestmark = pytest.mark.django_db

EXAMPLES = int(os.environ.get("HISTORIES", "60"))
DAYS = 6
W = WhatHappened


def day(number: int) -> datetime:
    """Place a day of the model in the world."""
    return utc(2024, 1, 1) + timedelta(days=number)


@dataclass(frozen=True)
class Fact:
    """Something believed: ``slot`` facts may not overlap each other. Days, half-open."""

    id: int
    value: str
    start: int
    end: int | None
    slot: bool

    def overlaps(self, start: int, end: int | None) -> bool:
        """Whether the fact holds somewhere in a period."""
        return (end is None or self.start < end) and (self.end is None or start < self.end)

    def holds(self, instant: datetime) -> bool:
        """Whether the fact is true at an instant."""
        return day(self.start) <= instant and (self.end is None or instant < day(self.end))


@dataclass
class Model:
    """What is believed, and every snapshot of it, by decision."""

    believed: frozenset[Fact] = frozenset()
    snapshots: list[tuple[datetime, frozenset[Fact]]] = field(default_factory=list)
    effects: dict[uuid.UUID, tuple[frozenset[Fact], frozenset[Fact]]] = field(default_factory=dict)
    undone: set[uuid.UUID] = field(default_factory=set)
    restored: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    origin: dict[Fact, uuid.UUID] = field(default_factory=dict)
    made: int = 0

    def fact(self, value: str, start: int, end: int | None, *, slot: bool) -> Fact:
        """Make a fact nobody has made before."""
        self.made += 1
        return Fact(self.made, value, start, end, slot)

    def apply(
        self, happened: WhatHappened, value: str, start: int, end: int | None, target: Fact | None
    ) -> tuple[frozenset[Fact], frozenset[Fact]] | None:
        """Say what an approval opens and closes; None where it is refused."""
        opened: set[Fact] = set()
        closed: set[Fact] = set()
        if happened in (W.BOTH_TRUE, W.CANNOT_TELL):
            opened.add(self.fact(value, start, end, slot=False))
        elif happened == W.CHANGED and target is not None:
            end = self._bounded(target, start=start, end=end)
            if target.overlaps(start, end):
                closed.add(target)
                if target.start < start:
                    opened.add(self.fact(target.value, target.start, start, slot=target.slot))
                if end is not None and (target.end is None or end < target.end):
                    opened.add(self.fact(target.value, end, target.end, slot=target.slot))
            opened.add(self.fact(value, start, end, slot=True))
        else:
            closed |= {target} if happened == W.NEVER_SO and target is not None else set()
            opened.add(self.fact(value, start, end, slot=True))
        after = (self.believed - closed) | opened
        return None if clashes(after) else (frozenset(opened), frozenset(closed))

    def _bounded(self, target: Fact, *, start: int, end: int | None) -> int | None:
        later = {fact.start for fact in self.believed if fact.slot} | {target.start}
        ends = {one for one in later if one > start} | ({end} if end is not None else set())
        return min(ends) if ends else None

    def decide(self, decision: Decision, opened: frozenset[Fact], closed: frozenset[Fact]) -> None:
        """Take a decision into account."""
        assert decision.at is not None
        self.believed = (self.believed - closed) | opened
        self.effects[decision.pk] = (opened, closed)
        self.snapshots.append((decision.at, self.believed))

    def can_undo(self, decision_id: uuid.UUID) -> bool:
        """Say whether nothing stands in the way: decisions are undone like a stack."""
        opened, closed = self.effects[decision_id]
        after = (self.believed - opened) | closed
        order = list(self.effects)
        later = [one for one in order[order.index(decision_id) + 1 :] if one not in self.undone]
        touched = {fact for one in later for facts in self.effects[one] for fact in facts}
        is_free = touched.isdisjoint(opened | closed)
        return decision_id not in self.undone and is_free and not clashes(after)

    def can_restore(self, fact: Fact, *, retraction: uuid.UUID) -> bool:
        """Say whether what a retraction ended may be believed again."""
        came_back = {self.restored[one] for one in self.restored.keys() - self.undone}
        is_gone = retraction not in self.undone and retraction not in came_back
        return is_gone and not clashes(self.believed | {fact})

    def as_of(self, *, valid_at: datetime, known_at: datetime) -> Counter[str]:
        """Answer what was true then, as known at the other instant."""
        known = [facts for at, facts in self.snapshots if at <= known_at]
        return Counter(fact.value for fact in (known[-1] if known else ()) if fact.holds(valid_at))


def clashes(facts: frozenset[Fact]) -> bool:
    """Say whether two facts claim the slot at one time."""
    held = [fact for fact in facts if fact.slot]
    return any(a.id < b.id and a.overlaps(b.start, b.end) for a in held for b in held)


STEP = st.tuples(
    st.sampled_from(
        [
            *(W.NEW, W.CHANGED, W.CHANGED, W.NEVER_SO, W.BOTH_TRUE, W.CANNOT_TELL),
            W.CONFIRMATION,
            *("undo", "undo", "retract", "restore", "settle"),
        ]
    ),
    st.integers(0, DAYS - 1),  # when it begins
    st.one_of(st.none(), st.integers(1, DAYS)),  # how long, where the words say
    st.integers(0, 20),  # which target, or which decision to undo
)


class History:
    """One history, played in the store and in the model side by side."""

    def __init__(self) -> None:
        self.desk: Desk = make_desk()
        self.model = Model()
        self.versions: dict[int, Fact] = {}
        self.decided: list[uuid.UUID] = []
        self.confirmed: set[uuid.UUID] = set()

    def play(self, step: tuple[WhatHappened | str, int, int | None, int]) -> None:
        """Do one step in both, and demand the same outcome."""
        what, start, length, choice = step
        if what == "undo":
            self.undo(choice)
        elif what == "retract":
            self.retract(choice)
        elif what == "restore":
            self.restore(choice)
        elif what == "settle":
            self.settle_contest(choice)
        elif what == W.CONFIRMATION:
            self.confirm(choice)
        else:
            end = None if length is None else start + length
            self.approve(WhatHappened(what), start=start, end=end, choice=choice)

    def approve(self, happened: WhatHappened, *, start: int, end: int | None, choice: int) -> None:
        """Approve a new value in one of the ways."""
        current = list(Version.objects.current().filter(space=self.desk.space).order_by("pk"))
        target = None
        if happened not in (W.NEW, W.BOTH_TRUE):
            if not current:
                return
            target = current[choice % len(current)]
        value = f"value {self.model.made + 1}"
        proposal = make_proposal(
            self.desk.space, value, attribute="employer", value=value, valid_from=day(start),
            valid_to=None if end is None else day(end), start_basis="stated",
        )  # fmt: skip
        seen = None if target is None else self.versions[target.pk]
        expected = self.model.apply(happened, value, start, end, seen)
        if expected is None:
            with pytest.raises(SlotTaken):
                approve(proposal, by=self.desk.curator, happened=happened, target=target)
            return
        decided = approve(proposal, by=self.desk.curator, happened=happened, target=target)
        opened, closed = expected
        for fact in opened:
            of_target = fact.value != value and seen is not None
            self.model.origin[fact] = (
                self.model.origin[seen] if of_target and seen else decided.decision_id
            )
        self.settle(decided.decision_id, opened, closed)
        self.decided.append(decided.decision_id)

    def undo(self, choice: int) -> None:
        """Take back one of the decisions so far."""
        if not self.decided:
            return
        decision_id = self.decided[choice % len(self.decided)]
        by = actor(self.desk.curator)
        if not self.model.can_undo(decision_id):
            with pytest.raises((UndoRefused, SlotTaken)):
                undoing.undo(decision_id=decision_id, request_id=uuid.uuid4(), by=by, now=NOW)
            return
        back = undoing.undo(decision_id=decision_id, request_id=uuid.uuid4(), by=by, now=NOW)
        opened, closed = self.model.effects[decision_id]
        self.model.undone |= {decision_id, back.decision_id}  # together they leave no trace
        self.settle(back.decision_id, closed, opened)

    def retract(self, choice: int) -> None:
        """Take something out of belief."""
        current = list(Version.objects.current().filter(space=self.desk.space).order_by("pk"))
        if not current:
            return
        version = current[choice % len(current)]
        decided = ending.retract(
            review=StatementReview(version.pk, uuid.uuid4(), "asked_to"),
            by=actor(self.desk.curator),
            now=NOW,
        )
        self.settle(decided.decision_id, frozenset(), frozenset({self.versions[version.pk]}))
        self.decided.append(decided.decision_id)

    def confirm(self, choice: int) -> None:
        """Say again what is believed: more evidence, and no other truth."""
        current = list(Version.objects.current().filter(space=self.desk.space).order_by("pk"))
        if not current:
            return
        target = current[choice % len(current)]
        proposal = make_proposal(self.desk.space, target.text)
        decided = approve(proposal, by=self.desk.curator, happened=W.CONFIRMATION, target=target)
        self.confirmed.add(decided.decision_id)
        self.settle(decided.decision_id, frozenset(), frozenset())
        self.decided.append(decided.decision_id)

    def settle_contest(self, choice: int) -> None:
        """Say of two contested statements that one was right, or that both may stand."""
        rows = Contest.objects.filter(space=self.desk.space, resolved_by=None).order_by("pk")
        contests = list(rows.select_related("version_a", "version_b"))
        if not contests:
            return
        contest = contests[choice % len(contests)]
        sides = [contest.version_a, contest.version_b]
        assert all(side.tx_to is None for side in sides)
        right = [*sides, None][choice % 3]
        decided = ending.settle(
            contest_id=contest.pk,
            right_version_id=right.pk if right else None,
            review=StatementReview(sides[0].pk, uuid.uuid4()),
            by=actor(self.desk.curator),
            now=NOW,
        )
        wrong = [side for side in sides if right is not None and side != right]
        closed = frozenset(self.versions[side.pk] for side in wrong)
        self.settle(decided.decision_id, frozenset(), closed)
        self.decided.append(decided.decision_id)

    def restore(self, choice: int) -> None:
        """Believe again what was retracted."""
        rows = Version.objects.filter(space=self.desk.space, closed_by__kind="retract")
        ended = list(rows.order_by("pk"))
        if not ended:
            return
        version = ended[choice % len(ended)]
        fact = self.versions[version.pk]
        look = StatementReview(version.pk, uuid.uuid4())
        by = actor(self.desk.curator)
        assert version.closed_by_id is not None
        if not self.model.can_restore(fact, retraction=version.closed_by_id):
            with pytest.raises((Conflict, SlotTaken)):
                ending.restore(review=look, by=by, now=NOW)
            return
        decided = ending.restore(review=look, by=by, now=NOW)
        self.model.restored[decided.decision_id] = version.closed_by_id
        self.settle(decided.decision_id, frozenset({fact}), frozenset())
        self.decided.append(decided.decision_id)

    def settle(
        self, decision_id: uuid.UUID, opened: frozenset[Fact], closed: frozenset[Fact]
    ) -> None:
        """Pair the versions a decision opened with the model's facts."""
        self.model.decide(Decision.objects.get(pk=decision_id), opened, closed)
        for version in Version.objects.filter(opened_by_id=decision_id):
            fact = next(
                one for one in opened
                if one.value == version.value and day(one.start) == version.valid.lower
            )  # fmt: skip
            self.versions[version.pk] = fact

    def check(self) -> None:
        """Compare every pair of dates, on and beside every boundary."""
        instant = timedelta(microseconds=1)
        stamps = [at for at, _ in self.model.snapshots]
        knowns = [k for at in stamps for k in (at - instant, at, at + instant)]
        valids = [day(n) + shift for n in range(2 * DAYS) for shift in (-instant, instant * 0)]
        for known_at in knowns:
            rows = Version.objects.known_at(known_at).filter(space=self.desk.space)
            held = [(row.value, row.valid.lower, row.valid.upper) for row in rows]
            for valid_at in valids:
                found = Counter(
                    value for value, lower, upper in held
                    if lower is not None and lower <= valid_at and (not upper or valid_at < upper)
                )  # fmt: skip
                assert found == self.model.as_of(valid_at=valid_at, known_at=known_at)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(STEP, min_size=2, max_size=9))
def test_every_pair_of_dates_agrees_with_the_model(
    steps: list[tuple[WhatHappened | str, int, int | None, int]],
) -> None:
    history = History()
    for step in steps:
        history.play(step)
    history.check()
    approvals = {*history.model.origin.values(), *history.confirmed} - history.model.undone
    approved = Proposal.objects.filter(space=history.desk.space, state="approved")
    assert approved.count() == len(approvals)
