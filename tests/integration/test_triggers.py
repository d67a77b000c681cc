"""When a captured conversation is processed, and after which others."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from extraction import pipeline, processing, tasks
from extraction.engines.base import Calibration, EpisodeInput, Prediction
from extraction.engines.local import LocalEngine
from extraction.pipeline import Tools
from knowledge.commands import jobs, sources, turns
from knowledge.errors import Conflict, NotFound
from knowledge.models import AuditEvent, Episode, ExtractionRun, Job, JobState, Proposal, Space
from knowledge.results import SYSTEM, Lease, NewMessage, SubjectRef
from tests.factories import ANA, NOW, make_space

MINUTE = timedelta(minutes=1)
IDLE = sources.IDLE_BEFORE_PROCESSING
BEN = SubjectRef("user", "ben", "Ben")
PATIENCE_S = 60


def say(
    space: Space,
    *texts: str,
    at: datetime = NOW,
    name: str = "live",
    subjects: Sequence[SubjectRef] = (ANA,),
    live: bool = True,
) -> int:
    """Capture messages as an agent would while people talk, or as a file import; the job."""
    captured = sources.capture(
        space_id=space.pk, external_id=name, source="test", subjects=subjects, by=SYSTEM, now=at,
        messages=[
            NewMessage(text, subjects[0].name, "user_message", text, at, subjects[0])
            for text in texts
        ],
        process_after=IDLE if live else timedelta(0),
        batch_threshold=sources.BATCH_THRESHOLD if live else None,
    )  # fmt: skip
    assert captured.job_id is not None
    return captured.job_id


def words(number: int, *, start: int = 0) -> list[str]:
    """Make distinct messages."""
    return [f"Word number {start + place}" for place in range(number)]


def due(job_id: int, *, at: datetime) -> bool:
    """Say whether a worker would be told of a job."""
    return job_id in jobs.take_due(now=at)


# --- idle, threshold, on demand ---

one_process = pytest.mark.django_db
several = pytest.mark.django_db(transaction=True)


@pytest.fixture
def space() -> Space:
    return make_space()


@one_process
def test_a_live_conversation_is_processed_when_nobody_has_spoken_for_half_an_hour(
    space: Space,
) -> None:
    job_id = say(space, "I live in Lisbon.")
    assert not due(job_id, at=NOW + IDLE - MINUTE)
    assert due(job_id, at=NOW + IDLE)


@one_process
def test_each_new_message_puts_it_off_and_a_repeated_one_does_not(space: Space) -> None:
    job_id = say(space, "I live in Lisbon.")
    assert say(space, "I have two cats.", at=NOW + 20 * MINUTE) == job_id
    again = sources.capture(
        space_id=space.pk, external_id="live", source="test", subjects=[ANA], by=SYSTEM,
        now=NOW + 25 * MINUTE, process_after=IDLE, batch_threshold=10, messages=[
            NewMessage("I have two cats.", "Ana", "user_message", "I have two cats.", NOW, ANA)
        ],
    )  # fmt: skip
    assert again.messages_new == 0
    assert not due(job_id, at=NOW + 20 * MINUTE + IDLE - MINUTE)
    assert due(job_id, at=NOW + 20 * MINUTE + IDLE)


@one_process
def test_ten_messages_are_processed_at_once_and_an_eleventh_puts_nothing_off(space: Space) -> None:
    job_id = say(space, *words(9))
    assert not due(job_id, at=NOW)
    say(space, *words(1, start=9), at=NOW + MINUTE)
    say(space, *words(1, start=10), at=NOW + 2 * MINUTE)
    # A clock that is a little behind puts it off no more than one ahead.
    say(space, *words(1, start=11), at=NOW)
    assert Job.objects.get(pk=job_id).run_after <= NOW + MINUTE
    assert due(job_id, at=NOW + 2 * MINUTE)


@one_process
def test_what_was_processed_counts_no_more_towards_the_next_ten(space: Space) -> None:
    job_id = say(space, *words(10))
    assert tasks.run_job(job_id) == "done"
    later = NOW + timedelta(hours=1)
    following = say(space, *words(9, start=10), at=later)
    assert not due(following, at=later)
    say(space, *words(1, start=19), at=later)
    assert due(following, at=later)


@one_process
def test_on_demand_is_at_once_and_logged_and_later_words_put_nothing_off(space: Space) -> None:
    job_id = say(space, "I live in Lisbon.")
    conversation = space.conversations.get()
    asked = NOW + MINUTE
    assert sources.process_now(conversation_id=conversation.pk, by=SYSTEM, now=asked) == job_id
    say(space, "I have two cats.", at=asked)
    assert due(job_id, at=asked)
    assert (
        AuditEvent.objects.filter(ledger__space=space, action="conversation.process").count() == 1
    )
    with pytest.raises(NotFound):
        sources.process_now(conversation_id=0, by=SYSTEM, now=NOW)


@one_process
def test_a_file_import_of_a_live_conversation_does_not_wait(space: Space) -> None:
    job_id = say(space, "I live in Lisbon.")
    assert say(space, "I live in Lisbon.", "I have two cats.", live=False) == job_id
    assert due(job_id, at=NOW)


@one_process
def test_words_that_come_while_a_worker_is_at_it_wait_until_it_is_idle_again(space: Space) -> None:
    job_id = say(space, *words(10))
    held = jobs.lease(job_id=job_id, now=NOW)
    assert held is not None
    conversation = space.conversations.get()
    sources.open_episodes(
        conversation_id=conversation.pk, now=NOW, held=Lease(job_id, held.fence),
        segments=[list(conversation.messages.values_list("pk", flat=True))],
    )  # fmt: skip
    say(space, "I have two cats.", at=NOW + MINUTE)
    say(space, "I like tea.", at=NOW + 2 * MINUTE)
    after = jobs.complete(job_id=job_id, fence=held.fence, now=NOW + 3 * MINUTE)
    assert (after.state, after.run_after) == (JobState.QUEUED, NOW + 2 * MINUTE + IDLE)
    say(space, "I like gin.", at=NOW + 4 * MINUTE)
    assert not due(job_id, at=NOW + 3 * MINUTE + IDLE)
    assert due(job_id, at=NOW + 4 * MINUTE + IDLE)


@one_process
def test_a_killed_worker_is_replaced_although_new_words_wait_to_be_idle(space: Space) -> None:
    job_id = say(space, *words(10))
    assert jobs.lease(job_id=job_id, now=NOW) is not None
    say(space, "I have two cats.", at=NOW + jobs.LEASE)
    assert due(job_id, at=NOW + jobs.LEASE)
    assert jobs.lease(job_id=job_id, now=NOW + jobs.LEASE) is not None


@one_process
def test_a_failed_attempt_is_not_put_off_by_new_words(space: Space) -> None:
    job_id = say(space, *words(10))
    held = jobs.lease(job_id=job_id, now=NOW)
    assert held is not None
    after = jobs.fail(job_id=job_id, fence=held.fence, error="away", now=NOW)
    say(space, "I have two cats.", at=NOW)
    assert due(job_id, at=after.run_after)


@one_process
def test_waiting_for_the_result_waits_for_no_idle_time(space: Space) -> None:
    say(space, "I live in Lisbon.")
    processing.process_until_done([space.conversations.get().pk], say=lambda line: None)
    assert Proposal.objects.filter(space=space).exists()


# --- whose turn it is ---


@one_process
def test_conversations_of_one_subject_are_taken_in_the_order_they_were_captured(
    space: Space,
) -> None:
    first, second = (say(space, "Hello", name=name, live=False) for name in ("a", "b"))
    other = say(space, "Hello", name="c", subjects=[BEN], live=False)
    assert jobs.take_due(now=NOW) == [first, other]
    assert jobs.lease(job_id=second, now=NOW) is None
    held = jobs.lease(job_id=first, now=NOW)
    assert held is not None
    assert jobs.lease(job_id=second, now=NOW) is None
    jobs.complete(job_id=first, fence=held.fence, now=NOW)
    assert due(second, at=NOW)
    leased = jobs.lease(job_id=second, now=NOW)
    assert leased is not None
    assert leased.attempts == 1  # waiting for its turn was no attempt


@one_process
def test_one_that_failed_keeps_its_turn_until_it_is_given_up(space: Space) -> None:
    first, second = (say(space, "Hello", name=name, live=False) for name in ("a", "b"))
    now = NOW
    for _ in range(jobs.MAX_ATTEMPTS):
        assert jobs.lease(job_id=second, now=now) is None
        held = jobs.lease(job_id=first, now=now)
        assert held is not None
        now = jobs.fail(job_id=first, fence=held.fence, error="away", now=now).run_after
    assert Job.objects.get(pk=first).state == JobState.DEAD
    assert due(second, at=now)


@one_process
def test_a_conversation_still_talked_in_keeps_no_other_waiting(space: Space) -> None:
    say(space, "Hello", name="live")
    imported = say(space, "Hello", name="file", live=False)
    assert due(imported, at=NOW)


@one_process
def test_a_conversation_that_always_grows_lets_the_others_have_their_turn(space: Space) -> None:
    hot = say(space, *words(10), name="hot")
    other = say(space, "Hello", name="other", at=NOW + MINUTE, live=False)
    held = jobs.lease(job_id=hot, now=NOW + MINUTE)
    assert held is not None
    say(space, *words(10, start=10), name="hot", at=NOW + 2 * MINUTE, live=False)
    jobs.complete(job_id=hot, fence=held.fence, now=NOW + 3 * MINUTE)
    assert jobs.take_due(now=NOW + 3 * MINUTE) == [other]


@one_process
def test_one_of_two_people_waits_for_each_and_blocks_for_each(space: Space) -> None:
    of_ana = say(space, "Hello", name="a", live=False)
    of_both = say(space, "Hello", name="ab", subjects=[BEN, ANA], live=False)
    of_ben = say(space, "Hello", name="b", subjects=[BEN], live=False)
    order = []
    while ready := jobs.take_due(now=NOW):
        order.append(ready)
        for job_id in ready:
            held = jobs.lease(job_id=job_id, now=NOW)
            assert held is not None
            jobs.complete(job_id=job_id, fence=held.fence, now=NOW)
    assert order == [[of_ana], [of_both], [of_ben]]


@one_process
def test_one_delivery_works_off_what_waited_for_it(space: Space) -> None:
    first, *others = (say(space, "I like tea.", name=name, live=False) for name in "abc")
    assert tasks.run_job(first) == "done"
    assert set(Job.objects.filter(pk__in=others).values_list("state", flat=True)) == {"done"}


@one_process
def test_waiting_for_one_works_off_what_comes_before_it(space: Space) -> None:
    say(space, "I like tea.", name="before", live=False)
    say(space, "I like tea.", name="mine", live=False)
    mine = space.conversations.get(external_id="mine").pk
    processing.process_until_done([mine], say=lambda line: None)
    assert not Job.objects.filter(space=space).exclude(state=JobState.DONE).exists()


# --- acts that come between ---


@one_process
def test_work_that_an_act_came_between_is_queued_soon_again_and_was_no_attempt(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = say(space, "I live in Lisbon.", live=False)

    def erased_meanwhile(payload: object, held: object) -> bool:
        raise Conflict("What was read for this run was erased meanwhile.")

    monkeypatch.setitem(tasks.HANDLERS, turns.PROCESS_CONVERSATION, erased_meanwhile)
    asked = timezone.now()
    assert tasks.run_one(job_id) == "waits"
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.attempts, job.lease_until) == (JobState.QUEUED, 0, None)
    assert "erased" in job.error
    assert jobs.LEASE > job.run_after - asked > timedelta(0)
    monkeypatch.undo()
    Job.objects.filter(pk=job_id).update(run_after=NOW)
    assert tasks.run_one(job_id) == "done"


@one_process
def test_what_conflicts_for_ever_is_given_up_in_words(space: Space) -> None:
    job_id = say(space, "Hello", live=False)
    now = NOW
    for _ in range(100):
        held = jobs.lease(job_id=job_id, now=now)
        if held is None:
            break
        jobs.give_way(job_id=job_id, fence=held.fence, reason="always in the way", now=now)
        now += MINUTE
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.error) == (JobState.DEAD, "always in the way")


@one_process
def test_an_erasure_that_takes_a_job_from_its_worker_costs_no_attempt(space: Space) -> None:
    job_id = say(space, "Hello", live=False)
    for _ in range(2 * jobs.MAX_ATTEMPTS):
        held = jobs.lease(job_id=job_id, now=NOW)
        assert held is not None
        # As an erasure does.
        Job.objects.filter(pk=job_id).update(
            state=JobState.QUEUED, fence=held.fence + 1, lease_until=None, delivered_at=None
        )
        assert not jobs.give_way(job_id=job_id, fence=held.fence, reason="taken", now=NOW)


@one_process
def test_an_overtaken_worker_changes_nothing_of_its_successors_job(space: Space) -> None:
    job_id = say(space, "Hello", live=False)
    first = jobs.lease(job_id=job_id, now=NOW)
    second = jobs.lease(job_id=job_id, now=NOW + jobs.LEASE)
    assert first is not None
    assert second is not None
    assert not jobs.give_way(job_id=job_id, fence=first.fence, reason="late", now=NOW)
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.fence, job.attempts) == (JobState.RUNNING, second.fence, 2)


# --- two workers ---


@dataclass
class SlowEngine(LocalEngine):
    """An engine that takes its time, longer for some words, and notes who is at work at once."""

    def __post_init__(self) -> None:
        self.at_work: list[str] = []
        self.together: list[tuple[str, str]] = []

    def calibrate(self, episode: EpisodeInput, predictions: tuple[Prediction, ...]) -> Calibration:
        name = episode.subject_name
        self.together += [(other, name) for other in self.at_work]
        self.at_work.append(name)
        time.sleep(0.15 if "slow" in episode.messages[0].text else 0.02)
        self.at_work.remove(name)
        return super().calibrate(episode, predictions)


def work_together(number: int) -> list[BaseException]:
    """Let workers take what is due until nothing is open; what they raised."""
    raised: list[BaseException] = []

    def work() -> None:
        ends_at = time.monotonic() + PATIENCE_S
        try:
            while time.monotonic() < ends_at:
                open_jobs = Job.objects.exclude(state__in=[JobState.DONE, JobState.DEAD])
                ids = list(open_jobs.filter(kind=turns.PROCESS_CONVERSATION).values_list("pk"))
                if not ids:
                    return
                for (job_id,) in reversed(ids):  # the last first, to tempt them
                    tasks.run_one(job_id)
        except BaseException as error:  # noqa: BLE001 - any would end the thread unseen
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * PATIENCE_S)
    assert not any(thread.is_alive() for thread in threads)
    return raised


def found(space: Space) -> list[tuple[str, str, str | None]]:
    """List what came of which conversation, and what it was joined to."""
    rows = Proposal.objects.filter(space=space).order_by("run__episode__conversation", "pk")
    return [
        (
            row.run.episode.conversation.external_id if row.run else "",
            row.text,
            row.joined_to.run.episode.conversation.external_id
            if row.joined_to and row.joined_to.run
            else None,
        )
        for row in rows
    ]


@several
def test_two_workers_join_as_one_does_whatever_takes_how_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = SlowEngine()
    embedder = pipeline.default_tools().embedder
    monkeypatch.setattr(pipeline, "default_tools", lambda: Tools(engine, embedder))
    spaces = [make_space(), make_space()]
    for space in spaces:
        for place in range(4):
            text = "I live in Lisbon, slow as it is." if place == 0 else "I live in Lisbon."
            say(space, text, "I have two cats.", name=f"ana {place}", live=False)
            say(space, "I play the cello.", name=f"ben {place}", subjects=[BEN], live=False)
    alone, together = spaces
    Job.objects.filter(space=together).update(run_after=NOW + timedelta(days=36500))
    for job in Job.objects.filter(space=alone).order_by("pk"):
        tasks.run_job(job.pk)
    engine.together.clear()
    Job.objects.filter(space=together).update(run_after=NOW)

    assert work_together(3) == []

    assert found(together) == found(alone)
    assert any(joined for _, _, joined in found(alone))
    assert {state for (state,) in Job.objects.values_list("state")} == {"done"}
    # Ana's never ran beside each other, while Ben's ran beside hers.
    assert ("Ana", "Ana") not in engine.together
    assert ("Ben", "Ben") not in engine.together
    assert {("Ana", "Ben"), ("Ben", "Ana")} & set(engine.together)


@several
def test_two_workers_take_each_message_once_while_the_conversation_grows() -> None:
    space = make_space()
    job_id = say(space, *words(12), live=False)

    def grow() -> None:
        for round_ in range(1, 6):
            say(space, *words(3, start=12 * round_), at=NOW + round_ * MINUTE, live=False)
            time.sleep(0.05)

        connection.close()

    growing = threading.Thread(target=grow)
    growing.start()
    assert work_together(2) == []
    growing.join(PATIENCE_S)
    assert work_together(2) == []
    messages = space.conversations.get().messages
    assert not messages.filter(episode__isnull=True).exists()
    episodes = Episode.objects.filter(space=space)
    runs = ExtractionRun.objects.filter(space=space)
    assert runs.count() == episodes.count()
    assert set(runs.values_list("state", flat=True)) == {"done"}
    assert Job.objects.filter(pk=job_id, state=JobState.DONE).exists()


@several
def test_workers_that_reach_for_one_subject_at_once_never_both_get_it() -> None:
    space = make_space()
    ids = [say(space, "Hello", name=f"c{place}", live=False) for place in range(4)]
    for _ in ids:
        taken: list[Job] = []
        acts: list[Callable[[], Job | None]] = [
            partial(jobs.lease, job_id=job_id, now=NOW) for job_id in ids
        ]
        barrier = threading.Barrier(len(acts))

        def reach(act: Callable[[], Job | None], got: list[Job], gate: threading.Barrier) -> None:
            gate.wait(PATIENCE_S)
            job = act()
            if job is not None:
                got.append(job)
            connection.close()

        threads = [threading.Thread(target=reach, args=(act, taken, barrier)) for act in acts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert len(taken) == 1
        jobs.complete(job_id=taken[0].pk, fence=taken[0].fence, now=NOW)


@one_process
def test_only_attempts_without_progress_count_towards_giving_up(space: Space) -> None:
    job_id = say(space, "Hello", live=False)
    now = NOW
    for _ in range(3 * jobs.MAX_ATTEMPTS):
        held = jobs.lease(job_id=job_id, now=now)
        assert held is not None
        jobs.note_progress(job_id=job_id, fence=held.fence, progress={"runs_done": 1}, now=now)
        now += jobs.LEASE
