"""The database holds the invariants against raw SQL by the application role."""

import uuid

import pytest
from django.db import DatabaseError, connection, transaction

from knowledge.commands import batches, governing
from knowledge.models import Proposal, Version
from tests.factories import (
    NOW,
    Desk,
    actor,
    approve,
    make_desk,
    make_messages,
    make_person,
    make_proposal,
    utc,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    desk = make_desk()
    desk.believe("Ana works at Contoso", attribute="employer", value="Contoso", at=utc(2024))
    return desk


def attack(sql: str, *parameters: str | int | uuid.UUID, before: tuple[str, ...] = ()) -> None:
    """Run SQL as the application role and let deferred guards speak."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("workbench_app",)
        for preparation in before:
            cursor.execute(preparation)
        cursor.execute(sql, parameters)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


REFUSAL = (
    "never (rewritten|changed|deleted|truncated)|keeps what it was made of|no such change"
    "|permission denied"
)

REWRITES = {
    "a version's words": "UPDATE knowledge_version SET text = 'Ana works at Evil Corp'",
    "a version's period": "UPDATE knowledge_version SET valid = '[2020-01-01,)'",
    "a version's belief": "UPDATE knowledge_version SET tx_from = tx_from - interval '1 day'",
    "a message's words": "UPDATE knowledge_message SET text = 'I never said that'",
    "a message's speaker": "UPDATE knowledge_message SET speaker_name = 'Somebody'",
    "a quote": "UPDATE knowledge_evidence SET quote = 'I work at Evil Corp'",
    "a gap": "UPDATE knowledge_gap SET start = 1",
    "a proposal's origin": "UPDATE knowledge_proposal SET original = '{}'",
    "a proposal's subject": "UPDATE knowledge_proposal SET subject_id = subject_id + 1",
    "a decision": "UPDATE knowledge_decision SET note = 'somebody else'",
    "the log": "UPDATE knowledge_auditevent SET action = 'nothing happened'",
    "the log's payload": "UPDATE knowledge_auditpayload SET body = '{}'",
}


@pytest.mark.parametrize("name", REWRITES)
def test_nothing_that_was_written_can_be_rewritten(desk: Desk, name: str) -> None:
    with pytest.raises(DatabaseError, match=REFUSAL):
        attack(REWRITES[name])


@pytest.mark.parametrize(
    "table",
    "version message proposal decision evidence gap auditevent auditpayload statement "
    "conversation ledger episode extractionrun confirmation contest".split(),
)
@pytest.mark.parametrize("verb", ["DELETE FROM", "TRUNCATE"])
def test_nothing_can_be_deleted(desk: Desk, table: str, verb: str) -> None:
    if verb == "DELETE FROM" and table in ("confirmation", "contest"):
        pytest.skip("no rows to delete in this desk; TRUNCATE covers the table")
    with pytest.raises(DatabaseError, match=REFUSAL):
        attack(f"{verb} knowledge_{table}" + (" CASCADE" if verb == "TRUNCATE" else ""))


@pytest.mark.parametrize("state", ["approved", "rejected", "deferred", "withdrawn"])
def test_no_proposal_begins_decided(desk: Desk, state: str) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    columns = [f.column for f in Proposal._meta.concrete_fields if f.column not in ("id", "state")]
    listed = ", ".join(f'"{column}"' for column in columns if column not in ("run_id", "ordinal"))
    with pytest.raises(DatabaseError, match="begins as set_aside or pending"):
        attack(
            f"INSERT INTO knowledge_proposal (state, {listed}) "
            f"SELECT %s, {listed} FROM knowledge_proposal WHERE id = %s",
            state,
            proposal.pk,
        )


def test_trust_cannot_jump_over_the_table(desk: Desk) -> None:
    aside = make_proposal(desk.space, "Ana may like tea", aside_reason="not_asserted")
    with pytest.raises(DatabaseError, match="no such change"):
        attack("UPDATE knowledge_proposal SET state = 'approved' WHERE id = %s", aside.pk)


def test_approval_without_a_decision_is_refused(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(DatabaseError, match="needs a decision in the same transaction"):
        attack("UPDATE knowledge_proposal SET state = 'approved' WHERE id = %s", proposal.pk)


INSERT_DECISION = (
    "INSERT INTO knowledge_decision (id, space_id, seq, xact, kind, by_id, policy, channel, "
    "reason_code, note, request_id, proposal_id, state_before, evidence_opened) "
    "VALUES (%s, %s, 0, 0, 'approve', %s, '', 'sql', '', '', %s, %s, 'pending', false)"
)


def test_a_decision_without_its_audit_event_is_refused(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(DatabaseError, match="needs its audit event"):
        attack(
            INSERT_DECISION,
            uuid.uuid4(), desk.space.pk, desk.curator.pk, uuid.uuid4(), proposal.pk,
        )  # fmt: skip


INSERT_SECOND = (
    "INSERT INTO knowledge_decision (id, space_id, seq, xact, kind, by_id, policy, channel, "
    "reason_code, note, request_id, proposal_id, state_before, evidence_opened) "
    "VALUES (%s, %s, 0, 0, 'confirm', %s, '', 'sql', '', '', %s, %s, 'awaiting_second', false)"
)


def test_nobody_is_second_to_themselves_or_to_their_own_words(desk: Desk) -> None:
    admin = actor(make_person(desk.space, role="admin"))
    governing.set_policy(
        space_id=desk.space.pk, four_eyes="always", expire_after_days=None, by=admin, now=NOW
    )
    proposal = make_proposal(desk.space, "Ana likes tea")
    helper = make_person(desk.space)
    proposal.contributors.add(helper)
    approve(proposal, by=desk.curator)
    for person in (desk.curator, helper):
        with pytest.raises(DatabaseError, match="neither the first nor a contributor"):
            attack(
                INSERT_SECOND,
                uuid.uuid4(), desk.space.pk, person.pk, uuid.uuid4(), proposal.pk,
            )  # fmt: skip


def test_policies_guidelines_and_batches_are_never_rewritten(desk: Desk) -> None:
    admin = actor(make_person(desk.space, role="admin"))
    governing.set_policy(
        space_id=desk.space.pk, four_eyes="always", expire_after_days=9, by=admin, now=NOW
    )
    governing.set_guideline(space_id=desk.space.pk, markdown="Ask twice.", by=admin, now=NOW)
    proposal = make_proposal(desk.space, "Ana likes tea")
    batches.reject(
        space_id=desk.space.pk, items=[(proposal.pk, proposal.version)], reason_code="misread",
        request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    for sql in (
        "UPDATE knowledge_policyversion SET four_eyes = 'never'",
        "UPDATE knowledge_guidelineversion SET markdown = 'Ask nobody.'",
        "UPDATE knowledge_batch SET size = 0",
        "DELETE FROM knowledge_policyversion",
        "DELETE FROM knowledge_guidelineversion",
        "DELETE FROM knowledge_batch",
    ):
        with pytest.raises(DatabaseError, match=REFUSAL):
            attack(sql)


def copy_of(version: Version, **changes: str) -> str:
    """Write the INSERT that copies a version with some columns changed."""
    columns = [f.column for f in Version._meta.concrete_fields if f.column != "id"]
    listed = ", ".join(f'"{column}"' for column in columns)
    values = ", ".join(changes.get(str(column), f'"{column}"') for column in columns)
    return (
        f"INSERT INTO knowledge_version ({listed}) SELECT {values} "
        f"FROM knowledge_version WHERE id = {version.pk}"
    )


@pytest.mark.django_db(transaction=True)
def test_a_version_needs_a_decision_of_its_own_transaction() -> None:
    desk = make_desk()
    version = desk.believe("Ana likes tea")
    with pytest.raises(DatabaseError, match="decision of the same transaction"):
        attack(copy_of(version))
    with pytest.raises(DatabaseError, match="decision of the same transaction"):
        attack(
            "UPDATE knowledge_version SET tx_to = now(), end_reason = 'retracted', "
            "closed_by_id = opened_by_id"
        )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"valid": "'empty'"}, "valid_period"),
        ({"valid": "'(,2026-01-01)'"}, "valid_period"),
        ({"valid": "'[2026-01-01,2026-02-01]'"}, "valid_period"),
        ({"valid": "'[2026-01-01,infinity)'"}, "finite"),
        ({"valid": "'[-infinity,2026-02-01)'"}, "finite"),
        ({"tx_to": "now()"}, "begins open"),
        ({}, "one_truth_per_slot"),
    ],
)
def test_a_version_holds_its_shape(desk: Desk, changes: dict[str, str], reason: str) -> None:
    version = Version.objects.get(space=desk.space)
    with pytest.raises(DatabaseError, match=reason):
        attack(copy_of(version, **changes))


def test_nothing_points_across_spaces(desk: Desk) -> None:
    version = Version.objects.get(space=desk.space)
    other = make_desk()
    stranger = make_messages(other.space, "I work elsewhere")[0]
    proposal = make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(DatabaseError, match="stays_in_space"):
        attack(copy_of(version, subject_id=str(stranger.speaker_id), slot_key="NULL"))
    with pytest.raises(DatabaseError, match="stays_in_space"):
        attack(
            "INSERT INTO knowledge_evidence (space_id, proposal_id, message_id, start, "
            '"end", quote, role) VALUES (%s, %s, %s, 0, 1, %s, %s)',
            desk.space.pk, proposal.pk, stranger.pk, "I", "supports",
        )  # fmt: skip


@pytest.mark.parametrize(
    "switch",
    [
        "SET LOCAL pgtrigger.ignore = '{pgtrigger_append_only,pgtrigger_closing}'",
        "SELECT set_config('workbench.flush', 'on', true)",
    ],
)
def test_the_guards_cannot_be_switched_off(desk: Desk, switch: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = %s::regclass",
            ["knowledge_version"],
        )
        names = ",".join(row[0] for row in cursor.fetchall())
    for sql in ("UPDATE knowledge_version SET text = 'x'", "TRUNCATE knowledge_version CASCADE"):
        with pytest.raises(DatabaseError, match=REFUSAL):
            attack(sql, before=(switch, f"SET LOCAL pgtrigger.ignore = '{{{names}}}'"))


def test_the_application_role_cannot_put_the_guards_to_sleep(desk: Desk) -> None:
    for sql in (
        "SET LOCAL session_replication_role = replica",
        "ALTER TABLE knowledge_version DISABLE TRIGGER ALL",
        "DROP TABLE knowledge_auditevent",
        "INSERT INTO knowledge_auditpayload (id) VALUES (gen_random_uuid())",
    ):
        with pytest.raises(DatabaseError):
            attack(sql)


def test_every_guard_fires_always() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FILTER (WHERE t.tgenabled = 'A'), count(*) FROM pg_trigger t "
            "JOIN pg_class c ON c.oid = t.tgrelid "
            "WHERE NOT t.tgisinternal AND c.relname LIKE 'knowledge%'"
        )
        always, every = cursor.fetchone() or (0, 0)
    assert always == every > 50
