"""A file that somebody brings: looked through first, imported as seen, forgotten afterwards."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from extraction import recorded
from extraction.importing import Choices
from extraction.uploads import commands, progress, queries, running, steps, storage
from extraction.uploads.models import FileImport, ImportState
from knowledge.errors import BlockedByTombstone, Conflict, NotAllowed
from knowledge.models import (
    AuditEvent,
    Conversation,
    Job,
    Message,
    Proposal,
    Role,
    Space,
    Subject,
)
from knowledge.results import Lease, SubjectRef
from tests.bringing import ANA, chat, imported, lines, looked_at, paths_below, upload, work
from tests.factories import NOW, actor, make_person, make_space
from tests.forgetting import make_office

pytestmark = pytest.mark.django_db

TWO = lines(chat("c1", "I live in Lisbon.", "I have two cats."), chat("c2", "I play the cello."))
FIGURES = ("messages_new", "messages_known", "messages_invalid", "conversations", "left_out",
           "untimed", "silent")  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    """Uploads of this test alone."""
    settings.IMPORT_FOLDER = str(tmp_path / "uploads")
    return tmp_path / "uploads"


@pytest.fixture
def space() -> Space:
    return make_space()


@pytest.fixture
def rosa(space: Space) -> User:
    return make_person(space, role=Role.CURATOR, name="rosa")


def figures(row: FileImport) -> dict[str, int]:
    """Return what a row counts, without what only an import has."""
    return {name: row.tally[name] for name in FIGURES}


def told(action: str) -> tuple[str, dict[str, Any]]:
    """Return what the only event of this action is about, and its payload."""
    event = AuditEvent.objects.select_related("payload").get(action=action)
    assert event.payload is not None
    return event.object_id, event.payload.body or {}


# --- looking through it ---


def test_a_file_is_looked_through_and_nothing_of_it_is_taken_in(space: Space, rosa: User) -> None:
    row = looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA))
    assert row.state == ImportState.READY
    assert figures(row) | {"silent": 0} == {
        "messages_new": 6, "messages_known": 0, "messages_invalid": 0, "conversations": 2,
        "left_out": 0, "untimed": 0, "silent": 0,
    }  # fmt: skip
    assert [one["text"] for one in row.preview["messages"]][:2] == ["I live in Lisbon.", "I see."]
    assert row.choices["format"] == "openai_jsonl"
    assert not Message.objects.exists() and not Subject.objects.exists()


def test_only_the_first_twenty_messages_are_shown_and_long_ones_are_cut(
    space: Space, rosa: User
) -> None:
    row = looked_at(space, lines(chat("c1", "x" * 1000, *map(str, range(20)))), by=rosa)
    assert len(row.preview["messages"]) == 20
    assert len(row.preview["messages"][0]["text"]) == 600
    assert row.preview["messages"][0]["cut"] == 400


def test_the_same_message_twice_in_the_file_counts_once(space: Space, rosa: User) -> None:
    one = chat("c1", "I live in Lisbon.")
    row = looked_at(space, lines(one, one), by=rosa, choices=Choices(subject=ANA))
    assert (row.tally["messages_new"], row.tally["messages_known"]) == (2, 2)


def test_what_is_known_already_is_counted_as_known(space: Space, rosa: User) -> None:
    first = looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA))
    imported(first, by=rosa)
    longer = lines(chat("c1", "I live in Lisbon.", "I have two cats.", "I moved to Porto."))
    row = looked_at(space, longer, by=rosa, choices=Choices(subject=ANA))
    assert (row.tally["messages_new"], row.tally["messages_known"]) == (2, 4)


SAMPLES = {
    "plain": TWO,
    "broken lines": TWO + b'{"messages": [{"role"\n' + TWO + b"\x00\n" + TWO,
    "twice": TWO + TWO,
    "another's conversation": TWO + lines(chat("c9", "I am Ben.", name="ben")),
    "without times": lines({"messages": [{"role": "user", "content": "I keep bees."}]}),
    "a name too long": lines(chat("c" * 400, "I keep bees."), chat("c1", "I keep hens.")),
    "empty messages": lines(
        {"messages": [{"role": "user", "content": ""}, {"role": "user", "content": "I ski."}]}
    ),
}


@pytest.mark.parametrize("known", [b"", TWO], ids=["new", "partly known"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_an_import_does_what_was_shown(space: Space, rosa: User, sample: str, known: bytes) -> None:
    ana = Choices(subject=ANA)
    if known:
        imported(looked_at(space, known, by=rosa, choices=ana), by=rosa)
    row = looked_at(space, SAMPLES[sample], by=rosa, choices=ana)
    shown, before = figures(row), Message.objects.count()
    after = figures(imported(row, by=rosa))
    assert after == shown
    assert Message.objects.count() - before == shown["messages_new"]
    again = looked_at(space, SAMPLES[sample], by=rosa, choices=ana)
    assert again.tally["messages_new"] == 0


def test_locomo_is_imported_as_shown(space: Space, rosa: User, shared_data: Path) -> None:
    path = shared_data / "data/dev/locomo/conv-26.json"
    if not path.is_file():
        pytest.skip(f"no LoCoMo data at {path}")
    row = looked_at(space, path.read_bytes(), by=rosa, name=path.name)
    speakers = [one["speaker"] for one in row.preview["speakers"]]
    assert len(speakers) == 2 and row.choices["speaker"] in speakers
    shown = figures(row)
    assert shown["messages_new"] == 419
    assert figures(imported(row, by=rosa)) == shown


# --- whose memory ---


def test_the_one_person_known_here_is_guessed_for_a_file_that_names_nobody(
    space: Space, rosa: User
) -> None:
    imported(looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA)), by=rosa)
    row = looked_at(space, lines(chat("c5", "I sing.")), by=rosa)
    assert row.choices["subject"] == ["user", "ana", "Ana"]
    assert row.preview["guess"]["reason"]


def test_a_file_that_names_nobody_waits_until_somebody_says_who(space: Space, rosa: User) -> None:
    row = looked_at(space, TWO, by=rosa)
    assert row.choices["subject"] is None
    assert row.tally["messages_new"] == 6
    with pytest.raises(Exception, match="Say whose memory this is"):
        commands.confirm(import_id=row.pk, space_id=space.pk, by=actor(rosa), now=NOW)
    row.refresh_from_db()
    assert row.state == ImportState.READY


def test_only_conversations_of_the_one_who_was_chosen_are_taken_in(
    space: Space, rosa: User
) -> None:
    both = lines(chat("c1", "I live in Lisbon.", name="ana"), chat("c2", "I ski.", name="ben"))
    choices = Choices(subject=SubjectRef("user", "a.lima", "Ana Lima"), speaker="ana")
    row = looked_at(space, both, by=rosa, choices=choices)
    assert (row.tally["conversations"], row.tally["left_out"]) == (1, 1)
    imported(row, by=rosa)
    assert Conversation.objects.get().external_id == "c1"
    assert str(Message.objects.get(text="I live in Lisbon.").speaker) == "user:a.lima"


# --- importing it ---


@pytest.mark.django_db(transaction=True)
def test_what_came_in_is_extracted_and_the_file_is_gone(
    space: Space, rosa: User, folder: Path
) -> None:
    row = looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA))
    assert [path.name for path in paths_below(str(folder))] == ["chat.jsonl"]
    assert oct(paths_below(str(folder))[0].stat().st_mode & 0o777) == "0o600"
    imported(row, by=rosa)
    assert row.state == ImportState.DONE
    assert row.folder == "" and paths_below(str(folder)) == []
    work("process_conversation")
    found = queries.extraction_of(row.pk)
    assert (found.conversations, found.waiting) == (2, 0)
    assert found.figures.proposals == Proposal.objects.count() > 0


def test_who_brought_and_confirmed_it_and_what_came_of_it_is_in_the_log(
    space: Space, rosa: User
) -> None:
    row = imported(looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA)), by=rosa)
    _, brought = told("import.upload")
    assert (brought["name"], brought["sha256"]) == ("chat.jsonl", row.sha256)
    assert told("import.confirm")[0] == str(row.pk)
    key, done = told("import.done")
    assert key == str(row.pk)
    assert done["tally"]["messages_new"] == 6


def attempt(row: FileImport) -> running.Running:
    """Begin, or go on with, a confirmed import as a worker would."""
    found = queries.confirmed(row.pk)
    assert found is not None
    return running.Running(found, held=None)


def cut_after(number: int) -> Any:
    """Make an import's worker die with the capture of this conversation."""
    keep = progress.note_captured
    left = iter(range(number))

    def note(**given: Any) -> None:
        keep(**given)
        if next(left, None) is None:
            raise KeyboardInterrupt

    return note


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_worker_killed_in_the_middle_leaves_the_same_as_one_that_was_not(
    monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    space = make_space()
    rosa = make_person(space, name="rosa")
    content = lines(*(chat(f"c{n}", f"I have {n} cats.") for n in range(5)), '{"x"') + TWO
    row = looked_at(space, content, by=rosa, choices=Choices(subject=ANA))
    shown = figures(row)
    commands.confirm(import_id=row.pk, space_id=space.pk, by=actor(rosa), now=timezone.now())
    with monkeypatch.context() as patch:
        patch.setattr(progress, "note_captured", cut_after(after))
        with pytest.raises(KeyboardInterrupt):
            attempt(row).go_on()
    assert Conversation.objects.count() == after
    attempt(row).go_on()
    row.refresh_from_db()
    assert row.state == ImportState.DONE
    assert figures(row) == shown
    assert row.tally["rows"] == 1
    assert Message.objects.count() == shown["messages_new"]


def test_an_import_goes_on_slice_by_slice(
    space: Space, rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LONGEST_SLICE_S", -1.0)
    row = looked_at(space, TWO + b"{\n", by=rosa, choices=Choices(subject=ANA))
    shown = figures(row)
    commands.confirm(import_id=row.pk, space_id=space.pk, by=actor(rosa), now=timezone.now())
    slices = 1
    while attempt(row).go_on():
        slices += 1
    row.refresh_from_db()
    assert slices > 2
    assert figures(row) == shown


# --- rows that failed ---


def rows_of(row: FileImport) -> list[list[str]]:
    """Read the table of rows that failed."""
    text = storage.rows_in(row.folder).read_text(encoding="utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.django_db(transaction=True)
def test_rows_that_failed_are_kept_for_a_week(space: Space, rosa: User, folder: Path) -> None:
    row = looked_at(space, TWO + b"{\n" + b"\xff\n", by=rosa, choices=Choices(subject=ANA))
    imported(row, by=rosa)
    assert row.has_rows
    assert [cells[1] for cells in rows_of(row)] == ["line", "3", "4"]
    assert [path.name for path in paths_below(str(folder))] == ["failed-rows.csv"]
    assert not progress.expire(import_id=row.pk, what="file", now=timezone.now())
    assert progress.expire(import_id=row.pk, what="rows", now=timezone.now())
    assert paths_below(str(folder)) == []
    due = Job.objects.get(kind=steps.EXPIRE_UPLOAD, key=f"{row.pk}:rows").run_after
    assert timedelta(days=6) < due - timezone.now() < timedelta(days=8)


# --- how it ends otherwise ---


@pytest.mark.django_db(transaction=True)
def test_a_file_nobody_confirms_is_deleted_after_a_day(
    space: Space, rosa: User, folder: Path
) -> None:
    row = looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA))
    due = Job.objects.get(kind=steps.EXPIRE_UPLOAD).run_after
    assert timedelta(hours=23) < due - timezone.now() < timedelta(hours=25)
    running.expire_job({"import_id": row.pk, "what": "file"}, Lease(0, 0))
    row.refresh_from_db()
    assert row.state == ImportState.DISCARDED
    assert row.preview == {} and paths_below(str(folder)) == []


def test_a_stopped_import_keeps_what_came_in_and_takes_no_more(
    space: Space, rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA))
    commands.confirm(import_id=row.pk, space_id=space.pk, by=actor(rosa), now=timezone.now())
    with monkeypatch.context() as patch:
        patch.setattr(running, "LONGEST_SLICE_S", -1.0)
        assert attempt(row).go_on()
    late = attempt(row)
    commands.discard(import_id=row.pk, space_id=space.pk, by=actor(rosa), now=timezone.now())
    before = Message.objects.count()
    with pytest.raises(Conflict):
        late.go_on()
    assert Message.objects.count() == before == 4
    assert queries.confirmed(row.pk) is None


def test_an_unknown_shape_says_what_was_expected_and_found(space: Space, rosa: User) -> None:
    row = looked_at(space, lines({"colour": "blue"}), by=rosa, name="paint.json")
    assert row.state == ImportState.UNREADABLE
    assert "paint.json" in row.error and "'colour'" in row.error and "openai_jsonl" in row.error
    with pytest.raises(Conflict):
        commands.confirm(import_id=row.pk, space_id=space.pk, by=actor(rosa), now=NOW)


def test_an_auditor_brings_nothing(space: Space) -> None:
    with pytest.raises(NotAllowed):
        upload(space, TWO, by=make_person(space, role=Role.AUDITOR))
    assert not FileImport.objects.exists()


# --- erasing ---


@pytest.mark.django_db(transaction=True)
def test_an_erasure_takes_waiting_files_along_and_its_words_do_not_come_back(
    folder: Path,
) -> None:
    space = make_space()
    rosa, office = make_person(space, name="rosa"), make_office(space)
    imported(
        looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA), name="Ana.jsonl"), by=rosa
    )
    waiting = looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA))
    failed = imported(
        looked_at(
            space, lines(chat("c7", "I ski.")) + b"{\n", by=rosa, choices=Choices(subject=ANA)
        ),
        by=rosa,
    )
    assert len(paths_below(str(folder))) == 2
    office.erase("subject", Subject.objects.get(external_id="ana").pk)
    for row in FileImport.objects.all():
        assert "ana" not in json.dumps([row.name, row.choices, row.preview, row.problems]).lower()
    waiting.refresh_from_db()
    failed.refresh_from_db()
    assert waiting.state == ImportState.DISCARDED
    assert not failed.has_rows
    assert paths_below(str(folder)) == []
    row = looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA))
    assert (row.tally["messages_new"], sum(row.tally["stopped"].values())) == (0, 2)
    with pytest.raises(BlockedByTombstone):
        commands.confirm(import_id=row.pk, space_id=space.pk, by=actor(rosa), now=timezone.now())
    assert not Message.objects.filter(text__contains="Lisbon").exists()


@pytest.mark.django_db(transaction=True)
def test_an_erased_conversation_is_stopped_as_shown_and_the_others_come_in() -> None:
    space = make_space()
    rosa, office = make_person(space, name="rosa"), make_office(space)
    ana = Choices(subject=ANA)
    imported(
        looked_at(space, lines(chat("c1", "I live in Lisbon.")), by=rosa, choices=ana), by=rosa
    )
    office.erase("conversation", Conversation.objects.get().pk)
    row = looked_at(space, TWO, by=rosa, choices=ana)
    shown, stopped = figures(row), row.tally["stopped"]
    assert (shown["messages_new"], sum(stopped.values())) == (2, 1)
    imported(row, by=rosa)
    assert (figures(row), row.tally["stopped"]) == (shown, stopped)
    assert not Message.objects.filter(text__contains="Lisbon").exists()


def test_folders_nothing_names_are_swept_away(
    space: Space, rosa: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at(space, TWO, by=rosa, choices=Choices(subject=ANA))
    storage.new_file("left-by-a-crash.txt")
    monkeypatch.setattr(storage, "SWEPT_AFTER_S", -1.0)
    storage.sweep(queries.folders_in_use())
    assert [path.name for path in paths_below(str(folder))] == ["chat.jsonl"]


def test_facts_of_another_memory_wait_for_a_person_and_come_once(
    space: Space, rosa: User, shared_data: Path
) -> None:
    pytest.importorskip("extraction.importers.mem0")
    content = (shared_data / "data/formats/mem0/get_all.json").read_bytes()
    found = looked_at(space, content, by=rosa, name="get_all.json")
    speaker = found.choices["speaker"]
    ana = Choices(subject=ANA, speaker=speaker)
    imported(looked_at(space, content, by=rosa, choices=ana, name="get_all.json"), by=rosa)
    waiting = Proposal.objects.filter(space=space)
    number = waiting.count()
    assert number > 0
    assert set(waiting.values_list("state", flat=True)) == {"pending"}
    for proposal in waiting:
        quote = proposal.evidence.get()
        assert quote.message.text[quote.start : quote.end] == proposal.text
        assert proposal.flags
    imported(looked_at(space, content, by=rosa, choices=ana, name="get_all.json"), by=rosa)
    assert Proposal.objects.filter(space=space).count() == number


@pytest.mark.django_db(transaction=True)
def test_facts_are_not_lost_where_a_worker_died_before_proposing_them(
    monkeypatch: pytest.MonkeyPatch, shared_data: Path
) -> None:
    space = make_space()
    rosa = make_person(space, name="rosa")
    pytest.importorskip("extraction.importers.mem0")
    content = (shared_data / "data/formats/mem0/get_all.json").read_bytes()
    found = looked_at(space, content, by=rosa, name="get_all.json")
    choices = Choices(subject=ANA, speaker=found.choices["speaker"])
    row = looked_at(space, content, by=rosa, choices=choices, name="get_all.json")
    shown = figures(row)
    commands.confirm(import_id=row.pk, space_id=space.pk, by=actor(rosa), now=timezone.now())
    with monkeypatch.context() as patch:
        patch.setattr(recorded, "propose", die)
        with pytest.raises(KeyboardInterrupt):
            attempt(row).go_on()
    assert not Proposal.objects.exists()
    attempt(row).go_on()
    row.refresh_from_db()
    assert figures(row) == shown
    told = set(Proposal.objects.values_list("evidence__message__conversation", flat=True))
    assert told == set(Conversation.objects.values_list("pk", flat=True))


def die(*args: object, **given: object) -> int:
    """End a worker as a kill would."""
    raise KeyboardInterrupt
