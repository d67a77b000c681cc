"""Runs for comparison: what they find is kept and shown, and changes nothing."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from extraction import pipeline, shadowing, tasks
from extraction.embeddings.registry import get_embedder
from extraction.engines.base import Calibration, Description, EpisodeInput, Prediction
from extraction.engines.local import LocalEngine
from extraction.engines.metering import Call, current
from extraction.errors import BadInput, EngineAnswerInvalid, EngineUnavailable
from extraction.evaluation import stored
from extraction.pipeline import Tools
from knowledge.commands import jobs, review, shadows, sources
from knowledge.commands.shadows import SHADOW_RUN
from knowledge.errors import Conflict, Erased, NotAllowed, NotFound
from knowledge.models import (
    AuditEvent,
    Covered,
    Episode,
    Evidence,
    ExtractionRun,
    Gap,
    Job,
    JobState,
    Proposal,
    ProposalVector,
    Role,
    RunState,
    ShadowCandidate,
    ShadowQuote,
    Version,
)
from knowledge.queries import conversations, processing
from knowledge.queries import review as review_reads
from knowledge.queries.processing import figures_of_conversations, unfinished_runs
from knowledge.queries.runs import ReadRun
from knowledge.queries.runs import run as read_run
from knowledge.results import SYSTEM, Lease, NewMessage
from knowledge.trust import TrustState, WhatHappened
from tests.factories import ANA, NOW, Desk, actor, approve, make_desk, make_person, seen
from tests.forgetting import make_office, rows_holding

pytestmark = pytest.mark.django_db

FIRST = "I work at Contoso."
THEN = "I live in Lisbon. I have two cats."


class Broken(LocalEngine):
    """An engine whose model answers nonsense, after it was paid for."""

    error: Exception = EngineAnswerInvalid("The model’s answer does not fit (calibrate).")

    def calibrate(self, episode: EpisodeInput, predictions: tuple[Prediction, ...]) -> Calibration:
        pay("calibrate")
        raise self.error


class Paid(LocalEngine):
    """An engine that calls a model for each of its answers."""

    def describe(self, episode: EpisodeInput) -> Description:
        pay("describe")
        return super().describe(episode)

    def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
        pay("predict")
        return super().predict(episode)

    def calibrate(self, episode: EpisodeInput, predictions: tuple[Prediction, ...]) -> Calibration:
        pay("calibrate")
        return super().calibrate(episode, predictions)


class Mute(LocalEngine):
    """An engine that cannot even describe."""

    def describe(self, episode: EpisodeInput) -> Description:
        pay("describe")
        raise EngineUnavailable("The model endpoint does not answer (503).")


def pay(purpose: str) -> None:
    """Count a call as an engine with a model does."""
    meter = current()
    assert meter is not None
    meter.add(Call(purpose, "big", f"{purpose}@1", "json_schema", 100, 20, 7, 50, 1))


@pytest.fixture
def desk() -> Desk:
    return make_desk()


def capture(desk: Desk, *texts: str, external_id: str = "c1", days: int = 0) -> int:
    """Capture a conversation of Ana's, one message a minute; its id."""
    at = NOW + timedelta(days=days)
    return sources.capture(
        space_id=desk.space.pk,
        external_id=external_id,
        source="test",
        messages=[
            NewMessage(f"m{n}", "Ana", "user_message", text, at + timedelta(minutes=n), ANA)
            for n, text in enumerate(texts)
        ],
        subjects=[ANA],
        by=SYSTEM,
        now=NOW,
    ).conversation_id


def process(conversation_id: int, engine: LocalEngine | None = None) -> ExtractionRun:
    """Process a conversation now; its last run."""
    tools = Tools(engine=engine or LocalEngine(), embedder=get_embedder())
    pipeline.process_conversation(conversation_id, tools=tools)
    return ExtractionRun.objects.filter(
        episode__conversation_id=conversation_id, shadow=False
    ).latest("pk")


def ask(run: ExtractionRun, *, expects: bool = True, by: Any = None) -> int:
    """Ask for a run to be repeated."""
    person = by or make_person(run.space)
    return shadows.request_shadow(
        space_id=run.space_id,
        run_id=run.pk,
        arm=shadowing.arm_of("local", expects=expects),
        by=actor(person),
        now=timezone.now(),
    )


def work_off(run_id: int) -> str:
    """Let a worker do what was asked."""
    return tasks.run_job(Job.objects.get(kind=SHADOW_RUN, key=str(run_id)).pk)


def shadow_of(run: ExtractionRun, *, expects: bool = True) -> ReadRun:
    """Repeat a run, and read what came of it."""
    asked = ask(run, expects=expects)
    assert work_off(asked) == "done"
    return read(asked, run)


def read(run_id: int, run: ExtractionRun) -> ReadRun:
    """Read a run that is there."""
    found = read_run(run_id, space_id=run.space_id)
    assert found is not None
    return found


def use(monkeypatch: pytest.MonkeyPatch, engine: LocalEngine) -> None:
    """Let the worker work with this engine, under the name of the built-in one."""

    def get(name: str = "", **models: str) -> LocalEngine:
        return engine

    monkeypatch.setattr(shadowing, "get_engine", get)


def counts(desk: Desk) -> dict[str, int]:
    """Count what belief and the queue are made of."""
    return {
        model.__name__: model.objects.filter(space=desk.space).count()
        for model in (Proposal, Evidence, Version, ProposalVector, Episode)
    } | {"pending": Proposal.objects.filter(space=desk.space, state="pending").count()}


def test_the_same_engine_finds_the_same_again_and_proposes_nothing(desk: Desk) -> None:
    run = process(capture(desk, THEN))
    before = counts(desk)
    again = shadow_of(run)
    first = read(run.pk, run)
    assert (again.state, again.shadow, again.beside_id) == ("done", True, run.pk)
    assert [one.text for one in again.candidates] == [one.text for one in first.candidates]
    assert [one.aside_reason for one in again.candidates] == ["", ""]
    assert {one.state for one in again.candidates} == {"would_wait"}
    assert [one.places for one in again.candidates] == [one.places for one in first.candidates]
    assert again.yielded == first.yielded
    assert counts(desk) == before


def test_it_starts_from_what_was_known_then_and_not_from_what_was_decided_since(
    desk: Desk,
) -> None:
    old = approve(Proposal.objects.get(run=process(capture(desk, FIRST))), by=desk.curator)
    run = process(capture(desk, "I work at Northwind now.", external_id="c2", days=30))
    new = Proposal.objects.get(run=run)
    approve(new, by=desk.curator, happened=WhatHappened.CHANGED, target=new.target_seen)
    again = shadow_of(run)
    assert [rest.id for rest in again.shown] == [old.statement_id]
    assert [(one.kind, one.target_id) for one in again.candidates] == [("update", old.statement_id)]
    assert [one.outcome for one in again.expected] == ["said_otherwise"]
    assert not again.candidates[0].aside_reason


def test_what_was_rejected_since_says_nothing_of_the_engine(desk: Desk) -> None:
    run = process(capture(desk, "I live in Lisbon."))
    rejected = Proposal.objects.get(run=run)
    review.reject(review=seen(rejected), reason_code="not_said", by=actor(desk.curator), now=NOW)
    (candidate,) = shadow_of(run).candidates
    assert (candidate.aside_reason, candidate.flags) == ("", tuple(rejected.flags))


def test_with_prediction_off_everything_is_extracted(desk: Desk) -> None:
    approve(Proposal.objects.get(run=process(capture(desk, FIRST))), by=desk.curator)
    run = process(capture(desk, FIRST, "I have two cats.", external_id="c2", days=3))
    first = read(run.pk, run)
    everything = shadow_of(run, expects=False)
    assert len(first.covered) == 1
    assert (everything.covered, everything.expected, everything.shown) == ((), (), ())
    assert len(everything.found) == len(first.found) + 1
    assert everything.yielded.rate == 1.0
    assert first.yielded.rate == 0.5


def test_nothing_else_reads_what_a_shadow_run_found(desk: Desk) -> None:
    conversation = capture(desk, FIRST)
    approve(Proposal.objects.get(run=process(conversation)), by=desk.curator)
    second = capture(desk, FIRST, "I have two cats.", external_id="c2", days=3)
    run = process(second)
    measured = stored.extracted(desk.space.pk)
    figures = figures_of_conversations([conversation, second])
    listed = conversations.conversation(second, space_id=desk.space.pk)
    shadow = ExtractionRun.objects.get(pk=shadow_of(run).id)
    shadow_of(run, expects=False)
    assert Covered.objects.filter(run=shadow).exists()
    assert Gap.objects.filter(run=shadow).exists()
    assert stored.extracted(desk.space.pk) == measured
    assert figures_of_conversations([conversation, second]) == figures
    assert conversations.conversation(second, space_id=desk.space.pk) == listed
    card = review_card(Proposal.objects.get(run=run))
    gaps = set(Gap.objects.filter(run=run).values_list("pk", flat=True))
    assert {mark.gap_id for mark in card.words.marks} == gaps
    own = set(Covered.objects.filter(run=run).values_list("pk", flat=True))
    assert {words.id for words in card.words.expected} == own
    assert not unfinished_runs(second)


def review_card(proposal: Proposal) -> Any:
    """Read a review card."""
    return review_reads.card(proposal.pk, space_id=proposal.space_id)


def test_a_shadow_run_stands_in_for_no_run_of_the_pipeline(desk: Desk) -> None:
    conversation = capture(desk, THEN)
    tools = Tools(engine=Broken(), embedder=get_embedder())
    with pytest.raises(EngineAnswerInvalid):
        pipeline.process_conversation(conversation, tools=tools)
    failed = ExtractionRun.objects.get(space=desk.space)
    shadow_of(failed)
    assert process(conversation).state == RunState.DONE
    assert Proposal.objects.filter(space=desk.space, state="pending").count() == 2


def test_later_words_are_no_repetition_of_what_a_shadow_run_found(desk: Desk) -> None:
    conversation = capture(desk, "I live in Lisbon.")
    with pytest.raises(EngineAnswerInvalid):
        process(conversation, Broken())
    shadow_of(ExtractionRun.objects.get(space=desk.space))
    run = process(conversation)
    (candidate,) = read(run.pk, run).candidates
    assert (candidate.aside_reason, candidate.flags) == ("", ())


def test_the_database_lets_a_shadow_run_propose_nothing(desk: Desk) -> None:
    run = process(capture(desk, THEN))
    shadow_id = shadow_of(run).id
    proposal = Proposal.objects.filter(run=run).first()
    evidence = Evidence.objects.filter(run=run).first()
    assert proposal is not None
    assert evidence is not None
    for row in (proposal, evidence):
        row.pk, row.run_id = None, shadow_id
        row._state.adding = True
        with pytest.raises(DatabaseError, match="a shadow run makes no"), transaction.atomic():
            row.save(force_insert=True)


def test_a_candidate_comes_from_a_shadow_run_and_is_never_changed(desk: Desk) -> None:
    run = process(capture(desk, THEN))
    shadow_of(run)
    candidate = ShadowCandidate.objects.first()
    assert candidate is not None
    rows = ShadowCandidate.objects.filter(pk=candidate.pk)
    for change in ({"text": ""}, {"text": "else"}, {"aside_reason": "trivial"}):
        with pytest.raises(DatabaseError, match="keeps what it was made of"), transaction.atomic():
            rows.update(**change)
    with pytest.raises(DatabaseError, match="never deleted"), transaction.atomic():
        ShadowQuote.objects.filter(candidate=candidate)._raw_delete("default")
    candidate.pk, candidate.run, candidate.ordinal = None, run, 99
    with pytest.raises(DatabaseError, match="comes from a shadow run"), transaction.atomic():
        candidate.save(force_insert=True)


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.PRIVACY])
def test_who_only_reads_may_not_ask_for_a_run(desk: Desk, role: str) -> None:
    run = process(capture(desk, THEN))
    with pytest.raises(NotAllowed):
        ask(run, by=make_person(desk.space, role=role))
    assert not ExtractionRun.objects.filter(shadow=True).exists()


def test_a_curator_of_another_space_finds_no_run_to_ask_for(desk: Desk) -> None:
    run, other = process(capture(desk, THEN)), make_desk()
    with pytest.raises(NotFound):
        shadows.request_shadow(
            space_id=other.space.pk,
            run_id=run.pk,
            arm=shadowing.arm_of("local"),
            by=actor(other.curator),
            now=NOW,
        )


def test_asking_is_on_record_with_who_asked(desk: Desk) -> None:
    admin = make_person(desk.space, role=Role.ADMIN)
    asked = ask(process(capture(desk, THEN)), by=admin)
    event = AuditEvent.objects.get(action="run.shadow")
    assert (event.actor_id, event.object_id) == (str(admin.pk), str(asked))
    assert ExtractionRun.objects.get(pk=asked).asked_by == admin


def test_asking_twice_is_one_run_and_asking_when_it_is_done_another(desk: Desk) -> None:
    run = process(capture(desk, THEN))
    first = ask(run)
    assert ask(run) == first
    assert ask(run, expects=False) != first
    work_off(first)
    assert ask(run) != first


def test_asking_on_a_shadow_run_stands_beside_the_run_it_stands_beside(desk: Desk) -> None:
    run = process(capture(desk, THEN))
    shadow = ExtractionRun.objects.get(pk=shadow_of(run).id)
    assert ExtractionRun.objects.get(pk=ask(shadow, expects=False)).beside == run


def test_a_failed_shadow_run_says_why_and_what_it_cost(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = process(capture(desk, THEN))
    use(monkeypatch, Broken())
    asked = ask(run)
    assert work_off(asked) == "done"
    failed = read(asked, run)
    assert (failed.state, failed.error) == ("failed", str(Broken.error))
    assert (failed.usage.tokens, failed.usage.cost_micro) == (120, 7)
    assert failed.candidates == ()


def test_an_endpoint_that_is_away_is_asked_again_and_what_it_cost_adds_up(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = process(capture(desk, THEN))
    monkeypatch.setattr(Broken, "error", EngineUnavailable("It does not answer (503)."))
    use(monkeypatch, Broken())
    asked = ask(run)
    assert work_off(asked) == "failed"
    assert read(asked, run).error == "It does not answer (503)."
    job = Job.objects.get(kind=SHADOW_RUN)
    assert job.state == JobState.QUEUED
    assert ask(run) == asked
    use(monkeypatch, Paid())
    Job.objects.filter(pk=job.pk).update(run_after=NOW)
    assert tasks.run_job(job.pk) == "done"
    again = read(asked, run)
    assert (again.state, again.error) == ("done", "")
    assert [call.purpose for call in again.usage.calls] == ["predict", "calibrate"]
    assert (again.usage.tokens, again.usage.earlier_tokens) == (240, 120)


def test_a_killed_worker_and_the_next_make_one_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = process(capture(desk, THEN))
    asked = ask(run)
    job = Job.objects.get(kind=SHADOW_RUN)
    killed: Callable[..., int] = shadows.record_shadow

    def die(**given: Any) -> int:
        killed(**given)
        raise KeyboardInterrupt

    monkeypatch.setattr(shadows, "record_shadow", die)
    with pytest.raises(KeyboardInterrupt):
        tasks.run_job(job.pk)
    monkeypatch.undo()
    Job.objects.filter(pk=job.pk).update(lease_until=NOW)
    assert tasks.run_job(job.pk) == "done"
    assert ExtractionRun.objects.filter(shadow=True).count() == 1
    assert len(read(asked, run).candidates) == 2


def test_an_overtaken_worker_writes_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    run = process(capture(desk, THEN))
    asked = ask(run)
    job = Job.objects.get(kind=SHADOW_RUN)

    class Slow(LocalEngine):
        """An engine so slow that another worker takes the job meanwhile."""

        def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
            Job.objects.filter(pk=job.pk).update(lease_until=NOW)
            assert jobs.lease(job_id=job.pk, now=timezone.now()) is not None
            return super().predict(episode)

    use(monkeypatch, Slow())
    assert tasks.run_job(job.pk) == "overtaken"
    assert not ShadowCandidate.objects.exists()
    assert ExtractionRun.objects.get(pk=asked).state == RunState.RUNNING


def test_an_engine_that_was_changed_meanwhile_is_not_taken_for_the_one_asked_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = process(capture(desk, THEN))
    asked = ask(run)
    monkeypatch.setattr(LocalEngine, "prompt_version", "revised")
    work_off(asked)
    assert "changed since" in read(asked, run).error


@pytest.mark.parametrize(
    ("engine", "expects", "model"),
    [("local", True, "big"), ("local", False, "big"), ("nosuch", True, ""), ("openai", True, "")],
)
def test_what_no_engine_does_is_refused_in_words(engine: str, expects: bool, model: str) -> None:
    with pytest.raises(BadInput, match=r"[A-Z].*\."):
        shadowing.arm_of(engine, expects=expects, predict_model=model)


def test_erasing_a_subject_empties_what_shadow_runs_found(desk: Desk) -> None:
    run = process(capture(desk, "I live in Zyxwombat."))
    shadow_of(run)
    shadow_of(run, expects=False)
    assert rows_holding("Zyxwombat")["public.knowledge_shadowcandidate"] == 2
    office = make_office(desk.space)
    certificate = office.erase("subject", run.subject_id)
    assert certificate["counts"]["candidates of shadow runs"] == 2
    assert rows_holding("Zyxwombat") == {}
    with pytest.raises(Erased):
        ask(run)


@pytest.mark.parametrize("kind", ["value", "conversation", "statement"])
def test_erasing_less_empties_the_candidates_that_say_it_alone(desk: Desk, kind: str) -> None:
    run = process(capture(desk, "I live in Zyxwombat. I have two cats."))
    shadow_of(run)
    city = Proposal.objects.get(run=run, text__contains="Zyxwombat")
    statement = approve(city, by=desk.curator).statement_id
    assert statement is not None
    office = make_office(desk.space)
    if kind == "value":
        office.erase("value", run.subject_id, words="Zyxwombat")
    else:
        office.erase(kind, statement if kind == "statement" else run.episode.conversation_id)
    assert "public.knowledge_shadowcandidate" not in rows_holding("Zyxwombat")
    left = ShadowCandidate.objects.exclude(text="").values_list("text", flat=True)
    assert list(left) == ([] if kind == "conversation" else ["Ana has two cats."])


def test_a_run_whose_words_were_erased_before_its_turn_reads_none_and_says_so(desk: Desk) -> None:
    run = process(capture(desk, THEN))
    asked = ask(run)
    make_office(desk.space).erase("conversation", run.episode.conversation_id)
    assert work_off(asked) == "done"
    assert "erased" in read(asked, run).error
    with pytest.raises(Erased):
        ask(run)


def test_a_run_whose_words_are_erased_while_it_reads_them_writes_none(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = process(capture(desk, THEN))
    asked = ask(run)
    office = make_office(desk.space)

    class Erasing(LocalEngine):
        """An engine during whose answer the words are erased."""

        def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
            office.erase("value", run.subject_id, words="Lisbon")
            return super().predict(episode)

    use(monkeypatch, Erasing())
    held = jobs.lease(job_id=Job.objects.get(kind=SHADOW_RUN).pk, now=timezone.now())
    assert held is not None
    with pytest.raises(Conflict):
        shadowing.shadow_job(held.payload, Lease(held.pk, held.fence))
    assert not ShadowCandidate.objects.exists()
    monkeypatch.undo()
    Job.objects.filter(pk=held.pk).update(lease_until=NOW)
    assert tasks.run_job(held.pk) == "done"
    assert [one.text for one in read(asked, run).candidates] == ["Ana has two cats."]


def test_a_run_counts_every_call_from_describing_on(desk: Desk) -> None:
    run = process(capture(desk, THEN), Paid())
    usage = read(run.pk, run).usage
    assert [call.purpose for call in usage.calls] == ["describe", "predict", "calibrate"]
    assert (usage.input_tokens, usage.output_tokens, usage.cost_micro) == (300, 60, 21)
    assert run.usage["candidates"] == 2


def test_a_run_that_cannot_describe_is_there_and_says_so(desk: Desk) -> None:
    conversation = capture(desk, THEN)
    with pytest.raises(EngineUnavailable):
        process(conversation, Mute())
    failed = ExtractionRun.objects.get(space=desk.space)
    assert (failed.state, failed.error) == (
        RunState.FAILED,
        "The model endpoint does not answer (503).",
    )
    assert failed.usage["input_tokens"] == 100
    assert failed.duration_ms is not None
    assert process(conversation).pk == failed.pk
    assert Proposal.objects.filter(run=failed, state=TrustState.PENDING).count() == 2


def test_a_bug_in_an_engine_fails_the_run_without_quoting_anybody(desk: Desk) -> None:
    class Buggy(LocalEngine):
        """An engine with a programmer's mistake."""

        def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
            raise KeyError(episode.messages[0].text)

    with pytest.raises(KeyError):
        process(capture(desk, THEN), Buggy())
    error = ExtractionRun.objects.get(space=desk.space).error
    assert "KeyError" in error
    assert "Lisbon" not in error


def test_an_engine_that_hears_topics_cuts_the_conversation(desk: Desk) -> None:
    class Hearing(LocalEngine):
        """An engine that hears a new topic at the fourth message."""

        def topic_starts(self, messages: Any) -> tuple[int, ...]:
            pay("segment")
            return (3,)

    conversation = capture(desk, *(f"I have {n} cats and a garden." for n in range(2, 9)))
    run = process(conversation, Hearing())
    sizes = [
        len(processing.episode_messages(pk))
        for pk in Episode.objects.order_by("pk").values_list("pk", flat=True)
    ]
    assert sizes == [3, 4]
    first = ExtractionRun.objects.filter(episode__conversation_id=conversation).first()
    assert first is not None
    assert first.usage["segmentation"]["input_tokens"] == 100
    assert "segmentation" not in run.usage
