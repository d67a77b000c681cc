"""What the database lets an erasure do, and nothing but an erasure, whoever writes the SQL."""

import uuid
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from knowledge.commands import audit, erasure, forgetting, proposals, sources
from knowledge.models import Decision, ErasureRequest, Message, Proposal, Tombstone, Version
from knowledge.results import SYSTEM, WORKER, PredictionDraft, RunOutcome, SubjectRef
from tests.factories import NOW, Desk, actor, make_desk, make_messages, make_proposal
from tests.forgetting import Office, make_office

pytestmark = pytest.mark.django_db(transaction=True)

BEN = SubjectRef("user", "ben", "Ben")
PLANT = (
    "INSERT INTO knowledge_tombstone (space_id, subject_id, level, key_version, value_key, cause,"
    " effect, decision_id) VALUES (%(space)s, %(subject)s, 'subject', 1, 'v1:0', %(cause)s,"
    " 'block', %(decision)s)"
)


@pytest.fixture
def desk() -> Desk:
    """A curator's desk."""
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers of the same space."""
    return make_office(desk.space)


def in_sql(statement: str, **given: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, given or None)


def confirmed(desk: Desk, office: Office) -> tuple[Version, uuid.UUID]:
    """A belief, and a confirmed erasure of it."""
    version = desk.believe("Ana keeps bees")
    scope = office.scope("statement", version.statement_id)
    erasure_id = office.ask(scope)
    office.confirm(erasure_id, scope)
    return version, erasure_id


def erase_and(erasure_id: uuid.UUID, *also: Callable[[], object]) -> None:
    """Carry an erasure out, and do more within it, when its rows are empty."""
    real = forgetting.empty

    def empty(*args: Any, **changes: Any) -> None:
        real(*args, **changes)
        for act in also:
            act()

    with patch.object(forgetting, "empty", empty):
        erasure.carry_out(erasure_id=erasure_id, now=NOW)


def furnish(desk: Desk) -> None:
    """Rows of every kind that the erasure is not about."""
    audit.record(space_id=None, by=SYSTEM, action="login", payload={"username": "rosa"})
    make_proposal(desk.space, "Ana likes tea")
    desk.believe("Ben keeps cows", subject=BEN)
    message = make_messages(desk.space, "hello")[0]
    sources.open_episodes(conversation_id=message.conversation_id, segments=[[message.pk]], now=NOW)
    message.refresh_from_db()
    run = proposals.begin_run(
        episode_id=message.episode_id or 0, subject_id=message.speaker_id or 0, engine="test",
        model="", prompt_version="1", cold_start=False, shown=[], now=NOW,
    )  # fmt: skip
    expected = PredictionDraft("says hello", (), "not_mentioned")
    outcome = RunOutcome(predictions=(expected,), gaps=(), covered=(), drafts=())
    proposals.record_run(run_id=run.pk, outcome=outcome, by=WORKER, now=NOW)


EMPTIED = "redacted_at = now(), text = '', value = '', about = '', attribute = '', original = '{}'"
DONE = (
    "UPDATE knowledge_erasurerequest SET state = 'done', words = '', note = '', "
    "certificate = '{}', decision_id ="
)
WITHIN = {
    "an emptied proposal is reclassified": (
        "UPDATE knowledge_proposal SET criticality = 'must_include' WHERE redacted_at IS NOT NULL",
        "empties a proposal, and changes nothing else",
    ),
    "an emptied proposal gets its stamp taken": (
        "UPDATE knowledge_proposal SET redacted_at = NULL",
        "keeps what it was made of",
    ),
    "an emptied proposal is stamped again": (
        "UPDATE knowledge_proposal SET redacted_at = now() WHERE redacted_at IS NOT NULL",
        "keeps what it was made of|changes nothing else",
    ),
    "what waits is approved while it is emptied": (
        f"UPDATE knowledge_proposal SET state = 'approved', {EMPTIED} WHERE state = 'pending'",
        "changes nothing else",
    ),
    "what waits is moved to another period while it is emptied": (
        f"UPDATE knowledge_proposal SET valid_from = NULL, {EMPTIED} WHERE state = 'pending'",
        "changes nothing else",
    ),
    "an original is rewritten": (
        "UPDATE knowledge_proposal SET original = '[1]' WHERE state = 'pending'",
        "keeps what it was made of",
    ),
    "letters are put where letters stood": (
        "UPDATE knowledge_message SET text = repeat('x', char_length(text)), redacted_at = now()",
        "keeps what it was made of",
    ),
    "a mask is taken off": (
        "UPDATE knowledge_message SET text = replace(text, '█', 'x')",
        "keeps what it was made of",
    ),
    "a text gets longer by masks": (
        "UPDATE knowledge_message SET text = text || '█', redacted_at = now()",
        "keeps what it was made of",
    ),
    "a text becomes unknown": (
        "UPDATE knowledge_message SET text = NULL, redacted_at = now()",
        "keeps what it was made of",
    ),
    "a message gets its stamp taken": (
        "UPDATE knowledge_message SET redacted_at = NULL",
        "keeps what it was made of",
    ),
    "words are put into a quote": (
        "UPDATE knowledge_evidence SET quote = 'Ana said'",
        "keeps what it was made of",
    ),
    "a note is written": ("UPDATE knowledge_decision SET note = 'x'", "keeps what it was made of"),
    "another person decided": (
        "UPDATE knowledge_decision SET by_id = NULL, policy = 'x'",
        "keeps what it was made of",
    ),
    "an ended version is believed again": (
        "UPDATE knowledge_version SET tx_to = NULL, closed_by_id = NULL, end_reason = NULL",
        "stays ended",
    ),
    "words are put into a version": ("UPDATE knowledge_version SET text = 'x'", "never rewritten"),
    "a subject takes another name": (
        "UPDATE knowledge_subject SET external_id = 'eve'",
        "keeps what it was made of",
    ),
    "a prediction is rewritten": (
        "UPDATE knowledge_predictedstatement SET text = 'x'",
        "keeps what it was made of",
    ),
    "another request is done with an older decision": (
        f"{DONE} (SELECT id FROM knowledge_decision WHERE kind = 'approve' LIMIT 1)",
        "done by its decision",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WITHIN)
def test_within_an_erasure_rows_are_emptied_and_nothing_else(
    desk: Desk, office: Office, name: str
) -> None:
    furnish(desk)
    version, erasure_id = confirmed(desk, office)
    office.ask(office.scope("value", version.subject_id, words="tea"))
    statement, refusal = WITHIN[name]
    with pytest.raises(DatabaseError, match=refusal):
        erase_and(erasure_id, lambda: in_sql(statement))
    assert Version.objects.get(pk=version.pk).text == "Ana keeps bees"


@pytest.mark.parametrize(
    "changes", [{"state": "withdrawn"}, {"memory_type": "goal"}, {"flags": ["health"]}]
)
def test_what_one_erasure_emptied_another_cannot_change(
    desk: Desk, office: Office, changes: dict[str, Any]
) -> None:
    gone = desk.believe("Ana lives in Lisbon")
    office.erase("statement", gone.statement_id)
    _, second = confirmed(desk, office)
    emptied = Proposal.objects.filter(pk=gone.proposal_id, redacted_at__isnull=False)
    assert emptied.exists()
    with pytest.raises(DatabaseError, match=r"changes nothing else|keeps what it was made of"):
        erase_and(second, lambda: emptied.update(**changes))


def test_a_request_is_not_done_without_its_erasure(desk: Desk, office: Office) -> None:
    _, erasure_id = confirmed(desk, office)
    with pytest.raises(DatabaseError, match="done by its decision"):
        in_sql(f"{DONE} %(decision)s", decision=desk.decided[0].decision_id)
    erasure.carry_out(erasure_id=erasure_id, now=NOW)
    for change in ("certificate = '{}'", "state = 'withdrawn'", "closed_at = now()"):
        with pytest.raises(DatabaseError, match="never rewritten"):
            in_sql(f"UPDATE knowledge_erasurerequest SET {change}")


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ("words = 'Lisbon'", "never rewritten"),
        ("note = 'she said so'", "never rewritten"),
        ("kind = 'subject'", "keeps what it was made of"),
        ("whole_conversations = true", "keeps what it was made of"),
        ("replayed = true", "keeps what it was made of"),
        ("confirmed_by_id = requested_by_id", "takes_two"),
        ("state = 'confirmed'", "confirmed_first"),
    ],
)
def test_what_was_asked_for_is_what_is_confirmed(
    desk: Desk, office: Office, change: str, refusal: str
) -> None:
    desk.believe("Ana keeps bees")
    office.ask(office.scope("value", desk.subject.pk, words="bees"))
    with pytest.raises(DatabaseError, match=refusal):
        in_sql(f"UPDATE knowledge_erasurerequest SET {change}")


@pytest.mark.parametrize("state", ["confirmed", "done", "withdrawn"])
def test_a_request_begins_by_being_asked_for(desk: Desk, office: Office, state: str) -> None:
    forged = ErasureRequest(
        space=desk.space, kind="subject", state=state, reason_code="other",
        requested_by=office.asks, confirmed_by=office.confirms, requested_at=NOW,
        request_id=uuid.uuid4(),
    )  # fmt: skip
    with pytest.raises(DatabaseError, match="begins by being asked for"):
        forged.save(force_insert=True)


@transaction.atomic
def forge_a_tombstone(proposal: Proposal, *, by: User, kind: str, cause: str) -> None:
    """Plant a tombstone over a subject with a decision of some kind, written by hand."""
    decision = Decision.objects.create(
        space=proposal.space, kind=kind, by=by, channel="command",
        request_id=uuid.uuid4(), proposal=proposal,
    )  # fmt: skip
    audit.append(
        space_id=proposal.space_id, by=actor(by), action="test.forged",
        decision_id=decision.pk,
    )  # fmt: skip
    in_sql(
        PLANT, space=proposal.space_id, subject=proposal.subject_id, cause=cause,
        decision=decision.pk,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("refute", "erased"),
        ("lift_tombstone", "erased"),
        ("approve", "refuted"),
        ("retract", "refuted"),
    ],
)
def test_a_tombstone_says_what_its_decision_did(desk: Desk, kind: str, cause: str) -> None:
    """Only an erasure plants what nobody may believe again."""
    waiting = make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(DatabaseError, match="tombstone needs its decision"):
        forge_a_tombstone(waiting, by=desk.curator, kind=kind, cause=cause)
    assert not Tombstone.objects.exists()


def test_within_an_erasure_no_refutation_is_planted(desk: Desk, office: Office) -> None:
    version, erasure_id = confirmed(desk, office)

    def plant() -> None:
        decision_id = Decision.objects.get(kind="erase").pk
        in_sql(
            PLANT, space=desk.space.pk, subject=version.subject_id, cause="refuted",
            decision=decision_id,
        )  # fmt: skip

    with pytest.raises(DatabaseError, match="needs its decision"):
        erase_and(erasure_id, plant)
    assert not Tombstone.objects.exists()
    assert Message.objects.exclude(text="").exists()
