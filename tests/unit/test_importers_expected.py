"""The shared samples against their answer key: every word of the key is checked, none passed over.

``Key`` counts which of its words were looked at, so that a word added to the key fails here.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from extraction.importers import (
    ImportedConversation,
    ImportProblem,
    ReadOptions,
    read,
    sniff,
)
from extraction.importers.errors import DayOrderNeeded, UnsafeArchive, ZoneNeeded

BERLIN = ReadOptions(zone=ZoneInfo("Europe/Berlin"))
SPOKEN = {"user_message", "agent_message"}


class Key:
    """An entry of the answer key that knows which of its words were asked for."""

    def __init__(self, words: dict[str, Any]) -> None:
        self.words = words
        self.asked: set[str] = set()

    def __getitem__(self, word: str) -> Any:
        self.asked.add(word)
        return self.words[word]

    def get(self, word: str) -> Any:
        return self[word] if word in self.words else []

    def check_note(self, *, says: str) -> None:
        """Look at the note and hold that it is still the one the check was written for."""
        assert says in self["note"]

    def check_all_asked(self) -> None:
        assert self.asked == set(self.words)


class Sample:
    """What a file of the samples gives."""

    def __init__(self, path: Path, *, options: ReadOptions = BERLIN) -> None:
        self.items = list(read(path, options=options))
        self.conversations = [i for i in self.items if isinstance(i, ImportedConversation)]
        self.problems = [i for i in self.items if isinstance(i, ImportProblem)]
        self.messages = [m for c in self.conversations for m in c.messages]

    def one(self, external_id: str) -> ImportedConversation | None:
        return next((c for c in self.conversations if c.external_id == external_id), None)


def spoken(conversation: ImportedConversation | None) -> list[str]:
    messages = conversation.messages if conversation else ()
    return [m.external_id for m in messages if m.kind in SPOKEN]


def left_out(conversation: ImportedConversation, why: str) -> list[str]:
    return [one.external_id for one in conversation.left_out if one.why == why]


def check_chatgpt(path: Path, key: Key) -> None:
    sample = Sample(path)
    for external_id in key.words:
        words = Key(key[external_id])
        found = sample.one(external_id)
        assert spoken(found) == words["visible"]
        if found is None:
            assert "Conversation 4" in sample.problems[0].message
        else:
            check_left_out_of_chatgpt(found, words)
        words.check_all_asked()


def check_left_out_of_chatgpt(found: ImportedConversation, words: Key) -> None:
    assert left_out(found, "other_branch") == words.get("other_branches")
    assert left_out(found, "hidden") == words.get("hidden")
    assert left_out(found, "reasoning") == words.get("reasoning")
    assert left_out(found, "without_words") == words.get("null_part")
    traffic = [m.external_id for m in found.messages if m.kind in {"tool_call", "tool_result"}]
    assert traffic == words.get("tool_traffic")
    assert [m.external_id for m in found.messages if m.sent_at is None] == words.get("no_time")
    marks = sum(m.text.count("[image]") for m in found.messages)
    assert marks == (words["images"] if "images" in words.words else 0)
    if "note" in words.words:
        words.check_note(says="m2 is dated before its parent; m3's time is a string and its text")
        times = [m.sent_at for m in found.messages]
        assert times[2] == datetime.fromtimestamp(1714700100, UTC)
        assert times[1] is not None and times[0] is not None and times[1] < times[0]
        assert found.messages[2].text == "e\u0301te\u0301 \ufffd?"


def check_claude(path: Path, key: Key) -> None:
    sample = Sample(path)
    for external_id in key.words:
        words = Key(key[external_id])
        found = sample.one(external_id)
        assert spoken(found) == words["visible"]
        if found is None:
            assert "Conversation 2" in sample.problems[0].message
        else:
            assert left_out(found, "without_words") == words["empty"]
            words.check_note(says="prefer content[] text blocks over 'text'; siblings share")
            assert not any("not supported" in m.text for m in found.messages)
        words.check_all_asked()


def check_openai(path: Path, key: Key) -> None:
    sample = Sample(path)
    assert len(sample.conversations) == key["lines_ok"]
    assert len(sample.problems) == key["lines_bad"]
    assert [p.line for p in sample.problems] == [4]
    key.check_note(says="no timestamps at all: recorded_at = import time")
    assert all(m.sent_at is None for m in sample.messages)
    assert next(m.text for m in sample.messages if m.kind == "tool_call") == 'lookup({"id": 7})'


def check_langchain(folder: Path, key: Key) -> None:
    key.check_note(says="'remove' deletes an earlier id; dumpd may hold not_implemented")
    dumped = Sample(folder / "dumpd.json")
    assert [m.external_id for m in dumped.messages] == ["m5"]
    assert ["Foo()" in p.message for p in dumped.problems] == [True]
    chat = Sample(folder / "messages_to_dict.json")
    assert [m.external_id for m in chat.messages] == ["m0", "m1", "m2/c1", "m3", "m4"]
    thread = Sample(folder.parent / "langgraph" / "thread_state.json")
    assert thread.conversations[0].external_id == "t-1"
    assert [m.external_id for m in thread.messages] == ["g1"]
    assert left_out(thread.conversations[0], "removed") == ["g0"]
    assert all(m.sent_at is None for s in (dumped, chat, thread) for m in s.messages)


def check_slack(path: Path, key: Key) -> None:
    (found,) = Sample(path.parents[1]).conversations
    assert [m.external_id for m in found.messages] == key["messages"]
    assert len(left_out(found, "event")) == key["skip"].count("channel_join")
    assert len(left_out(found, "removed")) == key["skip"].count("tombstone")
    key.check_note(says="unescape &lt; &gt; &amp;")
    assert found.messages[0].text.startswith("Launch is on <12 Jan> & budget")
    assert found.messages[0].sent_at == datetime(2024, 12, 31, 16, 0, 0, 123456, UTC)


def check_whatsapp(folder: Path, key: Key) -> None:
    for name in key.words:
        words = Key(key[name])
        with pytest.raises((ZoneNeeded, DayOrderNeeded)):
            list(read(folder / name))
        asks = name == "android_de.txt"
        if asks:
            with pytest.raises(DayOrderNeeded):
                list(read(folder / name, options=BERLIN))
        options = ReadOptions(zone=ZoneInfo("Europe/Berlin"), day_first=True) if asks else BERLIN
        check_whatsapp_chat(Sample(folder / name, options=options), words)
        words.check_all_asked()


def check_whatsapp_chat(sample: Sample, words: Key) -> None:
    (found,) = sample.conversations
    said = [m for m in found.messages if m.kind == "user_message"]
    assert len(said) == words["user_messages"]
    counts = {
        "system": len(left_out(found, "event")),
        "multiline": sum("\n" in m.text for m in said),
        "media": sum(m.text in {"[media left out]", "[photo]"} or "PHOTO" in m.text for m in said),
        "edited": sum(m.edited for m in said),
        "deleted": sum(m.text == "[deleted]" for m in said),
    }
    for word, count in counts.items():
        if word in words.words:
            assert (word, count) == (word, words[word])
    zone = ZoneInfo("Europe/Berlin")
    local = [m.sent_at.astimezone(zone) for m in said if m.sent_at]
    if "at" in words.words:
        assert local[0].replace(tzinfo=None).isoformat() == words["at"]
    if "order" in words.words:
        assert words["order"].startswith("month first")
        assert [(t.month, t.day) for t in local][:2] == [(1, 4), (1, 13)]
    if "note" in words.words and "24:00" in words["note"]:
        assert [t.strftime("%d.%m %H:%M") for t in local][:2] == ["04.08 00:00", "04.08 00:00"]
    elif "note" in words.words:
        words.check_note(says="02:30 then 02:10 on the night the clocks go back: keep file order")
        assert [t.strftime("%H:%M") for t in local] == ["02:30", "02:10", "02:11"]
        assert local == sorted(local, key=lambda at: at.astimezone(UTC))


def check_letta(path: Path, key: Key) -> None:
    sample = Sample(path)
    said = [m for m in sample.messages if m.kind in SPOKEN]
    assert [m.external_id for m in said] == [word.split(" ")[0] for word in key["visible"]]
    assert said[1].text == "Pier 4, noted."
    facts = {s.external_id.split("/")[0] for c in sample.conversations for s in c.statements}
    assert facts == set(key["facts"])


def check_mem0(folder: Path, key: Key) -> None:
    key.check_note(says="import as 'needs source', never straight to approved; two live")
    sample = Sample(folder / "get_all.json")
    statements = [s for c in sample.conversations for s in c.statements]
    assert [s.text for s in statements] == [
        "Berths the boat at pier 4",
        "Berths the boat at pier 9",
    ]
    assert not [m for m in sample.messages if m.kind in SPOKEN]
    history = Sample(folder / "history.json")
    assert [m.text for m in history.messages] == [s.text for s in statements]


def check_claude_code(path: Path, key: Key) -> None:
    sample = Sample(path)
    assert [m.external_id for m in sample.messages if m.kind in SPOKEN] == key["visible"]
    key.check_note(says="a 'user' line may be only a tool_result")
    assert not [m for m in sample.messages if m.external_id == "q3"]
    assert left_out(sample.conversations[0], "side_conversation") == ["q3"]


CHECKS: dict[str, Callable[[Path, Key], None]] = {
    "chatgpt/conversations.json": check_chatgpt,
    "claude/conversations.json": check_claude,
    "openai_jsonl/chat.jsonl": check_openai,
    "langchain": check_langchain,
    "slack/plans/2024-12-31.json": check_slack,
    "whatsapp": check_whatsapp,
    "letta/agent.af": check_letta,
    "mem0": check_mem0,
    "claude_code/session.jsonl": check_claude_code,
}


@pytest.fixture
def formats(shared_data: Path) -> Path:
    folder = shared_data / "data" / "formats"
    if not (folder / "expected.json").is_file():
        pytest.skip(f"no format samples at {folder}")
    return folder


def answers(formats: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((formats / "expected.json").read_text("utf-8"))
    return found


def test_the_whole_answer_key_is_checked(formats: Path) -> None:
    assert set(answers(formats)) == set(CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_a_sample_gives_what_its_answer_key_says(formats: Path, name: str) -> None:
    key = Key(answers(formats)[name])
    CHECKS[name](formats / name, key)
    key.check_all_asked()


@pytest.mark.parametrize("name", CHECKS)
def test_a_sample_is_recognised_by_its_shape_alone(formats: Path, name: str) -> None:
    top = formats / name.split("/")[0]
    own = "langchain" if top.name == "langgraph" else top.name
    files = [p for p in top.rglob("*") if p.is_file()] if own != "slack" else []
    data = [p for p in files if p.name != "user.json"]
    assert {sniff(p) for p in [top, *data]} == {own}


def test_a_zip_that_points_outside_is_refused(formats: Path) -> None:
    with pytest.raises(UnsafeArchive, match="points outside of the zip"):
        list(read(formats / "hostile" / "export_with_traversal.zip"))
