"""Importers: what comes in, what is refused, and that nothing is lost or doubled silently."""

import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest

from extraction.importers import (
    ImportedConversation,
    ImportedMessage,
    ImportProblem,
    Participant,
    read,
    sniff,
)
from extraction.importers.errors import (
    EmptyFile,
    FileUnreadable,
    HoldsNul,
    ImportRefused,
    NothingReadable,
    NotUtf8,
    UnknownFormat,
)

GOOD = {"messages": [{"role": "user", "content": "I keep bees."}]}
OTHER = {"messages": [{"role": "user", "content": "I sold the hives."}]}
MIB = 1024 * 1024


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def written(folder: Path, *lines: object, name: str = "chat.jsonl") -> Path:
    """Write each line as JSON, a text as it stands."""
    path = folder / name
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def conversations(path: Path) -> list[ImportedConversation]:
    return [item for item in read(path) if isinstance(item, ImportedConversation)]


def problems(path: Path) -> list[ImportProblem]:
    return [item for item in read(path) if isinstance(item, ImportProblem)]


def only(path: Path) -> ImportedConversation:
    (conversation,) = read(path)
    assert isinstance(conversation, ImportedConversation)
    return conversation


def chat(*messages: object, **fields: object) -> dict[str, object]:
    return {"messages": list(messages), **fields}


def said(content: object, role: str = "user", **fields: object) -> dict[str, object]:
    return {"role": role, "content": content, **fields}


# --- OpenAI chat JSONL: what messages become ------------------------------------------------


def test_roles_become_kinds_and_speakers(folder: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}
    path = written(
        folder,
        chat(
            said("Be terse.", "system"),
            said("Be kind.", "developer"),
            said("Where is it?"),
            said("Let me look.", "assistant", tool_calls=[call]),
            said("in the shed", "tool", tool_call_id="c1"),
            said("ok", "function", name="old_style"),
            said(None, "assistant", refusal="I can't help with that."),
        ),
    )
    assert [(m.kind, m.speaker, m.text) for m in only(path).messages] == [
        ("system_message", "system", "Be terse."),
        ("system_message", "system", "Be kind."),
        ("user_message", "user", "Where is it?"),
        ("agent_message", "assistant", "Let me look."),
        ("tool_call", "assistant", 'find({"q": 1})'),
        ("tool_result", "find", "in the shed"),
        ("tool_result", "old_style", "ok"),
        ("agent_message", "assistant", "I can't help with that."),
    ]


def test_content_parts_keep_words_and_mark_the_rest(folder: Path) -> None:
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
        {"type": "hologram"},
        None,
        "and this",
    ]
    assert only(written(folder, chat(said(parts)))).messages[0].text == (
        "Look:\n[image]\n[audio]\n[hologram]\nand this"
    )


def test_messages_without_words_are_counted_and_left_out(folder: Path) -> None:
    conversation = only(written(folder, chat(said(""), said(None), said(" \n"), said("Hello"))))
    assert [m.text for m in conversation.messages] == ["Hello"]
    assert conversation.without_words == 3


def test_an_explicit_kind_counts_within_what_the_role_may_say(folder: Path) -> None:
    messages = only(
        written(
            folder,
            chat(
                said("No, shorter.", kind="user_feedback"),
                said("built", "tool", kind="task_result"),
                said("door opened", "tool", kind="environment_observation"),
            ),
        )
    ).messages
    assert [m.kind for m in messages] == ["user_feedback", "task_result", "environment_observation"]


def test_an_assistant_cannot_pass_its_words_as_the_users(folder: Path) -> None:
    path = written(folder, GOOD, chat(said("I love Rust", "assistant", kind="user_message")))
    (problem,) = problems(path)
    assert problem.line == 2
    assert "may not come from the role 'assistant'" in problem.message


def test_an_assistant_that_bears_the_users_name_stays_apart(folder: Path) -> None:
    path = written(
        folder, chat(said("Hi", name="ana"), said("Ana eats meat", "assistant", name="ana"))
    )
    user, agent = only(path).messages
    assert user.speaker == "ana"
    assert agent.speaker != "ana"
    assert [p.speaker for p in only(path).participants] == ["ana"]


def test_participants_are_who_spoke_as_a_user(folder: Path) -> None:
    nameless = only(written(folder, GOOD))
    assert nameless.participants == (Participant("user", "user", external_id="", name=""),)
    named = only(written(folder, chat(said("Hi"), said("Ho", name="Mary Ann"), user="u-17")))
    assert named.participants == (
        Participant("u-17", "user", external_id="u-17", name="u-17"),
        Participant("Mary Ann", "user", external_id="mary-ann", name="Mary Ann"),
    )


def test_words_of_any_script_arrive_unchanged(folder: Path) -> None:
    text = "J’ai 3 chats 🐈‍⬛ — מילים — 我住在北京 e\u0301\u202e"
    assert only(written(folder, chat(said(text)))).messages[0].text == text


def test_what_no_database_holds_is_replaced_visibly(folder: Path) -> None:
    path = written(
        folder, '{"id": "a\\u0000b", "messages": [{"role": "user", "content": "x\\u0000y\\ud800"}]}'
    )
    conversation = only(path)
    assert conversation.messages[0].text == "x\ufffdy\ufffd"
    assert conversation.external_id == "a\ufffdb"


# --- ids, times, titles ---------------------------------------------------------------------


def test_ids_times_and_titles_of_the_file_are_kept(folder: Path) -> None:
    conversation = only(
        written(
            folder,
            chat(
                said("Hi", id="m1", created_at="2025-03-02T09:30:00+01:00"),
                said("Ho", id=2, timestamp=1_740_904_260),
                said("Hum", id="m3", create_time=1_740_904_260_500),
                id="c-1",
                title="  Bees \n and hives ",
            ),
        )
    )
    assert (conversation.external_id, conversation.title) == ("c-1", "Bees and hives")
    assert [m.external_id for m in conversation.messages] == ["m1", "2", "m3"]
    assert [m.sent_at for m in conversation.messages] == [
        datetime(2025, 3, 2, 8, 30, tzinfo=UTC),
        datetime(2025, 3, 2, 8, 31, tzinfo=UTC),
        datetime(2025, 3, 2, 8, 31, 0, 500_000, tzinfo=UTC),
    ]


def test_a_conversations_time_serves_messages_without_one(folder: Path) -> None:
    path = written(folder, chat(said("Hi"), created_at="2025-03-02T09:30:00Z"))
    assert only(path).messages[0].sent_at == datetime(2025, 3, 2, 9, 30, tzinfo=UTC)
    assert only(written(folder, GOOD)).messages[0].sent_at is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("2025-03-02T09:30:00", "has no offset"),
        ("2025-03-02", "has no offset"),
        ("last Monday", "is no time"),
        (True, "must be text or a number"),
        ([], "must be text or a number"),
        (1e300, "no usable time"),
        (-5, "not between 1970"),
        ("9999-12-31T23:59:59-23:00", "out of range"),
        ("3000-01-01T00:00:00Z", "not between 1970"),
    ],
)
def test_a_time_that_cannot_be_placed_is_named_with_line_and_message(
    folder: Path, value: object, words: str
) -> None:
    path = written(folder, GOOD, chat(said("Hi"), said("Ho", created_at=value)))
    (problem,) = problems(path)
    assert problem.line == 2
    assert 'Message 2: "created_at":' in problem.message
    assert words in problem.message
    assert len(conversations(path)) == 1


def ids(path: Path) -> list[tuple[str, str]]:
    return [(c.external_id, m.external_id) for c in conversations(path) for m in c.messages]


def test_reading_twice_gives_the_same_ids(folder: Path) -> None:
    path = written(folder, GOOD, OTHER, chat(said("yes"), said("yes"), said("ok", "assistant")))
    assert ids(path) == ids(path)
    assert len(set(ids(path))) == 5


def test_a_longer_export_adds_only_what_is_new(folder: Path) -> None:
    talk = [said("Hi"), said("Hello!", "assistant"), said("yes"), said("yes"), said("Bye")]
    first = set(ids(written(folder, chat(*talk[:3]), OTHER, name="march.jsonl")))
    second = set(ids(written(folder, chat(*talk), OTHER, GOOD, name="april.jsonl")))
    assert first < second
    assert len(second - first) == 3


def test_conversations_that_open_alike_stay_apart(folder: Path) -> None:
    opening = said("Hi")
    path = written(folder, chat(opening, said("One.")), chat(opening, said("Two.")))
    one, two = conversations(path)
    assert one.external_id != two.external_id


def test_an_id_that_comes_again_is_the_same_message_or_an_edit_of_it(folder: Path) -> None:
    messages = only(
        written(
            folder,
            chat(
                said("I am 34", id="m"), said("I am 34", id="m"), said("I am 35", id="m"), said("x")
            ),
        )
    ).messages
    assert [m.text for m in messages] == ["I am 34", "I am 35", "x"]
    assert messages[0].external_id == "m"
    assert messages[1].external_id.startswith("m~")


def test_calls_with_one_id_in_one_message_are_both_kept(folder: Path) -> None:
    call = {"id": "c", "function": {"name": "ping", "arguments": "{}"}}
    messages = only(
        written(folder, chat(said("Go"), said(None, "assistant", tool_calls=[call, call])))
    ).messages
    assert [m.text for m in messages] == ["Go", "ping({})", "ping({})"]
    assert len({m.external_id for m in messages}) == 3


def test_an_overlong_id_is_replaced_by_its_digest(folder: Path) -> None:
    path = written(folder, chat(said("Hi", id="x" * 5_000), id="y" * 5_000))
    conversation = only(path)
    assert len(conversation.external_id) < 100
    assert len(conversation.messages[0].external_id) < 100
    assert ids(path) == ids(path)


# --- one message per line -------------------------------------------------------------------


def test_single_messages_are_gathered_by_conversation(folder: Path) -> None:
    path = written(
        folder,
        said("Hi", conversation_id="a", title="Bees"),
        said("Hello!", "assistant", conversation_id="a"),
        said("Hi", conversation_id="b"),
        said("Hi", conversation_id="a"),
    )
    found = conversations(path)
    assert [(c.external_id, c.title, len(c.messages)) for c in found] == [
        ("a", "Bees", 2),
        ("b", "", 1),
        ("a", "", 1),
    ]
    assert len(set(ids(path))) == 4
    assert [m.line for c in found for m in c.messages] == [1, 2, 3, 4]


def test_single_messages_without_a_conversation_are_one(folder: Path) -> None:
    short = written(folder, said("Hi"), said("Ho", "assistant"), name="short.jsonl")
    long = written(folder, said("Hi"), said("Ho", "assistant"), said("Hi"), name="long.jsonl")
    assert len(only(long).messages) == 3
    assert set(ids(short)) < set(ids(long))


def test_a_long_conversation_of_single_messages_comes_in_parts(folder: Path) -> None:
    path = written(folder, *(said("again", conversation_id="a") for _ in range(1_201)))
    found = conversations(path)
    assert [len(c.messages) for c in found] == [500, 500, 201]
    assert {c.external_id for c in found} == {"a"}
    assert len(set(ids(path))) == 1_201


def test_a_bad_single_message_does_not_take_its_conversation_along(folder: Path) -> None:
    path = written(
        folder,
        said("one", conversation_id="a"),
        said("two", conversation_id="a", created_at="2025-01-01T10:00:00"),
        said("three", conversation_id="a"),
    )
    assert [m.text for c in conversations(path) for m in c.messages] == ["one", "three"]
    assert [p.line for p in problems(path)] == [2]


# --- what is wrong with a line --------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"messages": [{"role": "user", "content": "cut', "not valid JSON"),
        ("just words", "not valid JSON"),
        ('{"messages": [{"role": "user", "content": NaN}]}', "NaN is not a JSON number"),
        ("[" * 100_000, "nested too deeply"),
        ("7", "Expected a JSON object"),
        ('{"prompt": "x"}', "'prompt'"),
        ('{"messages": "none"}', "must be a list"),
        ('{"messages": []}', "no message with words"),
        ('{"messages": [7]}', "Message 1: a message must be a JSON object"),
        ('{"messages": [{"content": "x"}]}', "Message 1: no role"),
        ('{"messages": [{"role": "critic", "content": "x"}]}', "'critic'"),
        ('{"messages": [{"role": "user", "content": 7}]}', "content must be text"),
        ('{"messages": [{"role": "user", "content": [7]}]}', "content part"),
        ('{"messages": [{"role": "user", "content": [{"type": "text"}]}]}', '"text"'),
        ('{"messages": [{"role": "user", "content": "x", "id": {}}]}', '"id" must be'),
        ('{"messages": [{"role": "user", "content": "x", "kind": "gossip"}]}', "is unknown"),
        ('{"messages": [{"role": "assistant", "tool_calls": {}}]}', "tool_calls must be a list"),
        ('{"messages": [{"role": "assistant", "tool_calls": [{}]}]}', "must hold a function"),
        (
            '{"messages": [{"role": "assistant", "function_call": {"name": 1}}]}',
            "must name its function",
        ),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_kept(folder: Path, line: str, words: str) -> None:
    path = written(folder, GOOD, "", line, OTHER)
    found = list(read(path))
    assert [type(item) for item in found] == [
        ImportedConversation,
        ImportProblem,
        ImportedConversation,
    ]
    problem = found[1]
    assert isinstance(problem, ImportProblem)
    assert problem.line == 3
    assert words in problem.message


def test_bytes_that_are_no_utf8_cost_one_line(folder: Path) -> None:
    path = written(folder, GOOD)
    path.write_bytes(path.read_bytes() + b'{"messages": "\xff"}\n' + json.dumps(OTHER).encode())
    assert len(conversations(path)) == 2
    (problem,) = problems(path)
    assert (problem.line, "not UTF-8" in problem.message) == (2, True)


def test_nul_bytes_cost_one_line(folder: Path) -> None:
    path = written(folder, GOOD)
    path.write_bytes(path.read_bytes() + b"\x00\x00\n" + json.dumps(OTHER).encode())
    assert len(conversations(path)) == 2
    (problem,) = problems(path)
    assert (problem.line, "NUL" in problem.message) == (2, True)


def write_with_long_line(path: Path, *, before: bytes, after: bytes, begins: bytes) -> None:
    with path.open("wb") as file:
        file.write(before)
        file.write(begins)
        for _ in range(50):
            file.write(b"a" * MIB)
        file.write(b"\n" + after)


def test_a_line_of_50_mb_is_refused_in_little_memory(folder: Path) -> None:
    path = folder / "long.jsonl"
    good, other = json.dumps(GOOD).encode() + b"\n", json.dumps(OTHER).encode()
    begins = b'{"messages": [{"role": "user", "content": "'
    write_with_long_line(path, before=good, after=other, begins=begins)
    tracemalloc.start()
    found = list(read(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [type(item) for item in found] == [
        ImportedConversation,
        ImportProblem,
        ImportedConversation,
    ]
    problem = found[1]
    assert isinstance(problem, ImportProblem)
    assert (problem.line, "longer than 8 MiB" in problem.message) == (2, True)
    assert peak < 40 * MIB


@pytest.mark.parametrize(
    "begins", [b"", b'{"messages": [{"role": "user", "content": "', b"{", b'[{"sample_id": "']
)
def test_a_file_of_one_50_mb_line_is_refused(folder: Path, begins: bytes) -> None:
    path = folder / "one.jsonl"
    write_with_long_line(path, before=b"", after=b"", begins=begins)
    with pytest.raises(ImportRefused, match="longer than 8 MiB"):
        list(read(path))


def test_a_large_export_needs_the_memory_of_one_conversation(folder: Path) -> None:
    path = folder / "large.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(2_000):
            talk = [said(f"{number} {place} " + "word " * 100) for place in range(20)]
            file.write(json.dumps(chat(*talk, id=number)) + "\n")
    assert path.stat().st_size > 20 * MIB
    tracemalloc.start()
    count = sum(1 for _ in read(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 2_000
    assert peak < 5 * MIB


def test_progress_reaches_the_end_of_the_file(folder: Path) -> None:
    path = written(folder, GOOD, OTHER)
    sizes = [c.bytes_read for c in conversations(path)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == path.stat().st_size


# --- what is wrong with a file --------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\n\n  \r\n", b"\xef\xbb\xbf", b"\n" * 200_000])
def test_an_empty_file_is_refused(folder: Path, content: bytes) -> None:
    path = folder / "empty.jsonl"
    path.write_bytes(content)
    with pytest.raises(EmptyFile, match=r"empty\.jsonl is empty"):
        list(read(path))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"dear diary\nI keep bees\n", "dear diary"),
        (b'{"prompt": "a", "completion": "b"}\n', "'prompt', 'completion'"),
        (b'[{"mapping": {}}]', "a JSON list of dict"),
        (b"[]", "a JSON list of nothing"),
        (b"{}", "without any key"),
        (b"7", "a JSON int"),
        (b'{\n "messages": [{"role": "user", "content": "x"}]\n}', "one JSON object"),
        (b"PK\x03\x04rest", "a zip file"),
        (b"\x1f\x8brest", "a gzip file"),
    ],
)
def test_an_unknown_shape_is_named_with_what_was_expected(
    folder: Path, content: bytes, found: str
) -> None:
    path = folder / "what.json"
    path.write_bytes(content)
    with pytest.raises(UnknownFormat, match=r"what\.json has no known format") as refusal:
        list(read(path))
    assert found in str(refusal.value)
    assert refusal.value.expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_another_unicode_encoding_is_named(folder: Path, encoding: str) -> None:
    path = folder / "chat.jsonl"
    path.write_text(json.dumps(GOOD), encoding=encoding)
    with pytest.raises(NotUtf8, match="not UTF-8"):
        sniff(path)


def test_utf16_without_a_mark_is_refused_for_its_nul_bytes(folder: Path) -> None:
    path = folder / "chat.jsonl"
    path.write_text(json.dumps(GOOD), encoding="utf-16-le")
    with pytest.raises(HoldsNul):
        sniff(path)


def test_latin1_is_refused(folder: Path) -> None:
    path = folder / "chat.txt"
    path.write_bytes("Ich wohne in Köln".encode("latin-1"))
    with pytest.raises(NotUtf8, match="line 1: Byte 15"):
        sniff(path)


def test_no_file_and_a_folder_are_named(folder: Path) -> None:
    with pytest.raises(FileUnreadable, match="there is no such file"):
        list(read(folder / "absent.jsonl"))
    with pytest.raises(FileUnreadable, match="it is a folder"):
        list(read(folder))


def test_an_unknown_format_name_is_refused_with_the_known_ones(folder: Path) -> None:
    with pytest.raises(UnknownFormat, match="openai_jsonl; locomo"):
        list(read(written(folder, GOOD), "carrier_pigeon"))


def test_a_given_format_is_not_sniffed(folder: Path) -> None:
    path = written(folder, "not JSON", GOOD)
    assert [type(item) for item in read(path, "openai_jsonl")] == [
        ImportProblem,
        ImportedConversation,
    ]


def test_a_file_of_problems_only_is_never_a_success(folder: Path) -> None:
    path = written(folder, '{"messages": []}', '{"messages": [{"role": "user", "con')
    items = read(path)
    assert isinstance(next(items), ImportProblem)
    assert isinstance(next(items), ImportProblem)
    with pytest.raises(NothingReadable, match=r"2 problems.*line 1: The conversation holds"):
        next(items)


# --- LoCoMo ---------------------------------------------------------------------------------


def turn(speaker: str, dia_id: str, text: str, **fields: object) -> dict[str, object]:
    return {"speaker": speaker, "dia_id": dia_id, "text": text, **fields}


def sample(**talk: object) -> dict[str, object]:
    return {
        "qa": [],
        "sample_id": "conv-1",
        "conversation": {"speaker_a": "Ada", "speaker_b": "Mary Ann", **talk},
    }


SESSIONS: dict[str, object] = {
    "session_10": [turn("Ada", "D10:1", "Bye")],
    "session_10_date_time": "12:05 am on 1 January, 2024",
    "session_2": [
        turn("Ada", "D2:1", "Hi"),
        turn("Mary Ann", "D2:2", "Look!", blip_caption="a photo of a hive"),
    ],
    "session_2_date_time": "12:30 pm on 8 May, 2023",
    "session_3_date_time": "1:00 pm on 9 May, 2023",
}


@pytest.mark.parametrize("as_list", [False, True])
@pytest.mark.parametrize("indent", [None, 1])
def test_locomo_sessions_are_conversations_in_order(
    folder: Path, as_list: bool, indent: int | None
) -> None:
    document = [sample(**SESSIONS)] if as_list else sample(**SESSIONS)
    path = written(folder, json.dumps(document, indent=indent), name="locomo.json")
    assert sniff(path) == "locomo"
    first, last = conversations(path)
    assert (first.external_id, last.external_id) == ("conv-1/session_2", "conv-1/session_10")
    assert first.messages == (
        ImportedMessage(
            "D2:1", "Ada", "user_message", "Hi", datetime(2023, 5, 8, 12, 30, tzinfo=UTC), 0
        ),
        ImportedMessage(
            "D2:2",
            "Mary Ann",
            "user_message",
            "Look! [shares a picture: a photo of a hive]",
            datetime(2023, 5, 8, 12, 31, tzinfo=UTC),
            0,
        ),
    )
    assert first.participants == (
        Participant("Ada", "user", "ada", "Ada"),
        Participant("Mary Ann", "user", "mary-ann", "Mary Ann"),
    )
    assert last.messages[0].sent_at == datetime(2024, 1, 1, 0, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("session_2_date_time", "yesterday", "'yesterday' is not like"),
        ("session_2_date_time", None, "is not like"),
        ("session_2_date_time", "1:00 pm on 31 February, 2023", "does not exist"),
        ("session_2", {}, "must be a list"),
        ("session_2", [], "no turn with words"),
        ("session_2", [7], "turn 1 names no speaker"),
        ("session_2", [{"text": "x"}], "turn 1 names no speaker"),
        ("session_2", [{"speaker": "Ada", "text": 7}], "text must be text"),
    ],
)
def test_a_bad_session_is_named_and_the_others_are_kept(
    folder: Path, key: str, value: object, words: str
) -> None:
    path = written(folder, sample(**{**SESSIONS, key: value}), name="locomo.json")
    (problem,) = problems(path)
    assert "conv-1/session_2" in problem.message
    assert words in problem.message
    assert [c.external_id for c in conversations(path)] == ["conv-1/session_10"]


def test_a_sample_without_sessions_beside_a_good_one_is_named(folder: Path) -> None:
    path = written(folder, [sample(**SESSIONS), {"sample_id": "x"}], name="locomo.json")
    assert "Sample 2" in problems(path)[0].message
    assert len(conversations(path)) == 2


# --- shared data ----------------------------------------------------------------------------


def test_a_whole_locomo_conversation_arrives(shared_data: Path) -> None:
    path = shared_data / "data" / "dev" / "locomo" / "conv-26.json"
    if not path.is_file():
        pytest.skip(f"no LoCoMo data at {path}")
    found = conversations(path)
    assert len(found) == 19
    assert sum(len(c.messages) for c in found) == 419
    assert len({m.external_id for c in found for m in c.messages}) == 419
    assert {p.external_id for c in found for p in c.participants} == {"caroline", "melanie"}
    assert not problems(path)


def test_the_awkward_chat_export_gives_what_its_answer_key_says(shared_data: Path) -> None:
    formats = shared_data / "data" / "formats"
    if not (formats / "expected.json").is_file():
        pytest.skip(f"no format samples at {formats}")
    name = "openai_jsonl/chat.jsonl"
    expected = json.loads((formats / "expected.json").read_text(encoding="utf-8"))[name]
    found = conversations(formats / name)
    assert len(found) == expected["lines_ok"]
    assert [p.line for p in problems(formats / name)] == [4]
    assert expected["lines_bad"] == 1
    assert all(m.sent_at is None for c in found for m in c.messages)
    assert [m.text for m in found[0].messages if m.kind == "tool_call"] == ['lookup({"id": 7})']


def test_no_other_makers_export_is_taken_for_one_of_ours(shared_data: Path) -> None:
    formats = shared_data / "data" / "formats"
    if not formats.is_dir():
        pytest.skip(f"no format samples at {formats}")
    others = [p for p in formats.rglob("*") if p.is_file() and p.parent.name != "openai_jsonl"]
    assert others
    for path in others:
        with pytest.raises(ImportRefused):
            sniff(path)
