"""Acts from the wrong state, by the wrong person or on the wrong words change nothing."""

import uuid
from dataclasses import replace
from datetime import datetime

import pytest

from knowledge.commands import jobs, proposals, review, sources, undoing
from knowledge.errors import Conflict, InvalidInput, InvalidPeriod, NotFound, TransitionRefused
from knowledge.models import (
    Contest,
    Message,
    SearchEntry,
    Version,
)
from knowledge.queries.jobs import open_jobs
from knowledge.queries.quotes import quotes_of
from knowledge.results import SYSTEM, WORKER, Edits, NewMessage, RunOutcome, SubjectRef
from knowledge.trust import TrustState, WhatHappened
from tests.factories import (
    NOW,
    Desk,
    actor,
    approve,
    draft_of,
    make_desk,
    make_messages,
    make_person,
    make_proposal,
    propose,
    seen,
    utc,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    return make_desk()


def undo_last(desk: Desk) -> None:
    """Take back the last approval of the desk."""
    undoing.undo(
        decision_id=desk.decided[-1].decision_id, request_id=uuid.uuid4(),
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip


# --- what is believed already is not decided again ---


@pytest.mark.parametrize("act", [review.wake, review.propose_anyway])
def test_an_approval_is_taken_back_by_undo_alone(desk: Desk, act: object) -> None:
    version = desk.believe("Ana likes tea")
    with pytest.raises(TransitionRefused, match="approved cannot be"):
        act(review=seen(version.proposal), by=actor(desk.curator), now=NOW)  # type: ignore[operator]  # one of two commands
    version.proposal.refresh_from_db()
    assert version.proposal.state == TrustState.APPROVED


def test_what_was_approved_is_neither_approved_again_nor_edited(desk: Desk) -> None:
    version = desk.believe("Ana likes tea")
    by = actor(desk.curator)
    with pytest.raises(TransitionRefused):
        approve(version.proposal, by=desk.curator)
    with pytest.raises(TransitionRefused):
        review.edit(review=seen(version.proposal), edits=Edits(text="no"), by=by, now=NOW)
    version.proposal.refresh_from_db()
    assert version.proposal.text == "Ana likes tea"
    assert Version.objects.filter(space=desk.space).count() == 1


def test_what_was_rejected_is_not_rejected_again_nor_woken(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    by = actor(desk.curator)
    review.reject(review=seen(proposal), reason_code="not_said", by=by, now=NOW)
    with pytest.raises(TransitionRefused):
        review.reject(review=seen(proposal), reason_code="misread", by=by, now=NOW)
    with pytest.raises(TransitionRefused):
        review.wake(review=seen(proposal), by=by, now=NOW)


# --- a form answers only its own sender, about its own proposal ---


def test_a_used_form_tells_nothing_to_another_person_or_for_another_proposal(desk: Desk) -> None:
    proposal, other = (make_proposal(desk.space, text) for text in ("Ana likes tea", "Ana runs"))
    look = seen(proposal)
    review.reject(review=look, reason_code="not_said", by=actor(desk.curator), now=NOW)
    colleague = make_person(desk.space)
    for given, person in (
        (look, colleague),
        (seen(other, request_id=look.request_id), desk.curator),
    ):
        with pytest.raises(Conflict, match="used for something else"):
            review.reject(review=given, reason_code="not_said", by=actor(person), now=NOW)
    with pytest.raises(Conflict, match="used for something else"):
        review.approve(review=look, happened=WhatHappened.NEW, by=actor(desk.curator), now=NOW)
    other.refresh_from_db()
    assert other.state == TrustState.PENDING


# --- time ---


def test_a_change_after_the_stated_end_is_refused(desk: Desk) -> None:
    old = desk.believe("Ana works at Contoso", attribute="employer", value="Contoso", at=utc(2024))
    short = make_proposal(desk.space, "Ana works at N", at=utc(2025), valid_to=utc(2025, 6))
    with pytest.raises(InvalidPeriod):
        approve(
            short, by=desk.curator, happened=WhatHappened.CHANGED, target=old,
            changed_at=utc(2025, 7),
        )  # fmt: skip


def test_an_instant_outside_of_the_calendar_is_refused() -> None:
    from_the_east = datetime.fromisoformat("0001-01-01T00:00:00+14:00")
    desk = make_desk()
    with pytest.raises(InvalidPeriod, match="years 1 to 9999"):
        make_messages(desk.space, "Hello", at=from_the_east)


# --- undo after others decided ---


def test_words_of_an_undone_confirmation_leave_what_came_of_the_version_too(desk: Desk) -> None:
    old = desk.believe("Ana works at Contoso", attribute="employer", value="Contoso", at=utc(2024))
    again = make_proposal(desk.space, "still at Contoso", at=utc(2025))
    confirmed = approve(again, by=desk.curator, happened=WhatHappened.CONFIRMATION, target=old)
    desk.believe(
        "Ana works at Northwind", attribute="employer", value="Northwind", at=utc(2026),
        happened=WhatHappened.CHANGED, target=old,
    )  # fmt: skip
    remnant = Version.objects.current().get(derived_from=old)
    found = SearchEntry.objects.filter(version=remnant, text="still at Contoso")
    assert found.filter(known_to__isnull=True).exists()
    undoing.undo(
        decision_id=confirmed.decision_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW
    )
    assert not found.filter(known_to__isnull=True).exists()


def test_a_contest_ends_with_one_of_its_sides_and_returns_with_it(desk: Desk) -> None:
    one = desk.believe("Ana lives in Lisbon", at=utc(2024))
    other = desk.believe(
        "Ana lives in Porto", at=utc(2024), happened=WhatHappened.CANNOT_TELL, target=one
    )
    desk.believe("Ana lives in Faro", at=utc(2024), happened=WhatHappened.NEVER_SO, target=one)
    assert not Contest.objects.filter(space=desk.space, resolved_by__isnull=True).exists()
    undo_last(desk)
    restored = Version.objects.current().get(derived_from=one)
    again = Contest.objects.get(space=desk.space, resolved_by__isnull=True)
    assert {again.version_a_id, again.version_b_id} == {restored.pk, other.pk}


def test_what_waits_on_a_confirmed_proposal_is_shown_what_it_confirmed(desk: Desk) -> None:
    believed = desk.believe("Ana lives in Lisbon")
    again = make_proposal(desk.space, "Ana really lives in Lisbon")
    follower = make_proposal(desk.space, "Ana lives in Porto", kind="update", waits_on=again.pk)
    approve(again, by=desk.curator, happened=WhatHappened.CONFIRMATION, target=believed)
    follower.refresh_from_db()
    assert (follower.target_id, follower.target_seen_id) == (believed.statement_id, believed.pk)


def test_what_was_believed_once_keeps_the_words_it_was_believed_on(desk: Desk) -> None:
    version = desk.believe("Ana likes tea")
    undo_last(desk)
    make_proposal(
        desk.space, "tea again", aside_reason="near_duplicate", joined_to=version.proposal_id
    )
    assert version.tx_from is not None
    (quote,) = quotes_of([version.pk], known_at=version.tx_from)[version.pk]
    assert quote.text == "Ana likes tea"


def test_a_forged_search_entry_serves_nobody_elses_words(desk: Desk) -> None:
    ben = SubjectRef("user", "ben", "Ben")
    own = desk.believe("Ana likes tea")
    other = desk.believe("Ben likes gin", subject=ben)
    again = make_proposal(desk.space, "gin, always", subject=ben)
    confirmed = approve(again, by=desk.curator, happened=WhatHappened.CONFIRMATION, target=other)
    entry = SearchEntry.objects.get(decision_id=confirmed.decision_id, source="quote")
    SearchEntry.objects.filter(pk=entry.pk).update(version=own)
    quotes = quotes_of([own.pk], known_at=entry.known_from)[own.pk]
    assert [quote.text for quote in quotes] == ["Ana likes tea"]


# --- what no column can hold ---

BAD_TEXTS = {"NUL": "a\x00b", "half a surrogate": "a\ud800b"}


@pytest.mark.parametrize("bad", BAD_TEXTS.values(), ids=BAD_TEXTS)
@pytest.mark.parametrize(
    "field", ["external_id", "source", "title", "message_id", "speaker", "text", "subject", "name"]
)
def test_text_that_is_none_is_refused_wherever_it_comes_in(
    desk: Desk, field: str, bad: str
) -> None:
    def given(name: str, fine: str) -> str:
        return bad if name == field else fine

    subject = SubjectRef("user", given("subject", "ana"), given("name", "Ana"))
    with pytest.raises(InvalidInput):
        sources.capture(
            space_id=desk.space.pk, external_id=given("external_id", "c"),
            source=given("source", "test"), title=given("title", "Talk"), subjects=[subject],
            messages=[
                NewMessage(
                    given("message_id", "m"), given("speaker", "Ana"), "user_message",
                    given("text", "Hello"), NOW, subject,
                )
            ],
            by=SYSTEM, now=NOW,
        )  # fmt: skip


def test_names_that_are_too_long_are_cut_and_ids_that_are_too_long_refused(desk: Desk) -> None:
    def capture(**changes: str) -> None:
        subject = SubjectRef("user", changes.get("subject", "ana"), "N" * 900)
        sources.capture(
            space_id=desk.space.pk, external_id=changes.get("external_id", "c"),
            source=changes.get("source", "test"), title="T" * 900, subjects=[subject],
            messages=[
                NewMessage(
                    changes.get("message_id", "m"), "S" * 900, "user_message", "Hi", NOW, subject
                )
            ],
            by=SYSTEM, now=NOW,
        )  # fmt: skip

    capture()
    message = Message.objects.select_related("conversation", "speaker").get(space=desk.space)
    assert message.speaker is not None
    kept = message.speaker_name, message.conversation.title, message.speaker.name
    assert [len(text) for text in kept] == [200, 300, 200]
    for field in ("subject", "external_id", "source", "message_id"):
        with pytest.raises(InvalidInput, match="longer than"):
            capture(**{field: "x" * 301})


EDITS = {
    "a NUL": Edits(text="a\x00b"),
    "half a surrogate": Edits(value="\ud800"),
    "a long attribute": Edits(attribute="a" * 65),
    "a long value": Edits(value="v" * 501),
    "a long about": Edits(about="a" * 201),
    "an unknown type": Edits(memory_type="gossip"),
    "an unknown weight": Edits(criticality="urgent"),
    "a naive time": Edits(valid_from=datetime(2026, 1, 1)),  # noqa: DTZ001 - naive on purpose
}


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_an_edit_no_column_can_hold_is_refused_in_words(desk: Desk, edits: Edits) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(InvalidInput):
        review.approve(
            review=seen(proposal), happened=WhatHappened.NEW, by=actor(desk.curator), now=NOW,
            edits=edits,
        )  # fmt: skip
    proposal.refresh_from_db()
    assert (proposal.state, proposal.text) == (TrustState.PENDING, "Ana likes tea")


def test_a_note_no_text_can_hold_is_refused_in_words(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(InvalidInput, match="note"):
        review.reject(
            review=seen(proposal, note="\x00"), reason_code="other", by=actor(desk.curator),
            now=NOW,
        )  # fmt: skip


DRAFTS = {
    "a NUL": {"text": "a\x00b"},
    "a long attribute": {"attribute": "a" * 65},
    "a long value": {"value": "v" * 501},
    "a long about": {"about": "a" * 201},
    "an unknown type": {"memory_type": "gossip"},
    "an unknown kind": {"kind": "gossip"},
    "no confidence": {"confidence": 100.0},
}


@pytest.mark.parametrize("changes", DRAFTS.values(), ids=DRAFTS)
def test_a_draft_no_column_can_hold_is_refused_in_words(
    desk: Desk, changes: dict[str, object]
) -> None:
    message = make_messages(desk.space, "I like tea")[0]
    with pytest.raises(InvalidInput):
        proposals.propose_by_hand(
            space_id=desk.space.pk, subject_id=desk.subject.pk, by=actor(desk.curator), now=NOW,
            draft=replace(draft_of(message, "Ana likes tea", gaps=()), **changes),  # type: ignore[arg-type]  # a test names fields freely
        )  # fmt: skip


def test_a_curator_with_a_long_name_can_decide(desk: Desk) -> None:
    by = replace(actor(desk.curator), id="n" * 150)
    proposal = make_proposal(desk.space, "Ana likes tea")
    review.reject(review=seen(proposal), reason_code="not_said", by=by, now=NOW)
    proposal.refresh_from_db()
    assert proposal.state == TrustState.REJECTED


def test_a_name_that_grows_when_folded_still_has_its_place(desk: Desk) -> None:
    ligatures = "\ufdfa" * 100
    one = desk.believe("x works", attribute="employer", value="Contoso", about=ligatures)
    assert one.slot_key is not None
    with pytest.raises(Conflict):
        desk.believe("x works", attribute="employer", value="Northwind", about=ligatures)


def test_an_error_no_column_can_hold_still_ends_its_attempt() -> None:
    job = jobs.enqueue(space_id=None, kind="test", key="1", payload={}, now=NOW)
    leased = jobs.lease(job_id=job.pk, now=NOW)
    assert leased is not None
    failed = jobs.fail(job_id=job.pk, fence=leased.fence, error="a\x00b\ud800", now=NOW)
    assert failed.error == "a\ufffdb?"


# --- whose words ---


def test_words_of_another_conversation_are_no_evidence_of_a_run(desk: Desk) -> None:
    own, foreign = (make_messages(desk.space, text)[0] for text in ("I like tea", "I like gin"))
    with pytest.raises(NotFound, match="conversation"):
        propose(own, "Ana likes gin", evidence=draft_of(foreign, "").evidence)


def test_nobody_is_given_words_of_a_conversation_they_have_no_part_in(desk: Desk) -> None:
    message = make_messages(desk.space, "I like tea")[0]
    ben = make_messages(desk.space, "I like gin", subject=SubjectRef("user", "ben", "Ben"))[0]
    assert ben.speaker_id is not None
    stranger = make_messages(make_desk().space, "I like rum")[0]
    assert stranger.speaker_id is not None
    for subject_id in (ben.speaker_id, stranger.speaker_id):
        with pytest.raises(InvalidInput, match="no part"):
            proposals.propose_by_hand(
                space_id=desk.space.pk, subject_id=subject_id, by=actor(desk.curator), now=NOW,
                draft=draft_of(message, "Ben likes tea", gaps=()),
            )  # fmt: skip


def test_words_that_join_a_proposal_must_be_seen_before_it_is_approved(desk: Desk) -> None:
    first = make_proposal(desk.space, "Ana likes tea")
    look = seen(first)
    make_proposal(desk.space, "as I said, tea", aside_reason="near_duplicate", joined_to=first.pk)
    assert first.evidence.count() == 2
    with pytest.raises(Conflict):
        review.approve(review=look, happened=WhatHappened.NEW, by=actor(desk.curator), now=NOW)


# --- runs and jobs ---


def test_a_run_taken_up_again_says_what_it_was_shown_this_time(desk: Desk) -> None:
    message = make_messages(desk.space, "I like tea")[0]
    sources.open_episodes(conversation_id=message.conversation_id, segments=[[message.pk]], now=NOW)
    message.refresh_from_db()
    assert message.episode_id is not None and message.speaker_id is not None

    def begin(*shown: str, episode_id: int, subject_id: int) -> int:
        return proposals.begin_run(
            episode_id=episode_id, subject_id=subject_id, engine="test", model="",
            prompt_version="1", cold_start=not shown, shown=shown, now=NOW,
        ).pk  # fmt: skip

    first = begin(episode_id=message.episode_id, subject_id=message.speaker_id)
    again = begin("statement:1", episode_id=message.episode_id, subject_id=message.speaker_id)
    run = desk.space.runs.get(pk=again)
    assert first == again
    assert (run.shown, run.cold_start) == (["statement:1"], False)
    proposals.record_run(run_id=run.pk, outcome=RunOutcome((), (), (), ()), by=WORKER, now=NOW)
    begin(episode_id=message.episode_id, subject_id=message.speaker_id)
    run.refresh_from_db()
    assert run.shown == ["statement:1"]


def test_a_job_given_up_cannot_be_tried_again_beside_the_one_that_took_its_place() -> None:
    job = jobs.enqueue(space_id=None, kind="test", key="1", payload={}, now=NOW)
    now = NOW
    for _ in range(jobs.MAX_ATTEMPTS):
        leased = jobs.lease(job_id=job.pk, now=now)
        assert leased is not None
        now = jobs.fail(job_id=job.pk, fence=leased.fence, error="away", now=now).run_after
    jobs.enqueue(space_id=None, kind="test", key="1", payload={}, now=now)
    with pytest.raises(Conflict, match="waits already"):
        jobs.retry(job_id=job.pk, now=now)
    assert open_jobs(kind="test", keys=["1"], given_up=True) == []
