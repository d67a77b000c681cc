"""Bringing a file in from the command line: what comes of it, and what is said of bad input."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from knowledge.models import ConversationSubject, Evidence, Message, Proposal
from tests.factories import make_space

CHAT = [
    {
        "id": "c1",
        "messages": [
            {"role": "user", "content": "I live in Lisbon.", "created_at": "2026-03-02T10:00:00Z"},
            {"role": "assistant", "content": "Lovely!", "created_at": "2026-03-02T10:00:30Z"},
            {"role": "user", "content": "I have two cats.", "created_at": "2026-03-02T10:01:00Z"},
        ],
    }
]

pytestmark = pytest.mark.django_db


def write(folder: Path, *lines: str, name: str = "chat.jsonl") -> Path:
    """Write a file of these lines."""
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def run(path: Path, *options: str, space: str = "main") -> tuple[dict[str, Any], str]:
    """Import a file; its figures and what it said of problems."""
    figures, said = path.with_suffix(".figures"), StringIO()
    call_command(
        "import", str(path), "--space", space, "--json", str(figures), *options,
        stdout=StringIO(), stderr=said,
    )  # fmt: skip
    return json.loads(figures.read_text()), said.getvalue()


def test_a_file_becomes_proposals_and_the_same_again_adds_nothing(tmp_path: Path) -> None:
    make_space(slug="main")
    path = write(tmp_path, *map(json.dumps, CHAT))
    first, _ = run(path, "--subject", "user:ana", "--name", "Ana", "--wait")
    again, _ = run(path, "--subject", "user:ana", "--name", "Ana", "--wait")
    assert (first["messages_new"], first["messages_known"], first["proposals"]) == (3, 0, 2)
    assert (again["messages_new"], again["messages_known"]) == (0, 3)
    assert Proposal.objects.count() == 2
    keys = (
        "messages_new messages_known messages_invalid conversations conversations_left_out "
        "conversations_stopped episodes proposals "
        "joined set_aside seconds"
    )
    assert list(first) == keys.split()


def test_a_broken_line_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    make_space(slug="main")
    line = json.dumps(CHAT[0])
    path = write(tmp_path, line, line.replace('"c1"', '"c2"'), '{"messages": [{"role"', line)
    figures, said = run(path, "--subject", "user:ana")
    assert "line 3" in said
    assert (figures["messages_new"], figures["messages_invalid"]) == (6, 1)


@pytest.mark.parametrize(
    ("lines", "options", "words"),
    [
        ([], [], "is empty"),
        (['{"colour": "blue"}'], [], "Expected one of: .*openai_jsonl"),
        (["just a letter"], [], "no known format"),
        (['{"messages": ['], [], "Nothing in"),
        (list(map(json.dumps, CHAT)), [], "--subject user:ana"),
        (list(map(json.dumps, CHAT)), ["--subject", "ana"], "kind:id"),
        (list(map(json.dumps, CHAT)), ["--subject", "robot:r2"], "user:ana"),
        (list(map(json.dumps, CHAT)), ["--format", "carrier_pigeon"], "carrier_pigeon"),
    ],
)
def test_bad_input_is_refused_in_words_and_keeps_nothing(
    tmp_path: Path, lines: list[str], options: list[str], words: str
) -> None:
    make_space(slug="main")
    subject = [] if "--subject" in options or words.startswith("--") else ["--subject", "user:ana"]
    with pytest.raises(CommandError, match=words):
        run(write(tmp_path, *lines), *subject, *options)
    assert not Message.objects.exists()


def test_a_missing_file_and_a_missing_space_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, *map(json.dumps, CHAT))
    with pytest.raises(CommandError, match="no space called main"):
        run(path, "--subject", "user:ana")
    make_space(slug="main")
    with pytest.raises(CommandError, match="cannot be read"):
        run(tmp_path / "nowhere.jsonl", "--subject", "user:ana")


def test_a_line_of_fifty_megabytes_is_refused(tmp_path: Path) -> None:
    make_space(slug="main")
    path = tmp_path / "long.jsonl"
    with path.open("w") as file:
        file.write('{"messages": [{"role": "user", "content": "')
        for _ in range(50):
            file.write("x" * 1_000_000)
        file.write('"}]}\n')
    with pytest.raises(CommandError, match="line 1"):
        run(path, "--subject", "user:ana")


def test_a_time_without_a_zone_is_said_and_the_rest_is_kept(tmp_path: Path) -> None:
    make_space(slug="main")
    naive = json.dumps(CHAT[0]).replace("10:00:30Z", "10:00:30").replace('"c1"', '"c2"')
    figures, said = run(write(tmp_path, json.dumps(CHAT[0]), naive), "--subject", "user:ana")
    assert "line 2" in said
    assert "zone" in said or "offset" in said
    assert figures["messages_invalid"] == 1


def test_locomo_is_stored_whole_and_every_quote_stands_in_its_message(shared_data: Path) -> None:
    path = shared_data / "data/dev/locomo/conv-26.json"
    if not path.is_file():
        pytest.skip(f"no LoCoMo data at {path}")
    space = make_space(slug="main", evaluation=True)
    call_command("import", str(path), "--space", "main", "--wait", stdout=StringIO())
    call_command("import", str(path), "--space", "main", "--wait", stdout=StringIO())
    messages = Message.objects.filter(space=space)
    assert messages.count() == 419
    assert messages.values("conversation").distinct().count() == 19
    assert not messages.filter(episode__isnull=True).exists()
    evidence = list(Evidence.objects.filter(space=space).select_related("message"))
    assert len(evidence) > 300
    assert all(item.message.text[item.start : item.end] == item.quote for item in evidence)


def test_a_named_subject_narrows_whose_statements_are_proposed(shared_data: Path) -> None:
    path = shared_data / "data/dev/locomo/conv-26.json"
    if not path.is_file():
        pytest.skip(f"no LoCoMo data at {path}")
    make_space(slug="main")
    with pytest.raises(CommandError, match="says nothing in this file"):
        run(path, "--subject", "user:nobody")
    speakers = json.loads(path.read_text())["conversation"]
    wanted = f"user:{speakers['speaker_a'].casefold()}"
    call_command("import", str(path), "--space", "main", "--subject", wanted, stdout=StringIO())
    proposing = ConversationSubject.objects.filter(proposes=True)
    assert {str(link.subject) for link in proposing.select_related("subject")} == {wanted}
