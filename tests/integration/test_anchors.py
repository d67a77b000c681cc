"""Anchors: what they see that the chain alone cannot, and how they are written and kept."""

import json
import stat
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from extraction import anchoring, tasks
from knowledge.commands import audit, jobs
from knowledge.commands.anchors import ANCHOR_AUDIT
from knowledge.models import Anchor, AuditEvent, Job
from knowledge.results import SYSTEM
from tests.chains import REHASH, chain_of, forge, verified
from tests.factories import Desk, make_desk

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def place(tmp_path: Path, settings: Settings) -> Path:
    """Where anchors are kept."""
    path = tmp_path / "elsewhere" / "anchors.jsonl"
    settings.AUDIT_ANCHOR = str(path)
    return path


@pytest.fixture
def desk(place: Path) -> Desk:
    """A space with a log of ten looks."""
    desk = make_desk()
    look(desk, times=10)
    return desk


def look(desk: Desk, *, times: int = 1) -> None:
    """Let something be logged that no table tells of."""
    for number in range(times):
        audit.record(space_id=desk.space.pk, by=SYSTEM, action="look", payload={"number": number})


def run(command: str, capsys: pytest.CaptureFixture[str], **options: Any) -> str:
    """Run a command; what it printed."""
    capsys.readouterr()
    call_command(command, **options)
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], **options: Any) -> tuple[str, str]:
    """Verify what does not hold; what was printed, and the last word."""
    with pytest.raises(CommandError) as caught:
        run("verify_audit", capsys, **options)
    return capsys.readouterr().out, str(caught.value)


def cut(desk: Desk, *, events: int) -> None:
    """Cut the end of a chain, as who has every right would: payloads too."""
    ledger = chain_of(desk.space.pk).ledger_id
    forge(
        f"CREATE TEMPORARY TABLE doomed ON COMMIT DROP AS SELECT id, payload_id "
        f"FROM knowledge_auditevent WHERE ledger_id = {ledger} ORDER BY seq DESC LIMIT {events}; "
        "DELETE FROM knowledge_auditevent WHERE id IN (SELECT id FROM doomed); "
        "DELETE FROM knowledge_auditpayload WHERE id IN (SELECT payload_id FROM doomed)"
    )


# --- what anchors see ---


def test_a_cut_end_is_seen_with_an_anchor_and_admitted_to_be_invisible_without(
    desk: Desk, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("anchor_audit", capsys)
    cut(desk, events=3)
    assert verified(desk.space.pk).holds
    out, error = refused(capsys)
    assert "the chain ends at 9: it was cut" in out
    assert f"First in {desk.space.slug}" in error and "event 12" in error

    place.rename(place.with_name("away.jsonl"))
    shown = run("verify_audit", capsys)
    assert f"{desk.space.slug}: 9 events hold; no anchor" in shown
    assert "a cut end, or a rewritten whole, cannot be seen" in shown
    assert "THE ANCHOR OF EVENT 12 IS NOT THERE ANY MORE" in shown


def test_a_wholly_rewritten_end_is_seen_with_an_anchor_alone(
    desk: Desk, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("anchor_audit", capsys)
    ledger = chain_of(desk.space.pk).ledger_id
    forge(
        f"UPDATE knowledge_auditevent SET actor_id = 'nobody' WHERE ledger_id = {ledger} "
        "AND seq = 5",
        REHASH.format(ledger=ledger, seq=5),
    )
    assert verified(desk.space.pk).holds  # by itself it is a chain like any other
    out, error = refused(capsys)
    assert "the chain was rewritten" in out and "event 12" in error

    empty = place.with_name("empty.jsonl")
    empty.touch()
    assert "no anchor" in run("verify_audit", capsys, anchors=str(empty))


def test_an_older_anchor_leaves_what_came_after_it_unseen(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    run("anchor_audit", capsys)
    look(desk, times=5)
    cut(desk, events=5)
    assert f"{desk.space.slug}: 12 events hold; last anchor: event 12" in run(
        "verify_audit", capsys
    )


def test_a_chain_that_was_anchored_and_is_gone_is_missed(
    desk: Desk, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("anchor_audit", capsys)
    line = json.loads(place.read_text().splitlines()[0])
    with place.open("a") as lines:
        lines.write(json.dumps(line | {"chain": "vanished"}) + "\n")
    _, error = refused(capsys)
    assert "no longer exist: vanished" in error
    assert "hold" in run("verify_audit", capsys, space=desk.space.slug)


def test_nothing_at_all_is_nothing_to_trust(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, error = refused(capsys)
    assert "system: 0 events hold" in out
    assert "0 events checked" in error


def test_the_first_bad_event_is_named(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    event = AuditEvent.objects.get(ledger__space=desk.space, seq=7)
    forge(f"UPDATE knowledge_auditevent SET actor_id = 'x' WHERE id = {event.pk}")
    out, error = refused(capsys, space=desk.space.slug)
    assert "event 7: its hash is not that of what it says" in out
    assert "event 7" in error
    with pytest.raises(CommandError, match="There is no chain called nowhere"):
        call_command("verify_audit", space="nowhere")


def test_findings_come_as_json_too(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    run("anchor_audit", capsys)
    told = json.loads(run("verify_audit", capsys, json=True))
    assert told["holds"] is True
    report = next(each for each in told["chains"] if each["chain"] == desk.space.slug)
    assert (report["events"], report["last_anchor"], report["faults"]) == (12, 12, [])
    forge("UPDATE knowledge_auditpayload SET salt = ''")
    out, _ = refused(capsys, json=True)
    told = json.loads(out)
    assert told["holds"] is False
    report = next(each for each in told["chains"] if each["chain"] == desk.space.slug)
    assert report["faults"][0]["seq"] == 1 and report["broken_events"] > 1


# --- how they are written ---


def test_a_line_says_which_event_had_which_hash_and_others_cannot_read_it(
    desk: Desk, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = run("anchor_audit", capsys)
    assert f"{desk.space.slug}: event 12" in shown
    (line,) = [
        said for said in map(json.loads, place.read_text().splitlines())
        if said["chain"] == desk.space.slug
    ]  # fmt: skip
    tail = chain_of(desk.space.pk).tail
    assert tail is not None
    assert (line["seq"], line["hash"]) == (tail.seq, tail.hash.hex())
    assert datetime.fromisoformat(line["at"]) == tail.at
    assert set(line) == {"chain", "seq", "at", "hash", "made_at"}
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    row = Anchor.objects.get(ledger__space=desk.space)
    assert (row.seq, bytes(row.hash), row.place) == (tail.seq, tail.hash, str(place))


def test_only_chains_that_moved_are_written_again(
    desk: Desk, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = make_desk()
    run("anchor_audit", capsys)
    before = len(place.read_text().splitlines())
    assert "0 written" in run("anchor_audit", capsys)
    look(other)
    assert f"{other.space.slug}: event 3" in run("anchor_audit", capsys)
    assert len(place.read_text().splitlines()) == before + 1
    place.unlink()  # what is not there any more is written anew
    run("anchor_audit", capsys)
    assert len(place.read_text().splitlines()) == before


def test_a_torn_line_spoils_no_other(
    desk: Desk, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("anchor_audit", capsys)
    with place.open("a") as lines:
        lines.write('{"chain": "sp')
    look(desk)
    run("anchor_audit", capsys)
    shown = run("verify_audit", capsys)
    assert "last anchor: event 13" in shown
    assert "1 lines of" in shown and "cannot be read" in shown


def test_a_place_that_cannot_be_written_is_named_and_nothing_is_claimed(
    desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("anchor_audit", to=str(tmp_path / "file" / "anchors.jsonl"))
    assert not Anchor.objects.exists()


class Notary(BaseHTTPRequestHandler):
    """A web address that keeps what is posted to it."""

    kept: list[str]
    status = 201

    def do_POST(self) -> None:
        """Keep a body."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.status < 300:
            self.kept.append(body)
        self.send_response(self.status)
        self.end_headers()

    def do_GET(self) -> None:
        """Give all bodies back."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write("".join(self.kept).encode())

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def notary() -> Iterator[tuple[str, type[Notary]]]:
    """A notary at work on this machine."""
    kind = type("OneNotary", (Notary,), {"kept": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://me:secret@127.0.0.1:{server.server_port}/anchors?token=hidden", kind
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_address_takes_and_gives_anchors_and_its_secrets_are_kept_nowhere(
    desk: Desk, notary: tuple[str, type[Notary]], capsys: pytest.CaptureFixture[str]
) -> None:
    address, kind = notary
    shown = run("anchor_audit", capsys, to=address)
    assert json.loads(kind.kept[0].splitlines()[0])["chain"] == desk.space.slug
    place = Anchor.objects.get(ledger__space=desk.space).place
    for told in (shown, place):
        assert "127.0.0.1" in told and "secret" not in told and "hidden" not in told
    assert "last anchor: event 12" in run("verify_audit", capsys, anchors=address)
    cut(desk, events=1)
    assert "it was cut" in refused(capsys, anchors=address)[0]


def test_an_address_that_refuses_or_is_away_fails_without_telling_its_secrets(
    desk: Desk, notary: tuple[str, type[Notary]]
) -> None:
    address, kind = notary
    kind.status = 403
    for given in (address, "http://me:secret@127.0.0.1:9/x?token=hidden"):
        with pytest.raises(CommandError) as caught:
            call_command("anchor_audit", to=given)
        assert "answered 403" in str(caught.value) or "does not answer" in str(caught.value)
        assert "secret" not in str(caught.value) and "hidden" not in str(caught.value)
    assert not Anchor.objects.exists()


# --- by itself, every hour ---


def due_job() -> Job:
    """Return the anchoring that waits."""
    return Job.objects.get(kind=ANCHOR_AUDIT, state="queued")


def work(job: Job) -> str:
    """Let the worker do a job now, whenever it was meant for."""
    Job.objects.filter(pk=job.pk).update(run_after=timezone.now())
    return tasks.run_job(job.pk)


def test_the_worker_anchors_and_asks_for_the_next_hour(desk: Desk, place: Path) -> None:
    now = timezone.now()
    anchoring.begin(now=now)
    anchoring.begin(now=now)  # as every start does
    assert due_job().run_after <= now
    assert work(due_job()) == "done"
    assert desk.space.slug in place.read_text()
    following = due_job()
    assert now < following.run_after <= now + timedelta(hours=1)
    assert following.run_after.minute == 0


def test_a_round_that_fails_ends_nothing(desk: Desk, settings: Settings) -> None:
    settings.AUDIT_ANCHOR = "http://127.0.0.1:9/anchors"
    anchoring.begin(now=timezone.now())
    first = due_job()
    assert work(first) == "failed"
    assert Job.objects.filter(kind=ANCHOR_AUDIT).exclude(pk=first.pk).count() == 1
    first.refresh_from_db()
    assert "does not answer" in first.error


@pytest.mark.parametrize(("name", "value"), [("AUDIT_ANCHOR_EVERY", 0), ("AUDIT_ANCHOR", "")])
def test_anchoring_can_be_switched_off(
    desk: Desk, place: Path, settings: Settings, name: str, value: object
) -> None:
    anchoring.begin(now=timezone.now())
    waiting = due_job()
    setattr(settings, name, value)
    anchoring.begin(now=timezone.now() + timedelta(hours=3))
    assert work(waiting) == "done"
    assert not place.exists()
    assert not jobs.take_due(now=timezone.now() + timedelta(days=9))


def test_the_row_of_an_anchor_stays_as_it_was_written(desk: Desk) -> None:
    call_command("anchor_audit")
    with (
        pytest.raises(Exception, match="anchor rows are never changed"),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE knowledge_anchor SET seq = 1")
