"""Erasing on a terminal: look, ask, confirm as another; the answer says what went."""

import json
import uuid
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from knowledge.models import ErasureRequest, Version
from tests.factories import Desk, make_desk
from tests.forgetting import Office, make_office, rows_holding
from workbench import doctor

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = "quokkaberry"


@pytest.fixture
def desk() -> Desk:
    """A curator's desk with one belief."""
    desk = make_desk()
    desk.believe(f"Ana keeps a {CANARY} bush")
    return desk


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers."""
    return make_office(desk.space)


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path, settings: object) -> Path:
    """A ledger of erasures of its own."""
    path = tmp_path / "erasures.jsonl"
    settings.ERASURE_LEDGER = str(path)  # type: ignore[attr-defined]  # pytest-django's settings
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    call_command("erase", *arguments)
    printed = capsys.readouterr()
    return printed.out, printed.err


def test_looking_changes_nothing(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "--space", desk.space.slug, "--subject", "user:ana")
    assert "Nothing was changed" in out
    assert f"Ana keeps a {CANARY} bush" in err
    assert Version.objects.current().count() == 1
    assert not ErasureRequest.objects.exists()


def test_one_asks_another_confirms_and_the_answer_says_what_went(
    desk: Desk, office: Office, capsys: pytest.CaptureFixture[str], ledger: Path
) -> None:
    out, _ = run(
        capsys, "--space", desk.space.slug, "--subject", "user:ana", "--ask", "--by",
        office.asks.username, "--reason", "asked_by_subject",
    )  # fmt: skip
    erasure_id = out.splitlines()[-1]
    with pytest.raises(CommandError, match="another person"):
        run(capsys, "--confirm", erasure_id, "--by", office.asks.username)
    out, _ = run(capsys, "--confirm", erasure_id, "--by", office.confirms.username)
    certificate = json.loads(out)
    assert certificate["counts"]["statements"] == 1
    assert certificate["confirmed_by"] == office.confirms.username
    assert rows_holding(CANARY) == {}
    assert json.loads(ledger.read_text())["id"] == erasure_id
    with pytest.raises(CommandError, match="no subject user:ana"):
        run(capsys, "--space", desk.space.slug, "--subject", "user:ana")


def test_a_request_can_be_withdrawn(
    desk: Desk, office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = run(
        capsys, "--space", desk.space.slug, "--subject", "user:ana", "--value", CANARY, "--ask",
        "--by", office.asks.username, "--reason", "other", "--note", "a mistake",
    )  # fmt: skip
    out, _ = run(capsys, "--withdraw", out.splitlines()[-1], "--by", office.confirms.username)
    assert "Nothing was erased" in out
    assert Version.objects.current().count() == 1


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["--statement", "1"], "Say where"),
        (["--space", "{space}"], "Name one of"),
        (["--space", "{space}", "--statement", "999"], "no such statement"),
        (["--space", "{space}", "--conversation", "1", "--value", "x"], "A value is a subject's"),
        (["--space", "{space}", "--subject", "user:ana", "--ask"], "Add --reason"),
        (["--space", "nowhere", "--subject", "user:ana"], "no space called nowhere"),
        (["--confirm", str(uuid.uuid4()), "--by", "nobody"], "Say who"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    desk: Desk, capsys: pytest.CaptureFixture[str], arguments: list[str], refusal: str
) -> None:
    with pytest.raises(CommandError, match=refusal):
        run(capsys, *(word.format(space=desk.space.slug) for word in arguments))


@pytest.mark.parametrize("line", ["not json", '{"id": 7}', '{"space": "main"}'])
def test_a_broken_ledger_names_its_line(ledger: Path, line: str) -> None:
    ledger.write_text(line + "\n")
    with pytest.raises(CommandError, match="Line 1"):
        call_command("replay_erasures")


def test_a_ledger_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("replay_erasures", "--ledger", str(tmp_path / "none.jsonl"))


def test_erasures_of_a_space_that_is_not_here_are_counted_and_skipped(
    ledger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger.write_text(json.dumps({"id": str(uuid.uuid4()), "space": "elsewhere"}) + "\n")
    call_command("replay_erasures")
    assert "1 of spaces not here" in capsys.readouterr().out


def test_an_erasure_the_ledger_lacks_is_entered_again_and_reported_before(
    desk: Desk, office: Office, ledger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    office.erase("subject", desk.subject.pk)
    (finding,) = [one for one in doctor.look_at_forgetting() if one.state == "failed"]
    assert finding.about == "erasures" and "replay_erasures" in finding.todo
    ledger.write_text("")
    call_command("replay_erasures")
    assert "1 entered in the ledger" in capsys.readouterr().out
    assert json.loads(ledger.read_text())["kind"] == "subject"
    assert [one.state for one in doctor.look_at_forgetting()] == ["ok"]


def test_tombstones_of_a_key_that_is_lost_are_reported(
    desk: Desk, office: Office, settings: object, ledger: Path
) -> None:
    office.erase("subject", desk.subject.pk)
    settings.FINGERPRINT_KEYS = {2: "another"}  # type: ignore[attr-defined]  # as above
    found = next(iter(doctor.look_at_forgetting()))
    assert (found.state, found.about) == ("failed", "tombstones")
    assert "1:KEY" in found.todo
