"""Erasing while others decide, capture and extract: whoever comes second finds nothing left."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from knowledge.commands import (
    erasure,
    indexing,
    jobs,
    proposals,
    reshaping,
    review,
    sources,
    undoing,
)
from knowledge.errors import Conflict, KnowledgeError
from knowledge.models import ErasureRequest, Job, SearchEntry
from knowledge.queries.vectors import entries_to_embed
from knowledge.results import (
    SYSTEM,
    WORKER,
    Edits,
    EvidenceDraft,
    NewMessage,
    PredictionDraft,
    RunOutcome,
)
from knowledge.trust import WhatHappened
from tests.factories import (
    ANA,
    NOW,
    Desk,
    actor,
    approve,
    draft_of,
    make_desk,
    make_messages,
    make_proposal,
    propose,
    seen,
)
from tests.forgetting import make_office, rows_holding
from tests.integration.test_concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = "quokkaberry"
TURNS = 3


def approving(desk: Desk) -> Callable[[], object]:
    """Approve something of the subject."""
    waiting = make_proposal(desk.space, f"Ana likes {CANARY} jam")
    return partial(
        review.approve, review=seen(waiting), happened=WhatHappened.NEW, by=actor(desk.curator),
        now=NOW,
    )  # fmt: skip


def editing(desk: Desk) -> Callable[[], object]:
    """Edit something of the subject."""
    waiting = make_proposal(desk.space, "Ana likes jam")
    return partial(
        review.edit, review=seen(waiting), edits=Edits(text=f"Ana likes {CANARY} jam"),
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip


def splitting(desk: Desk) -> Callable[[], object]:
    """Split something of the subject."""
    waiting = make_proposal(desk.space, f"Ana likes {CANARY} jam and tea")
    return partial(
        reshaping.split, review=seen(waiting), texts=[f"Ana likes {CANARY}", "Ana likes tea"],
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip


def undoing_one(desk: Desk) -> Callable[[], object]:
    """Undo an approval."""
    desk.believe(f"Ana keeps a {CANARY}")
    return partial(
        undoing.undo, decision_id=desk.decided[-1].decision_id, request_id=uuid.uuid4(),
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip


def capturing(desk: Desk) -> Callable[[], object]:
    """Capture more of the subject's words."""
    said = NewMessage("m1", "Ana", "user_message", f"My {CANARY} blooms.", NOW, ANA)
    return partial(
        sources.capture, space_id=desk.space.pk, external_id=str(uuid.uuid4()), source="test",
        messages=[said], subjects=[ANA], by=SYSTEM, now=NOW,
    )  # fmt: skip


def recording(desk: Desk) -> Callable[[], object]:
    """Write what a run found in the subject's words."""
    message = make_messages(desk.space, f"My {CANARY} blooms.")[0]
    propose(message, "Ana has a plant")
    message.refresh_from_db()
    run = proposals.begin_run(
        episode_id=message.episode_id or 0, subject_id=message.speaker_id or 0, engine="other",
        model="", prompt_version=str(uuid.uuid4()), cold_start=False, shown=[], now=NOW,
    )  # fmt: skip
    outcome = RunOutcome(
        predictions=(PredictionDraft(f"has a {CANARY}", (), "confirmed"),),
        gaps=(),
        covered=(),
        drafts=(draft_of(message, f"Ana has a {CANARY}", gaps=()),),
    )
    return partial(proposals.record_run, run_id=run.pk, outcome=outcome, by=WORKER, now=NOW)


def proposing(desk: Desk) -> Callable[[], object]:
    """Propose the subject's words by hand."""
    message = make_messages(desk.space, f"My {CANARY} blooms.")[0]
    return partial(
        proposals.propose_by_hand, space_id=desk.space.pk, subject_id=desk.subject.pk,
        draft=draft_of(message, f"Ana has a {CANARY}", gaps=()), by=actor(desk.curator), now=NOW,
    )  # fmt: skip


@pytest.mark.parametrize(
    "rival", [approving, editing, splitting, undoing_one, capturing, recording, proposing]
)
def test_an_erasure_and_another_act_take_turns_and_nothing_survives(
    rival: Callable[[Desk], Callable[[], object]],
) -> None:
    for _ in range(TURNS):
        desk = make_desk()
        office = make_office(desk.space)
        desk.believe(f"Ana keeps a {CANARY} bush")
        acts = [rival(desk), rival(desk)]
        scope = office.scope("subject", desk.subject.pk)
        erasure_id = office.ask(scope)
        office.confirm(erasure_id, scope)
        erasing = partial(erasure.carry_out, erasure_id=erasure_id, now=NOW)

        raised = at_once(acts[0], erasing, acts[1])

        assert raised[1] is None
        assert all(error is None or isinstance(error, KnowledgeError) for error in raised), raised
        assert rows_holding(CANARY) == {}


def test_two_workers_carry_one_erasure_out_once() -> None:
    desk = make_desk()
    office = make_office(desk.space)
    desk.believe(f"Ana keeps a {CANARY} bush")
    scope = office.scope("subject", desk.subject.pk)
    erasure_id = office.ask(scope)
    office.confirm(erasure_id, scope)
    erasing = partial(erasure.carry_out, erasure_id=erasure_id, now=NOW)
    assert at_once(erasing, erasing, erasing) == [None, None, None]
    assert ErasureRequest.objects.get(pk=erasure_id).state == "done"
    assert rows_holding(CANARY) == {}


def test_two_erasures_that_reach_the_same_words_both_end() -> None:
    desk = make_desk()
    office = make_office(desk.space)
    version = desk.believe(f"Ana keeps a {CANARY} bush")
    erasing = []
    for kind, target, words in (
        ("subject", desk.subject.pk, ""),
        ("statement", version.statement_id, ""),
        ("value", desk.subject.pk, CANARY),
    ):
        scope = office.scope(kind, target, words=words)
        erasure_id = office.ask(scope)
        office.confirm(erasure_id, scope)
        erasing.append(partial(erasure.carry_out, erasure_id=erasure_id, now=NOW))
    assert at_once(*erasing) == [None, None, None]
    assert rows_holding(CANARY) == {}


def test_a_vector_of_words_that_went_meanwhile_is_not_kept() -> None:
    desk = make_desk()
    message = make_messages(desk.space, f"I keep a {CANARY} bush. And I live in Lisbon.")[0]
    home = "I live in Lisbon."
    start = message.text.index(home)
    evidence = (EvidenceDraft(message.pk, start, start + len(home), home),)
    approve(propose(message, "Ana lives in Lisbon", evidence=evidence), by=desk.curator)
    read = entries_to_embed(space_id=desk.space.pk, model="m", limit=50)
    assert any(CANARY in text for _, text in read)

    make_office(desk.space).erase("value", desk.subject.pk, words=CANARY)
    indexing.store_vectors(vectors=[(pk, text, [1.0, 2.0]) for pk, text in read], model="m")

    texts = dict(SearchEntry.objects.exclude(vector=None).values_list("pk", "text"))
    assert texts and texts.items() <= dict(read).items()
    assert not any("█" in text for text in texts.values())


def test_a_worker_that_was_overtaken_cannot_write_what_it_held_into_its_job() -> None:
    desk = make_desk()
    message = make_messages(desk.space, f"I keep a {CANARY}")[0]
    job = Job.objects.get(kind="process_conversation", key=str(message.conversation_id))
    held = jobs.lease(job_id=job.pk, now=NOW + timedelta(hours=1))
    assert held is not None
    make_office(desk.space).erase("subject", desk.subject.pk)
    with pytest.raises(Conflict, match="taken over"):
        jobs.fail(job_id=job.pk, fence=held.fence, error=f"the model said {CANARY}", now=NOW)
    assert rows_holding(CANARY) == {}
    job.refresh_from_db()
    assert (job.state, job.error) == ("queued", "")
