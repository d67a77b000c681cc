"""What was rejected, refuted or erased does not come back unnoticed, by any way in."""

import uuid
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from knowledge import fingerprints
from knowledge.commands import (
    ending,
    erasure,
    proposals,
    recognising,
    reshaping,
    review,
    sources,
    tombstones,
    undoing,
)
from knowledge.errors import BlockedByTombstone, Conflict, InvalidInput, NotAllowed
from knowledge.fingerprints import Keyring
from knowledge.models import AuditEvent, Proposal, Role, Tombstone, Version
from knowledge.results import SYSTEM, Edits, NewMessage, StatementReview, SubjectRef
from knowledge.trust import TrustState, WhatHappened
from tests.factories import (
    ANA,
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
)
from tests.forgetting import Office, make_office

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "Ana has a peanut allergy"
LATER = NOW + timedelta(days=30)


@pytest.fixture
def desk() -> Desk:
    """A curator's desk."""
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers of the same space."""
    return make_office(desk.space)


def refute(desk: Desk, version: Version) -> uuid.UUID:
    return ending.refute(
        review=StatementReview(version.pk, uuid.uuid4(), "not_true"),
        by=actor(desk.curator),
        now=NOW,
    ).decision_id


def lift(office: Office, stone: Tombstone, *, note: str = "she asked us to") -> None:
    tombstones.lift(
        tombstone_id=stone.pk, note=note, request_id=uuid.uuid4(), by=actor(office.asks), now=NOW
    )


@pytest.fixture
def erased(desk: Desk, office: Office) -> Desk:
    """A desk where a statement was believed, and erased."""
    version = desk.believe(WORDS, attribute="allergy", value="peanuts")
    office.erase("statement", version.statement_id)
    return desk


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"attribute": "allergy", "value": "peanuts"},
        {"attribute": "allergy", "value": " PEANUTS "},
        {"attribute": "diet", "value": "none"},
    ],
)
def test_an_extraction_of_what_was_erased_is_set_aside_with_its_reason(
    erased: Desk, changes: dict[str, Any]
) -> None:
    again = make_proposal(erased.space, WORDS, at=LATER, **changes)
    assert (again.state, again.aside_reason) == (TrustState.SET_ASIDE, "blocked_by_tombstone")
    assert again.stopped_by is not None and again.stopped_by.cause == "erased"


def test_other_values_of_the_subject_and_the_same_of_others_are_not_stopped(erased: Desk) -> None:
    other = make_proposal(
        erased.space, "Ana has a birch allergy", attribute="allergy", value="birch"
    )
    ben = make_proposal(erased.space, WORDS, subject=SubjectRef("user", "ben", "Ben"))
    assert (other.state, ben.state) == (TrustState.PENDING, TrustState.PENDING)


def test_a_person_cannot_bring_it_back_by_hand_by_edit_or_by_split(erased: Desk) -> None:
    message = make_messages(erased.space, WORDS)[0]
    by_hand = proposals.propose_by_hand(
        space_id=erased.space.pk, subject_id=erased.subject.pk, draft=draft_of(message, WORDS),
        by=actor(erased.curator), now=NOW,
    )  # fmt: skip
    stopped = Proposal.objects.get(pk=by_hand)
    assert stopped.aside_reason == "blocked_by_tombstone"
    with pytest.raises(BlockedByTombstone, match="privacy officer"):
        review.propose_anyway(review=seen(stopped), by=actor(erased.curator), now=NOW)

    harmless = make_proposal(erased.space, "Ana has an allergy")
    edits = Edits(text=WORDS)
    with pytest.raises(BlockedByTombstone):
        review.edit(review=seen(harmless), edits=edits, by=actor(erased.curator), now=NOW)
    with pytest.raises(BlockedByTombstone):
        review.approve(
            review=seen(harmless), happened=WhatHappened.NEW, by=actor(erased.curator), now=NOW,
            edits=edits,
        )  # fmt: skip
    harmless.refresh_from_db()
    assert (harmless.state, harmless.text) == (TrustState.PENDING, "Ana has an allergy")

    reshaping.split(
        review=seen(harmless), texts=[WORDS, "Ana carries a pen"], by=actor(erased.curator), now=NOW
    )
    parts = Proposal.objects.filter(split_from=harmless).order_by("pk")
    assert [part.state for part in parts] == [TrustState.SET_ASIDE, TrustState.PENDING]


def test_undo_restore_and_merge_cannot_bring_back_what_was_erased_elsewhere(
    desk: Desk, office: Office
) -> None:
    """The same value believed in two lineages: erasing the value takes both, by whatever way."""
    first = desk.believe(WORDS, attribute="allergy", value="peanuts")
    ended = desk.believe("Ana cannot eat peanuts", attribute="never_eats", value="peanuts")
    ending.retract(
        review=StatementReview(ended.pk, uuid.uuid4(), "asked_to"), by=actor(desk.curator), now=NOW
    )
    office.erase("value", desk.subject.pk, words="peanuts")
    with pytest.raises(Conflict):
        ending.restore(
            review=StatementReview(ended.pk, uuid.uuid4(), ""), by=actor(desk.curator), now=NOW
        )
    with pytest.raises(Conflict):
        undoing.undo(
            decision_id=desk.decided[0].decision_id, request_id=uuid.uuid4(),
            by=actor(desk.curator), now=NOW,
        )  # fmt: skip
    other = desk.believe("Ana carries a pen")
    with pytest.raises(Conflict):
        ending.merge(
            review=StatementReview(first.pk, uuid.uuid4(), ""), into_version_id=other.pk,
            by=actor(desk.curator), now=NOW,
        )  # fmt: skip
    assert not Version.objects.current().filter(pk__in=[first.pk, ended.pk]).exists()


def test_the_database_refuses_a_version_of_what_was_erased(
    desk: Desk, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where no command asks first."""
    version = desk.believe(WORDS, attribute="allergy", value="peanuts")
    office.erase("statement", version.statement_id)
    waiting = make_proposal(desk.space, "Ana has an allergy")
    monkeypatch.setattr(recognising, "check_believable", lambda value: None)
    with pytest.raises(DatabaseError, match="not believed"):
        review.approve(
            review=seen(waiting), happened=WhatHappened.NEW, by=actor(desk.curator), now=NOW,
            edits=Edits(text=WORDS, attribute="allergy", value="peanuts"),
        )  # fmt: skip


def test_what_was_stopped_is_listed_and_can_be_brought_to_review_once_it_is_lifted(
    erased: Desk, office: Office
) -> None:
    again = make_proposal(erased.space, WORDS, at=LATER)
    stones = list(Tombstone.objects.filter(lifted_by=None).order_by("pk"))
    with pytest.raises(NotAllowed):
        tombstones.lift(
            tombstone_id=stones[0].pk, note="please", request_id=uuid.uuid4(),
            by=actor(erased.curator), now=NOW,
        )  # fmt: skip
    with pytest.raises(InvalidInput, match="why"):
        lift(office, stones[0], note=" ")
    lift(office, stones[0])
    assert not Tombstone.objects.filter(lifted_by=None).exists()
    with pytest.raises(Conflict, match="lifted already"):
        lift(office, stones[0])

    review.propose_anyway(review=seen(again), by=actor(erased.curator), now=NOW)
    version_id = approve(again, by=erased.curator).version_id
    assert Version.objects.current().filter(pk=version_id or 0).exists()
    lifted = AuditEvent.objects.filter(action="tombstone.lift_tombstone")
    payload = lifted.get().payload
    assert payload is not None and payload.body is not None
    assert payload.body["lifted"] == [stone.pk for stone in stones]


def test_erasing_without_tombstones_lets_it_be_learned_again(desk: Desk, office: Office) -> None:
    version = desk.believe(WORDS)
    office.erase("statement", version.statement_id, blocks=False)
    assert make_proposal(desk.space, WORDS).state == TrustState.PENDING


def test_old_words_of_a_refuted_value_are_set_aside_and_new_ones_flagged(desk: Desk) -> None:
    version = desk.believe(WORDS)
    refuted = refute(desk, version)
    stone = Tombstone.objects.filter(decision_id=refuted)[0]
    assert stone.evidence_until is not None
    old = make_proposal(desk.space, WORDS, at=stone.evidence_until - timedelta(days=1))
    new = make_proposal(desk.space, WORDS, at=stone.evidence_until + timedelta(days=1))
    assert (old.state, old.aside_reason) == (TrustState.SET_ASIDE, "blocked_by_tombstone")
    assert new.state == TrustState.PENDING and "tombstone" in new.flags


def test_a_refuted_value_is_believed_again_only_with_a_reason(desk: Desk) -> None:
    version = desk.believe(WORDS)
    stone_id = refute(desk, version)
    until = Tombstone.objects.filter(decision_id=stone_id)[0].evidence_until
    assert until is not None
    new = make_proposal(desk.space, WORDS, at=until + timedelta(days=1))
    with pytest.raises(InvalidInput, match="refuted before"):
        approve(new, by=desk.curator)
    again = review.approve(
        review=seen(new, note="her doctor's letter"), happened=WhatHappened.NEW,
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    assert again.version_id is not None
    # Believed again, further words of it are evidence and no warning.
    more = make_proposal(desk.space, WORDS, at=until - timedelta(days=5))
    assert (more.state, more.flags) == (TrustState.PENDING, [])


def test_undoing_or_restoring_a_refutation_lifts_its_tombstones(desk: Desk) -> None:
    first = desk.believe(WORDS)
    decision_id = refute(desk, first)
    undoing.undo(decision_id=decision_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW)
    assert not Tombstone.objects.filter(lifted_by=None).exists()

    second = Version.objects.current().get(statement=first.statement)
    refute(desk, second)
    restored = ending.restore(
        review=StatementReview(second.pk, uuid.uuid4(), ""), by=actor(desk.curator), now=NOW
    )
    assert not Tombstone.objects.filter(lifted_by=None).exists()
    undoing.undo(
        decision_id=restored.decision_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW
    )
    assert Tombstone.objects.filter(lifted_by=None).exists()


def test_retracted_and_expired_values_come_back_freely(desk: Desk) -> None:
    version = desk.believe(WORDS)
    ending.retract(
        review=StatementReview(version.pk, uuid.uuid4(), "no_longer_needed"),
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    assert not Tombstone.objects.exists()
    assert make_proposal(desk.space, WORDS).state == TrustState.PENDING


def test_the_same_message_after_a_rejection_is_set_aside_and_a_new_one_flagged(desk: Desk) -> None:
    rejected = make_proposal(desk.space, WORDS)
    review.reject(review=seen(rejected), reason_code="not_durable", by=actor(desk.curator), now=NOW)
    message = rejected.evidence.get().message
    same = propose(message, WORDS)
    new = make_proposal(desk.space, WORDS, at=LATER)
    assert (same.state, same.aside_reason) == (TrustState.SET_ASIDE, "rejected_before")
    assert same.rejected_as_id == rejected.pk
    assert new.state == TrustState.PENDING and "rejected_before" in new.flags


def capture(desk: Desk, *, external_id: str, subject: SubjectRef) -> None:
    sources.capture(
        space_id=desk.space.pk,
        external_id=external_id,
        source="test",
        messages=[NewMessage("m1", subject.name, "user_message", WORDS, NOW, subject)],
        subjects=[subject],
        by=SYSTEM,
        now=NOW,
    )


def test_nothing_of_an_erased_subject_or_conversation_is_taken_in(
    desk: Desk, office: Office
) -> None:
    capture(desk, external_id="first", subject=ANA)
    capture(desk, external_id="second", subject=SubjectRef("user", "ben", "Ben"))
    second = desk.space.conversations.get(external_id="second")
    office.erase("conversation", second.pk)
    office.erase("subject", desk.space.subjects.get(external_id="ana").pk)
    before = desk.space.conversations.count()
    for external_id, subject in (("third", ANA), ("second", SubjectRef("user", "eve", "Eve"))):
        with pytest.raises(BlockedByTombstone, match="was erased on"):
            capture(desk, external_id=external_id, subject=subject)
    assert desk.space.conversations.count() == before
    capture(desk, external_id="fourth", subject=SubjectRef("user", "Ana", "another Ana"))


def test_after_the_subjects_tombstone_is_lifted_a_new_memory_begins(
    desk: Desk, office: Office
) -> None:
    capture(desk, external_id="first", subject=ANA)
    old = desk.space.subjects.get(external_id="ana")
    office.erase("subject", old.pk)
    for level in ("subject", "conversation"):
        lift(office, Tombstone.objects.get(level=level))
    capture(desk, external_id="first", subject=ANA)
    assert desk.space.subjects.get(external_id="ana").pk != old.pk


def test_tombstones_and_known_messages_are_recognised_after_a_rotation_of_the_key(
    desk: Desk, office: Office
) -> None:
    version = desk.believe(WORDS, attribute="allergy", value="peanuts")
    capture(desk, external_id="kept", subject=SubjectRef("user", "ben", "Ben"))
    office.erase("statement", version.statement_id)
    capture(desk, external_id="gone", subject=SubjectRef("user", "eve", "Eve"))
    office.erase("subject", desk.space.subjects.get(external_id="eve").pk)
    own = fingerprints.current()
    try:
        fingerprints.install(Keyring({**own.keys, 2: b"the second key of this house"}))
        assert make_proposal(desk.space, WORDS).state == TrustState.SET_ASIDE
        with pytest.raises(BlockedByTombstone):
            capture(desk, external_id="new", subject=SubjectRef("user", "eve", "Eve"))
        messages = desk.space.conversations.get(external_id="kept").messages
        capture(desk, external_id="kept", subject=SubjectRef("user", "ben", "Ben"))
        assert messages.count() == 1
        fresh = make_proposal(desk.space, "Ana likes tea")
        assert fresh.fingerprint.startswith("v2:")
    finally:
        fingerprints.install(own)


def test_a_tombstone_is_neither_made_nor_lifted_without_its_decision(
    desk: Desk, office: Office
) -> None:
    version = desk.believe(WORDS)
    office.erase("statement", version.statement_id)
    decision_id = desk.decided[0].decision_id
    forgeries = {
        "UPDATE knowledge_tombstone SET lifted_by_id = %s": "is lifted once",
        "UPDATE knowledge_tombstone SET effect = 'flag' WHERE decision_id <> %s": "keeps what",
        "DELETE FROM knowledge_tombstone WHERE decision_id <> %s": "never deleted",
        "INSERT INTO knowledge_tombstone (space_id, subject_id, level, key_version, value_key, "
        "cause, effect, decision_id) SELECT space_id, subject_id, level, key_version, 'v1:0', "
        "cause, effect, %s FROM knowledge_tombstone LIMIT 1": "needs its decision",
    }
    for statement, refusal in forgeries.items():
        with (
            pytest.raises(DatabaseError, match=refusal),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, [decision_id])


def test_an_administrator_confirms_and_a_curator_never_does(desk: Desk, office: Office) -> None:
    version = desk.believe(WORDS)
    scope = office.scope("statement", version.statement_id)
    erasure_id = office.ask(scope)
    auditor = replace(office, confirms=make_person(desk.space, role=Role.AUDITOR))
    with pytest.raises(NotAllowed):
        auditor.confirm(erasure_id, scope)
    admin = replace(office, confirms=make_person(desk.space, role=Role.ADMIN))
    admin.confirm(erasure_id, scope)
    erasure.carry_out(erasure_id=erasure_id, now=NOW)


def test_an_import_leaves_out_what_was_erased_says_so_and_puts_it_on_record(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(
        '{"messages": [{"role": "user", "content": "I have a peanut allergy."},'
        ' {"role": "assistant", "content": "Noted."}]}\n'
    )
    arguments = (str(file), "--space", desk.space.slug, "--subject", "user:ana")
    call_command("import", *arguments)
    office.erase("subject", desk.space.subjects.get(external_id="ana").pk)
    capsys.readouterr()
    call_command("import", *arguments)
    printed = capsys.readouterr()
    assert "messages new 0" in printed.out and "conversations stopped 1" in printed.out
    assert "was erased on" in printed.err
    refused = AuditEvent.objects.get(ledger__space=desk.space, outcome="denied")
    assert (refused.object_type, refused.reason_code) == ("tombstone", "blocked_by_tombstone")
    assert refused.payload is None
