"""One large JSON list, item by item: whatever its pieces, and whatever is wrong with one."""

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.importers import json_items
from extraction.importers.errors import AtLine
from extraction.importers.json_items import Item, read_items, read_values
from extraction.importers.limits import MIB
from extraction.importers.opening import look
from extraction.importers.source import opened

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\[]{},\n🐝')),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)
objects = st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=3), values)


def items(path: Path) -> list[Item | AtLine]:
    with opened(path) as source:
        return list(read_items(source.members[0]))


def shown(found: list[Item | AtLine]) -> list[object]:
    return [item.value if isinstance(item, Item) else item.message for item in found]


def read_raw(folder: Path, raw: bytes | str) -> list[object]:
    path = folder / "list.json"
    path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    return shown(items(path))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.lists(objects | st.text(max_size=5), max_size=5),
    piece=st.integers(1, 40),
    indent=st.none() | st.just(2),
    ascii_only=st.booleans(),
)
def test_items_are_what_the_standard_parser_reads(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: list[object],
    piece: int,
    indent: int | None,
    ascii_only: bool,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(json_items, "CHUNK_BYTES", piece)
        raw = json.dumps(content, indent=indent, ensure_ascii=ascii_only)
        assert read_raw(tmp_path, raw) == content


def test_a_broken_item_costs_only_itself(tmp_path: Path) -> None:
    found = read_raw(tmp_path, '[{"a": 1}, {"b": }, {"c": NaN}, {"d": 1, "d": 2}, {"e": 5}]')
    assert found[0] == {"a": 1}
    assert found[4] == {"e": 5}
    assert [str(problem).split(":")[0] for problem in found[1:4]] == ["Item 2", "Item 3", "Item 4"]
    assert "NaN is not a JSON number" in str(found[2])
    assert "the key 'd' comes twice" in str(found[3])


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'[{"a": 1}, {"b": "cut', "in the middle of item 2: it was cut off. The 1 items before"),
        (b'[{"a": 1},', "before its “]”: it was cut off"),
        (b'[{"a": 1}] [{"b": 2}]', "follows after the list's end"),
        (b'[{"a": 1}, {"b": "\xff"}]', "Item 2: byte 8 of it is not UTF-8"),
        (b'[{"a": 1}, {"b": "\x00"}]', "Item 2 holds a NUL byte"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_right_is_kept(
    tmp_path: Path, raw: bytes, words: str
) -> None:
    found = read_raw(tmp_path, raw)
    assert found[0] == {"a": 1}
    assert words in str(found[-1])


def test_what_is_no_list_is_said(tmp_path: Path) -> None:
    assert read_raw(tmp_path, '{"a": [1]}') == ["Expected a JSON list, which begins with “[”."]
    path = tmp_path / "list.json"
    with opened(path) as source:
        assert shown(list(read_values(source.members[0]))) == [{"a": [1]}]


def test_lone_surrogates_and_large_numbers_survive(tmp_path: Path) -> None:
    assert read_raw(tmp_path, '[{"a": "\\ud800x"}, {"n": 12345678901234567890123}]') == [
        {"a": "\ud800x"},
        {"n": 12345678901234567890123},
    ]


def test_an_overlong_item_is_passed_over_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    with path.open("wb") as file:
        file.write(b'[{"a": 1}, {"b": "')
        for _ in range(100):
            file.write(b"x" * MIB)
        file.write(b'"}, {"c": 3}]')
    tracemalloc.start()
    found = shown(items(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    path.unlink()
    assert found[0] == {"a": 1}
    assert found[1] == "Item 2 is longer than 32 MiB and was passed over."
    assert found[2] == {"c": 3}
    assert peak < 80 * MIB


def test_deep_nesting_costs_the_item(tmp_path: Path) -> None:
    found = read_raw(tmp_path, "[" + "[" * 100_000 + "]" * 100_000 + ', {"a": 1}]')
    assert found == ["Item 1 is nested too deeply and was passed over.", {"a": 1}]


def test_the_format_is_told_without_reading_a_large_list(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    first = json.dumps([{"role": "user", "content": "x" * 5 * MIB}])[:-1]
    path.write_text(first + ", {broken" * 100_000)
    with opened(path) as source:
        seen = look(source.members[0])
    assert len(seen.values) == 1
