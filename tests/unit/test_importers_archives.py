"""Folders and zips: what is found in them, and which are refused before anything is read."""

import io
import json
import struct
import zipfile
from pathlib import Path

import pytest

from extraction.importers import ImportedConversation, ImportProblem, limits, read, sniff, zips
from extraction.importers.errors import (
    AmbiguousFormat,
    DamagedArchive,
    EmptyFile,
    ImportRefused,
    NothingReadable,
    UnknownFormat,
    UnsafeArchive,
)
from extraction.importers.source import opened
from tests.unit.importing import GOOD, OTHER, conversations, problems, written

LINE = json.dumps(GOOD)


def packed(folder: Path, members: dict[str, str | bytes], *, name: str = "export.zip") -> Path:
    """Write a zip of these members."""
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return path


def test_a_zip_and_its_folder_give_the_same(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {"a/one.jsonl": LINE, "two.jsonl": json.dumps(OTHER)}
    folder = tmp_path / "folder"
    (folder / "a").mkdir(parents=True)
    for name, content in members.items():
        (folder / name).write_text(str(content))
    found = conversations(packed(tmp_path, members))
    assert [c.messages for c in found] == [c.messages for c in conversations(folder)]
    assert len(found) == 2


def test_parts_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    parts: dict[str, str | bytes] = {
        f"part-{n}.jsonl": json.dumps({"id": f"c{n}", **GOOD}) for n in (10, 2, 1)
    }
    assert [c.external_id for c in conversations(packed(tmp_path, parts))] == ["c1", "c2", "c10"]


def test_progress_counts_the_files_before(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a.jsonl": LINE, "b.jsonl": LINE})
    with opened(path) as source:
        assert [c.bytes_read for c in conversations(path)] == [len(LINE), 2 * len(LINE)]
        assert source.size == 2 * len(LINE)


def test_a_problem_names_its_file(tmp_path: Path) -> None:
    path = packed(tmp_path, {"x/a.jsonl": LINE, "x/b.jsonl": "{broken"})
    assert [(p.member, p.line) for p in problems(path)] == [("x/b.jsonl", 1)]
    with pytest.raises(ImportRefused, match=r"x/b\.jsonl, line 1"):
        list(read(packed(tmp_path, {"x/b.jsonl": "{broken"}), "openai_jsonl"))


@pytest.mark.parametrize(
    "clutter", ["__MACOSX/._a.jsonl", ".hidden/a.jsonl", ".a.jsonl", "Thumbs.db", "more.zip"]
)
def test_what_the_system_adds_and_zips_within_are_passed_over(tmp_path: Path, clutter: str) -> None:
    path = packed(tmp_path, {clutter: b"\x00\x01", "a.jsonl": LINE})
    with opened(path) as source:
        assert [member.name for member in source.members] == ["a.jsonl"]
    assert len(conversations(path)) == 1


def test_links_are_never_followed(tmp_path: Path) -> None:
    secret = written(tmp_path, OTHER, name="secret.jsonl")
    folder = tmp_path / "folder"
    folder.mkdir()
    written(folder, GOOD)
    (folder / "link.jsonl").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    assert len(conversations(folder)) == 1
    info = zipfile.ZipInfo("link.jsonl")
    info.external_attr = 0o120777 << 16
    path = packed(tmp_path, {"a.jsonl": LINE})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(info, str(secret))
    assert len(conversations(path)) == 1


# --- what is refused ---


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../evil.jsonl", "points outside"),
        ("a/../../evil.jsonl", "points outside"),
        ("..\\evil.jsonl", "points outside"),
        ("/etc/evil.jsonl", "absolute path"),
        ("\\\\server\\evil.jsonl", "absolute path"),
        ("C:\\evil.jsonl", "absolute path"),
        ("x" * 2_000 + ".jsonl", "more than 1,000 characters"),
    ],
)
def test_a_zip_with_a_name_no_export_has_is_refused(tmp_path: Path, name: str, words: str) -> None:
    path = packed(tmp_path, {"a.jsonl": LINE, name: LINE})
    with pytest.raises(UnsafeArchive, match=words):
        sniff(path)


def test_a_nul_in_a_name_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a.jsonl": LINE, "evilXname.jsonl": LINE})
    path.write_bytes(path.read_bytes().replace(b"evilXname", b"evil\x00name"))
    with pytest.raises(UnsafeArchive, match="NUL byte in its name"):
        sniff(path)


def test_a_name_that_comes_twice_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a.jsonl": LINE})
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("a.jsonl", LINE)
    with pytest.raises(UnsafeArchive, match="twice"):
        sniff(path)


def test_a_locked_zip_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a.jsonl": LINE})
    raw = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + offset] |= 1
    path.write_bytes(bytes(raw))
    with pytest.raises(UnsafeArchive, match=r"password; unpack the zip and hand in the folder"):
        sniff(path)


def test_a_zip_bomb_is_refused_unread(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a.jsonl": b"\n" * (11 * limits.MIB)})
    with pytest.raises(UnsafeArchive, match="more than 200 times its size"):
        sniff(path)


@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [
        ("MEMBER_COUNT_LIMIT", 1, "more than 1 files"),
        ("MEMBER_LIMIT", 10, "would unpack to more than"),
        ("TOTAL_LIMIT", 20, "would unpack to more than"),
        ("DIRECTORY_LIMIT", 10, "list of files is longer"),
    ],
)
def test_a_zip_above_a_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, words: str
) -> None:
    path = packed(tmp_path, {"a.jsonl": LINE, "b.jsonl": LINE})
    monkeypatch.setattr(zips, limit, value)
    with pytest.raises(UnsafeArchive, match=words):
        sniff(path)


def test_a_size_that_is_a_lie_does_not_unpack_more(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a.jsonl": (LINE + "\n") * 1_000})
    raw = bytearray(path.read_bytes())
    struct.pack_into("<I", raw, raw.index(b"PK\x01\x02") + 24, 10)
    path.write_bytes(bytes(raw))
    with pytest.raises(ImportRefused):
        list(read(path))


def test_a_cut_or_damaged_zip_is_named(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a.jsonl": (LINE + "\n") * 100})
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with pytest.raises(DamagedArchive, match="was the download cut off"):
        sniff(path)
    path.write_bytes(whole.replace(whole[45:60], b"\xff" * 15))
    with pytest.raises(ImportRefused, match="damaged"):
        list(read(path))


def test_a_damaged_file_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.jsonl", LINE)
        archive.writestr("b.jsonl", json.dumps(OTHER))
    path.write_bytes(path.read_bytes().replace(b"sold", b"told"))
    kinds = [type(item) for item in read(path)]
    assert kinds == [ImportedConversation, ImportProblem]


def test_an_empty_zip_and_one_of_something_else_say_so(tmp_path: Path) -> None:
    with pytest.raises(EmptyFile):
        sniff(packed(tmp_path, {}))
    with pytest.raises(UnknownFormat, match=r"a zip with word/document\.xml"):
        sniff(packed(tmp_path, {"word/document.xml": "<xml/>"}))


def test_a_folder_of_two_makers_files_is_a_question(tmp_path: Path) -> None:
    tree = [{"mapping": {"a": {"message": None}}, "current_node": "a"}]
    session = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "Hi"}}
    path = packed(
        tmp_path, {"conversations.json": json.dumps(tree), "s.jsonl": json.dumps(session)}
    )
    with pytest.raises(AmbiguousFormat, match="chatgpt, claude_code"):
        sniff(path)
    assert len(list(read(path, "claude_code"))) == 1
    with pytest.raises(NothingReadable):
        list(read(path, "chatgpt"))


def test_nothing_is_written_beside_the_zip(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a.jsonl": LINE})
    list(read(path))
    assert [p.name for p in tmp_path.iterdir()] == ["export.zip"]


def test_a_zip_within_a_zip_is_not_opened(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.jsonl", LINE)
    with pytest.raises(EmptyFile):
        sniff(packed(tmp_path, {"inner.zip": inner.getvalue()}))
    path = packed(tmp_path, {"disguised.jsonl": inner.getvalue()})
    with pytest.raises(UnknownFormat, match="a zip file within the file"):
        sniff(path)
