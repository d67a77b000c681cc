"""OpenAI chat JSONL: what its messages become, under which ids and times."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from extraction.importers import Participant
from tests.unit.importing import (
    GOOD,
    OTHER,
    chat,
    conversations,
    ids,
    only,
    problems,
    said,
    written,
)

# --- OpenAI chat JSONL: what messages become ---


def test_roles_become_kinds_and_speakers(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}
    path = written(
        tmp_path,
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


def test_content_parts_keep_words_and_mark_the_rest(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
        {"type": "hologram"},
        None,
        "and this",
    ]
    assert only(written(tmp_path, chat(said(parts)))).messages[0].text == (
        "Look:\n[image]\n[audio]\n[hologram]\nand this"
    )


def test_messages_without_words_are_counted_and_left_out(tmp_path: Path) -> None:
    conversation = only(written(tmp_path, chat(said(""), said(None), said(" \n"), said("Hello"))))
    assert [m.text for m in conversation.messages] == ["Hello"]
    assert conversation.without_words == 3


def test_an_explicit_kind_counts_within_what_the_role_may_say(tmp_path: Path) -> None:
    messages = only(
        written(
            tmp_path,
            chat(
                said("No, shorter.", kind="user_feedback"),
                said("built", "tool", kind="task_result"),
                said("door opened", "tool", kind="environment_observation"),
            ),
        )
    ).messages
    assert [m.kind for m in messages] == ["user_feedback", "task_result", "environment_observation"]


def test_an_assistant_cannot_pass_its_words_as_the_users(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD, chat(said("I love Rust", "assistant", kind="user_message")))
    (problem,) = problems(path)
    assert problem.line == 2
    assert "may not come from the role 'assistant'" in problem.message


def test_an_assistant_that_bears_the_users_name_stays_apart(tmp_path: Path) -> None:
    path = written(
        tmp_path, chat(said("Hi", name="ana"), said("Ana eats meat", "assistant", name="ana"))
    )
    user, agent = only(path).messages
    assert user.speaker == "ana"
    assert agent.speaker != "ana"
    assert [p.speaker for p in only(path).participants] == ["ana"]


def test_participants_are_who_spoke_as_a_user(tmp_path: Path) -> None:
    nameless = only(written(tmp_path, GOOD))
    assert nameless.participants == (Participant("user", "user", external_id="", name=""),)
    named = only(written(tmp_path, chat(said("Hi"), said("Ho", name="Mary Ann"), user="u-17")))
    assert named.participants == (
        Participant("u-17", "user", external_id="u-17", name="u-17"),
        Participant("Mary Ann", "user", external_id="mary-ann", name="Mary Ann"),
    )


def test_words_of_any_script_arrive_unchanged(tmp_path: Path) -> None:
    text = "J’ai 3 chats 🐈‍⬛ — מילים — 我住在北京 e\u0301\u202e"
    assert only(written(tmp_path, chat(said(text)))).messages[0].text == text


def test_what_no_database_holds_is_replaced_visibly(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '{"id": "a\\u0000b", "messages": [{"role": "user", "content": "x\\u0000y\\ud800"}]}',
    )
    conversation = only(path)
    assert conversation.messages[0].text == "x\ufffdy\ufffd"
    assert conversation.external_id == "a\ufffdb"


# --- ids, times, titles ---


def test_ids_times_and_titles_of_the_file_are_kept(tmp_path: Path) -> None:
    conversation = only(
        written(
            tmp_path,
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


def test_a_conversations_time_serves_messages_without_one(tmp_path: Path) -> None:
    path = written(tmp_path, chat(said("Hi"), created_at="2025-03-02T09:30:00Z"))
    assert only(path).messages[0].sent_at == datetime(2025, 3, 2, 9, 30, tzinfo=UTC)
    assert only(written(tmp_path, GOOD)).messages[0].sent_at is None


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
    tmp_path: Path, value: object, words: str
) -> None:
    path = written(tmp_path, GOOD, chat(said("Hi"), said("Ho", created_at=value)))
    (problem,) = problems(path)
    assert problem.line == 2
    assert 'Message 2: "created_at":' in problem.message
    assert words in problem.message
    assert len(conversations(path)) == 1


def test_reading_twice_gives_the_same_ids(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD, OTHER, chat(said("yes"), said("yes"), said("ok", "assistant")))
    assert ids(path) == ids(path)
    assert len(set(ids(path))) == 5


def test_a_longer_export_adds_only_what_is_new(tmp_path: Path) -> None:
    talk = [said("Hi"), said("Hello!", "assistant"), said("yes"), said("yes"), said("Bye")]
    first = set(ids(written(tmp_path, chat(*talk[:3]), OTHER, name="march.jsonl")))
    second = set(ids(written(tmp_path, chat(*talk), OTHER, GOOD, name="april.jsonl")))
    assert first < second
    assert len(second - first) == 3


def test_conversations_that_open_alike_stay_apart(tmp_path: Path) -> None:
    opening = said("Hi")
    path = written(tmp_path, chat(opening, said("One.")), chat(opening, said("Two.")))
    one, two = conversations(path)
    assert one.external_id != two.external_id


def test_an_id_that_comes_again_is_the_same_message_or_an_edit_of_it(tmp_path: Path) -> None:
    messages = only(
        written(
            tmp_path,
            chat(
                said("I am 34", id="m"), said("I am 34", id="m"), said("I am 35", id="m"), said("x")
            ),
        )
    ).messages
    assert [m.text for m in messages] == ["I am 34", "I am 35", "x"]
    assert messages[0].external_id == "m"
    assert messages[1].external_id.startswith("m~")


def test_calls_with_one_id_in_one_message_are_both_kept(tmp_path: Path) -> None:
    call = {"id": "c", "function": {"name": "ping", "arguments": "{}"}}
    messages = only(
        written(tmp_path, chat(said("Go"), said(None, "assistant", tool_calls=[call, call])))
    ).messages
    assert [m.text for m in messages] == ["Go", "ping({})", "ping({})"]
    assert len({m.external_id for m in messages}) == 3


def test_an_overlong_id_is_replaced_by_its_digest(tmp_path: Path) -> None:
    path = written(tmp_path, chat(said("Hi", id="x" * 5_000), id="y" * 5_000))
    conversation = only(path)
    assert len(conversation.external_id) < 100
    assert len(conversation.messages[0].external_id) < 100
    assert ids(path) == ids(path)


# --- one message per line ---


def test_single_messages_are_gathered_by_conversation(tmp_path: Path) -> None:
    path = written(
        tmp_path,
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


def test_single_messages_without_a_conversation_are_one(tmp_path: Path) -> None:
    short = written(tmp_path, said("Hi"), said("Ho", "assistant"), name="short.jsonl")
    long = written(tmp_path, said("Hi"), said("Ho", "assistant"), said("Hi"), name="long.jsonl")
    assert len(only(long).messages) == 3
    assert set(ids(short)) < set(ids(long))


def test_a_long_conversation_of_single_messages_comes_in_parts(tmp_path: Path) -> None:
    path = written(tmp_path, *(said("again", conversation_id="a") for _ in range(1_201)))
    found = conversations(path)
    assert [len(c.messages) for c in found] == [500, 500, 201]
    assert {c.external_id for c in found} == {"a"}
    assert len(set(ids(path))) == 1_201


def test_a_bad_single_message_does_not_take_its_conversation_along(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        said("one", conversation_id="a"),
        said("two", conversation_id="a", created_at="2025-01-01T10:00:00"),
        said("three", conversation_id="a"),
    )
    assert [m.text for c in conversations(path) for m in c.messages] == ["one", "three"]
    assert [p.line for p in problems(path)] == [2]
