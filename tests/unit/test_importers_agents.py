"""LangChain, LangGraph and Claude Code: what was said, and what only a program wrote."""

import json
from pathlib import Path
from typing import Any

import pytest

from extraction.importers import read, sniff
from extraction.importers.errors import NothingReadable
from tests.unit.importing import conversations, ids, only, problems, written

# --- LangChain and LangGraph ---


def human(text: object, **fields: Any) -> dict[str, Any]:
    return {"type": "human", "content": text, **fields}


def document(folder: Path, value: object, *, name: str = "chat.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "message",
    [
        human("Hi"),
        {"type": "human", "data": {"content": "Hi"}},
        {"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "Hi"}},
        {"type": "HumanMessageChunk", "data": {"content": "Hi"}},
        {"type": "chat", "data": {"role": "user", "content": "Hi"}},
    ],
)
def test_every_shape_of_a_message_is_read(tmp_path: Path, message: object) -> None:
    path = document(tmp_path, [message, human("Ho")])
    assert sniff(path) == "langchain"
    assert [(m.kind, m.text) for m in only(path).messages] == [
        ("user_message", "Hi"),
        ("user_message", "Ho"),
    ]


def test_a_removed_message_takes_its_calls_along(tmp_path: Path) -> None:
    call = {"name": "find", "args": {}, "id": "c"}
    rows = [
        human("Hi", id="h"),
        {"type": "ai", "content": "Let me", "id": "a", "tool_calls": [call]},
        {"type": "remove", "content": "", "id": "a"},
    ]
    found = only(document(tmp_path, rows))
    assert [m.external_id for m in found.messages] == ["h"]
    assert [(one.external_id, one.why) for one in found.left_out] == [
        ("a", "removed"),
        ("a/c", "removed"),
    ]


def test_all_messages_may_be_removed(tmp_path: Path) -> None:
    gone = {"type": "remove", "content": "", "id": "__remove_all__"}
    found = only(document(tmp_path, [human("Hi"), gone, human("Anew")]))
    assert [m.text for m in found.messages] == ["Anew"]


def state(*messages: object, thread: str = "t", **fields: Any) -> dict[str, Any]:
    return {
        "values": {"messages": list(messages)},
        "metadata": {"thread_id": thread},
        "created_at": "2025-05-01T12:00:00Z",
        **fields,
    }


def test_a_history_of_states_is_one_thread_with_what_later_states_dropped(tmp_path: Path) -> None:
    newest = state(human("three", id="3"))
    oldest = state(human("one", id="1"), human("two", id="2"))
    found = only(document(tmp_path, [newest, oldest]))
    assert found.external_id == "t"
    assert [m.text for m in found.messages] == ["one", "two", "three"]


def test_a_states_time_dates_no_message(tmp_path: Path) -> None:
    assert only(document(tmp_path, state(human("Hi")))).messages[0].sent_at is None


def test_a_later_state_adds_its_tail(tmp_path: Path) -> None:
    early = ids(document(tmp_path, state(human("a"), human("b")), name="1.json"))
    late = ids(document(tmp_path, state(human("a"), human("b"), human("c")), name="2.json"))
    assert early == late[:2]


def test_states_on_lines_are_threads_of_their_own(tmp_path: Path) -> None:
    path = written(
        tmp_path, state(human("a"), thread="x"), "{broken", state(human("b"), thread="y")
    )
    assert [c.external_id for c in conversations(path)] == ["x", "y"]
    assert [p.line for p in problems(path)] == [2]


def test_thoughts_and_calls_in_content_are_no_words(tmp_path: Path) -> None:
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "name": "f"},
        {"type": "text", "text": "Yes"},
    ]
    found = only(document(tmp_path, [human("Hi"), {"type": "ai", "content": parts, "id": "a"}]))
    assert [m.text for m in found.messages] == ["Hi", "Yes"]
    assert [one.why for one in found.left_out] == ["reasoning"]


def test_an_unknown_type_costs_the_message(tmp_path: Path) -> None:
    path = document(tmp_path, [human("Hi"), {"type": "alien", "data": {"content": "x"}}])
    assert "Message 2: the type 'alien' is unknown" in problems(path)[0].message


# --- Claude Code ---


def line(key: str, kind: str, content: object, **fields: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": key,
        "sessionId": "s",
        "timestamp": "2025-05-26T07:27:40.079Z",
        "message": {"role": kind, "content": content},
        **fields,
    }


def test_what_the_program_puts_in_is_not_the_users(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        line("a", "user", "Use tabs <system-reminder>\nUser loves spaces</system-reminder>please"),
        line("b", "user", "<command-name>/clear</command-name>"),
        line("c", "user", "Session continued: the user loves spaces", isCompactSummary=True),
        line("d", "user", "Caveat: The messages below were generated", isMeta=True),
        line("e", "user", "[Request interrupted by user]"),
        line("f", "assistant", [{"type": "thinking"}, {"type": "text", "text": "Ok"}]),
    )
    found = only(path)
    assert sniff(path) == "claude_code"
    assert [m.text for m in found.messages] == ["Use tabs please", "Ok"]
    assert [one.external_id for one in found.left_out] == ["a", "b", "c", "d", "e", "f"]


def test_a_users_line_of_results_only_is_the_tools(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "x"}]}
    found = only(
        written(
            tmp_path,
            line("a", "user", "Go"),
            line("b", "assistant", [call]),
            line("c", "user", [result]),
        )
    )
    assert [(m.external_id, m.kind, m.speaker) for m in found.messages] == [
        ("a", "user_message", "user"),
        ("b/t", "tool_call", "assistant"),
        ("c/t", "tool_result", "Read"),
    ]


def test_sessions_in_one_file_stay_apart_and_long_ones_come_in_parts(tmp_path: Path) -> None:
    rows = [line(f"m{n}", "user", f"text {n}") for n in range(501)]
    path = written(tmp_path, *rows, line("z", "user", "other", sessionId="s2"))
    assert [(c.external_id, len(c.messages)) for c in conversations(path)] == [
        ("s", 500),
        ("s", 1),
        ("s2", 1),
    ]


def test_a_bad_time_costs_the_time_and_a_bad_line_the_line(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        line("a", "user", "one", timestamp="soon"),
        line("b", "user", 7),
        "{broken",
        line("c", "user", "two"),
    )
    assert [m.text for c in conversations(path) for m in c.messages] == ["one", "two"]
    assert [p.line for p in problems(path)] == [1, 2, 3]


def test_a_side_conversation_alone_is_never_a_success(tmp_path: Path) -> None:
    with pytest.raises(NothingReadable):
        list(read(written(tmp_path, line("a", "user", "Find it", isSidechain=True))))


def test_a_text_of_opening_tags_takes_no_longer_than_its_length(tmp_path: Path) -> None:
    text = "<command-name><bash-stdout>" * 40_000
    assert only(written(tmp_path, line("a", "user", text))).messages[0].text == text
