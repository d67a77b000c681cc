"""Importers on whatever comes: never a silent zero, a hang, or an error without a name."""

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.importers.base import MESSAGE_KINDS
from tests.unit import fuzzing
from tests.unit.fuzzing import anything, brief, damaged, fuzz, places, read_whole, with_replaced

maybe_wrong = anything | st.just(None)
roles = st.sampled_from(["user", "assistant", "tool", "system", "developer", "function"])
times = st.sampled_from(["2025-01-01T00:00:00Z", "2025-01-01T00:00:00", 1, 1e12]) | maybe_wrong
parts = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image_url", "refusal", "x"])}, optional={"text": st.text()}
)
calls = st.fixed_dictionaries({"function": st.fixed_dictionaries({"name": st.text()}) | anything})
messages = st.fixed_dictionaries(
    {"role": roles | maybe_wrong, "content": st.text() | st.lists(parts) | maybe_wrong},
    optional={
        "id": st.sampled_from(["m1", "m2", 3]) | maybe_wrong,
        "name": st.text() | maybe_wrong,
        "created_at": times,
        "kind": st.sampled_from(MESSAGE_KINDS) | maybe_wrong,
        "tool_calls": st.lists(calls) | maybe_wrong,
        "function_call": anything,
        "refusal": maybe_wrong,
        "audio": maybe_wrong,
        "conversation_id": st.sampled_from(["a", "b"]) | maybe_wrong,
    },
)
chats = st.fixed_dictionaries(
    {"messages": st.lists(messages | anything, max_size=5) | maybe_wrong},
    optional={"id": maybe_wrong, "title": maybe_wrong, "created_at": times, "user": maybe_wrong},
)
samples = st.fixed_dictionaries(
    {
        "conversation": st.dictionaries(
            st.sampled_from(["session_1", "session_2", "session_1_date_time", "speaker_a"]),
            st.lists(
                st.fixed_dictionaries(
                    {"speaker": st.text() | maybe_wrong},
                    optional={"text": st.text(), "dia_id": maybe_wrong, "blip_caption": anything},
                )
            )
            | st.just("1:56 pm on 8 May, 2023")
            | anything,
        )
        | anything
    },
    optional={"sample_id": maybe_wrong},
)


def check(path: Path, *, format_name: str | None = None) -> None:
    """Read the file; here whoever it may be about says something."""
    for conversation in fuzzing.check(path, format_name=format_name):
        speakers = {message.speaker for message in conversation.messages}
        assert {one.speaker for one in conversation.participants} <= speakers


@fuzz
@given(lines=st.lists(chats | messages | anything, max_size=6))
def test_any_lines_of_json(tmp_path: Path, lines: list[object]) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    check(path)
    check(path, format_name="openai_jsonl")


@fuzz
@given(document=samples | st.lists(samples | anything, max_size=3))
def test_any_document(tmp_path: Path, document: object) -> None:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    check(path)
    check(path, format_name="locomo")


@fuzz
@given(content=st.binary(max_size=400))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    check(path)
    check(path, format_name="openai_jsonl")
    check(path, format_name="locomo")


@fuzz
@given(data=st.data())
def test_a_good_file_damaged_anywhere(tmp_path: Path, data: st.DataObject) -> None:
    good = [{"messages": [{"role": "user", "content": f"I keep {n} bees 🐝."}]} for n in range(3)]
    raw = "\n".join(json.dumps(line, ensure_ascii=False) for line in good).encode()
    place = data.draw(st.integers(0, len(raw)))
    removed = data.draw(st.integers(0, 12))
    path = tmp_path / "chat.jsonl"
    path.write_bytes(raw[:place] + data.draw(st.binary(max_size=6)) + raw[place + removed :])
    check(path)


SAMPLES: dict[str, object] = {
    "chatgpt": [
        {
            "title": "T",
            "current_node": "b",
            "conversation_id": "c",
            "mapping": {
                "a": {
                    "message": {
                        "id": "a",
                        "author": {"role": "user", "name": None},
                        "create_time": 1714561201.25,
                        "content": {"content_type": "text", "parts": ["Hi", None]},
                        "metadata": {"attachments": [{"name": "x"}]},
                    },
                    "parent": None,
                },
                "b": {
                    "message": {
                        "author": {"role": "assistant"},
                        "content": {"content_type": "code", "text": "1"},
                        "recipient": "python",
                    },
                    "parent": "a",
                },
            },
        }
    ],
    "claude": [
        {
            "uuid": "c",
            "name": "T",
            "chat_messages": [
                {
                    "uuid": "a",
                    "sender": "human",
                    "text": "Hi",
                    "content": [{"type": "text", "text": "Hi"}],
                    "created_at": "2025-03-30T02:30:00Z",
                    "parent_message_uuid": "r",
                    "attachments": [{"file_name": "f", "extracted_content": "x"}],
                },
                {
                    "uuid": "b",
                    "sender": "assistant",
                    "content": [
                        {"type": "tool_use", "name": "f", "id": "t", "input": {}},
                        {"type": "tool_result", "name": "f", "content": [{"text": "x"}]},
                    ],
                    "parent_message_uuid": "a",
                },
            ],
        }
    ],
    "langchain": {
        "values": {
            "messages": [
                {"type": "human", "content": [{"type": "text", "text": "Hi"}], "id": "h"},
                {
                    "type": "ai",
                    "data": {"content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c"}]},
                },
                {"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": {"content": "x"}},
                {"type": "remove", "content": "", "id": "h"},
                {"type": "human", "content": "Ho", "id": "g"},
            ]
        },
        "metadata": {"thread_id": "t"},
    },
    "claude_code": {
        "type": "user",
        "uuid": "a",
        "sessionId": "s",
        "timestamp": "2025-05-26T07:27:40Z",
        "isSidechain": False,
        "message": {
            "role": "user",
            "content": [
                {"type": "text", "text": "Hi <command-name>x</command-name>"},
                {"type": "tool_use", "id": "t", "name": "f", "input": {}},
                {"type": "tool_result", "tool_use_id": "t", "content": [{"text": "x"}]},
            ],
        },
    },
    "openai_jsonl": [
        {"role": "user", "content": "Hi", "id": "m"},
        {"role": "tool", "content": "x"},
    ],
}


@pytest.mark.parametrize("format_name", SAMPLES)
def test_a_sample_itself_is_read(tmp_path: Path, format_name: str) -> None:
    path = tmp_path / "sample.json"
    path.write_text(json.dumps(SAMPLES[format_name]))
    conversations, _, refusal = read_whole(path, None)
    assert [c.source for c in conversations] == [format_name]
    assert refusal == ""


@pytest.mark.parametrize("format_name", SAMPLES)
@brief
@given(data=st.data())
def test_a_sample_with_anything_anywhere(
    tmp_path: Path, format_name: str, data: st.DataObject
) -> None:
    value = SAMPLES[format_name]
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(st.sampled_from(places(value)))
        value = with_replaced(value, way, data.draw(anything))
    path = tmp_path / "sample.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    check(path)
    check(path, format_name=format_name)


@pytest.mark.parametrize("format_name", SAMPLES)
@brief
@given(data=st.data())
def test_a_sample_damaged_anywhere(tmp_path: Path, format_name: str, data: st.DataObject) -> None:
    path = tmp_path / "sample.json"
    path.write_bytes(damaged(json.dumps(SAMPLES[format_name]).encode(), data))
    check(path)
    check(path, format_name=format_name)


@fuzz
@given(data=st.data())
def test_a_zip_damaged_anywhere(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a/conversations.json", "conversations-2.json"):
            archive.writestr(name, json.dumps(SAMPLES["chatgpt"]))
    raw = path.read_bytes()
    place = data.draw(st.integers(0, len(raw)))
    removed = data.draw(st.integers(0, 12))
    path.write_bytes(raw[:place] + data.draw(st.binary(max_size=6)) + raw[place + removed :])
    check(path)


@pytest.mark.parametrize("number", ["1" * 5_000, "1e999", "-1e999"])
def test_numbers_beyond_measure(tmp_path: Path, number: str) -> None:
    path = tmp_path / "chat.jsonl"
    message = f'{{"role": "user", "content": "x", "created_at": {number}}}'
    path.write_text(f'{{"messages": [{message}]}}', encoding="utf-8")
    check(path)
