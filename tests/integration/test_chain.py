"""The log is recomputed: whatever was changed behind the guards is found, and where."""

import os
import threading
import uuid
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, connections, transaction

from knowledge.commands import audit, ending, review, undoing
from knowledge.models import AuditEvent, AuditPayload, Version
from knowledge.queries import chain
from knowledge.results import SYSTEM, Edits, StatementReview
from knowledge.trust import WhatHappened
from tests import dumps
from tests.chains import REHASH, chain_of, forge, verified
from tests.factories import NOW, Desk, actor, approve, make_desk, make_proposal, seen, utc
from tests.forgetting import make_office
from workbench.embedded import SUPERUSER

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Book:
    """A space's log with what the forgers aim at."""

    desk: Desk
    ledger: int
    events: list[AuditEvent]

    def event(self, action: str) -> AuditEvent:
        """Return the first event of an action."""
        return next(event for event in self.events if event.action == action)


@pytest.fixture
def book() -> Book:
    """A space where every kind of decision was made once."""
    desk = make_desk()
    by = actor(desk.curator)
    old = desk.believe("Ana works at Contoso", attribute="employer", value="Contoso", at=utc(2024))
    new = desk.believe(
        "Ana works at Northwind", attribute="employer", value="Northwind", at=utc(2025),
        happened=WhatHappened.CHANGED, target=old,
    )  # fmt: skip
    tea = make_proposal(desk.space, "Ana likes tea")
    mended = review.approve(
        review=seen(tea, note="said twice"), happened=WhatHappened.NEW, by=by, now=NOW,
        edits=Edits(text="Ana likes green tea"),
    )  # fmt: skip
    waiting = make_proposal(desk.space, "Ana runs")
    review.edit(review=seen(waiting), edits=Edits(text="Ana runs daily"), by=by, now=NOW)
    review.reject(review=seen(waiting), reason_code="not_said", by=by, now=NOW)
    again = make_proposal(desk.space, "still at Northwind")
    approve(again, by=desk.curator, happened=WhatHappened.CONFIRMATION, target=new)
    assert mended.version_id is not None
    ended = StatementReview(mended.version_id, uuid.uuid4(), reason_code="asked_to", note="by mail")
    retracted = ending.retract(review=ended, by=by, now=NOW)
    undoing.undo(decision_id=retracted.decision_id, request_id=uuid.uuid4(), by=by, now=NOW)
    ledger = chain_of(desk.space.pk).ledger_id
    assert ledger is not None
    return Book(desk, ledger, list(AuditEvent.objects.filter(ledger_id=ledger).order_by("seq")))


def test_what_the_product_wrote_holds(book: Book) -> None:
    found = verified(book.desk.space.pk)
    assert found.faults == ()
    assert found.events == found.last_seq == len(book.events) > 10


def test_the_systems_chain_is_verified_like_any_other() -> None:
    audit.record(space_id=None, by=SYSTEM, action="user.create", payload={"username": "ana"})
    assert verified(None).holds
    forge('UPDATE knowledge_auditpayload SET body = \'{"username": "ben"}\' WHERE space_id IS NULL')
    found = verified(None)
    assert "payload is not what was committed to" in str(found.faults[0])


# --- each hashed column ---

CHANGES = {
    "hash_version": "2",
    "at": "at + interval '1 microsecond'",
    "actor_kind": "'system'",
    "actor_id": "'someone else'",
    "channel": "'api'",
    "action": "'proposal.defer'",
    "outcome": "'denied'",
    "object_type": "'statement'",
    "object_id": "'0'",
    "subject_id": "NULL",
    "decision_id": "NULL",
    "request_id": "'r'",
    "reason_code": "'misread'",
    "payload_id": "NULL",
    "commitment": "sha256('')",
    "prev_hash": "sha256('')",
    "hash": "sha256('')",
}


@pytest.mark.parametrize("column", CHANGES)
def test_a_changed_column_names_the_event(book: Book, column: str) -> None:
    event = book.event("proposal.reject")
    forge(f"UPDATE knowledge_auditevent SET {column} = {CHANGES[column]} WHERE id = {event.pk}")
    found = verified(book.desk.space.pk)
    assert found.faults[0].seq == event.seq
    assert found.broken_events >= 1


def test_every_column_but_the_row_id_is_tried_or_has_a_test_of_its_own() -> None:
    columns = {field.column for field in AuditEvent._meta.concrete_fields}
    assert columns - set(CHANGES) == {"id", "ledger_id", "seq"}


# --- the order of events ---


def test_an_event_removed_from_the_middle_or_the_beginning_leaves_a_gap(book: Book) -> None:
    middle = book.events[4]
    forge(f"DELETE FROM knowledge_auditevent WHERE id = {middle.pk}")
    assert chain.recompute(chain_of(book.desk.space.pk)).fault == chain.Fault(
        6, "event 6", "its number does not follow the one before it"
    )
    forge(f"DELETE FROM knowledge_auditevent WHERE id = {book.events[0].pk}")
    assert verified(book.desk.space.pk).faults[0].seq == 2


def test_two_events_in_each_others_place_are_found(book: Book) -> None:
    one, other = book.events[4], book.events[5]
    forge(
        f"UPDATE knowledge_auditevent SET seq = -1 WHERE id = {one.pk}",
        f"UPDATE knowledge_auditevent SET seq = {one.seq} WHERE id = {other.pk}",
        f"UPDATE knowledge_auditevent SET seq = {other.seq} WHERE id = {one.pk}",
    )
    fault = chain.recompute(chain_of(book.desk.space.pk)).fault
    assert fault is not None and fault.seq == one.seq


def test_an_event_put_in_and_linked_on_both_sides_breaks_the_hash_of_the_next(book: Book) -> None:
    before, after = book.events[5], book.events[6]
    made = before.seq + 1
    forge(
        f"UPDATE knowledge_auditevent SET seq = -seq WHERE ledger_id = {book.ledger} "
        f"AND seq > {before.seq}",
        f"UPDATE knowledge_auditevent SET seq = 1 - seq WHERE ledger_id = {book.ledger} "
        "AND seq < 0",
        f"UPDATE knowledge_auditevent SET prev_hash = sha256('soon') WHERE id = {after.pk}",
        f"""INSERT INTO knowledge_auditevent (ledger_id, seq, hash_version, at, actor_kind,
            actor_id, channel, action, outcome, object_type, object_id, request_id, reason_code,
            prev_hash, hash)
        SELECT ledger_id, {made}, 1, at + interval '1 microsecond', 'user', 'x', 'web',
            'proposal.look', 'ok', 'proposal', '1', '', '', hash, ''
        FROM knowledge_auditevent WHERE id = {before.pk}""",
        f"UPDATE knowledge_auditevent e SET hash = audit_hash(e) "
        f"WHERE ledger_id = {book.ledger} AND seq = {made}",
        "UPDATE knowledge_auditevent SET prev_hash = made.hash FROM knowledge_auditevent made "
        f"WHERE knowledge_auditevent.id = {after.pk} AND made.ledger_id = {book.ledger} "
        f"AND made.seq = {made}",
    )
    fault = chain.recompute(chain_of(book.desk.space.pk)).fault
    assert fault is not None
    assert (fault.seq, fault.why) == (made + 1, "its hash is not that of what it says")


def test_an_event_moved_to_another_chain_is_found_in_both(book: Book) -> None:
    other = make_desk()
    last = book.events[-1]
    theirs = chain_of(other.space.pk)
    assert theirs.tail is not None
    forge(
        f"UPDATE knowledge_auditevent SET ledger_id = {theirs.ledger_id}, "
        f"at = now(), seq = {theirs.tail.seq + 1}, prev_hash = (SELECT hash "
        f"FROM knowledge_auditevent WHERE ledger_id = {theirs.ledger_id} "
        f"AND seq = {theirs.tail.seq}) WHERE id = {last.pk}",
        REHASH.format(ledger=theirs.ledger_id, seq=theirs.tail.seq + 1),
    )
    assert "belongs to another space" in str(verified(other.space.pk).faults)
    assert "has no event" in str(verified(book.desk.space.pk).faults)


def test_a_beginning_of_ones_own_is_found_however_well_the_rest_follows(book: Book) -> None:
    forge(
        f"UPDATE knowledge_ledger SET genesis = sha256('mine') WHERE id = {book.ledger}",
        f"UPDATE knowledge_auditevent SET prev_hash = sha256('mine') "
        f"WHERE ledger_id = {book.ledger} AND seq = 1",
        REHASH.format(ledger=book.ledger, seq=1),
    )
    found = verified(book.desk.space.pk)
    assert [str(fault) for fault in found.faults] == [
        "event 1: the chain does not begin as it was opened"
    ]


def test_a_chain_without_events_or_ledger_does_not_hold(book: Book) -> None:
    forge(
        f"DELETE FROM knowledge_auditevent WHERE ledger_id = {book.ledger}",
    )
    assert "has no event, though" in str(verified(book.desk.space.pk).faults[-1])
    forge(f"DELETE FROM knowledge_ledger WHERE id = {book.ledger}")
    assert "has no ledger" in str(verified(book.desk.space.pk).faults)
    forge("DELETE FROM knowledge_auditevent", "DELETE FROM knowledge_ledger")
    assert "has no ledger" in str(verified(None).faults)


# --- payloads ---


def test_payloads_of_two_events_swapped_are_found(book: Book) -> None:
    one, other = book.event("proposal.reject"), book.event("proposal.edit")
    forge(
        "UPDATE knowledge_auditpayload p SET body = q.body, salt = q.salt "
        "FROM knowledge_auditpayload q WHERE (p.id, q.id) IN "
        f"(('{one.payload_id}', '{other.payload_id}'), ('{other.payload_id}', '{one.payload_id}'))"
    )
    found = verified(book.desk.space.pk)
    assert found.broken_events == 2


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("body = jsonb_set(body, '{text}', '\"Ana walks\"')", "not what was committed to"),
        ("salt = sha256('')", "not what was committed to"),
        ("body = NULL, salt = NULL, erased_at = now()", "emptied without an erasure"),
    ],
)
def test_a_changed_or_emptied_payload_is_found(book: Book, change: str, why: str) -> None:
    event = book.event("proposal.reject")
    forge(f"UPDATE knowledge_auditpayload SET {change} WHERE id = '{event.payload_id}'")
    fault = chain.recompute(chain_of(book.desk.space.pk)).fault
    assert fault is not None and fault.seq == event.seq and why in fault.why


def test_a_payload_that_belongs_to_no_event_is_found(book: Book) -> None:
    extra = uuid.uuid4()
    forge(
        f"INSERT INTO knowledge_auditpayload (id, space_id, salt, body) "
        f"VALUES ('{extra}', {book.desk.space.pk}, '', '{{}}')",
    )
    assert f"payload {extra} belongs to no event" in str(verified(book.desk.space.pk).faults[0])


def test_what_an_erasure_says_it_emptied_may_be_empty(book: Book) -> None:
    event = book.event("proposal.reject")
    said = {"payloads": [str(event.payload_id)]}
    emptied = f"""UPDATE knowledge_auditpayload SET body = NULL, salt = NULL, erased_at = now()
        WHERE id = '{event.payload_id}'"""
    other = make_desk()
    audit.record(space_id=other.space.pk, by=SYSTEM, action="erasure.done", payload=said)
    audit.record(
        space_id=book.desk.space.pk, by=SYSTEM, action="erasure.done", outcome="failed",
        payload=said,
    )  # fmt: skip
    forge(emptied)
    assert not verified(book.desk.space.pk).holds
    audit.record(space_id=book.desk.space.pk, by=SYSTEM, action="erasure.done", payload=said)
    assert verified(book.desk.space.pk).holds


def test_an_erasure_whose_list_was_lengthened_excuses_nothing(book: Book) -> None:
    event = book.event("proposal.reject")
    space_id = book.desk.space.pk
    audit.record(space_id=space_id, by=SYSTEM, action="erasure.done", payload={"payloads": []})
    done = AuditEvent.objects.get(ledger_id=book.ledger, action="erasure.done")
    forge(
        f'UPDATE knowledge_auditpayload SET body = \'{{"payloads": ["{event.payload_id}"]}}\' '
        f"WHERE id = '{done.payload_id}'",
        f"UPDATE knowledge_auditpayload SET body = NULL, salt = NULL, erased_at = now() "
        f"WHERE id = '{event.payload_id}'",
    )
    assert verified(space_id).broken_events == 2


# --- what the tables say beside the log ---

ROWS = {
    "kind": ("decision", "kind = 'defer'", "was of another kind"),
    "kind to erase": ("decision", "kind = 'erase'", "was of another kind"),
    "kind to lift": ("decision", "kind = 'lift_tombstone'", "was of another kind"),
    "reason": ("decision", "reason_code = 'misread'", "had another reason"),
    "note": ("decision", "note = 'because'", "had another note"),
    "person": (
        "decision", "by_id = (SELECT id FROM auth_user WHERE username = 'mallory')",
        "was made by another",
    ),
    "nobody": ("decision", "by_id = NULL, policy = 'x'", "was made by another"),
    "proposal": (
        "decision", "proposal_id = (SELECT min(id) FROM knowledge_proposal)",
        "was about something else",
    ),
    "time": ("decision", "at = at - interval '1 day'", "is numbered or stamped out of turn"),
    "number": ("decision", "seq = seq + 100", "is numbered or stamped out of turn"),
    "text": ("proposal", "text = 'Ana walks'", "has not the text that was decided about"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_row_changed_behind_the_guards_disagrees_with_its_event(book: Book, name: str) -> None:
    User.objects.create_user("mallory")
    event = book.event("proposal.reject")
    table, change, why = ROWS[name]
    row = f"id = '{event.decision_id}'" if table == "decision" else f"id = {event.object_id}"
    forge(f"UPDATE knowledge_{table} SET {change} WHERE {row}")
    found = verified(book.desk.space.pk)
    assert any(why in fault.why for fault in found.faults), found.faults
    assert found.broken_events == 0


def test_a_renamed_person_is_no_forgery(book: Book) -> None:
    book.desk.curator.username = "renamed"
    book.desk.curator.save()
    assert verified(book.desk.space.pk).holds


def test_a_decision_removed_or_put_in_without_an_event_is_found(book: Book) -> None:
    event = book.event("proposal.reject")
    forge(f"DELETE FROM knowledge_decision WHERE id = '{event.decision_id}'")
    gone = verified(book.desk.space.pk)
    assert any(f.seq == event.seq and f.why == "is gone" for f in gone.faults)
    forge(
        f"""INSERT INTO knowledge_decision (id, space_id, seq, at, xact, kind, by_id, policy,
            channel, reason_code, note, request_id, proposal_id, state_before, evidence_opened)
        SELECT gen_random_uuid(), space_id, {event.seq}, at + interval '1 s', xact, 'defer', by_id,
            '', 'web', '', '', gen_random_uuid(), {event.object_id}, 'pending', false
        FROM knowledge_decision WHERE space_id = {book.desk.space.pk} ORDER BY seq DESC LIMIT 1"""
    )
    assert any(f.why == "has no event" for f in verified(book.desk.space.pk).faults)


BLANK = "text = '', value = '', about = '', attribute = '', slot_key = NULL"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("text = 'Ana works at Fabrikam'", "has not the text that was approved"),
        ("value = 'Fabrikam'", "is not what was approved"),
        ("attribute = 'hobby'", "is not what was approved"),
        ("criticality = 'must_include'", "is not what was approved"),
        ("valid = tstzrange('2020-01-01Z', upper(valid))", "is not what was approved"),
        (f"{BLANK}, redacted_at = now()", "was emptied without an erasure"),
    ],
)
def test_a_statement_changed_or_emptied_behind_the_guards_is_found(
    book: Book, change: str, why: str
) -> None:
    ended = Version.objects.get(
        opened_by=book.event("proposal.approve").decision_id, derived_from=None
    )
    forge(f"UPDATE knowledge_version SET {change} WHERE id = {ended.pk}")
    found = verified(book.desk.space.pk)
    assert any(f.about == f"version {ended.pk}" and f.why == why for f in found.faults)


def test_a_derived_version_has_the_words_it_came_from(book: Book) -> None:
    forge("UPDATE knowledge_version SET text = 'Ana likes gin' WHERE derived_from_id IS NOT NULL")
    why = "has not the text of the version it came from"
    assert any(fault.why == why for fault in verified(book.desk.space.pk).faults)


def test_an_undone_and_edited_proposal_is_measured_by_its_last_words(book: Book) -> None:
    desk = book.desk
    version = desk.believe("Ana likes figs")
    by = actor(desk.curator)
    undoing.undo(decision_id=desk.decided[-1].decision_id, request_id=uuid.uuid4(), by=by, now=NOW)
    proposal = version.proposal
    review.edit(review=seen(proposal), edits=Edits(text="Ana likes dates"), by=by, now=NOW)
    assert verified(desk.space.pk).holds
    approve(proposal, by=desk.curator)
    assert verified(desk.space.pk).holds


# --- where it is read makes no difference ---


@pytest.mark.parametrize("zone", ["Pacific/Chatham", "America/St_Johns", "UTC"])
@pytest.mark.parametrize("encoding", ["LATIN1", "UTF8", "WIN1252"])
def test_zone_and_encoding_of_the_session_do_not_matter(zone: str, encoding: str) -> None:
    desk = make_desk()
    with connection.cursor() as cursor:
        cursor.execute(f"SET timezone = '{zone}'")
        cursor.execute(f"SET client_encoding = '{encoding}'")
    try:
        audit.record(
            space_id=desk.space.pk, by=SYSTEM, action="note",
            payload={"text": "Æsop – čaj"} if encoding == "UTF8" else {"text": "Æsop"},
        )  # fmt: skip
        assert verified(desk.space.pk).holds
    finally:
        connection.close()
    audit.record(space_id=desk.space.pk, by=SYSTEM, action="note", payload={"text": "茶 🍵 Æ"})
    with connection.cursor() as cursor:
        cursor.execute(f"SET timezone = '{zone}'")
    try:
        assert verified(desk.space.pk).holds
    finally:
        connection.close()


def test_times_are_hashed_to_the_microsecond() -> None:
    desk = make_desk()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(audit_append(%s, 'system', 's', 'c', 'tick', 'ok', '', '', NULL, NULL, "
            "'', '', NULL)) FROM generate_series(1, 3000)",
            [desk.space.pk],
        )
    assert verified(desk.space.pk).holds
    times = list(AuditEvent.objects.filter(action="tick").values_list("at", flat=True))
    assert len({at.microsecond % 1000 for at in times}) > 100  # nothing rounds them
    event = AuditEvent.objects.filter(action="tick").order_by("seq")[1500]
    forge(f"UPDATE knowledge_auditevent SET at = at - interval '1 us' WHERE id = {event.pk}")
    fault = chain.recompute(chain_of(desk.space.pk)).fault
    assert fault is not None and fault.seq == event.seq


def test_odd_texts_are_committed_to_as_they_are() -> None:
    desk = make_desk()
    odd = {"text": "e\u0301 ≠ é \u202e 🍵", "n": [0.1, 1e300, -0.0, None]}
    audit.record(space_id=desk.space.pk, by=SYSTEM, action="note", object_id="Ω" * 60, payload=odd)
    assert verified(desk.space.pk).holds
    assert AuditPayload.objects.filter(body__n__1=1e300).exists()


def test_a_dump_and_what_is_restored_from_it_verify_alike(book: Book, tmp_path: Path) -> None:
    audit.record(space_id=None, by=SYSTEM, action="note", payload={"text": "茶 🍵"})
    space_id = book.desk.space.pk
    here = [chain.verify(each) for each in chain.chains()]
    path = dumps.dump(tmp_path / "all.sql")
    with dumps.restored(path):
        assert [chain.verify(each) for each in chain.chains()] == here
        assert all(each.holds for each in here)
        forge(f"UPDATE knowledge_auditpayload SET body = '{{}}' WHERE space_id = {space_id}")
        assert not verified(space_id).holds
    assert verified(space_id).holds


# --- erasure ---


@pytest.mark.parametrize("kind", ["subject", "conversation", "statement", "value"])
def test_an_erasure_leaves_the_chain_whole_and_no_finding(book: Book, kind: str) -> None:
    space = book.desk.space
    office = make_office(space)
    version = Version.objects.filter(space=space, text="Ana works at Northwind").earliest("pk")
    conversation = version.proposal.evidence.get().message.conversation_id
    if kind == "value":
        office.erase(kind, version.subject_id, words="Northwind")
    else:
        office.erase(
            kind,
            {
                "subject": version.subject_id,
                "conversation": conversation,
                "statement": version.statement_id,
            }[kind],
        )
    assert AuditPayload.objects.filter(erased_at__isnull=False).exists()
    found = verified(space.pk)
    assert found.faults == ()
    done = AuditEvent.objects.get(ledger_id=book.ledger, action="erasure.done")
    forge(f"DELETE FROM knowledge_auditevent WHERE id = {done.pk}")
    assert any("emptied without an erasure" in f.why for f in verified(space.pk).faults)


# --- writing ---


@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
def test_eight_writers_make_one_chain(isolation: str) -> None:
    desk = make_desk()
    start = threading.Barrier(8)
    written: list[int] = []

    def write(writer: int) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute(
                    f"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {isolation}"
                )
            start.wait()
            for number in range(25):
                try:
                    seq = audit.record(
                        space_id=desk.space.pk, by=SYSTEM, action="look",
                        object_id=f"{writer}-{number}", payload={"number": number},
                    )  # fmt: skip
                except DatabaseError:  # the stricter levels refuse rather than fork
                    assert isolation != "READ COMMITTED"
                else:
                    written.append(seq)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verified(desk.space.pk).holds
    assert len(set(written)) == len(written) >= 25
    assert AuditEvent.objects.filter(action="look").count() == len(written)
    if isolation == "READ COMMITTED":
        assert len(written) == 200


WAYS_IN = {
    "update": "UPDATE knowledge_auditevent SET actor_id = 'x'",
    "delete": "DELETE FROM knowledge_auditevent",
    "truncate": "TRUNCATE knowledge_auditevent CASCADE",
    "payload": "UPDATE knowledge_auditpayload SET body = '{}'",
    "emptied": "UPDATE knowledge_auditpayload SET body = NULL, salt = NULL, erased_at = now()",
    "no payload": "DELETE FROM knowledge_auditpayload",
    "genesis": "UPDATE knowledge_ledger SET genesis = sha256('')",
}


@pytest.mark.parametrize("way", WAYS_IN)
def test_no_role_changes_the_log_while_the_guards_stand(book: Book, way: str) -> None:
    """Not the application, not the owner, and no superuser who puts plain triggers to sleep."""
    for alias in ("default", "owner"):
        with (
            pytest.raises(DatabaseError),
            transaction.atomic(using=alias),
            connections[alias].cursor() as cursor,
        ):
            cursor.execute(WAYS_IN[way])
    with superuser() as admin:
        admin.execute("SET session_replication_role = replica")
        with pytest.raises(psycopg.Error, match=r"rows are never|goes whole, once"):
            admin.execute(WAYS_IN[way])
    assert verified(book.desk.space.pk).holds


def test_the_application_appends_through_the_function_alone(book: Book) -> None:
    columns = "ledger_id, seq, hash_version, at, actor_kind, actor_id, channel, action, outcome"
    columns += ", object_type, object_id, request_id, reason_code, prev_hash, hash"
    with (
        pytest.raises(DatabaseError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            f"INSERT INTO knowledge_auditevent ({columns}) SELECT {columns.replace('seq', '99')} "
            "FROM knowledge_auditevent LIMIT 1"
        )


def superuser() -> psycopg.Connection:
    """Connect as who may do everything, where the server is the embedded one."""
    connections["owner"].ensure_connection()
    given = connections["owner"].get_connection_params()
    if os.environ.get("DATABASE_URL"):
        pytest.skip("the superuser of another server than the embedded one is not known here")
    return psycopg.connect(
        host=given["host"], port=given["port"], dbname=given["dbname"], user=SUPERUSER,
        autocommit=True,
    )  # fmt: skip
