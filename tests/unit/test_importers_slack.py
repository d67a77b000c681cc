"""Slack exports: who says what in which channel, and what is nobody's message."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from extraction.importers import (
    ImportedConversation,
    ImportedMessage,
    ImportProblem,
    LeftOut,
    read,
    sniff,
)
from extraction.importers.errors import NothingReadable, UnsafeArchive

USERS = [
    {"id": "U1", "name": "wren", "real_name": "Wren B", "profile": {"display_name": ""}},
    {"id": "U2", "name": "osk", "profile": {"display_name": "osk"}},
    {"id": "UB", "name": "deploys", "is_bot": True, "profile": {"real_name": "Deploys"}},
]
CHANNELS = [{"id": "C1", "name": "plans", "members": ["U1", "U2"]}]


def ts(number: int) -> str:
    return f"{1735660800 + number}.{number:06d}"


def said(text: object, number: int = 1, **fields: object) -> dict[str, object]:
    return {"type": "message", "user": "U1", "text": text, "ts": ts(number), **fields}


def export(folder: Path, days: dict[str, object], **lists: object) -> Path:
    """Write an export: its lists, and the days by their path."""
    root = folder / "export"
    files = {"users.json": USERS, "channels.json": CHANNELS}
    files |= {f"{name}.json": value for name, value in lists.items()}
    for name, value in (files | days).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8")
    return root


def conversations(path: Path) -> list[ImportedConversation]:
    return [item for item in read(path) if isinstance(item, ImportedConversation)]


def problems(path: Path) -> list[ImportProblem]:
    return [item for item in read(path) if isinstance(item, ImportProblem)]


def messages(path: Path) -> list[ImportedMessage]:
    return [message for c in conversations(path) for message in c.messages]


def one_day(folder: Path, *items: object) -> Path:
    return export(folder, {"plans/2024-12-31.json": list(items)})


# --- what is said ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a &lt;b&gt; &amp; &amp;lt;", "a <b> & &lt;"),
        ("hi <@U2> and <@U9|nine> and <@U77>", "hi @osk and @nine and @U77"),
        ("in <#C1> and <#C2|other>", "in #plans and #other"),
        (
            "<https://x.invalid|doc> <https://y.invalid>",
            "doc (https://x.invalid) https://y.invalid",
        ),
        ("<mailto:a@b.invalid|a@b.invalid>", "a@b.invalid"),
        ("<!here> <!subteam^S1|@team> <!channel>", "@here @team @channel"),
        ("<!date^1700000000^{date}|14 November>", "14 November"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
    ],
)
def test_markup_becomes_words(tmp_path: Path, text: str, expected: str) -> None:
    assert [m.text for m in messages(one_day(tmp_path, said(text)))] == [expected]


def test_a_time_is_exact_and_is_the_id(tmp_path: Path) -> None:
    (message,) = messages(one_day(tmp_path, said("x", ts="1735660800.123456")))
    assert message.external_id == "1735660800.123456"
    assert message.sent_at == datetime(2024, 12, 31, 16, 0, 0, 123456, tzinfo=UTC)


def test_a_message_without_text_says_what_its_blocks_say(tmp_path: Path) -> None:
    elements = [
        {"type": "text", "text": "ask "},
        {"type": "user", "user_id": "U2"},
        {"type": "link", "url": "https://x.invalid", "text": "here"},
        {"type": "emoji", "name": "tada"},
    ]
    section = {"type": "rich_text_section", "elements": elements}
    block = {"type": "rich_text", "elements": [section]}
    path = one_day(tmp_path, said("", blocks=[block]))
    assert messages(path)[0].text == "ask @oskhere (https://x.invalid):tada:"


def test_files_are_named_and_previews_of_links_are_not_the_speakers_words(tmp_path: Path) -> None:
    shared = said("see", files=[{"name": "plan.pdf"}, {"mode": "tombstone"}, 7])
    path = one_day(tmp_path, said("x", 2, attachments=[{"fallback": "a preview"}]), shared)
    assert [m.text for m in messages(path)] == ["x", "see\n[file: plan.pdf]\n[file: deleted]"]


def test_replies_in_threads_stand_in_the_order_of_their_days(tmp_path: Path) -> None:
    days = {
        "plans/2024-12-31.json": [said("root", 1, thread_ts=ts(1))],
        "plans/2025-01-02.json": [said("reply", 9, thread_ts=ts(1), subtype="thread_broadcast")],
    }
    assert [m.text for m in messages(export(tmp_path, dict(days)))] == ["root", "reply"]


def test_an_edited_message_is_known_as_one(tmp_path: Path) -> None:
    path = one_day(tmp_path, said("x", 1, edited={"ts": ts(3)}), said("y", 2))
    assert [m.edited for m in messages(path)] == [True, False]


def test_an_edit_keeps_the_message_s_id_so_that_both_wordings_stand(tmp_path: Path) -> None:
    first = messages(one_day(tmp_path / "a", said("at 3")))
    second = messages(one_day(tmp_path / "b", said("at 4", edited={"ts": ts(3)})))
    assert [m.external_id for m in first] == [m.external_id for m in second]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"subtype": "channel_join"}, "event"),
        ({"subtype": "group_topic"}, "event"),
        ({"subtype": "pinned_item"}, "event"),
        ({"subtype": "tombstone"}, "removed"),
        ({"subtype": "message_deleted", "hidden": True}, "removed"),
        ({"subtype": "message_changed", "hidden": True}, "other_branch"),
        ({"hidden": True}, "hidden"),
        ({"text": ""}, "without_words"),
    ],
)
def test_what_nobody_says_is_left_out_and_named(
    tmp_path: Path, fields: dict[str, object], why: str
) -> None:
    (conversation,) = conversations(one_day(tmp_path, said("x", 1), said("y", 2) | fields))
    assert [m.text for m in conversation.messages] == ["x"]
    assert conversation.left_out == (LeftOut(ts(2), why),)  # type: ignore[arg-type]  # a word of the table


# --- who says it ---


def test_people_are_named_as_slack_shows_them(tmp_path: Path) -> None:
    stranger = {"user": "U8", "user_profile": {"real_name": "Guest"}}
    path = one_day(
        tmp_path,
        said("a", 1),
        said("b", 2, user="U2"),
        said("c", 3, user="U9"),
        said("d", 4) | stranger,
    )
    (conversation,) = conversations(path)
    assert [(p.speaker, p.external_id) for p in conversation.participants] == [
        ("Wren B", "U1"),
        ("osk", "U2"),
        ("U9", "U9"),
        ("Guest", "U8"),
    ]


def test_two_people_of_one_name_stay_two(tmp_path: Path) -> None:
    users = [{"id": one, "name": "ana"} for one in ("U1", "U2")]
    path = export(
        tmp_path, {"plans/2024-12-31.json": [said("a"), said("b", 2, user="U2")]}, users=users
    )
    assert [m.speaker for m in messages(path)] == ["ana (U1)", "ana (U2)"]


@pytest.mark.parametrize(
    ("fields", "speaker"),
    [
        ({"user": None, "bot_id": "B1", "username": "poll", "subtype": "bot_message"}, "poll"),
        ({"user": "UB"}, "Deploys"),
        ({"user": "U1", "bot_id": "B1", "bot_profile": {"name": "Forms"}}, "Forms"),
        ({"user": "USLACKBOT"}, "USLACKBOT"),
        ({"user": None}, "app"),
        ({"user": None, "bot_id": "B1", "username": "osk"}, "osk (app)"),
    ],
)
def test_what_apps_say_is_no_person_s(
    tmp_path: Path, fields: dict[str, object], speaker: str
) -> None:
    path = one_day(tmp_path, said("x", 1) | fields, said("y", 2))
    (conversation,) = conversations(path)
    first = conversation.messages[0]
    assert (first.speaker, first.kind) == (speaker, "agent_message")
    assert [p.external_id for p in conversation.participants] == ["U1"]


def test_everybody_who_speaks_is_offered_with_every_part(tmp_path: Path) -> None:
    many = [said(f"m{n}", n) for n in range(1, 1_101)]
    days = {"plans/2024-12-31.json": many, "plans/2025-01-01.json": [said("z", 2_000, user="U2")]}
    found = conversations(export(tmp_path, dict(days)))
    assert [len(c.messages) for c in found] == [500, 500, 101]
    assert {p.external_id for p in found[0].participants} == {"U1", "U2"}
    assert {c.external_id for c in found} == {"C1"}


# --- channels ---


def test_each_channel_is_a_conversation_under_its_own_id(tmp_path: Path) -> None:
    days = {
        "plans/2024-12-31.json": [said("a")],
        "secret/2024-12-31.json": [said("b")],
        "D5/2024-12-31.json": [said("c")],
        "unlisted/2024-12-31.json": [said("d")],
    }
    path = export(
        tmp_path,
        dict(days),
        groups=[{"id": "G1", "name": "secret"}],
        dms=[{"id": "D5", "members": ["U1", "U2"]}],
    )
    found = {c.external_id: c.title for c in conversations(path)}
    assert {key: found[key] for key in ("C1", "G1", "D5")} == {
        "C1": "#plans",
        "G1": "#secret",
        "D5": "Wren B, osk",
    }
    assert "#unlisted" in found.values()


def test_a_zip_gives_what_the_folder_gives(tmp_path: Path) -> None:
    root = one_day(tmp_path, said("a"), said("b", 2, user="U2"))
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in root.rglob("*.json"):
            archive.write(file, f"Our Team/{file.relative_to(root)}")
    assert sniff(root) == sniff(packed) == "slack"
    assert messages(packed) == messages(root)


def test_a_zip_that_points_outside_is_refused_whole(tmp_path: Path) -> None:
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("plans/2024-12-31.json", json.dumps([said("a")]))
        archive.writestr("../evil.txt", "x")
    with pytest.raises(UnsafeArchive, match="points outside"):
        list(read(packed))


def test_one_day_alone_is_read_as_well(tmp_path: Path) -> None:
    path = one_day(tmp_path, said("a")) / "plans" / "2024-12-31.json"
    assert sniff(path) == "slack"
    assert [m.text for m in messages(path)] == ["a"]


# --- what is wrong with it ---


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (7, "must be a JSON object"),
        ({"type": "message", "text": "x", "ts": 1735660800.5}, '"ts" must be text'),
        ({"type": "message", "text": "x"}, '"ts" must be text'),
    ],
)
def test_a_bad_message_is_named_and_the_others_kept(
    tmp_path: Path, item: object, words: str
) -> None:
    path = one_day(tmp_path, said("a"), item, said("b", 2))
    assert [m.text for m in messages(path)] == ["a", "b"]
    (problem,) = problems(path)
    assert (problem.member, words in problem.message) == ("plans/2024-12-31.json", True)


def test_a_broken_day_or_list_costs_itself_alone(tmp_path: Path) -> None:
    days = {"plans/2024-12-31.json": [said("a")], "plans/2025-01-01.json": '[{"type": "mess'}
    path = export(tmp_path, dict(days), dms="{")
    assert [m.text for m in messages(path)] == ["a"]
    assert [p.member for p in problems(path)] == ["", "plans/2025-01-01.json"]


def test_an_export_in_which_nobody_speaks_is_no_success(tmp_path: Path) -> None:
    with pytest.raises(NothingReadable, match="Nobody says anything in plans"):
        list(read(one_day(tmp_path, said("x", subtype="channel_join"))))


# --- the invented sample ---


def test_the_sample_gives_what_its_key_says(shared_data: Path) -> None:
    folder = shared_data / "data" / "formats"
    key = json.loads((folder / "expected.json").read_text())["slack/plans/2024-12-31.json"]
    assert sniff(folder / "slack") == "slack"
    (conversation,) = conversations(folder / "slack")
    assert [m.external_id for m in conversation.messages] == key["messages"]
    assert {one.why for one in conversation.left_out} == {"event", "removed", "other_branch"}
    assert conversation.messages[0].text == (
        "Launch is on <12 Jan> & budget 4000 doc (https://example.invalid) cc @osk in #plans :tada:"
    )
