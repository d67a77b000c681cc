"""Nobody with SQL as the application role forges belief, words, runs or roles unseen.

Each attack commits, or would: guards look at the transaction a decision was made in.
"""

import uuid

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from knowledge.commands import review
from knowledge.models import AuditEvent, Message, Proposal, Subject, Version
from knowledge.results import Edits
from knowledge.trust import WhatHappened
from tests.factories import (
    NOW,
    Desk,
    actor,
    approve,
    make_desk,
    make_messages,
    make_proposal,
    seen,
    utc,
)

Parameter = str | int | uuid.UUID | None

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk() -> Desk:
    desk = make_desk()
    desk.believe("Ana works at Contoso", attribute="employer", value="Contoso", at=utc(2024))
    edited = make_proposal(desk.space, "Ana likes tee")
    review.edit(
        review=seen(edited), edits=Edits(text="Ana likes tea"), by=actor(desk.curator), now=NOW
    )
    return desk


def run(*statements: str, **parameters: Parameter) -> None:
    """Run SQL in one transaction of the application role and commit it."""
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, parameters)


DECISION = (
    "INSERT INTO knowledge_decision (id, space_id, seq, xact, kind, by_id, policy, channel, "
    "reason_code, note, request_id, proposal_id, state_before, evidence_opened, undoes_id) "
    "VALUES (%(decision)s, %(space)s, 0, 0, %(kind)s, %(by)s, 'x', 'sql', '', '', "
    "gen_random_uuid(), %(proposal)s, '', false, %(undoes)s)"
)
EVENT = (
    "SELECT audit_append(%(space)s, 'user', 'x', 'sql', 'x', 'ok', '', '', NULL, "
    "%(decision)s, '', '', NULL)"
)


def forge(desk: Desk, proposal: Proposal, *statements: str, kind: str, **more: Parameter) -> None:
    """Run SQL beside a decision with its event, as the commands would."""
    given: dict[str, Parameter] = {
        "decision": uuid.uuid4(), "space": desk.space.pk, "kind": kind, "by": desk.curator.pk,
        "proposal": proposal.pk, "undoes": None,
    }  # fmt: skip
    run(DECISION, EVENT, *statements, **(given | more))


def copying(version: Version, **changes: str) -> str:
    """Write the INSERT of a version like another one, opened by the forged."""
    changes = {
        "opened_by_id": "%(decision)s", "tx_to": "NULL", "closed_by_id": "NULL",
        "end_reason": "NULL", "successor_id": "NULL", "slot_key": "NULL",
    } | changes  # fmt: skip
    columns = [str(field.column) for field in Version._meta.concrete_fields if field.column != "id"]
    values = ", ".join(changes.get(column, f'"{column}"') for column in columns)
    return (
        f"INSERT INTO knowledge_version ({', '.join(columns)}) SELECT {values} "
        f"FROM knowledge_version WHERE id = {version.pk}"
    )


@pytest.mark.parametrize("kind", ["defer", "edit", "reject"])
def test_only_an_approval_opens_a_version(desk: Desk, kind: str) -> None:
    waiting = make_proposal(desk.space, "Ana likes tea")
    version = Version.objects.get(space=desk.space)
    with pytest.raises(DatabaseError, match="says what was approved"):
        forge(desk, waiting, copying(version), kind=kind)


def test_an_approval_opens_no_other_words_than_its_proposals(desk: Desk) -> None:
    waiting = make_proposal(desk.space, "Ana likes tea")
    version = Version.objects.get(space=desk.space)
    own = {"proposal_id": str(waiting.pk)}
    for changes in (own, own | {"text": "'Ana likes gin'"}, {"text": "'Ana works at Evil'"}):
        with pytest.raises(DatabaseError, match="says what was approved"):
            forge(desk, waiting, copying(version, **changes), kind="approve")


def test_what_is_approved_already_is_not_approved_again(desk: Desk) -> None:
    version = Version.objects.get(space=desk.space)
    with pytest.raises(DatabaseError, match="only what waits"):
        forge(desk, version.proposal, copying(version), kind="approve")


def test_a_policy_approves_nothing(desk: Desk) -> None:
    waiting = make_proposal(desk.space, "Ana likes tea")
    with pytest.raises(DatabaseError, match="only_people_approve"):
        forge(desk, waiting, kind="approve", by=None)


def test_a_remnant_says_what_its_origin_said_within_its_time(desk: Desk) -> None:
    old = Version.objects.get(space=desk.space)
    waiting = make_proposal(desk.space, "Ana likes tea")
    remnant = {"derived_from_id": str(old.pk), "derivation": "'remnant'"}
    closing = (
        "UPDATE knowledge_version SET tx_to = now(), end_reason = 'retracted', "
        f"closed_by_id = %(decision)s WHERE id = {old.pk}"
    )
    for steps in (
        (copying(old, **remnant),),  # its origin is believed still
        (closing, copying(old, **remnant, text="'Ana works at Evil'")),
        (closing, copying(old, **remnant, valid="'[2001-01-01,)'")),
    ):
        with pytest.raises(DatabaseError, match="says what it said"):
            forge(desk, waiting, *steps, kind="defer")


def test_a_version_stays_with_its_subject(desk: Desk) -> None:
    ben = Subject.objects.create(
        space=desk.space, kind="user", external_id="ben", name="Ben", created_at=utc(2024)
    )
    waiting = make_proposal(desk.space, "Ana likes tea")
    approved = "UPDATE knowledge_proposal SET state = 'approved' WHERE id = %(proposal)s"
    like = {
        column: f"(SELECT {column} FROM knowledge_proposal WHERE id = {waiting.pk})"
        for column in "about text memory_type criticality attribute value language".split()
    }
    version = Version.objects.get(space=desk.space)
    forged = copying(version, **like, proposal_id=str(waiting.pk), subject_id=str(ben.pk))
    with pytest.raises(DatabaseError, match="stays with its subject"):
        forge(desk, waiting, forged, approved, kind="approve")


def test_an_approval_is_not_taken_back_while_what_it_opened_is_believed(desk: Desk) -> None:
    proposal = Proposal.objects.get(space=desk.space, state="approved")
    back = "UPDATE knowledge_proposal SET state = 'pending' WHERE id = %(proposal)s"
    with pytest.raises(DatabaseError, match="ends with it"):
        forge(desk, proposal, back, kind="wake")


def test_an_approved_proposal_keeps_its_words_and_a_waiting_one_changes_by_decision(
    desk: Desk,
) -> None:
    approved = Proposal.objects.get(space=desk.space, state="approved")
    waiting = make_proposal(desk.space, "Ana likes tea")
    changing = "UPDATE knowledge_proposal SET text = 'Ana likes gin' WHERE id = %(proposal)s"
    with pytest.raises(DatabaseError, match="keeps its words"):
        forge(desk, approved, changing, kind="edit")
    with pytest.raises(DatabaseError, match="needs a decision"):
        run(changing, proposal=waiting.pk)
    forge(desk, waiting, changing, kind="edit")


FIXED = {
    "confidence": "0.5",
    "surprise": "0.1",
    "flags": "'{}'",
    "unexpected": "'{other}'",
    "aside_reason": "'trivial'",
}


@pytest.mark.parametrize("column", FIXED)
def test_what_the_engine_said_of_a_proposal_stays(desk: Desk, column: str) -> None:
    make_proposal(desk.space, "Ana likes tea", flags=("secret",))
    with pytest.raises(DatabaseError, match="keeps what it was made of"):
        run(f"UPDATE knowledge_proposal SET {column} = {FIXED[column]}")


QUOTE = (
    'INSERT INTO knowledge_evidence (space_id, proposal_id, message_id, start, "end", quote, '
    "role) VALUES (%(space)s, %(proposal)s, %(message)s, 0, 6, %(quote)s, 'supports')"
)


def test_no_quote_joins_what_was_decided_and_none_is_made_up(desk: Desk) -> None:
    approved = Proposal.objects.get(space=desk.space, state="approved")
    waiting = make_proposal(desk.space, "Ana likes tea")
    message = make_messages(desk.space, "Iswore it")[0]
    given = {"space": desk.space.pk, "message": message.pk}
    with pytest.raises(DatabaseError, match="before it is decided"):
        run(QUOTE, **given, proposal=approved.pk, quote="Iswore")
    with pytest.raises(DatabaseError, match="letter by letter"):
        run(QUOTE, **given, proposal=waiting.pk, quote="I lied")
    run(QUOTE, **given, proposal=waiting.pk, quote="Iswore")


CONFIRM = (
    "INSERT INTO knowledge_confirmation (space_id, proposal_id, confirms_id, decision_id) "
    "VALUES (%(space)s, %(proposal)s, %(statement)s, %(opened)s)"
)


def test_a_confirmation_needs_the_approval_of_its_proposal(desk: Desk) -> None:
    version = Version.objects.get(space=desk.space)
    waiting = make_proposal(desk.space, "still at Contoso")
    given = {"space": desk.space.pk, "proposal": waiting.pk, "statement": version.statement_id}
    with pytest.raises(DatabaseError, match="needs its decision"):
        run(CONFIRM, **given, opened=version.opened_by_id)


def test_confirmations_and_contests_are_closed_by_decisions_alone(desk: Desk) -> None:
    version = Version.objects.get(space=desk.space)
    again = make_proposal(desk.space, "still at Contoso")
    approve(again, by=desk.curator, happened=WhatHappened.CONFIRMATION, target=version)
    desk.believe("Ana works at N", happened=WhatHappened.CANNOT_TELL, target=version)
    opened = version.opened_by_id
    for change in (
        "UPDATE knowledge_confirmation SET undone_by_id = %(opened)s",
        "UPDATE knowledge_contest SET resolved_by_id = %(opened)s",
    ):
        with pytest.raises(DatabaseError, match="closed once"):
            run(change, opened=opened)
    for change in (
        "UPDATE knowledge_confirmation SET proposal_id = proposal_id - 1",
        "UPDATE knowledge_contest SET version_a_id = version_b_id",
    ):
        with pytest.raises(DatabaseError, match="keeps what it was made of"):
            run(change)


REWRITES = {
    "a finished run": ("UPDATE knowledge_extractionrun SET shown = '[\"x\"]'", "never rewritten"),
    "a run's engine": ("UPDATE knowledge_extractionrun SET engine = 'x'", "made of|rewritten"),
    "an evaluation space": ("UPDATE knowledge_space SET evaluation = true", "made of"),
    "whose memory": ("UPDATE knowledge_subject SET external_id = 'ben'", "made of"),
    "the start of a chain": ("UPDATE knowledge_ledger SET genesis = 'x'", "never changed"),
    "a role": ("UPDATE knowledge_membership SET role = 'admin'", "made of"),
    "an end of a role": ("UPDATE knowledge_membership SET valid_to = now()", "audit event"),
    "a hand in it": ("DELETE FROM knowledge_proposal_contributors", "never deleted"),
    "no role at all": ("DELETE FROM knowledge_membership", "never deleted"),
    "words on conflict": (
        "INSERT INTO knowledge_message TABLE knowledge_message ON CONFLICT (id) DO UPDATE SET id=0",
        "made of",
    ),
}


@pytest.mark.parametrize("name", REWRITES)
def test_runs_spaces_subjects_and_roles_are_not_rewritten(desk: Desk, name: str) -> None:
    sql, refusal = REWRITES[name]
    with pytest.raises(DatabaseError, match=refusal):
        run(sql)


def test_a_role_given_by_sql_alone_is_refused(desk: Desk) -> None:
    with pytest.raises(DatabaseError, match="needs its audit event"):
        run(
            "INSERT INTO knowledge_membership (space_id, user_id, role, valid_from) "
            "VALUES (%(space)s, %(user)s, 'privacy', now())",
            space=desk.space.pk, user=desk.curator.pk,
        )  # fmt: skip


def copy_in(cursor_sql: str, line: str) -> None:
    """Load a line by COPY, which constraints and guards see as any insert."""
    with transaction.atomic(), connection.cursor() as cursor, cursor.copy(cursor_sql) as copy:
        copy.write(line)


def test_copy_is_no_way_around(desk: Desk) -> None:
    message = Message.objects.filter(space=desk.space)[0]
    proposal = Proposal.objects.get(space=desk.space, state="approved")
    columns = 'space_id, proposal_id, message_id, start, "end", quote, role'
    line = f"{desk.space.pk}\t{proposal.pk}\t{message.pk}\t0\t3\tAna\tsupports\n"
    with pytest.raises(psycopg.DatabaseError, match="before it is decided"):
        copy_in(f"COPY knowledge_evidence ({columns}) FROM STDIN", line)


def shadowing(table: str) -> tuple[str, str]:
    """Write the temporary table that stands before the real one."""
    empty = f"AS SELECT * FROM public.knowledge_{table} WHERE false"
    return (
        f"CREATE TEMPORARY TABLE knowledge_{table} ON COMMIT DROP {empty}",
        f"GRANT ALL ON pg_temp.knowledge_{table} TO PUBLIC",
    )


def test_a_temporary_table_stands_before_no_guard(desk: Desk) -> None:
    waiting = make_proposal(desk.space, "Ana likes tea")
    given: dict[str, Parameter] = {
        "decision": uuid.uuid4(), "space": desk.space.pk, "kind": "defer",
        "by": desk.curator.pk, "proposal": waiting.pk, "undoes": None,
    }  # fmt: skip
    logged = "INSERT INTO pg_temp.knowledge_auditevent (decision_id) VALUES (%(decision)s)"
    with pytest.raises(DatabaseError, match="needs its audit event"):
        run(*shadowing("auditevent"), DECISION, logged, **given)
    before = AuditEvent.objects.count()
    run(*shadowing("auditevent"), *shadowing("auditpayload"), DECISION, EVENT, **given)
    assert AuditEvent.objects.count() == before + 1


def test_every_guard_looks_where_its_owner_said() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT p.proname FROM pg_proc p LEFT JOIN pg_trigger t ON t.tgfoid = p.oid "
            "WHERE (p.proname = 'audit_append' OR t.tgname LIKE 'pgtrigger%') "
            "AND array_to_string(p.proconfig, ' ') IS DISTINCT FROM 'search_path=public, pg_temp'"
        )
        assert cursor.fetchall() == []
