"""What was erased is gone from every row, its neighbours stay, and the log still holds."""

import uuid
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import DatabaseError, connection, transaction

from knowledge.commands import audit, ending, erasure, reshaping, review, undoing
from knowledge.erasing.plan import plan_of
from knowledge.errors import Conflict, Erased, InvalidInput, NotAllowed, NotFound
from knowledge.models import (
    AuditEvent,
    Decision,
    EndReason,
    Episode,
    ErasureRequest,
    Evidence,
    Message,
    PredictedStatement,
    Proposal,
    SearchEntry,
    Subject,
    Tombstone,
    Version,
)
from knowledge.results import EvidenceDraft, StatementReview, SubjectRef
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
)
from tests.forgetting import Office, make_office, rows_holding

pytestmark = pytest.mark.django_db(transaction=True)

BEN = SubjectRef("user", "ben", "Ben")
CANARY = "quokkaberry"


@pytest.fixture
def desk() -> Desk:
    """A curator's desk."""
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers of the same space."""
    return make_office(desk.space)


def test_an_erased_statement_is_in_no_row_and_ends_as_erased(desk: Desk, office: Office) -> None:
    version = desk.believe(f"Ana keeps a {CANARY} bush", attribute="plant", value=f"{CANARY} bush")
    other = desk.believe("Ana lives in Lisbon")

    certificate = office.erase("statement", version.statement_id)

    assert rows_holding(CANARY) == {}
    version.refresh_from_db()
    assert (version.end_reason, version.text) == (EndReason.ERASED, "")
    assert version.closed_by is not None and version.closed_by.by_id == office.confirms.pk
    other.refresh_from_db()
    assert other.text == "Ana lives in Lisbon" and other.tx_to is None
    assert certificate["counts"]["statements"] == 1


def test_a_statement_goes_with_its_words_and_the_rest_of_the_message_stays(
    desk: Desk, office: Office
) -> None:
    said = f"I keep a {CANARY} bush. And I live in Lisbon."
    message = make_messages(desk.space, said)[0]
    plant, home = f"I keep a {CANARY} bush.", "I live in Lisbon."
    first = propose(
        message, f"Ana keeps a {CANARY} bush",
        evidence=(EvidenceDraft(message.pk, 0, len(plant), plant),),
    )  # fmt: skip
    start = said.index(home)
    second = propose(
        message, "Ana lives in Lisbon",
        evidence=(EvidenceDraft(message.pk, start, len(said), home),),
    )  # fmt: skip
    kept = approve(second, by=desk.curator)
    gone = approve(first, by=desk.curator)
    assert gone.statement_id is not None

    office.erase("statement", gone.statement_id)

    message.refresh_from_db()
    assert message.text == "█" * len(plant) + " And I live in Lisbon."
    assert message.redacted_at is not None
    assert Evidence.objects.get(proposal=second).quote == home
    around = SearchEntry.objects.get(version__pk=kept.version_id or 0, source="around")
    assert CANARY not in around.text and "I live in Lisbon." in around.text
    assert rows_holding(CANARY) == {}


def test_a_value_is_masked_wherever_the_subject_said_it(desk: Desk, office: Office) -> None:
    messages = make_messages(
        desk.space, f"I moved to {CANARY} Road 5 in May.", "Nice weather today."
    )
    version_of = approve(propose(messages[0], f"Ana lives at {CANARY} Road 5"), by=desk.curator)
    later = make_messages(desk.space, f"Send it to {CANARY.upper()}  road 5, please, by Friday.")[0]

    office.erase("value", desk.subject.pk, words=f"{CANARY} Road 5")

    later.refresh_from_db()
    assert later.text.startswith("Send it to █") and later.text.endswith("please, by Friday.")
    assert rows_holding(CANARY) == {}
    assert Version.objects.get(pk=version_of.version_id or 0).end_reason == EndReason.ERASED
    messages[1].refresh_from_db()
    assert messages[1].text == "Nice weather today."


def test_an_erased_subject_leaves_no_name_no_words_and_no_vectors(
    desk: Desk, office: Office
) -> None:
    canary = SubjectRef("user", f"{CANARY}-7", f"{CANARY.title()} Jones")
    believed = desk.believe(f"{CANARY} keeps bees", subject=canary)
    waiting = make_proposal(desk.space, f"{CANARY} likes tea", subject=canary)
    rejected = make_proposal(desk.space, f"{CANARY} hates tea", subject=canary)
    review.reject(
        review=seen(rejected, note=f"{CANARY} never said so"), reason_code="not_said",
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    kept = desk.believe("Ben lives in Lisbon", subject=BEN)
    subject = Subject.objects.get(external_id=f"{CANARY}-7")
    assert rows_holding(CANARY)

    office.erase("subject", subject.pk)

    assert rows_holding(CANARY) == {}
    subject.refresh_from_db()
    assert subject.redacted_at is not None and subject.name == ""
    waiting.refresh_from_db()
    rejected.refresh_from_db()
    assert (waiting.state, rejected.state) == (TrustState.WITHDRAWN, TrustState.REJECTED)
    assert not SearchEntry.objects.filter(version=believed).exists()
    kept.refresh_from_db()
    assert kept.text == "Ben lives in Lisbon"


def test_a_conversation_goes_whole_and_what_was_made_of_it_falls(
    desk: Desk, office: Office
) -> None:
    version = desk.believe(f"Ana keeps a {CANARY} bush")
    conversation_id = version.proposal.evidence.get().message.conversation_id

    office.erase("conversation", conversation_id)

    assert rows_holding(CANARY) == {}
    assert set(Message.objects.filter(conversation_id=conversation_id).values_list("text")) == {
        ("",)
    }
    version.refresh_from_db()
    assert version.end_reason == EndReason.ERASED


def test_words_that_only_joined_go_and_the_statement_stays(desk: Desk, office: Office) -> None:
    version = desk.believe("Ana lives in Lisbon")
    again = make_proposal(desk.space, f"Ana lives in Lisbon, near the {CANARY}")
    approve(again, by=desk.curator, happened=WhatHappened.CONFIRMATION, target=version)
    conversation_id = again.evidence.get().message.conversation_id

    office.erase("conversation", conversation_id)

    version.refresh_from_db()
    assert version.tx_to is None and version.text == "Ana lives in Lisbon"
    assert rows_holding(CANARY) == {}


def test_what_was_split_or_merged_falls_with_its_source(desk: Desk, office: Office) -> None:
    whole = make_proposal(desk.space, f"Ana keeps bees and a {CANARY}")
    reshaping.split(
        review=seen(whole), texts=["Ana keeps bees", f"Ana keeps a {CANARY}"],
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    parts = list(Proposal.objects.filter(split_from=whole).order_by("pk"))
    bees = Version.objects.get(pk=approve(parts[0], by=desk.curator).version_id or 0)
    other = desk.believe("Ana is a beekeeper")
    ending.merge(
        review=StatementReview(bees.pk, uuid.uuid4(), ""), into_version_id=other.pk,
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip

    office.erase("statement", bees.statement_id)

    assert rows_holding(CANARY) == {}
    other.refresh_from_db()
    assert other.end_reason == EndReason.ERASED
    assert set(Proposal.objects.filter(split_from=whole).values_list("text", flat=True)) == {""}


def test_reasons_and_predictions_that_repeat_it_are_emptied(desk: Desk, office: Office) -> None:
    old = desk.believe(f"Ana works at {CANARY}", attribute="employer", value=CANARY)
    update = make_proposal(
        desk.space, "Ana works at Northwind", attribute="employer", value="Northwind",
        kind="update", target_id=old.statement_id, reason=f"possibly replaces: {old.text}",
    )  # fmt: skip

    office.erase("statement", old.statement_id)

    update.refresh_from_db()
    assert update.state == TrustState.PENDING and update.text == "Ana works at Northwind"
    assert update.reason == ""
    assert rows_holding(CANARY) == {}


def test_it_takes_two(desk: Desk, office: Office) -> None:
    version = desk.believe("Ana keeps bees")
    scope = office.scope("statement", version.statement_id)
    with pytest.raises(NotAllowed, match="privacy officer"):
        erasure.ask(
            scope=scope, reason_code="asked_by_subject", seen_digest=plan_of(scope).digest,
            request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW,
        )  # fmt: skip
    erasure_id = office.ask(scope)
    with pytest.raises(NotAllowed, match="another person"):
        erasure.confirm(
            erasure_id=erasure_id, seen_digest=plan_of(scope).digest, by=actor(office.asks), now=NOW
        )
    with pytest.raises(NotAllowed):
        erasure.confirm(
            erasure_id=erasure_id,
            seen_digest=plan_of(scope).digest,
            by=actor(desk.curator),
            now=NOW,
        )
    with pytest.raises(Conflict, match="not been confirmed"):
        erasure.carry_out(erasure_id=erasure_id, now=NOW)
    administrator = make_person(desk.space, role="admin")
    erasure.confirm(
        erasure_id=erasure_id, seen_digest=plan_of(scope).digest, by=actor(administrator), now=NOW
    )
    first = erasure.carry_out(erasure_id=erasure_id, now=NOW)
    assert erasure.carry_out(erasure_id=erasure_id, now=NOW + timedelta(hours=1)) == first


def test_what_is_confirmed_is_what_was_seen(desk: Desk, office: Office) -> None:
    version = desk.believe("Ana keeps bees")
    scope = office.scope("subject", desk.subject.pk)
    looked = plan_of(scope).digest
    make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(Conflict, match="than when you looked"):
        erasure.ask(
            scope=scope, reason_code="court_order", seen_digest=looked, request_id=uuid.uuid4(),
            by=actor(office.asks), now=NOW,
        )  # fmt: skip
    assert Version.objects.get(pk=version.pk).text
    assert not ErasureRequest.objects.exists()


def test_what_came_in_after_the_confirmation_is_forgotten_too(desk: Desk, office: Office) -> None:
    desk.believe("Ana keeps bees")
    scope = office.scope("subject", desk.subject.pk)
    erasure_id = office.ask(scope)
    office.confirm(erasure_id, scope)
    make_proposal(desk.space, f"Ana likes {CANARY} tea")
    erasure.carry_out(erasure_id=erasure_id, now=NOW)
    assert rows_holding(CANARY) == {}


def test_a_request_that_is_withdrawn_keeps_no_words(desk: Desk, office: Office) -> None:
    desk.believe(f"Ana keeps a {CANARY} bush")
    scope = office.scope("value", desk.subject.pk, words=CANARY)
    erasure_id = office.ask(scope, note=f"she called about {CANARY}")
    erasure.withdraw(erasure_id=erasure_id, by=actor(office.confirms), now=NOW)
    request = ErasureRequest.objects.get(pk=erasure_id)
    assert (request.state, request.words, request.note) == ("withdrawn", "", "")
    with pytest.raises(Conflict, match="withdrawn already"):
        office.confirm(erasure_id, scope)
    assert Version.objects.filter(text__contains=CANARY).exists()


@pytest.mark.parametrize("kind", ["statement", "conversation", "subject"])
def test_what_is_not_there_is_said_to_be_not_there(desk: Desk, office: Office, kind: str) -> None:
    with pytest.raises(NotFound):
        plan_of(office.scope(kind, 999_999))
    other = make_desk()
    version = other.believe("Ben keeps bees")
    targets = {
        "statement": version.statement_id,
        "conversation": version.proposal.evidence.get().message.conversation_id,
        "subject": other.subject.pk,
    }
    with pytest.raises(NotFound):
        plan_of(office.scope(kind, targets[kind]))


def test_one_letter_is_no_value_to_forget(desk: Desk, office: Office) -> None:
    desk.believe("Ana keeps bees")
    with pytest.raises(InvalidInput, match="two letters"):
        plan_of(office.scope("value", desk.subject.pk, words=" a "))


def test_nothing_is_left_to_decide_about_what_was_erased(desk: Desk, office: Office) -> None:
    version = desk.believe("Ana keeps bees")
    waiting = make_proposal(desk.space, "Ana likes tea")
    look = seen(waiting)
    office.erase("subject", desk.subject.pk)
    with pytest.raises(Erased):
        review.reject(review=look, reason_code="not_said", by=actor(desk.curator), now=NOW)
    with pytest.raises(Erased):
        ending.restore(
            review=StatementReview(version.pk, uuid.uuid4(), ""), by=actor(desk.curator), now=NOW
        )
    with pytest.raises(Conflict):
        undoing.undo(
            decision_id=desk.decided[0].decision_id, request_id=uuid.uuid4(),
            by=actor(desk.curator), now=NOW,
        )  # fmt: skip


def test_the_log_says_what_went_item_by_item_and_names_every_emptied_payload(
    desk: Desk, office: Office
) -> None:
    version = desk.believe("Ana keeps bees")
    office.erase("statement", version.statement_id)
    events = AuditEvent.objects.filter(ledger__space=desk.space).order_by("seq")
    actions = list(events.values_list("action", flat=True))
    assert actions[-3:] == ["statement.erase", "proposal.erase", "erasure.done"]
    done = events.get(action="erasure.done")
    assert done.payload is not None and done.payload.body is not None
    emptied = {str(row.payload_id) for row in events.filter(payload__erased_at__isnull=False)}
    assert emptied and emptied <= set(done.payload.body["payloads"])


BLANKINGS = {
    "a message": "UPDATE knowledge_message SET text = '', redacted_at = now()",
    "a version": "UPDATE knowledge_version SET text = '', value = '', about = '', attribute = '', "
    "slot_key = NULL, redacted_at = now() WHERE tx_to IS NOT NULL",
    "a proposal": "UPDATE knowledge_proposal SET original = '{}'",
    "a quote": "UPDATE knowledge_evidence SET quote = ''",
    "a note": "UPDATE knowledge_decision SET note = '', card_digest = ''",
    "a subject": "UPDATE knowledge_subject SET external_id = 'erased:' || id, redacted_at = now()",
    "a payload": "SELECT audit_erase(ARRAY(SELECT id FROM knowledge_auditpayload))",
}


@pytest.mark.parametrize("name", BLANKINGS)
def test_nothing_is_emptied_without_an_erasure(desk: Desk, name: str) -> None:
    version = desk.believe("Ana keeps bees")
    ending.retract(
        review=StatementReview(version.pk, uuid.uuid4(), "asked_to", note="she called"),
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    with pytest.raises(DatabaseError, match=r"keeps what it was|never rewritten|in an erasure"):
        in_sql(BLANKINGS[name])


def in_sql(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@transaction.atomic
def forge_an_erasure(desk: Desk, office: Office) -> None:
    forged = Decision.objects.create(
        space=desk.space, kind="erase", by=office.confirms, channel="command",
        request_id=uuid.uuid4(),
    )  # fmt: skip
    audit.append(
        space_id=desk.space.pk, by=actor(office.confirms), action="erasure.done",
        decision_id=forged.pk,
    )  # fmt: skip
    in_sql("UPDATE knowledge_message SET text = '', redacted_at = now()")


def test_a_decision_to_erase_that_no_two_stand_behind_is_refused(
    desk: Desk, office: Office
) -> None:
    desk.believe("Ana keeps bees")
    with pytest.raises(
        DatabaseError, match="takes a request of one person and the word of another"
    ):
        forge_an_erasure(desk, office)
    assert Message.objects.filter(text="").count() == 0


def test_a_masked_message_may_only_lose_letters(desk: Desk, office: Office) -> None:
    """Even within an erasure nothing is put in the place of what was said."""
    version = desk.believe("Ana keeps bees")
    scope = office.scope("statement", version.statement_id)
    erasure_id = office.ask(scope)
    office.confirm(erasure_id, scope)
    with (
        patch("knowledge.commands.forgetting.mask", lambda text, spans: "Ana keeps cows"),
        pytest.raises(DatabaseError, match="a message keeps what it was made of"),
    ):
        erasure.carry_out(erasure_id=erasure_id, now=NOW)
    assert Message.objects.get(pk=version.proposal.evidence.get().message_id).text
    assert PredictedStatement.objects.count() == 0 and Episode.objects.exists()
    assert not Tombstone.objects.exists()
