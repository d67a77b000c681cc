"""What each approval does to belief, on both time axes."""

import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from knowledge.commands import review, undoing
from knowledge.errors import (
    InvalidInput,
    NotAllowed,
    SlotTaken,
    StaleProposal,
    TargetMoved,
    TransitionRefused,
    UndoRefused,
)
from knowledge.models import (
    AuditEvent,
    Confirmation,
    Contest,
    Decision,
    Proposal,
    Role,
    SearchEntry,
    Version,
)
from knowledge.results import Edits
from knowledge.trust import TrustState, WhatHappened
from tests.factories import (
    NOW,
    Desk,
    actor,
    approve,
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


def employer(desk: Desk, value: str, **changes: object) -> Version:
    """Believe where Ana works."""
    return desk.believe(f"Ana works at {value}", attribute="employer", value=value, **changes)  # type: ignore[arg-type]  # a test names fields freely


def true_at(desk: Desk, *, year: int, month: int = 1) -> set[str]:
    """Say what is believed now to have been true then."""
    rows = Version.objects.current().valid_at(utc(year, month)).filter(space=desk.space)
    return {row.value for row in rows}


def test_a_new_statement_is_believed_from_its_words_on(desk: Desk) -> None:
    version = employer(desk, "Contoso", at=utc(2024, 9))
    assert version.valid.lower == utc(2024, 9) and version.valid.upper is None
    assert version.opened_by.at == version.tx_from
    assert version.start_basis == "said" and version.observed_at == utc(2024, 9)
    assert {entry.source for entry in SearchEntry.objects.filter(version=version)} == {
        "text", "quote", "around",
    }  # fmt: skip


def test_the_epoch_and_microseconds_survive_the_store(desk: Desk) -> None:
    instant = utc(1970) + timedelta(microseconds=123_457)
    version = desk.believe("Ana's clock began", valid_from=utc(1970), valid_to=instant)
    version.refresh_from_db()
    assert (version.valid.lower, version.valid.upper) == (utc(1970), instant)
    last = instant - timedelta(microseconds=1)
    assert Version.objects.valid_at(last).filter(pk=version.pk).exists()
    assert not Version.objects.valid_at(instant).filter(pk=version.pk).exists()


def test_a_change_keeps_the_old_for_its_time_and_the_new_from_the_day(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024, 9))
    new = employer(
        desk, "Northwind", at=utc(2026, 3, 9), happened=WhatHappened.CHANGED, target=old,
        changed_at=utc(2026, 3, 2),
    )  # fmt: skip
    old.refresh_from_db()
    assert (old.end_reason, old.successor_id) == ("superseded", new.pk)
    assert new.statement_id == old.statement_id
    assert true_at(desk, year=2025) == {"Contoso"}
    assert true_at(desk, year=2026, month=4) == {"Northwind"}
    assert new.tx_from is not None
    before = Version.objects.known_at(new.tx_from - timedelta(microseconds=1))
    assert {row.value for row in before.valid_at(utc(2026, 4))} == {"Contoso"}


def test_what_was_never_so_leaves_no_remnant(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024, 9))
    new = employer(desk, "Northwind", at=utc(2026, 3), happened=WhatHappened.NEVER_SO, target=old)
    old.refresh_from_db()
    assert (old.end_reason, old.successor_id) == ("corrected", new.pk)
    assert true_at(desk, year=2025) == set()


def test_an_older_import_never_ends_a_newer_fact(desk: Desk) -> None:
    newer = employer(desk, "Northwind", at=utc(2026, 3))
    older = employer(desk, "Contoso", at=utc(2024, 9), happened=WhatHappened.CHANGED, target=newer)
    newer.refresh_from_db()
    assert newer.tx_to is None
    assert (older.valid.lower, older.valid.upper) == (utc(2024, 9), utc(2026, 3))
    assert true_at(desk, year=2026, month=5) == {"Northwind"}


def test_berlin_munich_berlin_answers_each_period(desk: Desk) -> None:
    def home(value: str, **changes: object) -> Version:
        return desk.believe(f"Ana lives in {value}", attribute="home_city", value=value, **changes)  # type: ignore[arg-type]  # a test names fields freely

    first = home("Berlin", at=utc(2022))
    second = home("Munich", at=utc(2023), happened=WhatHappened.CHANGED, target=first)
    home("Berlin", at=utc(2024), happened=WhatHappened.CHANGED, target=second)
    answers = [true_at(desk, year=year, month=6) for year in (2022, 2023, 2024, 2026)]
    assert answers == [{"Berlin"}, {"Munich"}, {"Berlin"}, {"Berlin"}]


def test_a_second_truth_in_a_slot_needs_to_be_told_what_happened(desk: Desk) -> None:
    employer(desk, "Contoso", at=utc(2024))
    with pytest.raises(SlotTaken, match="Choose what happened"):
        employer(desk, "Northwind", at=utc(2025))
    assert Version.objects.filter(space=desk.space).count() == 1


def test_both_true_stand_beside_each_other(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024))
    both = employer(desk, "Northwind", at=utc(2025), happened=WhatHappened.BOTH_TRUE, target=old)
    assert both.slot_key is None and both.statement_id != old.statement_id
    assert true_at(desk, year=2026) == {"Contoso", "Northwind"}


def test_cannot_tell_opens_a_contest_between_the_two(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024))
    new = employer(desk, "Northwind", at=utc(2025), happened=WhatHappened.CANNOT_TELL, target=old)
    contest = Contest.objects.get(space=desk.space)
    assert (contest.version_a_id, contest.version_b_id) == (old.pk, new.pk)
    assert true_at(desk, year=2026) == {"Contoso", "Northwind"}


def test_a_confirmation_adds_evidence_and_no_version(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024))
    again = make_proposal(
        desk.space, "still at Contoso", at=utc(2025), kind="confirmation",
        target_id=old.statement_id,
    )  # fmt: skip
    decided = approve(again, by=desk.curator, happened=WhatHappened.CONFIRMATION, target=old)
    confirmation = Confirmation.objects.get(confirms=old.statement)
    assert decided.version_id == old.pk
    assert Version.objects.filter(space=desk.space).count() == 1
    found = SearchEntry.objects.get(version=old, source="quote", decision=confirmation.decision)
    assert (found.text, found.known_from) == ("still at Contoso", confirmation.decision.at)


def test_two_approvals_ending_one_version_give_one_success_and_one_conflict(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024))
    first = make_proposal(
        desk.space, "Northwind", attribute="employer", value="Northwind", at=utc(2025),
        kind="update", target_id=old.statement_id,
    )  # fmt: skip
    second = make_proposal(
        desk.space, "Fabrikam", attribute="employer", value="Fabrikam", at=utc(2025, 2),
        kind="update", target_id=old.statement_id,
    )  # fmt: skip
    decided = approve(first, by=desk.curator, happened=WhatHappened.CHANGED, target=old)
    with pytest.raises(TargetMoved):
        approve(second, by=desk.curator, happened=WhatHappened.CHANGED, target=old)
    second.refresh_from_db()
    assert second.state == TrustState.PENDING
    assert "Northwind" in second.stale_reason and second.target_seen_id == decided.version_id


def test_a_proposal_changed_meanwhile_is_a_conflict_and_a_replay_is_not(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    look = seen(proposal)
    by = actor(desk.curator)
    first = review.reject(review=look, reason_code="not_said", by=by, now=NOW)
    again = review.reject(review=look, reason_code="not_said", by=by, now=NOW)
    assert again.replayed and again.decision_id == first.decision_id
    with pytest.raises(StaleProposal):
        review.reject(
            review=seen(proposal, seen_version=look.seen_version),
            reason_code="misread", by=by, now=NOW,
        )  # fmt: skip
    assert Decision.objects.filter(proposal=proposal).count() == 1


def test_an_edit_is_what_gets_believed_and_the_extraction_stays_as_it_came(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tee")
    decided = review.approve(
        review=seen(proposal), happened=WhatHappened.NEW, by=actor(desk.curator), now=NOW,
        edits=Edits(text="Ana likes tea", memory_type="preference"),
    )  # fmt: skip
    proposal.refresh_from_db()
    assert decided.version_id is not None
    assert Version.objects.get(pk=decided.version_id).text == "Ana likes tea"
    assert proposal.original["text"] == "Ana likes tee"
    assert list(proposal.contributors.all()) == [desk.curator]
    payload = AuditEvent.objects.get(decision_id=decided.decision_id).payload
    assert payload is not None
    assert (payload.body or {})["before"]["text"] == "Ana likes tee"


@pytest.mark.parametrize("edits", [Edits(text="  "), Edits(valid_to=utc(2001))])
def test_an_edit_that_makes_no_sense_changes_nothing(desk: Desk, edits: Edits) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(InvalidInput):
        review.approve(
            review=seen(proposal), happened=WhatHappened.NEW, by=actor(desk.curator), now=NOW,
            edits=edits,
        )  # fmt: skip


def test_undo_of_a_change_brings_the_old_back_and_the_proposal_to_the_queue(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024))
    employer(desk, "Northwind", at=utc(2025), happened=WhatHappened.CHANGED, target=old)
    undone = desk.decided[-1]
    undoing.undo(
        decision_id=undone.decision_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW
    )
    assert true_at(desk, year=2026) == {"Contoso"}
    restored = Version.objects.current().get(space=desk.space)
    assert (restored.derivation, restored.derived_from_id) == ("restores", old.pk)
    assert SearchEntry.objects.filter(version=restored).count() == 3
    assert Proposal.objects.get(pk=undone.proposal_id).state == TrustState.PENDING


def test_undo_is_refused_twice_by_others_and_when_something_depends_on_it(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024))
    employer(desk, "Northwind", at=utc(2025), happened=WhatHappened.CHANGED, target=old)
    first, second = desk.decided

    def undo(decision_id: uuid.UUID, *, person: User = desk.curator) -> None:
        undoing.undo(
            decision_id=decision_id,
            request_id=uuid.uuid4(),
            by=actor(person),
            now=NOW,
        )

    with pytest.raises(UndoRefused, match="Contoso"):
        undo(first.decision_id)
    with pytest.raises(NotAllowed):
        undo(second.decision_id, person=make_person(desk.space))
    undo(second.decision_id)
    with pytest.raises(UndoRefused, match="already"):
        undo(second.decision_id)


def test_decisions_can_be_undone_one_after_the_other(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024))
    employer(desk, "Northwind", at=utc(2025), happened=WhatHappened.CHANGED, target=old)
    for decided in reversed(desk.decided):
        undoing.undo(
            decision_id=decided.decision_id,
            request_id=uuid.uuid4(),
            by=actor(desk.curator),
            now=NOW,
        )
    assert true_at(desk, year=2026) == set()
    assert Proposal.objects.filter(space=desk.space, state=TrustState.PENDING).count() == 2


def test_undo_of_a_confirmation_leaves_what_was_known_before_reproducible(desk: Desk) -> None:
    old = employer(desk, "Contoso", at=utc(2024))
    again = make_proposal(desk.space, "still at Contoso", at=utc(2025))
    decided = approve(again, by=desk.curator, happened=WhatHappened.CONFIRMATION, target=old)
    back = undoing.undo(
        decision_id=decided.decision_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW
    )
    entry = SearchEntry.objects.get(version=old, source="quote", decision_id=decided.decision_id)
    assert entry.known_to == Decision.objects.get(pk=back.decision_id).at


def test_defer_wake_and_bring_back_follow_the_trust_table(desk: Desk) -> None:
    by = actor(desk.curator)
    proposal = make_proposal(desk.space, "Ana likes tea")
    review.defer(review=seen(proposal), until=NOW + timedelta(hours=1), by=by, now=NOW)
    review.wake(review=seen(proposal), by=by, now=NOW)
    aside = make_proposal(desk.space, "Ana may like tea", aside_reason="not_asserted")
    with pytest.raises(TransitionRefused):
        approve(aside, by=desk.curator)
    review.propose_anyway(review=seen(aside), by=by, now=NOW)
    approve(aside, by=desk.curator)
    aside.refresh_from_db()
    assert (proposal.state, aside.state) == (TrustState.DEFERRED, TrustState.APPROVED)
    with pytest.raises(InvalidInput, match="future"):
        review.defer(review=seen(proposal), until=NOW, by=by, now=NOW)


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.PRIVACY, Role.ADMIN])
def test_only_curators_decide_and_superusers_are_no_exception(desk: Desk, role: str) -> None:
    person = make_person(desk.space, role=role)
    person.is_superuser = True
    person.save()
    proposal = make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(NotAllowed):
        approve(proposal, by=person)
    outsider = make_desk().curator
    with pytest.raises(NotAllowed):
        approve(proposal, by=outsider)


def test_a_run_recorded_twice_is_recorded_once(desk: Desk) -> None:
    message = make_messages(desk.space, "I like tea")[0]
    proposal = propose(message, "Ana likes tea")
    assert proposal.run is not None
    assert proposal.run.proposals.count() == 1
    assert proposal.evidence.get().quote == "I like tea"
