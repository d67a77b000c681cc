"""An erasure that begins in the middle of another act waits for it, or lets it find nothing left.

Each act is held at one moment, while it has its locks, until the erasure waits or is through.
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, connections

from knowledge.commands import (
    audit,
    deciding,
    ending,
    erasure,
    forgetting,
    jobs,
    proposals,
    reshaping,
    review,
    sources,
    undoing,
)
from knowledge.errors import KnowledgeError
from knowledge.models import Contest, Job, Message, Version
from knowledge.results import (
    SYSTEM,
    WORKER,
    Lease,
    NewMessage,
    RunOutcome,
    StatementReview,
)
from knowledge.trust import WhatHappened
from tests.factories import (
    ANA,
    NOW,
    Desk,
    actor,
    draft_of,
    make_desk,
    make_messages,
    make_proposal,
    seen,
    utc,
)
from tests.forgetting import Office, make_office, rows_holding

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = "quokkaberry"
PATIENCE_S = 20
WAITING = (
    "SELECT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
    "WHERE NOT l.granted AND a.datname = current_database())"
)

# What is erased, as kind and id, and what is under way meanwhile.
Scene = tuple[str, int, Callable[[], object]]


@pytest.fixture
def desk() -> Desk:
    """A curator's desk."""
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers of the same space."""
    return make_office(desk.space)


class Doing(threading.Thread):
    """An act in a thread with a connection of its own, and what it raised."""

    def __init__(self, name: str, act: Callable[[], object]) -> None:
        super().__init__(name=name)
        self.act = act
        self.raised: BaseException | None = None
        self.start()

    def run(self) -> None:
        """Do it."""
        try:
            self.act()
        except Exception as error:  # noqa: BLE001 - any would end the thread unseen
            self.raised = error
        finally:
            connections.close_all()

    def end(self) -> BaseException | None:
        """Wait for the end; what was raised."""
        self.join(PATIENCE_S)
        assert not self.is_alive(), f"{self.name} did not end"
        return self.raised


def until(*met: Callable[[], bool]) -> None:
    """Wait until somebody waits for a lock, or one of these is met."""
    for _ in range(PATIENCE_S * 50):
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            row = cursor.fetchone()
        if (row and row[0]) or any(condition() for condition in met):
            return
        time.sleep(0.02)
    pytest.fail("nothing happened")


class Held:
    """A moment that a thread reached, and is held at."""

    def __init__(self) -> None:
        self.reached, self.go_on = threading.Event(), threading.Event()

    def await_reached(self) -> None:
        """Wait until the thread is there."""
        assert self.reached.wait(PATIENCE_S), "the moment never came"


@contextmanager
def holding(module: Any, function: str, *, thread: str, action: str = "") -> Iterator[Held]:
    """Hold one thread where it calls this function, for this action of the log if one is named."""
    moment, real = Held(), getattr(module, function)

    def held(*args: Any, **named: Any) -> Any:
        is_it = threading.current_thread().name == thread
        if is_it and action in ("", named.get("action")):
            moment.reached.set()
            moment.go_on.wait(PATIENCE_S)
        return real(*args, **named)

    with patch.object(module, function, held):
        yield moment


def confirmed(office: Office, kind: str, target_id: int, **changes: Any) -> Callable[[], object]:
    """Have an erasure confirmed; carry it out when called."""
    scope = office.scope(kind, target_id, **changes)
    erasure_id = office.ask(scope)
    office.confirm(erasure_id, scope)
    return partial(erasure.carry_out, erasure_id=erasure_id, now=NOW)


def looked_at(version_id: int) -> StatementReview:
    return StatementReview(version_id, uuid.uuid4(), "asked_to")


def conversation_of(version: Version) -> int:
    return version.proposal.evidence.get().message.conversation_id


def approving(desk: Desk) -> Scene:
    """Approve what says the same as the statement that is erased."""
    first = desk.believe(f"Ana keeps a {CANARY}", attribute="plant", value=CANARY)
    again = make_proposal(desk.space, f"Ana keeps a {CANARY}", attribute="plant", value=CANARY)
    act = partial(
        review.approve, review=seen(again), happened=WhatHappened.NEW, by=actor(desk.curator),
        now=NOW,
    )  # fmt: skip
    return "statement", first.statement_id, act


def confirming(desk: Desk) -> Scene:
    """Confirm a belief that stays with words that go."""
    kept = desk.believe("Ana lives in Lisbon")
    again = make_proposal(desk.space, f"Ana lives in Lisbon near the {CANARY}")
    act = partial(
        review.approve, review=seen(again), happened=WhatHappened.CONFIRMATION,
        target_version_id=kept.pk, by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    return "conversation", again.evidence.get().message.conversation_id, act


def splitting(desk: Desk) -> Scene:
    """Split what falls with its conversation."""
    whole = make_proposal(desk.space, f"Ana keeps a {CANARY} and bees")
    act = partial(
        reshaping.split, review=seen(whole), texts=[f"Ana keeps a {CANARY}", "Ana keeps bees"],
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    return "conversation", whole.evidence.get().message.conversation_id, act


def merging(desk: Desk) -> Scene:
    """Merge what falls into what stays."""
    gone, kept = desk.believe(f"Ana keeps a {CANARY}"), desk.believe("Ana keeps plants")
    act = partial(
        ending.merge, review=looked_at(gone.pk), into_version_id=kept.pk, by=actor(desk.curator),
        now=NOW,
    )  # fmt: skip
    return "conversation", conversation_of(gone), act


def retracted(desk: Desk) -> tuple[Version, uuid.UUID]:
    version = desk.believe(f"Ana keeps a {CANARY}")
    decided = ending.retract(review=looked_at(version.pk), by=actor(desk.curator), now=NOW)
    return version, decided.decision_id


def restoring(desk: Desk) -> Scene:
    """Believe again what was retracted."""
    version, _ = retracted(desk)
    act = partial(ending.restore, review=looked_at(version.pk), by=actor(desk.curator), now=NOW)
    return "statement", version.statement_id, act


def undoing_an_end(desk: Desk) -> Scene:
    """Take a retraction back."""
    version, decision_id = retracted(desk)
    act = partial(
        undoing.undo, decision_id=decision_id, request_id=uuid.uuid4(), by=actor(desk.curator),
        now=NOW,
    )  # fmt: skip
    return "statement", version.statement_id, act


def undoing_a_change(desk: Desk) -> Scene:
    """Take back the change away from what is erased."""
    old = desk.believe(f"Ana works at {CANARY}", attribute="employer", value=CANARY, at=utc(2020))
    desk.believe(
        "Ana works at Northwind", attribute="employer", value="Northwind", at=utc(2024),
        happened=WhatHappened.CHANGED, target=old, changed_at=utc(2024),
    )  # fmt: skip
    act = partial(
        undoing.undo, decision_id=desk.decided[-1].decision_id, request_id=uuid.uuid4(),
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    return "statement", old.statement_id, act


def settling(desk: Desk) -> Scene:
    """Settle a contest of what falls."""
    gone = desk.believe(f"Ana keeps a {CANARY}")
    desk.believe("Ana has a garden", target=gone, happened=WhatHappened.CANNOT_TELL)
    act = partial(
        ending.settle, contest_id=Contest.objects.get().pk, right_version_id=None,
        review=looked_at(gone.pk), by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    return "statement", gone.statement_id, act


# A decision takes the ledger as it is stamped, and is logged last.
MOMENTS = {
    "before it has the ledger": (deciding, "record"),
    "when it has the ledger": (audit, "append"),
}
ACTS = (
    approving, confirming, splitting, merging, restoring, undoing_an_end, undoing_a_change,
    settling,
)  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("scene", ACTS)
def test_nothing_survives_an_act_that_was_under_way(
    desk: Desk, office: Office, scene: Callable[[Desk], Scene], moment: str
) -> None:
    kind, target_id, act = scene(desk)
    erasing = confirmed(office, kind, target_id)
    with holding(*MOMENTS[moment], thread="act") as held:
        acting = Doing("act", act)
        held.await_reached()
        forgets = Doing("erasure", erasing)
        until(lambda: not forgets.is_alive())
        held.go_on.set()
        refused = acting.end()
        assert forgets.end() is None
    assert refused is None or isinstance(refused, KnowledgeError), refused
    assert rows_holding(CANARY) == {}


def capturing(message: Message) -> Callable[[], object]:
    """Capture one more message of a conversation."""
    place = message.conversation
    more = NewMessage("m1", "Ana", "user_message", "And cake.", NOW, ANA)
    return partial(
        sources.capture, space_id=place.space_id, external_id=place.external_id,
        source=place.source, messages=[more], subjects=[ANA], by=SYSTEM, now=NOW,
    )  # fmt: skip


def recording(message: Message) -> Callable[[], object]:
    """Record a run of a conversation, as the worker that holds its job."""
    job = Job.objects.get(kind="process_conversation", key=str(message.conversation_id))
    held = jobs.lease(job_id=job.pk, now=NOW + timedelta(hours=1))
    assert held is not None
    run = begin_run(message)
    outcome = RunOutcome((), (), (), (draft_of(message, "Ana likes tea", gaps=()),))
    return partial(
        proposals.record_run, run_id=run, outcome=outcome, by=WORKER, now=NOW,
        held=Lease(job.pk, held.fence),
    )  # fmt: skip


def begin_run(message: Message) -> int:
    sources.open_episodes(conversation_id=message.conversation_id, segments=[[message.pk]], now=NOW)
    message.refresh_from_db()
    return proposals.begin_run(
        episode_id=message.episode_id or 0, subject_id=message.speaker_id or 0, engine="test",
        model="", prompt_version="1", cold_start=True, shown=[], now=NOW,
    ).pk  # fmt: skip


@pytest.mark.parametrize(
    ("work", "action"), [(capturing, "conversation.capture"), (recording, "run.record")]
)
def test_work_on_a_job_that_failed_before_and_an_erasure_take_turns(
    desk: Desk, office: Office, work: Callable[[Message], Callable[[], object]], action: str
) -> None:
    """The error of the job is cleared by the erasure, of whatever conversation it is."""
    message = make_messages(desk.space, "I like tea.")[0]
    act = work(message)
    version = desk.believe("Ana keeps bees")
    Job.objects.filter(key=str(message.conversation_id)).update(error="the engine is down")
    erasing = confirmed(office, "statement", version.statement_id)
    with (
        holding(audit, "append", thread="work", action=action) as has_job,
        holding(forgetting, "empty", thread="erasure") as has_ledger,
    ):
        working = Doing("work", act)
        has_job.await_reached()
        forgets = Doing("erasure", erasing)
        until(has_ledger.reached.is_set)
        has_job.go_on.set()
        until(lambda: not working.is_alive())
        has_ledger.go_on.set()
        assert (working.end(), forgets.end()) == (None, None)
    assert not Job.objects.exclude(error="").exists()


def test_a_conversation_that_came_in_as_the_erasure_began_goes_and_is_not_worked_on(
    desk: Desk, office: Office
) -> None:
    desk.believe("Ana keeps bees")
    erasing = confirmed(office, "subject", desk.subject.pk)
    said = NewMessage("1", "Ana", "user_message", f"I keep a {CANARY}", NOW, ANA)
    capture = partial(
        sources.capture, space_id=desk.space.pk, external_id="new", source="test",
        messages=[said], subjects=[ANA], by=SYSTEM, now=NOW,
    )  # fmt: skip

    def work() -> None:
        message = Message.objects.get(conversation__external_id="new")
        outcome = RunOutcome((), (), (), (draft_of(message, f"Ana keeps a {CANARY}", gaps=()),))
        proposals.record_run(run_id=begin_run(message), outcome=outcome, by=WORKER, now=NOW)

    with (
        holding(audit, "append", thread="capture", action="conversation.capture") as captured,
        holding(forgetting, "what_to_replay", thread="erasure") as found,
    ):
        capturing = Doing("capture", capture)
        captured.await_reached()
        forgets = Doing("erasure", erasing)
        until(found.reached.is_set)
        captured.go_on.set()
        capturing.end()
        found.await_reached()
        working = Doing("work", work)
        until(lambda: not working.is_alive())
        found.go_on.set()
        assert forgets.end() is None
        working.end()
    assert rows_holding(CANARY) == {}
