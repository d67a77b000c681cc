"""What only looks like what was erased, or is somebody else's, stays as it was."""

import uuid
from datetime import timedelta

import pytest
from django_q.models import Task

from knowledge.commands import audit, ending, erasure, proposals, sources, undoing
from knowledge.models import (
    AuditEvent,
    Decision,
    Episode,
    Job,
    Message,
    Proposal,
    SearchEntry,
    Subject,
    Version,
)
from knowledge.queries.processing import unprocessed_messages
from knowledge.results import SYSTEM, WORKER, RunOutcome, StatementReview, SubjectRef
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
    utc,
)
from tests.forgetting import Office, make_office, rows_holding
from tests.integration.test_erasure_reach import (
    BEN,
    of_part,
    reject,
    said,
    subject_of,
    take_in,
)
from workbench.commands import keys

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = "quokkaberry"


@pytest.fixture
def desk() -> Desk:
    """A curator's desk."""
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers of the same space."""
    return make_office(desk.space)


def text_of(version: Version) -> tuple[str, bool]:
    """What a version says now, and whether it is believed."""
    version.refresh_from_db()
    return version.text, version.tx_to is None


def emptied(**objects: object) -> bool:
    return AuditEvent.objects.filter(payload__erased_at__isnull=False, **objects).exists()


def test_the_same_word_of_another_subject_keeps_its_title_note_log_and_belief(
    desk: Desk, office: Office
) -> None:
    desk.believe("Ana lives in Lisbon", attribute="home", value="Lisbon")
    ben = desk.believe("Ben lives in Lisbon", subject=BEN, attribute="home", value="Lisbon")
    message = ben.proposal.evidence.get().message
    sources.describe_episode(
        episode_id=message.episode_id or 0, title="Ben in Lisbon", narrative="Of Lisbon"
    )
    rejected = make_proposal(desk.space, "Ben likes fado", subject=BEN)
    reject(desk, rejected, note="only heard in Lisbon")

    office.erase("value", desk.subject.pk, words="Lisbon")

    assert text_of(ben) == ("Ben lives in Lisbon", True)
    message.refresh_from_db()
    assert message.text == "Ben lives in Lisbon"
    assert Episode.objects.get(pk=message.episode_id or 0).title == "Ben in Lisbon"
    assert Decision.objects.get(proposal=rejected).note == "only heard in Lisbon"
    assert not emptied(object_type="proposal", object_id=str(ben.proposal_id))


def test_the_same_subject_and_word_of_another_space_stay(desk: Desk, office: Office) -> None:
    desk.believe(f"Ana keeps a {CANARY}", attribute="plant", value=CANARY)
    other = make_desk()
    kept = other.believe(f"Ana keeps a {CANARY}", attribute="plant", value=CANARY)
    office.erase("value", desk.subject.pk, words=CANARY)
    office.erase("subject", desk.subject.pk)
    assert text_of(kept) == (f"Ana keeps a {CANARY}", True)
    assert other.subject.name == "Ana"
    assert not emptied(ledger__space=other.space)


def test_a_value_that_is_a_name_of_fields_empties_no_log_for_it(desk: Desk, office: Office) -> None:
    """Payloads have a field called text; only what is said in them counts."""
    ben = desk.believe("Ben keeps cows", subject=BEN)
    sent = make_proposal(desk.space, "please send me a text")
    audit.record(
        space_id=desk.space.pk, by=SYSTEM, action="test.field", payload={"text": "of cows"}
    )
    audit.record(
        space_id=desk.space.pk, by=SYSTEM, action="test.said", payload={"note": "her Text!"}
    )
    office.erase("value", sent.subject_id, words="text")
    assert not emptied(action="test.field") and emptied(action="test.said")
    assert not emptied(object_type="proposal", object_id=str(ben.proposal_id))


def test_a_subject_whose_name_begins_like_anothers_leaves_the_others_log(
    desk: Desk, office: Office
) -> None:
    desk.believe("Ana keeps bees")
    anabel = SubjectRef("user", "anabel", "Anabel")
    keys.create_key(
        space_slug=desk.space.slug, name="agent", subjects=[anabel], scopes=["retrieve"],
        by=SYSTEM, now=NOW,
    )  # fmt: skip
    named = {"note": "user:anabel of another space"}
    audit.record(space_id=None, by=SYSTEM, action="test.named", payload=named)
    audit.record(space_id=None, by=SYSTEM, action="test.meant", payload={"note": "user:ana!"})

    office.erase("subject", subject_of(desk, ANA).pk)

    assert not emptied(action="test.named") and not emptied(action="key.create")
    assert emptied(action="test.meant")


def test_a_merge_or_confirmation_that_was_undone_ties_nothing_together(
    desk: Desk, office: Office
) -> None:
    gone = desk.believe("Ana keeps bees")
    merged = desk.believe("Ana lives in Lisbon")
    again = make_proposal(desk.space, "Ana has a garden")
    decisions = [
        ending.merge(
            review=StatementReview(gone.pk, uuid.uuid4(), ""), into_version_id=merged.pk,
            by=actor(desk.curator), now=NOW,
        ),
    ]  # fmt: skip
    undo(desk, decisions[0].decision_id)
    back = Version.objects.current().get(statement=gone.statement)
    confirmed = approve(again, by=desk.curator, happened=WhatHappened.CONFIRMATION, target=back)
    undo(desk, confirmed.decision_id)
    garden = Version.objects.get(pk=approve(again, by=desk.curator).version_id or 0)

    office.erase("statement", gone.statement_id)

    assert text_of(merged) == ("Ana lives in Lisbon", True)
    assert text_of(garden) == ("Ana has a garden", True)


def undo(desk: Desk, decision_id: uuid.UUID) -> None:
    undoing.undo(decision_id=decision_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW)


def test_what_replaced_an_erased_value_stays(desk: Desk, office: Office) -> None:
    old = desk.believe(f"Ana works at {CANARY}", attribute="employer", value=CANARY, at=utc(2020))
    new = desk.believe(
        "Ana works at Northwind", attribute="employer", value="Northwind", at=utc(2024),
        happened=WhatHappened.CHANGED, target=old, changed_at=utc(2024),
    )  # fmt: skip
    office.erase("value", desk.subject.pk, words=CANARY)
    assert rows_holding(CANARY) == {}
    assert text_of(new) == ("Ana works at Northwind", True)


def test_a_proposal_made_by_hand_stays_when_words_that_joined_it_later_go(
    desk: Desk, office: Office
) -> None:
    message = make_messages(desk.space, "I keep bees.")[0]
    by_hand = proposals.propose_by_hand(
        space_id=desk.space.pk, subject_id=desk.subject.pk,
        draft=draft_of(message, "Ana keeps bees", gaps=()), by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    later = make_proposal(
        desk.space, "Ana keeps bees indeed", joined_to=by_hand, aside_reason="near_duplicate"
    )
    decided = approve(Proposal.objects.get(pk=by_hand), by=desk.curator)
    version = Version.objects.get(pk=decided.version_id or 0)

    office.erase("conversation", later.evidence.get().message.conversation_id)
    assert text_of(version) == ("Ana keeps bees", True)

    office.erase("conversation", message.conversation_id)
    assert text_of(version) == ("", False)


def test_an_entry_of_a_quote_stays_where_the_same_words_stand_twice(
    desk: Desk, office: Office
) -> None:
    message = make_messages(desk.space, "I like tea. Ben hates it; so do I. I like tea.")[0]
    first = of_part(message, "I like tea.", "Ana likes tea a lot")
    gone = approve(first, by=desk.curator)
    end = len(message.text)
    second = of_part(message, "I like tea.", "Ana drinks tea", at=end - len("I like tea."))
    kept = approve(second, by=desk.curator)

    office.erase("statement", gone.statement_id or 0)

    message.refresh_from_db()
    assert message.text == "█" * 11 + " Ben hates it; so do I. I like tea."
    entries = SearchEntry.objects.filter(version_id=kept.version_id or 0, source="quote")
    assert [entry.text for entry in entries] == ["I like tea."]


def test_results_of_tasks_go_with_their_space_and_no_other(desk: Desk, office: Office) -> None:
    own = desk.believe("Ana keeps bees")
    other = make_desk()
    make_messages(other.space, "I keep cows.")
    for place, space in enumerate((desk.space, other.space)):
        job = Job.objects.filter(space=space)[0]
        Task.objects.create(
            id=f"t{place}", name=f"job-{job.pk}", func="extraction.tasks.run_job",
            args=(job.pk,), started=NOW, stopped=NOW, success=True, result="done",
        )  # fmt: skip
    office.erase("statement", own.statement_id)
    assert list(Task.objects.values_list("pk", flat=True)) == ["t1"]


def test_a_second_erasure_claims_nothing_that_was_gone(desk: Desk, office: Office) -> None:
    version = desk.believe("Ana keeps bees")
    conversation_id = version.proposal.evidence.get().message.conversation_id
    targets = {
        "statement": version.statement_id, "subject": desk.subject.pk,
        "conversation": conversation_id,
    }  # fmt: skip
    scopes = [office.scope(kind, target) for kind, target in targets.items()]
    ids = [office.ask(scope) for scope in scopes]
    for erasure_id, scope in zip(ids, scopes, strict=True):
        office.confirm(erasure_id, scope)
    counts = [
        erasure.carry_out(erasure_id=erasure_id, now=NOW + timedelta(hours=hours))["counts"]
        for hours, erasure_id in enumerate(ids)
    ]
    assert counts[0]["statements"] == 1
    assert {noun for noun, count in counts[2].items() if count} <= {"tombstones", "conversations"}
    gone_at = Version.objects.get(pk=version.pk).redacted_at
    assert gone_at == NOW


def test_the_rest_of_a_message_and_of_an_episode_can_still_be_learned_from(
    desk: Desk, office: Office
) -> None:
    loose = make_messages(desk.space, f"I keep a {CANARY}. And I live in Lisbon.")[0]
    taken = make_messages(desk.space, f"I keep a {CANARY}.", "I live in Porto.")
    run_id = failed_run(desk.subject, taken)
    office.erase("value", desk.subject.pk, words=CANARY)
    assert [row.id for row in unprocessed_messages(loose.conversation_id)] == [loose.pk]
    assert failed_run(desk.subject, taken, ends=False) == run_id
    outcome = RunOutcome((), (), (), (draft_of(taken[1], "Ana lives in Porto", gaps=()),))
    assert proposals.record_run(run_id=run_id, outcome=outcome, by=WORKER, now=NOW).pending == 1


def test_runs_over_the_others_words_go_on_after_a_speaker_was_erased(
    desk: Desk, office: Office
) -> None:
    conversation = take_in(
        desk, said(ANA, "I keep bees."), said(BEN, "I keep cows."), subjects=(ANA, BEN)
    )
    messages = list(Message.objects.filter(conversation=conversation).order_by("ordinal"))
    ben = subject_of(desk, BEN)
    run_id = failed_run(ben, messages)
    office.erase("subject", subject_of(desk, ANA).pk)
    assert failed_run(ben, messages, ends=False) == run_id
    outcome = RunOutcome((), (), (), (draft_of(messages[1], "Ben keeps cows", gaps=()),))
    assert proposals.record_run(run_id=run_id, outcome=outcome, by=WORKER, now=NOW).pending == 1


def failed_run(subject: Subject, messages: list[Message], *, ends: bool = True) -> int:
    """Begin a run over the messages, or take it up again; let it fail unless it goes on."""
    if ends:
        sources.open_episodes(
            conversation_id=messages[0].conversation_id,
            segments=[[row.pk for row in messages]], now=NOW,
        )  # fmt: skip
    for row in messages:
        row.refresh_from_db()
    run = proposals.begin_run(
        episode_id=messages[0].episode_id or 0, subject_id=subject.pk, engine="test", model="",
        prompt_version="1", cold_start=True, shown=[], now=NOW,
    )  # fmt: skip
    if ends:
        proposals.fail_run(run_id=run.pk, error="the engine is down")
    return run.pk
