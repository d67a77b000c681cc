"""Letta's agents and mem0's memories: what was said, and facts that wait for their source."""

import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from extraction.importers import (
    ImportedConversation,
    ImportedStatement,
    ImportProblem,
    ReadOptions,
    read,
    sniff,
)
from extraction.importers.errors import NothingReadable

WHEN = "2026-01-22T02:07:00+00:00"
PACKED = {"type": "user_message", "message": "I berth at pier 4", "time": "whenever"}


def written(folder: Path, value: object, *, name: str) -> Path:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def conversations(path: Path, zone: str = "") -> list[ImportedConversation]:
    options = ReadOptions(ZoneInfo(zone) if zone else None)
    return [c for c in read(path, options=options) if isinstance(c, ImportedConversation)]


def problems(path: Path) -> list[str]:
    return [item.message for item in read(path) if isinstance(item, ImportProblem)]


def facts(path: Path) -> list[str]:
    return [fact.text for c in conversations(path) for fact in c.statements]


def spoken(role: str, text: object, number: int = 1, **fields: object) -> dict[str, object]:
    content = [{"type": "text", "text": text if isinstance(text, str) else json.dumps(text)}]
    return {
        "id": f"message-{number}",
        "role": role,
        "content": content,
        "created_at": WHEN,
    } | fields


def call(name: str, arguments: object, call_id: str = "c1") -> dict[str, object]:
    return {"id": call_id, "function": {"name": name, "arguments": json.dumps(arguments)}}


def agent_file(
    folder: Path, *messages: object, blocks: object = (), agent_type: str = "memgpt_v2_agent"
) -> Path:
    rows = list(blocks) if isinstance(blocks, list | tuple) else blocks
    agent = {
        "id": "agent-0",
        "name": "keeper",
        "agent_type": agent_type,
        "messages": list(messages),
    }
    document = {"agents": [agent], "blocks": rows, "created_at": WHEN}
    return written(folder, document, name="agent.af")


# --- Letta: what was said ---


def test_packed_words_are_unpacked_and_sent_ones_are_the_agents(tmp_path: Path) -> None:
    path = agent_file(
        tmp_path,
        spoken("system", "You remember.", 0),
        spoken("user", PACKED, 1),
        spoken(
            "assistant",
            "They berth at 4.",
            2,
            tool_calls=[call("send_message", {"message": "Noted."})],
        ),
        spoken("tool", {"status": "OK", "message": "None"}, 3, tool_call_id="c1"),
        spoken("user", {"type": "heartbeat", "reason": "go on"}, 4),
        spoken("user", {"type": "system_alert", "message": "a summary"}, 5),
        spoken("user", 'plain {"type": "x"}', 6),
    )
    (conversation,) = conversations(path)
    assert [(m.external_id, m.speaker, m.kind, m.text) for m in conversation.messages] == [
        ("message-1", "user", "user_message", "I berth at pier 4"),
        ("message-2", "keeper", "agent_message", "Noted."),
        ("message-6", "user", "user_message", 'plain {"type": "x"}'),
    ]
    assert [(one.external_id, one.why) for one in conversation.left_out] == [
        ("message-0", "hidden"),
        ("message-2", "reasoning"),
        ("message-3", "without_words"),
        ("message-4", "event"),
        ("message-5", "hidden"),
    ]


def test_other_calls_and_their_results_are_kept_as_such(tmp_path: Path) -> None:
    path = agent_file(
        tmp_path,
        spoken("assistant", "Let me look.", 1, tool_calls=[call("find", {"q": 1})]),
        spoken("tool", {"status": "OK", "message": "in the shed"}, 2, tool_call_id="c1"),
        agent_type="letta_v1_agent",
    )
    (conversation,) = conversations(path)
    assert [(m.external_id, m.speaker, m.kind, m.text) for m in conversation.messages] == [
        ("message-1", "keeper", "agent_message", "Let me look."),
        ("message-1/c1", "keeper", "tool_call", 'find({"q": 1})'),
        ("message-2", "find", "tool_result", "in the shed"),
    ]


def test_an_agent_of_the_first_kind_is_read_as_well(tmp_path: Path) -> None:
    document = {
        "agent_type": "memgpt_agent",
        "name": "keeper",
        "core_memory": [{"label": "human", "value": "- Boat: pier 4\n- Owns a dog"}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}], "created_at": WHEN},
            {"role": "user", "text": "ho", "created_at": WHEN},
        ],
    }
    path = written(tmp_path, document, name="agent.af")
    assert sniff(path) == "letta"
    talk, memory = conversations(path)
    assert [m.text for m in talk.messages] == ["hi", "ho"]
    assert [fact.text for fact in memory.statements] == ["Boat: pier 4", "Owns a dog"]


def test_a_time_without_a_zone_is_said_or_taken_in_the_persons(tmp_path: Path) -> None:
    path = agent_file(tmp_path, spoken("user", PACKED, created_at="2026-01-22T02:07:00"))
    assert conversations(path)[0].messages[0].sent_at is None
    assert ["its time was left out" in words for words in problems(path)] == [True]
    at = conversations(path, zone="Europe/Berlin")[0].messages[0].sent_at
    assert at == datetime(2026, 1, 22, 1, 7, tzinfo=UTC)


# --- Letta: what is remembered ---


def test_each_line_of_a_block_waits_resting_on_the_block(tmp_path: Path) -> None:
    block = {"id": "block-0", "label": "human", "value": "* Boat: pier 4\n\n2. Owns a dog\n---"}
    persona = {"id": "block-1", "label": "persona", "value": "I am kind."}
    path = agent_file(tmp_path, spoken("user", PACKED), blocks=[block, persona])
    memory = conversations(path)[1]
    assert [fact.text for fact in memory.statements] == ["Boat: pier 4", "Owns a dog"]
    assert {fact.message_id for fact in memory.statements} == {"block-0"}
    assert {m.external_id: m.kind for m in memory.messages} == {
        "block-0": "tool_result",
        "block-1": "tool_result",
    }
    words = {m.external_id: m.text for m in memory.messages}
    assert all(fact.text in words[fact.message_id] for fact in memory.statements)


def test_two_agent_files_are_two_conversations_though_both_say_agent_0(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    first = conversations(agent_file(tmp_path, spoken("user", PACKED)))
    longer = conversations(agent_file(tmp_path, spoken("user", PACKED), spoken("user", "more", 2)))
    other = conversations(agent_file(tmp_path / "b", spoken("user", "something else")))
    assert first[0].external_id == longer[0].external_id != other[0].external_id


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (7, "must be a JSON object"),
        ({"role": "critic"}, "the role 'critic' is unknown"),
        (spoken("assistant", "", 3, tool_calls=[{}]), "must name its function"),
    ],
)
def test_a_bad_message_is_named_and_the_others_kept(
    tmp_path: Path, message: object, words: str
) -> None:
    path = agent_file(tmp_path, spoken("user", PACKED), message, spoken("user", "b", 2))
    assert [m.text for m in conversations(path)[0].messages] == ["I berth at pier 4", "b"]
    assert [words in problem for problem in problems(path)] == [True]


def test_an_agent_that_says_and_remembers_nothing_is_no_success(tmp_path: Path) -> None:
    with pytest.raises(NothingReadable, match="said and remembers nothing"):
        conversations(agent_file(tmp_path))


def test_the_sample_of_letta_gives_what_its_key_says(shared_data: Path) -> None:
    path = shared_data / "data" / "formats" / "letta" / "agent.af"
    assert sniff(path) == "letta"
    talk, memory = conversations(path)
    assert [(m.external_id, m.text) for m in talk.messages] == [
        ("message-1", "My boat is berthed at pier 4"),
        ("message-2", "Pier 4, noted."),
    ]
    assert [(fact.message_id, fact.text) for fact in memory.statements] == [
        ("block-0", "Boat: pier 4")
    ]


# --- mem0 ---


def memory(text: object = "Berths at pier 4", **fields: object) -> dict[str, object]:
    return {"id": "m1", "memory": text, "user_id": "skipper", "created_at": WHEN} | fields


def change(
    event: str, old: object, new: object, day: int = 1, **fields: object
) -> dict[str, object]:
    at = f"2026-02-0{day}T09:00:00Z"
    row = {"id": f"h{day}", "memory_id": "m1", "event": event, "old_memory": old, "new_memory": new}
    return row | {"created_at": at, "updated_at": None} | fields


@pytest.mark.parametrize("shape", ["list", "results", "lines"])
def test_each_memory_waits_resting_on_what_mem0_says(tmp_path: Path, shape: str) -> None:
    rows = [memory(), memory("Sails at dawn", id="m2")]
    if shape == "lines":
        path = tmp_path / "memories.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        path = written(tmp_path, rows if shape == "list" else {"results": rows}, name="all.json")
    assert sniff(path) == "mem0"
    found = conversations(path)
    assert [(c.external_id, c.participants[0].external_id) for c in found] == [
        ("m1", "skipper"),
        ("m2", "skipper"),
    ]
    for c in found:
        assert c.statements == (
            ImportedStatement(c.external_id, c.messages[0].external_id, c.messages[0].text),
        )
        assert (c.messages[0].speaker, c.messages[0].kind) == ("mem0", "tool_result")


def test_of_a_history_the_latest_wording_waits_and_the_rest_is_told(tmp_path: Path) -> None:
    rows = [change("ADD", None, "pier 4"), change("UPDATE", "pier 4", "pier 9", 2)]
    path = written(tmp_path, rows, name="history.json")
    assert facts(path) == ["pier 9"]
    told = [(m.text, m.sent_at) for c in conversations(path) for m in c.messages]
    assert ("pier 9", datetime(2026, 2, 2, 9, tzinfo=UTC)) in told
    assert len({c.external_id for c in conversations(path)}) == 1


def test_rows_out_of_their_order_are_put_right_by_their_time(tmp_path: Path) -> None:
    rows = [change("UPDATE", "pier 4", "pier 9", 2), change("ADD", None, "pier 4")]
    assert facts(written(tmp_path, rows, name="history.json")) == ["pier 9"]


def test_what_was_deleted_there_waits_for_nothing(tmp_path: Path) -> None:
    rows = [change("ADD", None, "pier 4"), change("DELETE", "pier 4", None, 2, is_deleted=1)]
    path = written(tmp_path, rows, name="history.json")
    assert facts(path) == []
    assert conversations(path)[-1].messages[-1].text == "[forgotten] pier 4"


def test_the_messages_a_memory_was_made_of_come_with_it(tmp_path: Path) -> None:
    told = [
        {"role": "user", "content": "I moved to pier 4"},
        {"role": "assistant", "content": "ok"},
    ]
    rows = [change("ADD", None, "pier 4", user_id="skipper", input=told)]
    (conversation,) = conversations(written(tmp_path, rows, name="history.json"))
    assert [(m.speaker, m.kind) for m in conversation.messages] == [
        ("skipper", "user_message"),
        ("assistant", "agent_message"),
        ("mem0", "tool_result"),
    ]


def test_a_memory_is_the_same_message_in_a_list_and_in_a_history(tmp_path: Path) -> None:
    listed = conversations(written(tmp_path, [memory("pier 4")], name="all.json"))
    told = conversations(written(tmp_path, [change("ADD", None, "pier 4")], name="history.json"))
    assert listed[0].messages[0].external_id == told[0].messages[0].external_id
    both = tmp_path / "both"
    both.mkdir()
    written(both, [memory("pier 4")], name="all.json")
    written(both, [change("ADD", None, "pier 4")], name="history.json")
    assert facts(both) == ["pier 4"]
    assert {c.participants[0].external_id for c in conversations(both)} == {"skipper"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (7, "must be a JSON object"),
        (memory("  "), "the memory is empty"),
        (memory(id={}), '"id" must be text'),
        (change("MERGE", "a", "b"), "'MERGE' is unknown"),
        (change("UPDATE", "a", ""), '"new_memory" is empty'),
        (change("UPDATE", "a", "b", is_deleted=[]) | {"memory_id": None}, '"memory_id" must be'),
    ],
)
def test_a_bad_row_is_named_and_the_others_kept(tmp_path: Path, row: object, words: str) -> None:
    path = written(tmp_path, [memory(), row], name="all.json")
    assert facts(path) == ["Berths at pier 4"]
    assert [words in problem for problem in problems(path)] == [True]


def test_a_time_that_cannot_be_read_costs_the_time_alone(tmp_path: Path) -> None:
    path = written(tmp_path, [memory(created_at="soon")], name="all.json")
    assert conversations(path)[0].messages[0].sent_at is None
    assert ["its time was left out" in words for words in problems(path)] == [True]


def test_the_samples_of_mem0_wait_both_though_they_contradict_each_other(
    shared_data: Path,
) -> None:
    folder = shared_data / "data" / "formats" / "mem0"
    assert sniff(folder / "get_all.json") == sniff(folder / "history.json") == "mem0"
    assert facts(folder / "get_all.json") == [
        "Berths the boat at pier 4",
        "Berths the boat at pier 9",
    ]
    assert facts(folder / "history.json") == ["Berths the boat at pier 9"]
    assert sorted(facts(folder)) == sorted(facts(folder / "get_all.json"))
