"""What the tests of importers on any input share: what comes, and what must come of it."""

from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from extraction.importers import ImportedConversation, ImportProblem, ReadOptions, read
from extraction.importers.base import MESSAGE_KINDS
from extraction.importers.errors import ImportRefused
from extraction.importers.source import NOTHING_SAID

fuzz = settings(
    max_examples=120,
    deadline=5_000,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
brief = settings(fuzz, max_examples=40)  # for what runs once per format
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
anything = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)


def check(
    path: Path, *, format_name: str | None = None, options: ReadOptions = NOTHING_SAID
) -> list[ImportedConversation]:
    """Read the file: it gives sound conversations and problems, or a refusal with words."""
    conversations, problems, refusal = read_whole(path, format_name, options=options)
    assert all(problem.message.strip() for problem in problems)
    assert conversations or refusal.strip(), "nothing came, and nothing was said about it"
    for conversation in conversations:
        check_conversation(conversation)
    return conversations


def read_whole(
    path: Path, format_name: str | None, *, options: ReadOptions = NOTHING_SAID
) -> tuple[list[ImportedConversation], list[ImportProblem], str]:
    """Read the file to its end, or to a refusal."""
    conversations: list[ImportedConversation] = []
    problems: list[ImportProblem] = []
    try:
        for item in read(path, format_name, options=options):
            if isinstance(item, ImportedConversation):
                conversations.append(item)
            else:
                problems.append(item)
    except ImportRefused as refused:
        return conversations, problems, str(refused)
    return conversations, problems, ""


def check_conversation(conversation: ImportedConversation) -> None:
    """Hold one conversation against what every importer promises."""
    assert conversation.external_id
    words = {message.external_id: message.text for message in conversation.messages}
    assert words
    assert len(words) == len(conversation.messages)
    assert all(fact.text in words[fact.message_id] for fact in conversation.statements)
    for message in conversation.messages:
        assert message.external_id
        assert message.speaker
        assert message.kind in MESSAGE_KINDS
        assert message.text.strip()
        assert "\x00" not in message.text
        message.text.encode("utf-8")
        assert message.sent_at is None or message.sent_at.utcoffset() is not None


def places(value: object, way: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """List the ways to every value within a value."""
    inner: list[tuple[object, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [way, *(found for key, one in inner for found in places(one, (*way, key)))]


def with_replaced(value: object, way: tuple[object, ...], new: object) -> object:
    """Give a copy of a value with another at the end of a way."""
    if not way:
        return new
    if isinstance(value, dict):
        return {k: with_replaced(v, way[1:], new) if k == way[0] else v for k, v in value.items()}
    assert isinstance(value, list)
    return [with_replaced(v, way[1:], new) if k == way[0] else v for k, v in enumerate(value)]


def damaged(raw: bytes, data: st.DataObject) -> bytes:
    """Cut something out somewhere, and put something else there."""
    place = data.draw(st.integers(0, len(raw)))
    removed = data.draw(st.integers(0, 30))
    return raw[:place] + data.draw(st.binary(max_size=8)) + raw[place + removed :]
