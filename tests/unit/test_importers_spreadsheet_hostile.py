"""Tables as clumsy and hostile people make them: nobody's words pass as another's."""

import re
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from extraction.importers.base import ImportedConversation, ImportProblem, read
from extraction.importers.errors import NothingReadable
from extraction.importers.source import ReadOptions


def table(folder: Path, text: str) -> tuple[list[ImportedConversation], list[ImportProblem]]:
    """Read a table and give its conversations and its problems."""
    path = folder / "chat.csv"
    path.write_bytes(text.encode())
    items = list(read(path, "csv", options=ReadOptions(zone=ZoneInfo("Europe/Berlin"))))
    return (
        [item for item in items if isinstance(item, ImportedConversation)],
        [item for item in items if isinstance(item, ImportProblem)],
    )


def said(folder: Path, text: str) -> list[tuple[str, str]]:
    """Give who said what in a table."""
    return [(m.speaker, m.text) for chat in table(folder, text)[0] for m in chat.messages]


@pytest.mark.parametrize("filler", ["", "I keep bees.\n" * 20_000])
def test_what_follows_a_quote_that_never_ends_is_nobodys_words(tmp_path: Path, filler: str) -> None:
    text = f'speaker,text\nAna,Hi.\nAna,"So\n{filler}Ben,I keep hens.\n'
    (chat,), (problem,) = table(tmp_path, text)
    assert [m.text for m in chat.messages] == ["Hi."]
    assert problem.line == 3
    assert "never closed" in problem.message
    assert "Nothing from here on was read" in problem.message


def test_a_long_quoted_text_is_kept_whole_and_its_lines_are_no_rows(tmp_path: Path) -> None:
    long = "Ben,I keep hens.\n" * 10_000
    (first, second) = said(tmp_path, f'speaker,text\nAna,"{long}"\nBen,Hi.\n')
    assert first == ("Ana", long.strip())
    assert second == ("Ben", "Hi.")


def test_a_heading_that_is_no_csv_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(NothingReadable, match="heading names no columns"):
        table(tmp_path, "x" * 9_000_000 + ",speaker,text\nAna,Hi.\n")


def test_lines_of_an_old_mac_are_lines(tmp_path: Path) -> None:
    assert said(tmp_path, "speaker,text\rAna,Hi.\rBen,Hello.\r") == [
        ("Ana", "Hi."),
        ("Ben", "Hello."),
    ]


def test_the_line_that_tells_excel_the_separator_is_no_heading(tmp_path: Path) -> None:
    assert said(tmp_path, "sep=;\nspeaker;text\nAna;Hi, you.\n") == [("Ana", "Hi, you.")]


@pytest.mark.parametrize("when", ["9999-12-31 23:59", "0001-01-01 00:00", "31/12/1901 10:00"])
def test_a_year_no_message_has_costs_the_time_alone(tmp_path: Path, when: str) -> None:
    (chat,), (problem,) = table(tmp_path, f"speaker,text,time\nAna,Hi.,{when}\n")
    assert (chat.messages[0].text, chat.messages[0].sent_at) == ("Hi.", None)
    assert "between 1970 and 2200" in problem.message


@pytest.mark.parametrize("heading", ["speaker,text", "speaker,role,text", "role,text"])
def test_words_of_nobody_are_not_the_users(tmp_path: Path, heading: str) -> None:
    empty = re.sub(r"[a-z]+", "", heading.removesuffix("text"))
    filled = heading.removesuffix("text").replace("speaker", "Ana").replace("role", "user")
    (chat,), (problem,) = table(tmp_path, f"{heading}\n{empty}I drink.\n{filled}Hi.\n")
    assert [m.text for m in chat.messages] == ["Hi."]
    assert (problem.line, "names nobody who speaks" in problem.message) == (2, True)


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("date,time", "2024-03-04,10:05"),
        ("time,date", "10:05,2024-03-04"),
        ("date,time", "2024-03-04,2024-03-04 10:05"),
        ("time,conversation", "2024-03-04 09:05:00 UTC,a"),
        ("time,conversation", "2024-03-04 10:05:00 +0100,a"),
    ],
)
def test_a_time_is_read_as_programs_write_it(tmp_path: Path, heading: str, cells: str) -> None:
    (chat,), problems = table(tmp_path, f"{heading},speaker,text\n{cells},Ana,Hi.\n")
    sent_at = chat.messages[0].sent_at
    assert problems == []
    assert sent_at is not None
    assert sent_at.isoformat() == "2024-03-04T09:05:00+00:00"


def test_every_part_of_a_long_conversation_offers_all_who_speak_in_it(tmp_path: Path) -> None:
    bens = "".join(f"Ben,user,number {n}\n" for n in range(2_000))
    text = f"speaker,role,text\n{bens}Ana,user,Hi.\n{bens}Ana,assistant,I am a bot.\n"
    chats, _ = table(tmp_path, text)
    assert len(chats) > 1
    assert {tuple(p.speaker for p in chat.participants) for chat in chats} == {("Ben", "Ana")}
    assert chats[-1].messages[-1].speaker == "Ana (agent_message)"
