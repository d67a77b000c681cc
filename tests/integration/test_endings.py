"""Beliefs that end without a successor, come back, or are said to be the same."""

import uuid
from typing import Any

import pytest

from extraction import tasks
from knowledge.commands import ending, governing, reshaping, review, undoing
from knowledge.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    SlotTaken,
    StaleProposal,
    TargetMoved,
)
from knowledge.models import (
    AuditEvent,
    Confirmation,
    Contest,
    Decision,
    Job,
    Proposal,
    Role,
    SearchEntry,
    Version,
)
from knowledge.results import Decided, Edits, StatementReview
from knowledge.trust import TrustState, WhatHappened
from tests.factories import (
    NOW,
    Desk,
    actor,
    approve,
    make_desk,
    make_person,
    make_proposal,
    seen,
    utc,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    return make_desk()


def about(version: Version, reason: str = "other", note: str = "seen") -> StatementReview:
    """Look at a believed version."""
    return StatementReview(version.pk, uuid.uuid4(), reason, note)


def undo(desk: Desk, decided: Decided) -> None:
    """Take a decision back."""
    undoing.undo(
        decision_id=decided.decision_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW
    )


def believed(desk: Desk) -> list[str]:
    """List what is believed now."""
    rows = Version.objects.current().filter(space=desk.space).order_by("text")
    return [row.text for row in rows]


@pytest.mark.parametrize(
    ("command", "reason"), [(ending.retract, "retracted"), (ending.refute, "refuted")]
)
def test_a_belief_ends_with_its_reason_and_undo_brings_it_back(
    desk: Desk, command: object, reason: str
) -> None:
    version = desk.believe("Ana likes tea")
    by = actor(desk.curator)
    act = ending.retract if reason == "retracted" else ending.refute
    decided = act(review=about(version), by=by, now=NOW)
    version.refresh_from_db()
    assert (version.end_reason, version.successor) == (reason, None)
    assert believed(desk) == []
    event = AuditEvent.objects.get(decision_id=decided.decision_id)
    assert event.action == f"statement.{decided.kind}"
    undo(desk, decided)
    assert believed(desk) == ["Ana likes tea"]


def test_an_ending_needs_a_reason_a_curator_and_the_version_that_was_seen(desk: Desk) -> None:
    version = desk.believe("Ana likes tea")
    by = actor(desk.curator)
    with pytest.raises(InvalidInput, match="Choose a reason"):
        ending.retract(review=about(version, reason="mood"), by=by, now=NOW)
    with pytest.raises(InvalidInput, match="few words"):
        ending.refute(review=about(version, note=" "), by=by, now=NOW)
    auditor = make_person(desk.space, role=Role.AUDITOR)
    with pytest.raises(NotAllowed):
        ending.retract(review=about(version), by=actor(auditor), now=NOW)
    look = about(version)
    first = ending.retract(review=look, by=by, now=NOW)
    again = ending.retract(review=look, by=by, now=NOW)
    assert (again.decision_id, again.replayed) == (first.decision_id, True)
    with pytest.raises(TargetMoved, match=f"retracted by {desk.curator.username}"):
        ending.refute(review=about(version), by=by, now=NOW)


def test_what_was_retracted_can_be_restored_once_if_its_place_is_free(desk: Desk) -> None:
    by = actor(desk.curator)
    first = desk.believe("Ana works at Contoso", attribute="employer", value="Contoso")
    ending.retract(review=about(first), by=by, now=NOW)
    second = desk.believe("Ana works at Northwind", attribute="employer", value="Northwind")
    with pytest.raises(SlotTaken, match="Contoso"):
        ending.restore(review=about(first), by=by, now=NOW)
    ending.retract(review=about(second), by=by, now=NOW)
    decided = ending.restore(review=about(first), by=by, now=NOW)
    assert believed(desk) == ["Ana works at Contoso"]
    with pytest.raises(Conflict, match="already"):
        ending.restore(review=about(first), by=by, now=NOW)
    undo(desk, decided)
    assert believed(desk) == []


def test_what_was_replaced_is_not_restored(desk: Desk) -> None:
    old = desk.believe("Ana works at Contoso", attribute="employer", value="Contoso")
    desk.believe(
        "Ana works at Northwind", attribute="employer", value="Northwind",
        happened=WhatHappened.NEVER_SO, target=old,
    )  # fmt: skip
    with pytest.raises(Conflict, match="Only what was retracted"):
        ending.restore(review=about(old), by=actor(desk.curator), now=NOW)


def test_a_merged_statement_lends_its_words_to_the_other(desk: Desk) -> None:
    kept = desk.believe("Ana likes tea")
    same = desk.believe("Ana is fond of tea")
    by = actor(desk.curator)
    decided = ending.merge(review=about(same), into_version_id=kept.pk, by=by, now=NOW)
    same.refresh_from_db()
    assert (same.end_reason, same.successor_id) == ("merged", kept.pk)
    assert Confirmation.objects.get(confirms=kept.statement).proposal == same.proposal
    assert SearchEntry.objects.filter(version=kept, text="Ana is fond of tea").exists()
    undo(desk, decided)
    assert believed(desk) == ["Ana is fond of tea", "Ana likes tea"]
    assert not Confirmation.objects.filter(undone_by=None).exists()
    stranger = make_desk().believe("Bo likes tea")
    with pytest.raises(NotAllowed):
        ending.merge(review=about(kept), into_version_id=stranger.pk, by=by, now=NOW)
    with pytest.raises(InvalidInput, match="another statement"):
        ending.merge(review=about(kept), into_version_id=kept.pk, by=by, now=NOW)


@pytest.mark.parametrize("right", ["old", "new", None])
def test_a_contest_is_settled_and_can_be_reopened(desk: Desk, right: str | None) -> None:
    old = desk.believe("Ana works at Contoso", attribute="employer", value="Contoso")
    new = desk.believe(
        "Ana works at Northwind", attribute="employer", value="Northwind",
        happened=WhatHappened.CANNOT_TELL, target=old,
    )  # fmt: skip
    contest = Contest.objects.get(space=desk.space)
    sides = {"old": old, "new": new}
    decided = ending.settle(
        contest_id=contest.pk, right_version_id=sides[right].pk if right else None,
        review=about(old), by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    expected = sorted(x.text for x in sides.values()) if right is None else [sides[right].text]
    assert believed(desk) == expected
    assert not Contest.objects.filter(space=desk.space, resolved_by=None).exists()
    undo(desk, decided)
    assert len(believed(desk)) == 2
    assert Contest.objects.filter(space=desk.space, resolved_by=None).count() == 1


def test_a_policy_lets_ended_periods_expire_and_approves_nothing(desk: Desk) -> None:
    desk.believe("Ana was in Rome", valid_from=utc(2024), valid_to=utc(2024, 2))
    desk.believe("Ana likes tea")
    assert ending.expire(space_id=desk.space.pk, now=NOW) == []
    admin = actor(make_person(desk.space, role=Role.ADMIN))
    governing.set_policy(
        space_id=desk.space.pk, four_eyes="never", expire_after_days=30, by=admin, now=NOW
    )
    job = Job.objects.get(space=desk.space, kind="expire_beliefs")
    assert tasks.run_job(job.pk) == "done"
    job.refresh_from_db()
    assert (job.state, tasks.run_job(job.pk)) == ("queued", "done")
    assert believed(desk) == ["Ana likes tea"]
    decision = Decision.objects.get(space=desk.space, kind="expire")
    assert (decision.by, decision.policy, decision.kind) == (None, "expiry", "expire")
    assert decision.policy_version is not None
    assert Job.objects.filter(space=desk.space, kind="expire_beliefs", state="queued").count() == 1


def four_eyes(desk: Desk, when: str) -> None:
    """Ask for a second person in this space."""
    admin = actor(make_person(desk.space, role=Role.ADMIN))
    governing.set_policy(
        space_id=desk.space.pk, four_eyes=when, expire_after_days=None, by=admin, now=NOW
    )


def test_a_second_person_must_agree_and_is_never_the_first_or_a_contributor(desk: Desk) -> None:
    four_eyes(desk, "always")
    proposal = make_proposal(desk.space, "Ana likes tea")
    first = approve(proposal, by=desk.curator)
    assert first.awaits_second
    assert believed(desk) == []
    desk.curator.is_superuser = True
    desk.curator.save()
    with pytest.raises(NotAllowed, match="second person"):
        approve(proposal, by=desk.curator)
    second = approve(proposal, by=make_person(desk.space))
    assert (second.kind, believed(desk)) == ("confirm", ["Ana likes tea"])


def test_an_edit_resets_the_first_approval(desk: Desk) -> None:
    four_eyes(desk, "always")
    editor, third = make_person(desk.space), make_person(desk.space)
    proposal = make_proposal(desk.space, "Ana likes tee")
    approve(proposal, by=desk.curator)
    decided = review.approve(
        review=seen(proposal), happened=WhatHappened.NEW, by=actor(editor), now=NOW,
        edits=Edits(text="Ana likes tea"),
    )  # fmt: skip
    assert decided.awaits_second
    with pytest.raises(NotAllowed):
        approve(proposal, by=editor)
    approve(proposal, by=third)
    assert believed(desk) == ["Ana likes tea"]


def test_a_second_person_can_send_it_back_with_words(desk: Desk) -> None:
    four_eyes(desk, "always")
    second = actor(make_person(desk.space))
    proposal = make_proposal(desk.space, "Ana likes tea")
    approve(proposal, by=desk.curator)
    with pytest.raises(InvalidInput):
        review.send_back(review=seen(proposal), by=second, now=NOW)
    review.send_back(review=seen(proposal, note="which tea?"), by=second, now=NOW)
    proposal.refresh_from_db()
    assert (proposal.state, proposal.first_approver) == (TrustState.PENDING, None)


@pytest.mark.parametrize(
    ("changes", "awaits"),
    [({}, False), ({"flags": ("health",)}, True), ({"criticality": "must_include"}, True)],
)
def test_a_sensitive_policy_asks_only_where_it_matters(
    desk: Desk, changes: dict[str, Any], awaits: bool
) -> None:
    four_eyes(desk, "sensitive")
    proposal = make_proposal(desk.space, "Ana likes tea", **changes)
    assert approve(proposal, by=desk.curator).awaits_second is awaits


def test_a_policy_is_set_by_administrators_in_words_that_make_sense(desk: Desk) -> None:
    by = actor(desk.curator)
    with pytest.raises(NotAllowed):
        governing.set_policy(
            space_id=desk.space.pk, four_eyes="never", expire_after_days=None, by=by, now=NOW
        )
    admin = actor(make_person(desk.space, role=Role.ADMIN))
    for four, days in (("sometimes", None), ("never", 0)):
        with pytest.raises(InvalidInput):
            governing.set_policy(
                space_id=desk.space.pk, four_eyes=four, expire_after_days=days, by=admin, now=NOW
            )


def test_a_decision_keeps_what_was_before_the_persons_eyes(desk: Desk) -> None:
    admin = actor(make_person(desk.space, role=Role.ADMIN))
    guideline = governing.set_guideline(
        space_id=desk.space.pk, markdown="Ask twice.", by=admin, now=NOW
    )
    proposal = make_proposal(desk.space, "Ana likes tea")
    look = seen(proposal, card_digest="a" * 64, opened_at=NOW, evidence_opened=True)
    decided = review.approve(
        review=look, happened=WhatHappened.NEW, by=actor(desk.curator), now=NOW
    )
    decision = Decision.objects.get(pk=decided.decision_id)
    assert decision.guideline == guideline
    assert (decision.card_digest, decision.opened_at) == ("a" * 64, NOW)
    assert decision.evidence_opened


def test_a_secret_is_approved_only_with_words_that_say_why(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana's key is abc", flags=("secret",))
    with pytest.raises(InvalidInput, match="why"):
        approve(proposal, by=desk.curator)
    review.approve(
        review=seen(proposal, note="it is public"), happened=WhatHappened.NEW,
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    assert believed(desk) == ["Ana's key is abc"]


def test_a_split_keeps_the_evidence_and_withdraws_the_whole(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea and plays the cello")
    by = actor(desk.curator)
    reshaping.split(
        review=seen(proposal), texts=["Ana likes tea", "Ana plays the cello"], by=by, now=NOW
    )
    parts = list(Proposal.objects.filter(split_from=proposal).order_by("pk"))
    proposal.refresh_from_db()
    assert proposal.state == TrustState.WITHDRAWN
    assert [part.text for part in parts] == ["Ana likes tea", "Ana plays the cello"]
    for part in parts:
        assert part.evidence.get().quote == "Ana likes tea and plays the cello"
        assert part.state == TrustState.PENDING
    approve(parts[0], by=desk.curator)
    for wrong in (["one"], ["same", "same"], ["", "x"]):
        with pytest.raises((InvalidInput, StaleProposal)):
            reshaping.split(review=seen(parts[1]), texts=wrong, by=by, now=NOW)


def test_the_same_as_a_waiting_proposal_is_withdrawn_and_lends_its_words(desk: Desk) -> None:
    kept, same = make_proposal(desk.space, "Ana likes tea"), make_proposal(desk.space, "tea!")
    by = actor(desk.curator)
    opened_before = seen(kept)
    reshaping.same_as_waiting(review=seen(same), other_id=kept.pk, by=by, now=NOW)
    with pytest.raises(StaleProposal):
        review.reject(review=opened_before, reason_code="misread", by=by, now=NOW)
    same.refresh_from_db()
    assert (same.state, same.joined_to) == (TrustState.WITHDRAWN, kept)
    assert {item.quote for item in kept.evidence.all()} == {"Ana likes tea", "tea!"}
    approve(kept, by=desk.curator)
    late = make_proposal(desk.space, "tea again")
    with pytest.raises(Conflict, match="approved meanwhile"):
        reshaping.same_as_waiting(review=seen(late), other_id=kept.pk, by=by, now=NOW)
