"""People and workers at the same moment: one wins, the others are told, nobody deadlocks."""

import threading
import uuid
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection, transaction

from knowledge.commands import jobs, review, sources, undoing
from knowledge.errors import Conflict
from knowledge.models import Decision, Job, JobState, Message, Proposal, Version
from knowledge.results import SYSTEM, Lease, NewMessage, SubjectRef
from knowledge.trust import WhatHappened
from tests.factories import ANA, NOW, Desk, actor, make_desk, make_proposal, seen, utc

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE_S = 20


def at_once(*acts: Callable[[], object]) -> list[BaseException | None]:
    """Do the acts in threads with connections of their own; what each raised."""
    raised: list[BaseException | None] = [None] * len(acts)
    start = threading.Barrier(len(acts))

    def run(place: int) -> None:
        try:
            start.wait(PATIENCE_S)
            acts[place]()
        except Exception as error:  # noqa: BLE001 - any would end the thread unseen
            raised[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not any(thread.is_alive() for thread in threads)
    return raised


def change(desk: Desk, value: str, *, target: Version, month: int = 1) -> Proposal:
    """Propose that Ana changed her employer."""
    return make_proposal(
        desk.space, f"Ana works at {value}", attribute="employer", value=value,
        at=utc(2025, month), kind="update", target_id=target.statement_id,
    )  # fmt: skip


def approving(proposal: Proposal, desk: Desk, *, target: Version) -> Callable[[], object]:
    """Have a look at the proposal now and approve it when called."""
    return partial(
        review.approve, review=seen(proposal), happened=WhatHappened.CHANGED,
        by=actor(desk.curator), now=NOW, target_version_id=target.pk,
    )  # fmt: skip


def test_of_many_approvals_that_end_one_version_one_succeeds_and_the_rest_are_told() -> None:
    desk = make_desk()
    target = desk.believe("Ana works at Contoso", attribute="employer", value="C", at=utc(2024))
    for turn in range(3):
        proposals = [
            change(desk, f"firm {turn} {number}", target=target, month=2 + turn)
            for number in range(8)
        ]
        raised = at_once(*(approving(p, desk, target=target) for p in proposals))
        lost = [error for error in raised if error is not None]
        assert len(lost) == 7
        assert all(isinstance(error, Conflict) for error in lost), lost
        target = Version.objects.current().get(space=desk.space, value__startswith=f"firm {turn}")
    assert Decision.objects.filter(space=desk.space, kind="approve").count() == 4


def test_an_approval_and_a_decision_about_what_waits_on_it_take_turns() -> None:
    desk = make_desk()
    for _ in range(6):
        first = make_proposal(desk.space, "Ana likes tea")
        follower = make_proposal(desk.space, "Ana likes coffee", waits_on=first.pk)
        approving_first = partial(
            review.approve, review=seen(first), happened=WhatHappened.NEW,
            by=actor(desk.curator), now=NOW,
        )  # fmt: skip
        deferring_follower = partial(
            review.defer, review=seen(follower), until=None, by=actor(desk.curator), now=NOW
        )
        assert at_once(approving_first, deferring_follower) == [None, None]


def test_an_undo_and_an_approval_of_the_same_version_take_turns() -> None:
    desk = make_desk()
    for turn in range(6):
        target = desk.believe(f"Ana knows fact {turn}", at=utc(2024))
        newer = make_proposal(desk.space, f"Ana knows better {turn}", at=utc(2025))
        taking_back = partial(
            undoing.undo, decision_id=desk.decided[-1].decision_id, request_id=uuid.uuid4(),
            by=actor(desk.curator), now=NOW,
        )  # fmt: skip
        raised = at_once(taking_back, approving(newer, desk, target=target))
        lost = [error for error in raised if error is not None]
        assert len(lost) == 1
        assert isinstance(lost[0], Conflict), lost


def test_a_conversation_grows_while_its_worker_opens_episodes() -> None:
    for turn in range(6):
        desk = make_desk()  # conversations of one subject would wait for each other
        said = [NewMessage(f"m{n}", "Ana", "user_message", f"Word {n}", NOW, ANA) for n in range(2)]

        def capture(
            messages: list[NewMessage],
            external_id: str = f"grows {turn}",
            space_id: int = desk.space.pk,
        ) -> int:
            return sources.capture(
                space_id=space_id, external_id=external_id, source="test", messages=messages,
                subjects=[ANA], by=SYSTEM, now=NOW,
            ).conversation_id  # fmt: skip

        conversation_id = capture(said[:1])
        job = Job.objects.get(kind="process_conversation", key=str(conversation_id))
        leased = jobs.lease(job_id=job.pk, now=NOW)
        assert leased is not None
        messages = desk.space.conversations.get(pk=conversation_id).messages
        opening = partial(
            sources.open_episodes, conversation_id=conversation_id, now=NOW,
            segments=[list(messages.values_list("pk", flat=True))],
            held=Lease(job.pk, leased.fence),
        )  # fmt: skip
        assert at_once(partial(capture, said), opening) == [None, None]


def test_work_asked_for_while_its_job_completes_is_never_lost() -> None:
    with transaction.atomic():
        job = jobs.enqueue(space_id=None, kind="test", key="late", payload={}, now=NOW)
    leased = jobs.lease(job_id=job.pk, now=NOW)
    assert leased is not None
    completing, asked = threading.Event(), threading.Event()

    def complete_slowly() -> None:
        with transaction.atomic():
            jobs.check_lease(job_id=job.pk, fence=leased.fence)
            completing.set()
            asked.wait(1)
            Job.objects.filter(pk=job.pk).update(state=JobState.DONE, finished_at=NOW)

    def ask() -> None:
        completing.wait(PATIENCE_S)
        with transaction.atomic():
            jobs.enqueue(space_id=None, kind="test", key="late", payload={}, now=NOW)
        asked.set()

    assert at_once(complete_slowly, ask) == [None, None]
    assert Job.objects.filter(kind="test", key="late", state=JobState.QUEUED).count() == 1


def test_conversations_that_bring_the_same_people_at_once_take_turns() -> None:
    desk = make_desk()
    people = [SubjectRef("user", f"person-{number}", f"Person {number}") for number in range(30)]

    def capture(place: int, *, subjects: list[SubjectRef]) -> None:
        sources.capture(
            space_id=desk.space.pk, external_id=f"many {place}", source="test", messages=[],
            subjects=subjects, by=SYSTEM, now=NOW,
        )  # fmt: skip

    for turn in range(4):
        new = [SubjectRef("user", f"{turn}-{one.external_id}", one.name) for one in people]
        there = partial(capture, 2 * turn, subjects=new)
        back = partial(capture, 2 * turn + 1, subjects=new[::-1])
        assert at_once(there, back) == [None, None]


def test_messages_captured_at_once_get_an_ordinal_each() -> None:
    desk = make_desk()

    def capture(number: int) -> None:
        said = [
            NewMessage(f"m{n}", "Ana", "user_message", f"Word {n}", NOW, ANA) for n in (0, number)
        ]
        sources.capture(
            space_id=desk.space.pk, external_id="one", source="test", messages=said,
            subjects=[ANA], by=SYSTEM, now=NOW,
        )  # fmt: skip

    assert at_once(*(partial(capture, number) for number in range(1, 9))) == [None] * 8
    rows = Message.objects.filter(space=desk.space).order_by("ordinal")
    assert list(rows.values_list("ordinal", flat=True)) == list(range(9))
