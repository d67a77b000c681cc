"""Another form, an edit or somebody else's conversation is no way round a tombstone."""

import uuid
from datetime import timedelta

import pytest

from knowledge.commands import ending, review, sources, undoing
from knowledge.errors import BlockedByTombstone
from knowledge.models import Message, Tombstone, Version
from knowledge.results import SYSTEM, Edits, NewMessage, StatementReview, SubjectRef
from knowledge.trust import TrustState, WhatHappened
from tests.factories import (
    ANA,
    NOW,
    Desk,
    actor,
    approve,
    make_desk,
    make_proposal,
    propose,
    seen,
)
from tests.forgetting import Office, make_office

pytestmark = pytest.mark.django_db(transaction=True)

BEN = SubjectRef("user", "ben", "Ben")
WORDS = "Ana has a peanut allergy"
BLOCKED = (TrustState.SET_ASIDE, "blocked_by_tombstone")


@pytest.fixture
def desk() -> Desk:
    """A curator's desk."""
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers of the same space."""
    return make_office(desk.space)


def refute(desk: Desk, version_id: int) -> uuid.UUID:
    return ending.refute(
        review=StatementReview(version_id, uuid.uuid4(), "not_true"),
        by=actor(desk.curator),
        now=NOW,
    ).decision_id


def undo(desk: Desk, decision_id: uuid.UUID) -> None:
    undoing.undo(decision_id=decision_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ana has a peanut allergy.", "peanuts."),
        ("“Ana has a peanut allergy”", "“peanuts”"),
        ("ANA HAS A PEANUT ALLERGY!", "Peanuts!"),
        ("Ana has a  pea\u00adnut\tallergy", "pea\u200bnuts"),
        ("Ana cannot eat them", "(ｐｅａｎｕｔｓ)"),
        ("Ana has a peanut allergy…", ""),
    ],
)
def test_no_other_form_of_an_erased_value_is_let_in(
    desk: Desk, office: Office, text: str, value: str
) -> None:
    version = desk.believe(WORDS, attribute="allergy", value="peanuts")
    waiting = make_proposal(desk.space, "Ana has an allergy", attribute="allergy")
    office.erase("statement", version.statement_id)
    again = make_proposal(desk.space, text, attribute="allergy" if value else "", value=value)
    assert (again.state, again.aside_reason) == BLOCKED
    with pytest.raises(BlockedByTombstone):
        review.approve(
            review=seen(waiting), happened=WhatHappened.NEW, by=actor(desk.curator), now=NOW,
            edits=Edits(text=text, value=value),
        )  # fmt: skip


@pytest.mark.parametrize(("value", "other"), [("C++", "C"), ("-5", "5"), ("3.14", "314")])
def test_a_sign_that_carries_meaning_makes_another_value(
    desk: Desk, office: Office, value: str, other: str
) -> None:
    office.erase("statement", desk.believe("It", attribute="x", value=value).statement_id)
    fresh = make_proposal(desk.space, f"It is {other}", attribute="x", value=other)
    assert fresh.state == TrustState.PENDING


def test_what_an_erased_statement_said_before_its_edit_is_recognised(
    desk: Desk, office: Office
) -> None:
    original = f"{WORDS} since Porto"
    proposal = make_proposal(desk.space, original)
    review.edit(review=seen(proposal), edits=Edits(text=WORDS), by=actor(desk.curator), now=NOW)
    statement_id = approve(proposal, by=desk.curator).statement_id
    office.erase("statement", statement_id or 0)
    for text in (original, WORDS):
        again = make_proposal(desk.space, text)
        assert (again.state, again.aside_reason) == BLOCKED


def test_a_rejection_is_recognised_by_its_words_after_an_edit(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana keeps bees")
    review.edit(
        review=seen(proposal), edits=Edits(text="Ana keeps wasps"), by=actor(desk.curator), now=NOW
    )
    review.reject(review=seen(proposal), reason_code="not_said", by=actor(desk.curator), now=NOW)
    again = propose(proposal.evidence.get().message, "Ana keeps wasps")
    assert (again.state, again.aside_reason) == (TrustState.SET_ASIDE, "rejected_before")
    assert again.rejected_as_id == proposal.pk


def test_undoing_one_of_two_refutations_leaves_the_other_whole(desk: Desk) -> None:
    """The words are the same, the attributes are not: each refutation has all of its own."""
    first = desk.believe("Ana keeps bees", attribute="hobby", value="bees")
    second = desk.believe("Ana keeps bees", attribute="animals", value="bees")
    undone = refute(desk, first.pk)
    stands = refute(desk, second.pk)
    undo(desk, undone)
    left = Tombstone.objects.filter(lifted_by=None)
    assert set(left.values_list("decision_id", flat=True)) == {stands} and left.count() == 2


def believed_again(desk: Desk, version: Version) -> tuple[Version, Tombstone]:
    """Refute what is believed, and believe it again for a reason; the stone of the first time."""
    decision_id = refute(desk, version.pk)
    stone = Tombstone.objects.filter(decision_id=decision_id)[0]
    assert stone.evidence_until is not None
    new = make_proposal(desk.space, version.text, at=stone.evidence_until + timedelta(days=1))
    decided = review.approve(
        review=seen(new, note="a letter"), happened=WhatHappened.NEW, by=actor(desk.curator),
        now=NOW,
    )  # fmt: skip
    return Version.objects.get(pk=decided.version_id or 0), stone


def test_a_second_refutation_reaches_what_was_said_until_then(desk: Desk) -> None:
    again, first = believed_again(desk, desk.believe("Ana keeps bees"))
    second = Tombstone.objects.filter(decision_id=refute(desk, again.pk))[0]
    assert first.evidence_until is not None and second.evidence_until is not None
    assert second.evidence_until > first.evidence_until
    between = first.evidence_until + (second.evidence_until - first.evidence_until) / 2
    said_between = make_proposal(desk.space, "Ana keeps bees", at=between)
    said_after = make_proposal(
        desk.space, "Ana keeps bees", at=second.evidence_until + timedelta(seconds=1)
    )
    assert (said_between.state, said_between.aside_reason) == BLOCKED
    assert said_after.state == TrustState.PENDING and "tombstone" in said_after.flags


def test_undoing_the_approval_after_a_refutation_lets_the_refutation_stand(desk: Desk) -> None:
    again, stone = believed_again(desk, desk.believe("Ana keeps bees"))
    assert stone.evidence_until is not None
    undo(desk, again.opened_by_id)
    old = make_proposal(desk.space, "Ana keeps bees", at=stone.evidence_until - timedelta(days=1))
    assert (old.state, old.aside_reason) == BLOCKED


def capture(desk: Desk, *messages: NewMessage, subjects: tuple[SubjectRef, ...]) -> int:
    return sources.capture(
        space_id=desk.space.pk, external_id="shared", source="test", messages=messages,
        subjects=subjects, by=SYSTEM, now=NOW,
    ).messages_new  # fmt: skip


def test_an_erased_speaker_is_not_taken_in_with_somebody_elses_conversation(
    desk: Desk, office: Office
) -> None:
    desk.believe("Ana keeps bees")
    office.erase("subject", desk.subject.pk)
    before = Message.objects.count()
    words = [
        NewMessage("1", "Ben", "user_message", "I keep cows.", NOW, BEN),
        NewMessage("2", "Ana", "user_message", "I keep bees.", NOW, ANA),
    ]
    with pytest.raises(BlockedByTombstone, match="subject was erased"):
        capture(desk, *words, subjects=(BEN,))
    assert Message.objects.count() == before
    assert capture(desk, words[0], subjects=(BEN,)) == 1


def test_a_shared_conversation_goes_on_for_the_other_speaker(desk: Desk, office: Office) -> None:
    ana = NewMessage("1", "Ana", "user_message", "I keep bees.", NOW, ANA)
    ben = NewMessage("2", "Ben", "user_message", "I keep cows.", NOW, BEN)
    capture(desk, ana, ben, subjects=(ANA, BEN))
    office.erase("subject", desk.space.subjects.get(external_id="ana").pk)
    more = NewMessage("3", "Ben", "user_message", "And goats.", NOW, BEN)
    assert capture(desk, ben, more, subjects=(BEN,)) == 1
    # Her message, sent along as before, is known and is not written again.
    assert capture(desk, ana, subjects=(BEN,)) == 0
    assert not Message.objects.filter(text__contains="bees").exists()
