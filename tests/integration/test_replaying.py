"""A restored backup forgets again what the ledger names: that, all of it, and nothing else."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from extraction import forgetting, tasks
from knowledge import fingerprints
from knowledge.commands import erasure, review, sources
from knowledge.fingerprints import Keyring
from knowledge.models import ErasureRequest, Job, Message, Subject, Tombstone, Version
from knowledge.results import SYSTEM, Decided, EvidenceDraft, NewMessage, SubjectRef
from knowledge.trust import TrustState
from tests.dumps import dump, restored
from tests.factories import (
    ANA,
    NOW,
    Desk,
    actor,
    approve,
    make_desk,
    make_messages,
    make_proposal,
    propose,
    seen,
)
from tests.forgetting import Office, make_office, rows_holding

pytestmark = pytest.mark.django_db(transaction=True)

BEN = SubjectRef("user", "ben", "Ben")
CANARY = "quokkaberry"
OTHER = "zyxwombat"


@pytest.fixture
def desk() -> Desk:
    """A curator's desk."""
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers of the same space."""
    return make_office(desk.space)


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path, settings: object) -> Path:
    """A ledger of erasures of its own."""
    path = tmp_path / "erasures.jsonl"
    settings.ERASURE_LEDGER = str(path)  # type: ignore[attr-defined]  # pytest-django's settings
    return path


@contextmanager
def keyring(keys: dict[int, bytes]) -> Iterator[None]:
    """Work under other keys for a while."""
    own = fingerprints.current()
    try:
        fingerprints.install(Keyring(keys))
        yield
    finally:
        fingerprints.install(own)


def erase(office: Office, kind: str, target_id: int | None, **changes: Any) -> dict[str, Any]:
    """Erase as the worker does, with an entry in the ledger."""
    scope = office.scope(kind, target_id or 0, **changes)
    erasure_id = office.ask(scope)
    office.confirm(erasure_id, scope)
    return forgetting.carry_out(erasure_id)


def replay(capsys: pytest.CaptureFixture[str]) -> str:
    """Bring the database and the ledger in step; what was said."""
    capsys.readouterr()
    call_command("replay_erasures")
    return capsys.readouterr().out


def believe_part(desk: Desk, message: Message, words: str, text: str) -> Decided:
    start = message.text.index(words)
    evidence = (EvidenceDraft(message.pk, start, start + len(words), words),)
    return approve(propose(message, text, evidence=evidence), by=desk.curator)


def take_in(desk: Desk, text: str) -> Message:
    """Ana's words, as an import brings them again and again."""
    captured = sources.capture(
        space_id=desk.space.pk, external_id="c1", source="test", subjects=[ANA], by=SYSTEM,
        now=NOW, messages=[NewMessage("1", "Ana", "user_message", text, NOW, ANA)],
    )  # fmt: skip
    return Message.objects.get(conversation_id=captured.conversation_id)


def test_two_erasures_in_one_message_are_both_done_again(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = make_messages(desk.space, f"I keep a {CANARY}. And I own a {OTHER}.")[0]
    first = believe_part(desk, message, f"I keep a {CANARY}.", f"Ana keeps a {CANARY}")
    second = believe_part(desk, message, f"And I own a {OTHER}.", f"Ana owns a {OTHER}")
    backup = dump(tmp_path / "backup.sql")
    for gone in (first, second):
        erase(office, "statement", gone.statement_id)
    with restored(backup):
        assert "2 erasures done again" in replay(capsys)
        assert rows_holding(CANARY) == {} and rows_holding(OTHER) == {}
        assert set(Message.objects.get(pk=message.pk).text) == {"█", " "}


def test_without_the_key_of_an_entry_nothing_is_done_and_the_key_is_named(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jones = SubjectRef("user", "q7", f"{CANARY} Jones")
    desk.believe(f"{CANARY} keeps bees", subject=jones)
    backup = dump(tmp_path / "backup.sql")
    erase(office, "subject", Subject.objects.get(external_id="q7").pk)
    with restored(backup):
        before = rows_holding(CANARY)
        with (
            keyring({2: b"another key of this house"}),
            pytest.raises(
                CommandError, match=r"written with key 1 of FINGERPRINT_KEY.*Nothing of that entry"
            ),
        ):
            replay(capsys)
        assert rows_holding(CANARY) == before
        assert not ErasureRequest.objects.exists() and not Tombstone.objects.exists()
        assert "1 erasures done again" in replay(capsys)
        assert rows_holding(CANARY) == {}


@pytest.mark.parametrize("kind", ["statement", "value", "subject"])
def test_entries_written_with_an_older_key_are_recognised(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    version = desk.believe(f"Ana keeps a {CANARY}", attribute="plant", value=CANARY)
    backup = dump(tmp_path / "backup.sql")
    target_id = version.statement_id if kind == "statement" else version.subject_id
    erase(office, kind, target_id, words=CANARY if kind == "value" else "")
    keys = {**fingerprints.current().keys, 2: b"the second key of this house"}
    with restored(backup), keyring(keys):
        assert "1 erasures done again" in replay(capsys)
        assert rows_holding(CANARY) == {}
        if kind != "subject":
            again = make_proposal(
                desk.space, f"Ana keeps a {CANARY}", attribute="plant", value=CANARY
            )
            assert again.state == TrustState.SET_ASIDE


def test_a_backup_older_than_the_subject_is_replayed_when_the_subject_came(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = dump(tmp_path / "backup.sql")
    said = f"I keep a {CANARY}"
    gone = approve(propose(take_in(desk, said), f"Ana keeps a {CANARY}"), by=desk.curator)
    erase(office, "statement", gone.statement_id)
    with restored(backup):
        assert "1 of subjects not here" in replay(capsys)
        assert not ErasureRequest.objects.exists()
        message = take_in(desk, said)
        assert "1 erasures done again" in replay(capsys)
        assert rows_holding(CANARY) == {}
        message.refresh_from_db()
        assert propose(message, f"Ana keeps a {CANARY}").state == TrustState.SET_ASIDE
        assert "1 were done already" in replay(capsys)


def test_the_same_sentence_of_another_subject_stays(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "I live in Lisbon."
    own = make_messages(desk.space, said)[0]
    ana = approve(propose(own, "Ana resides in Lisbon"), by=desk.curator)
    other = make_messages(desk.space, said, subject=BEN)[0]
    ben = approve(propose(other, "Ben lives in Lisbon"), by=desk.curator)
    backup = dump(tmp_path / "backup.sql")
    erase(office, "statement", ana.statement_id)
    with restored(backup):
        replay(capsys)
        texts = dict(Message.objects.values_list("pk", "text"))
        assert (texts[own.pk], texts[other.pk]) == ("█" * len(said), said)
        assert Version.objects.current().get().pk == ben.version_id


def test_what_has_the_number_of_something_erased_stays(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.believe("Ana likes tea")
    backup = dump(tmp_path / "backup.sql")
    gone = desk.believe(f"Ana keeps a {CANARY}")
    erase(office, "statement", gone.statement_id)
    with restored(backup):
        kept = desk.believe("Ana lives in Lisbon")
        assert (kept.pk, kept.proposal_id) == (gone.pk, gone.proposal_id)
        assert "1 erasures done again" in replay(capsys)
        kept.refresh_from_db()
        assert (kept.text, kept.tx_to) == ("Ana lives in Lisbon", None)
        assert kept.proposal.evidence.get().message.text == "Ana lives in Lisbon"


def test_the_job_of_an_erasure_that_was_done_again_ends_quietly(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The backup was made between the confirmation and the worker's turn."""
    version = desk.believe(f"Ana keeps a {CANARY}")
    scope = office.scope("statement", version.statement_id)
    erasure_id = office.ask(scope, note=f"about {CANARY}")
    office.confirm(erasure_id, scope)
    backup = dump(tmp_path / "backup.sql")
    forgetting.carry_out(erasure_id)
    with restored(backup):
        assert "1 erasures done again" in replay(capsys)
        assert rows_holding(CANARY) == {}
        job = Job.objects.get(kind="erase")
        job.run_after = job.created_at
        job.save()
        assert tasks.run_job(job.pk) == "done"
        states = ErasureRequest.objects.values_list("state", flat=True)
        assert sorted(states) == ["done", "withdrawn"]


def test_a_value_said_in_a_note_alone_goes_again(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says it in other words: the ledger has no word to look for, but the rows."""
    message = make_messages(desk.space, "I keep one of those plants.")[0]
    approve(
        propose(message, f"Ana keeps a {CANARY} bush", attribute="plant", value=CANARY),
        by=desk.curator,
    )
    rejected = make_proposal(desk.space, "Ana likes cake")
    review.reject(
        review=seen(rejected, note=f"confused with {CANARY}"), reason_code="other",
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    backup = dump(tmp_path / "backup.sql")
    erase(office, "value", desk.subject.pk, words=CANARY)
    assert rows_holding(CANARY) == {}
    with restored(backup):
        replay(capsys)
        assert rows_holding(CANARY) == {}


@pytest.mark.parametrize("kept", [0.5, 0.999])
def test_an_entry_whose_writing_was_cut_short_is_written_again(
    desk: Desk, office: Office, ledger: Path, capsys: pytest.CaptureFixture[str], kept: float
) -> None:
    first, second, third = (desk.believe(f"Ana keeps {kind}") for kind in ("bees", "cows", "goats"))
    erase(office, "statement", first.statement_id)
    whole = ledger.read_text()
    scope = office.scope("statement", second.statement_id)
    erasure_id = office.ask(scope)
    office.confirm(erasure_id, scope)
    entry = erasure.carry_out(erasure_id=erasure_id, now=NOW)["ledger"]
    line = json.dumps(entry, sort_keys=True) + "\n"
    ledger.write_text(whole + line[: int(len(line) * kept)])

    assert [row["kind"] for row in forgetting.read(ledger)] == ["statement"]
    erase(office, "statement", third.statement_id)
    assert "1 entered in the ledger" in replay(capsys)

    entries = forgetting.read(ledger)
    assert len(entries) == 3 and str(erasure_id) in {row["id"] for row in entries}
    assert len({uuid.UUID(row["id"]) for row in entries}) == 3


def test_what_came_in_later_than_the_backup_is_forgotten_by_a_later_replay(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.believe("Ana likes tea")
    backup = dump(tmp_path / "backup.sql")
    said = f"I keep a {CANARY}"
    gone = approve(propose(take_in(desk, said), f"Ana keeps a {CANARY}"), by=desk.curator)
    erase(office, "statement", gone.statement_id)
    with restored(backup):
        replay(capsys)
        take_in(desk, said)
        assert "1 erasures done again" in replay(capsys)
        assert rows_holding(CANARY) == {}
        assert "1 were done already" in replay(capsys)


def test_what_came_in_after_a_restore_and_a_rotation_is_recognised(
    desk: Desk, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = dump(tmp_path / "backup.sql")
    said = f"I keep a {CANARY}"
    gone = approve(propose(take_in(desk, said), f"Ana keeps a {CANARY}"), by=desk.curator)
    erase(office, "statement", gone.statement_id)
    keys = {**fingerprints.current().keys, 2: b"the second key of this house"}
    with restored(backup), keyring(keys):
        replay(capsys)
        take_in(desk, said)
        replay(capsys)
        assert rows_holding(CANARY) == {}
