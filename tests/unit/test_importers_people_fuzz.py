"""Chats of people, facts of other memories, on whatever comes: no silent zero, hang, surprise."""

import json
import time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.importers import ImportedConversation, ReadOptions, read
from tests.unit import fuzzing
from tests.unit.fuzzing import anything, damaged, places, with_replaced
from tests.unit.fuzzing import brief as fuzz

OPTIONS = ReadOptions(ZoneInfo("Europe/Berlin"), day_first=True)
AT = "2026-01-22T02:07:00Z"
CHAT = (
    "13/07/23, 7:02\u202fPM - Messages are end-to-end encrypted.\n"
    "13/07/23, 7:03\u202fPM - Ana: at 3:50\nand more\n\n"
    "14/07/23, 7:04\u202fAM - ~\u00a0Bo: \u200e<attached: a.jpg>\n"
    "14/07/23, 7:05\u202fAM - Ana: ok <This message was edited>\n"
)
SAMPLES: dict[str, object] = {
    "slack": [
        {
            "type": "message",
            "user": "U1",
            "text": "see <@U2|x> &lt;",
            "ts": "1735660800.123456",
            "files": [{"name": "f"}],
            "user_profile": {"real_name": "A"},
            "edited": {"ts": "1"},
        },
        {
            "type": "message",
            "subtype": "bot_message",
            "bot_id": "B",
            "bot_profile": {"name": "b"},
            "text": "",
            "attachments": [{"fallback": "x"}],
            "blocks": [{"type": "section", "elements": [{"type": "user", "user_id": "U1"}]}],
            "ts": "1735660801.000001",
        },
    ],
    "letta": {
        "agents": [
            {
                "name": "a",
                "agent_type": "memgpt_v2_agent",
                "block_ids": ["b"],
                "messages": [
                    {
                        "id": "m0",
                        "role": "user",
                        "created_at": AT,
                        "content": [
                            {"type": "text", "text": '{"type": "user_message", "message": "x"}'}
                        ],
                    },
                    {
                        "id": "m1",
                        "role": "assistant",
                        "content": "thought",
                        "tool_calls": [
                            {
                                "id": "c",
                                "function": {
                                    "name": "send_message",
                                    "arguments": '{"message": "y"}',
                                },
                            }
                        ],
                    },
                    {"id": "m2", "role": "tool", "tool_call_id": "c", "content": "OK"},
                ],
            }
        ],
        "blocks": [{"id": "b", "label": "human", "value": "Boat: pier 4"}],
        "created_at": AT,
    },
    "mem0": {
        "results": [
            {"id": "m", "memory": "x", "user_id": "u", "created_at": AT},
            {
                "memory_id": "m",
                "event": "UPDATE",
                "old_memory": "w",
                "new_memory": "x",
                "created_at": AT,
                "is_deleted": 0,
                "input": [{"role": "user", "content": "z"}],
            },
        ]
    },
}


def check(path: Path, *, format_name: str | None = None) -> None:
    """Read the file as somebody does who says where its clocks hung."""
    fuzzing.check(path, format_name=format_name, options=OPTIONS)


@pytest.mark.parametrize("format_name", SAMPLES)
def test_a_sample_itself_is_read(tmp_path: Path, format_name: str) -> None:
    path = tmp_path / "sample.json"
    path.write_text(json.dumps(SAMPLES[format_name]))
    sources = {c.source for c in read(path) if isinstance(c, ImportedConversation)}
    assert sources == {format_name}


@pytest.mark.parametrize("format_name", SAMPLES)
@fuzz
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
@fuzz
@given(data=st.data())
def test_a_sample_damaged_anywhere(tmp_path: Path, format_name: str, data: st.DataObject) -> None:
    path = tmp_path / "sample.json"
    path.write_bytes(damaged(json.dumps(SAMPLES[format_name]).encode(), data))
    check(path)
    check(path, format_name=format_name)


@fuzz
@given(data=st.data())
def test_a_chat_damaged_anywhere(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "_chat.txt"
    path.write_bytes(damaged(CHAT.encode(), data))
    check(path)
    check(path, format_name="whatsapp")


@fuzz
@given(
    lines=st.lists(
        st.text()
        | st.builds(
            "{}{}{} - {}".format,
            st.sampled_from(
                ["13/07/23", "7/13/23", "[2023-07-13", "99.99.99", "٣/٤/٢٠٢٣", "1/2/3"]
            ),
            st.sampled_from([", ", " ", " klo ", " 下午", ""]),
            st.sampled_from(["7:02", "24:00", "25:99", "7:02 PM", "23:59:59]", "13:00 zonk"]),
            st.text() | st.builds("{}: {}".format, st.text(), st.text()),
        ),
        max_size=8,
    )
)
def test_any_lines_that_look_like_a_chat(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "_chat.txt"
    path.write_text("\n".join(lines), encoding="utf-8", errors="replace")
    check(path, format_name="whatsapp")


@pytest.mark.parametrize(
    "line",
    [
        "[" * 200_000,
        "1" * 200_000,
        "1/1/23, 7:02 - " + ":" * 200_000,
        "1/1/23, 7:02 - Ana: " + "<" * 200_000,
        "1/1/23, 7:02 - Ana: " + "a <" * 100_000 + ">",
        "1/1/23, 7:02 - Ana: " + "\u200e" * 200_000,
        "1/1/23, 7:02 - Ana: " + "x." * 100_000 + "jpg (",
        "1/1/23," + " " * 200_000 + "7:02 - Ana: x",
    ],
)
def test_no_line_takes_long(tmp_path: Path, line: str) -> None:
    path = tmp_path / "_chat.txt"
    path.write_text("1/1/23, 7:01 - Ana: hi\n" + f"{line}\n" * 5, encoding="utf-8")
    begun = time.perf_counter()
    check(path, format_name="whatsapp")
    assert time.perf_counter() - begun < 5
