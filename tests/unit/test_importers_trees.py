"""ChatGPT's and Claude's exports: which branch is followed, what is left out, and what is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from extraction.importers import ImportedConversation, read, sniff
from extraction.importers.errors import NothingReadable
from tests.unit.importing import conversations, ids, only, problems

# --- ChatGPT ---


def node(key: str, parent: str | None, text: object = None, **message: Any) -> dict[str, Any]:
    """Make a node of a tree; without text, one without a message."""
    if text is None and not message:
        return {"id": key, "message": None, "parent": parent, "children": []}
    content = message.pop("content", {"content_type": "text", "parts": [text]})
    author = {"role": message.pop("role", "user"), "name": message.pop("name", None)}
    body = {"id": key, "author": author, "content": content, **message}
    return {"id": key, "message": body, "parent": parent, "children": []}


def tree(*nodes: dict[str, Any], current: str | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "title": "Talk",
        "mapping": {one["id"]: one for one in nodes},
        "current_node": current or nodes[-1]["id"],
        "conversation_id": "c",
        **fields,
    }


def exported(folder: Path, *talks: object, name: str = "conversations.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(list(talks)), encoding="utf-8")
    return path


def texts(conversation: ImportedConversation) -> list[str]:
    return [message.text for message in conversation.messages]


def why(conversation: ImportedConversation) -> list[tuple[str, str]]:
    return [(one.external_id, one.why) for one in conversation.left_out]


def test_the_way_to_the_current_node_is_followed_also_where_it_is_no_leaf(tmp_path: Path) -> None:
    nodes = [node("r", None), node("a", "r", "one"), node("b", "a", "two"), node("c", "b", "three")]
    found = only(exported(tmp_path, tree(*nodes, current="b")))
    assert texts(found) == ["one", "two"]
    assert why(found) == [("c", "other_branch")]


def test_without_a_current_node_the_newest_leaf_is_followed(tmp_path: Path) -> None:
    nodes = [
        node("a", None, "one", create_time=1e9),
        node("new", "a", "new", create_time=3e9),
        node("old", "a", "old", create_time=2e9),
    ]
    assert texts(only(exported(tmp_path, tree(*nodes, current="gone")))) == ["one", "new"]


def test_a_ring_of_parents_ends(tmp_path: Path) -> None:
    nodes = [node("a", "b", "one"), node("b", "a", "two")]
    assert texts(only(exported(tmp_path, tree(*nodes)))) == ["one", "two"]


def test_a_very_long_talk_is_walked_without_recursion(tmp_path: Path) -> None:
    nodes = [node(f"n{i}", f"n{i - 1}" if i else None, f"text {i}") for i in range(5_000)]
    assert len(only(exported(tmp_path, tree(*nodes))).messages) == 5_000


def part(kind: str, **fields: str) -> dict[str, Any]:
    return {"content_type": "multimodal_text", "parts": [{"content_type": kind, **fields}]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"content_type": "text", "parts": ["a", None, "", "b"]}, "a\nb"),
        (part("audio_asset_pointer"), "[audio]"),
        (part("audio_transcription", text="Hi"), "Hi"),
        (part("hologram"), "[hologram]"),
        ({"content_type": "code", "language": "python", "text": "1 + 1"}, "1 + 1"),
        ({"content_type": "tether_browsing_display", "result": "a page"}, "a page"),
        ({"content_type": "text", "parts": ["\ud83d cut"]}, "\ufffd cut"),
    ],
)
def test_contents_become_words(tmp_path: Path, content: object, words: str) -> None:
    assert texts(only(exported(tmp_path, tree(node("a", None, content=content))))) == [words]


def test_files_are_marked_and_pictures_are_not_marked_twice(tmp_path: Path) -> None:
    files = [
        {"name": "plan.pdf", "mime_type": "application/pdf"},
        {"name": "x.png", "mime_type": "image/png"},
    ]
    found = only(
        exported(tmp_path, tree(node("a", None, "Read this", metadata={"attachments": files})))
    )
    assert texts(found) == ["Read this\n[file: plan.pdf]"]


def test_calls_results_thoughts_and_instructions_are_told_apart(tmp_path: Path) -> None:
    nodes = [
        node("s", None, "You are kind.", role="system"),
        node("u", "s", "Add"),
        node("t", "u", "I think", role="assistant", channel="analysis"),
        node("c", "t", "1+1", role="assistant", recipient="python"),
        node("o", "c", "2", role="tool", name="python"),
        node("h", "o", "secret", metadata={"is_visually_hidden_from_conversation": True}),
        node("a", "h", "Two.", role="assistant", recipient="all"),
    ]
    found = only(exported(tmp_path, tree(*nodes)))
    assert [(m.kind, m.speaker, m.text) for m in found.messages] == [
        ("system_message", "system", "You are kind."),
        ("user_message", "user", "Add"),
        ("tool_call", "assistant", "python(1+1)"),
        ("tool_result", "python", "2"),
        ("agent_message", "assistant", "Two."),
    ]
    assert why(found) == [("t", "reasoning"), ("h", "hidden")]


@pytest.mark.parametrize("time", ["soon", 1e300, -5, [], True])
def test_a_time_that_cannot_be_read_costs_the_time_and_is_said(
    tmp_path: Path, time: object
) -> None:
    path = exported(tmp_path, tree(node("a", None, "Hi", create_time=time)))
    (found,) = conversations(path)
    assert found.messages[0].sent_at is None
    assert "message a is kept without its time" in problems(path)[0].message


def test_a_message_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    nodes = [node("a", None, "one"), node("b", "a", "two", role="critic"), node("c", "b", "three")]
    path = exported(tmp_path, tree(*nodes))
    assert [texts(c) for c in conversations(path)] == [["one", "three"]]
    assert problems(path)[0].message.startswith("Conversation 1, “Talk”, message b: its author")


def test_a_longer_export_adds_its_tail_and_an_edit_its_new_branch(tmp_path: Path) -> None:
    first = [node("a", None, "one"), node("b", "a", "two")]
    short = ids(exported(tmp_path, tree(*first), name="short.json"))
    longer = ids(exported(tmp_path, tree(*first, node("c", "b", "three")), name="long.json"))
    edited = ids(exported(tmp_path, tree(*first, node("d", "a", "2!")), name="edited.json"))
    assert set(longer) - set(short) == {("c", "c")}
    assert set(edited) - set(short) == {("c", "d")}


def test_one_conversation_without_the_list_is_read(tmp_path: Path) -> None:
    path = tmp_path / "conversation.json"
    path.write_text(json.dumps(tree(node("a", None, "one")), indent=1))
    assert texts(only(path)) == ["one"]


def test_an_export_without_one_message_is_never_a_success(tmp_path: Path) -> None:
    path = exported(tmp_path, tree(node("r", None)))
    with pytest.raises(NothingReadable, match="“Talk”: it holds no message with words"):
        list(read(path))


# --- Claude ---


def told(key: str, sender: str, text: str, **fields: Any) -> dict[str, Any]:
    blocks = fields.pop("content", [{"type": "text", "text": text}])
    return {"uuid": key, "sender": sender, "text": text, "content": blocks, **fields}


def talk(*messages: object, **fields: Any) -> dict[str, Any]:
    return {"uuid": "c", "name": "Talk", "chat_messages": list(messages), **fields}


def test_a_changed_question_leaves_the_first_one_out(tmp_path: Path) -> None:
    root = "00000000-0000-4000-8000-000000000000"
    path = exported(
        tmp_path,
        talk(
            told("a", "human", "first", parent_message_uuid=root),
            told("b", "assistant", "answer", parent_message_uuid="a"),
            told("c", "human", "second", parent_message_uuid=root),
            told("d", "assistant", "other answer", parent_message_uuid="c"),
        ),
    )
    found = only(path)
    assert sniff(path) == "claude"
    assert texts(found) == ["second", "other answer"]
    assert why(found) == [("a", "other_branch"), ("b", "other_branch")]


def test_an_older_export_without_parents_keeps_its_order(tmp_path: Path) -> None:
    path = exported(tmp_path, talk(told("a", "human", "one"), told("b", "assistant", "two")))
    assert texts(only(path)) == ["one", "two"]


def test_a_parent_that_is_missing_does_not_lose_the_beginning(tmp_path: Path) -> None:
    path = exported(
        tmp_path,
        talk(
            told("a", "human", "one", parent_message_uuid="gone"),
            told("b", "robot", "two", parent_message_uuid="a"),
            told("c", "human", "three", parent_message_uuid="b"),
        ),
    )
    assert [texts(c) for c in conversations(path)] == [["one", "three"]]
    assert "message b: its sender is 'robot'" in problems(path)[0].message


def test_text_stands_in_where_there_are_no_blocks(tmp_path: Path) -> None:
    path = exported(tmp_path, talk(told("a", "human", "old export", content=None)))
    assert texts(only(path)) == ["old export"]


def test_an_attached_text_is_shown_not_said(tmp_path: Path) -> None:
    files = [{"file_name": "diet.txt", "extracted_content": "I eat no meat."}]
    found = only(exported(tmp_path, talk(told("a", "human", "Read", attachments=files))))
    assert [(m.external_id, m.kind, m.speaker, m.text) for m in found.messages] == [
        ("a", "user_message", "user", "Read\n\n[file: diet.txt]"),
        ("a/file-1", "environment_observation", "diet.txt", "I eat no meat."),
    ]


def test_a_file_named_like_the_user_does_not_speak_as_the_user(tmp_path: Path) -> None:
    files = [{"file_name": "user", "extracted_content": "I eat no meat."}]
    found = only(exported(tmp_path, talk(told("a", "human", "Read", attachments=files))))
    assert [p.speaker for p in found.participants] == ["user"]
    assert found.messages[1].speaker != "user"


def test_thoughts_are_left_out_and_calls_are_kept(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "name": "find", "id": "t", "input": {"q": "ü"}},
        {"type": "tool_result", "name": "find", "tool_use_id": "t", "content": "found"},
    ]
    found = only(
        exported(
            tmp_path, talk(told("u", "human", "Go"), told("a", "assistant", "", content=blocks))
        )
    )
    assert texts(found) == ["Go", 'find({"q": "ü"})', "found"]
    assert [m.external_id for m in found.messages] == ["u", "a/t", "a/t/result"]
    assert why(found) == [("a", "reasoning")]
