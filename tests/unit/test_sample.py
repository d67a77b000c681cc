"""The sample: sound, invented, spread over months, and holding what a first look should show."""

from datetime import timedelta

import pytest

from extraction import sample
from extraction.importers import ImportedConversation, read, sniff
from extraction.languages import guess_language


def conversations(kind: str) -> list[ImportedConversation]:
    (file,) = [file for file in sample.FILES if file.kind == kind]
    items = list(read(file.path))
    assert all(isinstance(item, ImportedConversation) for item in items)
    return [item for item in items if isinstance(item, ImportedConversation)]


def words_of_users(kind: str) -> str:
    return "\n".join(
        m.text for c in conversations(kind) for m in c.messages if m.kind == "user_message"
    )


def test_it_is_some_twelve_conversations_of_one_user_and_one_project() -> None:
    assert [file.subject for file in sample.FILES] == ["user:nuria", "project:heron"]
    assert 12 <= len(conversations("user") + conversations("project")) <= 14


@pytest.mark.parametrize("kind", ["user", "project"])
def test_every_conversation_is_whole_titled_dated_and_in_order(kind: str) -> None:
    for conversation in conversations(kind):
        times = [message.sent_at for message in conversation.messages]
        assert conversation.title
        assert 6 <= len(conversation.messages) <= 14
        assert None not in times
        assert [t for t in times if t] == sorted({t for t in times if t})
        assert conversation.messages[-1].kind in {"agent_message", "user_message"}
        # Nobody pauses for half an hour, so each conversation is one episode.
        first, last = times[0], times[-1]
        assert first is not None
        assert last is not None
        assert last - first < timedelta(minutes=30)


@pytest.mark.parametrize("kind", ["user", "project"])
def test_it_spans_months_and_comes_in_order(kind: str) -> None:
    starts = [c.messages[0].sent_at for c in conversations(kind)]
    known = [start for start in starts if start]
    assert known == sorted(known)
    assert known[-1] - known[0] > timedelta(days=120)


def test_ids_are_unique_throughout() -> None:
    ids = [m.external_id for k in ("user", "project") for c in conversations(k) for m in c.messages]
    assert len(ids) == len(set(ids))


def test_each_file_is_recognised_and_the_user_is_the_subject() -> None:
    for file in sample.FILES:
        assert sniff(file.path) == "openai_jsonl"
    speakers = {p.external_id for c in conversations("user") for p in c.participants}
    assert speakers == {"nuria"}


@pytest.mark.parametrize(
    ("kind", "earlier", "later"),
    [
        ("user", "I work at Pico Studio", "I started at Norden Maps last Monday"),
        ("user", "I live in Bilbao", "I live in Utrecht now"),
        ("user", "I'm allergic to hazelnuts. I live", "I'm allergic to walnuts, not to hazelnuts"),
        ("user", "I am a vegetarian.", "Exactly. I am a vegetarian."),
        ("project", "We use npm", "Yes, let's use that."),
        ("project", "planned for 15 September", "now planned for 6 October"),
    ],
)
def test_what_changes_or_is_said_again_comes_in_two_conversations(
    kind: str, earlier: str, later: str
) -> None:
    places = [
        [
            number
            for number, conversation in enumerate(conversations(kind))
            if any(words in message.text for message in conversation.messages)
        ]
        for words in (earlier, later)
    ]
    assert places[0]
    assert places[1]
    assert places[0][0] < places[1][-1]


@pytest.mark.parametrize(
    "words",
    [
        "My brother Iker prefers",
        "If I moved to Lisbon",
        "sk-test-EXAMPLE",
        "password of the router",
        "last Sunday",
        "Never show my key",
        "I have asthma",
        "that was wrong",
        "🏃‍♀️",
    ],
)
def test_it_holds_what_the_flags_are_for(words: str) -> None:
    assert words in words_of_users("user")


def test_one_conversation_is_in_another_language() -> None:
    languages = [
        {guess_language(m.text) for m in c.messages if m.kind == "user_message"}
        for c in conversations("user")
    ]
    assert sum("es" in spoken and "en" not in spoken for spoken in languages) == 1


def test_advice_that_was_taken_stands_right_before_the_yes() -> None:
    for kind, tool in (("user", "Obsidian"), ("project", "pnpm")):
        pairs = [
            (before.text, after.text)
            for c in conversations(kind)
            for before, after in zip(c.messages, c.messages[1:], strict=False)
        ]
        assert any(f"I recommend {tool}" in a and b == "Yes, let's use that." for a, b in pairs)
