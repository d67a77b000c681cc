"""Importers: what is refused, with which words, and that the rest is kept."""

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from extraction.importers import ImportedConversation, ImportProblem, read, sniff
from extraction.importers.errors import (
    EmptyFile,
    FileUnreadable,
    HoldsNul,
    ImportRefused,
    NothingReadable,
    NotUtf8,
    UnknownFormat,
)
from tests.unit.importing import GOOD, MIB, OTHER, chat, conversations, problems, said, written

# --- what is wrong with a line ---


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
def test_a_bad_line_is_named_and_the_others_are_kept(tmp_path: Path, line: str, words: str) -> None:
    path = written(tmp_path, GOOD, "", line, OTHER)
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


def test_bytes_that_are_no_utf8_cost_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    path.write_bytes(path.read_bytes() + b'{"messages": "\xff"}\n' + json.dumps(OTHER).encode())
    assert len(conversations(path)) == 2
    (problem,) = problems(path)
    assert (problem.line, "not UTF-8" in problem.message) == (2, True)


def test_nul_bytes_cost_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    path.write_bytes(path.read_bytes() + b"\x00\x00\n" + json.dumps(OTHER).encode())
    assert len(conversations(path)) == 2
    (problem,) = problems(path)
    assert (problem.line, "NUL" in problem.message) == (2, True)


@pytest.fixture
def large_file(tmp_path: Path) -> Iterator[Path]:
    """A path whose file is gone after the test: pytest keeps the folders of several runs."""
    path = tmp_path / "large.jsonl"
    yield path
    path.unlink()


def write_with_long_line(path: Path, *, before: bytes, after: bytes, begins: bytes) -> None:
    with path.open("wb") as file:
        file.write(before)
        file.write(begins)
        for _ in range(50):
            file.write(b"a" * MIB)
        file.write(b"\n" + after)


def test_a_line_of_50_mb_is_refused_in_little_memory(large_file: Path) -> None:
    path = large_file
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
def test_a_file_of_one_50_mb_line_is_refused(large_file: Path, begins: bytes) -> None:
    path = large_file
    write_with_long_line(path, before=b"", after=b"", begins=begins)
    with pytest.raises(ImportRefused, match="longer than 8 MiB"):
        list(read(path))


def test_a_large_export_needs_the_memory_of_one_conversation(large_file: Path) -> None:
    path = large_file
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


def test_progress_reaches_the_end_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD, OTHER)
    sizes = [c.bytes_read for c in conversations(path)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == path.stat().st_size


# --- what is wrong with a file ---


@pytest.mark.parametrize("content", [b"", b"\n\n  \r\n", b"\xef\xbb\xbf", b"\n" * 200_000])
def test_an_empty_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)
    with pytest.raises(EmptyFile, match=r"empty\.jsonl is empty"):
        list(read(path))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"dear diary\nI keep bees\n", "dear diary"),
        (b'{"prompt": "a", "completion": "b"}\n', "'prompt', 'completion'"),
        (b'[{"prompt": {}}]', "a JSON list of dict"),
        (b"[]", "a JSON list of nothing"),
        (b"{}", "without any key"),
        (b"7", "a JSON int"),
        (b'{\n "prompt": [{"content": "x"}]\n}', "one JSON object"),
        (b"\x1f\x8brest", "a gzip file"),
    ],
)
def test_an_unknown_shape_is_named_with_what_was_expected(
    tmp_path: Path, content: bytes, found: str
) -> None:
    path = tmp_path / "what.json"
    path.write_bytes(content)
    with pytest.raises(UnknownFormat, match=r"what\.json has no known format") as refusal:
        list(read(path))
    assert found in str(refusal.value)
    assert refusal.value.expected


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_an_encoding_that_names_itself_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "chat.jsonl"
    text = "Ich wohne in Köln 🐝"
    path.write_text(json.dumps(chat(said(text)), ensure_ascii=False), encoding=encoding)
    assert [m.text for c in conversations(path) for m in c.messages] == [text]


def test_utf32_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(GOOD), encoding="utf-32")
    with pytest.raises(NotUtf8, match="UTF-32, not UTF-8"):
        sniff(path)


@pytest.mark.parametrize("damage", [b"\x00\xd8", b"a"])
def test_damaged_utf16_is_refused(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(json.dumps(GOOD).encode("utf-16") + damage)
    with pytest.raises(ImportRefused, match=r"it is UTF-16-\w\w, but it is damaged"):
        list(read(path))


def test_utf16_without_a_mark_is_refused_for_its_nul_bytes(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(GOOD), encoding="utf-16-le")
    with pytest.raises(HoldsNul):
        sniff(path)


def test_latin1_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_bytes("Ich wohne in Köln".encode("latin-1"))
    with pytest.raises(NotUtf8, match="line 1: Byte 15"):
        sniff(path)


def test_no_file_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match="there is no such file"):
        list(read(tmp_path / "absent.jsonl"))
    with pytest.raises(EmptyFile, match="there is nothing to import"):
        list(read(tmp_path))


def test_an_unknown_format_name_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match=r"Expected one of: .*locomo; .*openai_jsonl"):
        list(read(written(tmp_path, GOOD), "carrier_pigeon"))


def test_a_given_format_is_not_sniffed(tmp_path: Path) -> None:
    path = written(tmp_path, "not JSON", GOOD)
    assert [type(item) for item in read(path, "openai_jsonl")] == [
        ImportProblem,
        ImportedConversation,
    ]


def test_a_file_of_problems_only_is_never_a_success(tmp_path: Path) -> None:
    path = written(tmp_path, '{"messages": []}', '{"messages": [{"role": "user", "con')
    items = read(path)
    assert isinstance(next(items), ImportProblem)
    assert isinstance(next(items), ImportProblem)
    with pytest.raises(NothingReadable, match=r"2 problems.*line 1: The conversation holds"):
        next(items)
