"""Tables of messages, as spreadsheets and databases write them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.importers import ImportedConversation, ImportProblem, read, sniff
from extraction.importers.errors import (
    DayOrderNeeded,
    ImportRefused,
    NothingReadable,
    UnknownFormat,
    ZoneNeeded,
)
from extraction.importers.source import NOTHING_SAID, ReadOptions

LISBON = ReadOptions(zone=ZoneInfo("Europe/Lisbon"))
PLAIN = "conversation,speaker,time,text\n"


def table(folder: Path, text: str, *, name: str = "chat.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def read_all(
    path: Path, options: ReadOptions = NOTHING_SAID
) -> tuple[list[ImportedConversation], list[ImportProblem]]:
    items = list(read(path, options=options))
    return (
        [item for item in items if isinstance(item, ImportedConversation)],
        [item for item in items if isinstance(item, ImportProblem)],
    )


@pytest.mark.parametrize(
    "text",
    [
        "speaker,text\nAna,I keep bees.\n",
        "Author;Message\nAna;I keep bees.\n",
        "name\tcontent\nAna\tI keep bees.\n",
        "Sender|Body\nAna|I keep bees.\n",
        "\ufeffSpeaker,Text\r\nAna,I keep bees.\r\n",
    ],
)
def test_a_table_is_known_by_its_heading_whatever_keeps_its_cells_apart(
    tmp_path: Path, text: str
) -> None:
    path = table(tmp_path, text, name="anything.txt")
    assert sniff(path) == "csv"
    (chat,), problems = read_all(path)
    (message,) = chat.messages
    assert (message.speaker, message.text, message.kind) == ("Ana", "I keep bees.", "user_message")
    assert problems == []


def test_cells_hold_delimiters_quotes_and_lines(tmp_path: Path) -> None:
    text = 'speaker,text\nAna,"I keep ""bees"", and\n\ngoats."\nBen,Good.\n'
    (chat,), _ = read_all(table(tmp_path, text))
    assert [m.text for m in chat.messages] == ['I keep "bees", and\n\ngoats.', "Good."]
    assert [m.line for m in chat.messages] == [2, 5]


def test_rows_of_several_conversations_find_their_own(tmp_path: Path) -> None:
    text = PLAIN + "a,Ana,,One.\nb,Ben,,Two.\na,Ana,,Three.\n"
    chats, _ = read_all(table(tmp_path, text))
    said = {chat.external_id: [m.text for m in chat.messages] for chat in chats}
    assert said == {"a": ["One.", "Three."], "b": ["Two."]}


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("user", "user_message"),
        ("Customer", "user_message"),
        ("assistant", "agent_message"),
        ("system", "system_message"),
        ("tool", "tool_result"),
        ("user_feedback", "user_feedback"),
    ],
)
def test_a_role_says_as_what_somebody_spoke(tmp_path: Path, role: str, kind: str) -> None:
    (chat,), _ = read_all(table(tmp_path, f"role,text\n{role},I keep bees.\n"))
    assert chat.messages[0].kind == kind


def test_a_role_nobody_knows_never_passes_as_the_users_words(tmp_path: Path) -> None:
    text = "role,text\noracle,You will keep bees.\nuser,I keep bees.\n"
    (chat,), (problem,) = read_all(table(tmp_path, text))
    assert [m.text for m in chat.messages] == ["I keep bees."]
    assert problem.line == 2
    assert "'oracle' is unknown; known are user" in problem.message


def test_a_speaker_called_assistant_is_one(tmp_path: Path) -> None:
    text = "speaker,text\nAna,I keep bees.\nassistant,You live in Paris.\n"
    (chat,), _ = read_all(table(tmp_path, text))
    assert [m.kind for m in chat.messages] == ["user_message", "agent_message"]
    assert [p.external_id for p in chat.participants] == ["ana"]


@pytest.mark.parametrize(
    ("cell", "utc"),
    [
        ("2025-03-02T09:30:00Z", datetime(2025, 3, 2, 9, 30, tzinfo=UTC)),
        ("2025-03-02 09:30:00+02:00", datetime(2025, 3, 2, 7, 30, tzinfo=UTC)),
        ("1740907800", datetime(2025, 3, 2, 9, 30, tzinfo=UTC)),
        ("1740907800000", datetime(2025, 3, 2, 9, 30, tzinfo=UTC)),
        ("2025-07-02 09:30", datetime(2025, 7, 2, 8, 30, tzinfo=UTC)),
        ("25/07/2025 9:30 PM", datetime(2025, 7, 25, 20, 30, tzinfo=UTC)),
        ("07/25/25, 12:05 am", datetime(2025, 7, 24, 23, 5, tzinfo=UTC)),
        ("25.7.2025", datetime(2025, 7, 24, 23, 0, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_they_are_written(tmp_path: Path, cell: str, utc: datetime) -> None:
    (chat,), problems = read_all(table(tmp_path, f'{PLAIN}a,Ana,"{cell}",Hi bees.\n'), LISBON)
    assert chat.messages[0].sent_at == utc
    assert problems == []


def test_a_time_without_a_zone_asks_for_one(tmp_path: Path) -> None:
    with pytest.raises(ZoneNeeded):
        read_all(table(tmp_path, PLAIN + "a,Ana,2025-03-02 09:30,Hi.\n"))


def test_days_that_may_be_months_are_asked_about_and_others_settle_it(tmp_path: Path) -> None:
    doubtful = PLAIN + "a,Ana,02/03/2025 09:30,Hi.\n"
    with pytest.raises(DayOrderNeeded):
        read_all(table(tmp_path, doubtful), LISBON)
    told = ReadOptions(zone=LISBON.zone, day_first=True)
    (chat,), _ = read_all(table(tmp_path, doubtful), told)
    assert chat.messages[0].sent_at == datetime(2025, 3, 2, 9, 30, tzinfo=UTC)
    proven = doubtful + "a,Ana,02/28/2025 09:30,Ho.\n"
    (chat,), _ = read_all(table(tmp_path, proven), LISBON)
    assert chat.messages[0].sent_at == datetime(2025, 2, 3, 9, 30, tzinfo=UTC)


def test_an_unreadable_time_costs_the_time_and_not_the_message(tmp_path: Path) -> None:
    (chat,), (problem,) = read_all(table(tmp_path, PLAIN + "a,Ana,around noon,Hi bees.\n"))
    assert (chat.messages[0].text, chat.messages[0].sent_at) == ("Hi bees.", None)
    assert problem.line == 2
    assert "'around noon' is no time" in problem.message


def test_a_bad_row_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    text = "speaker,text\nAna,One, two.\nAna,Three.\n"
    (chat,), (problem,) = read_all(table(tmp_path, text))
    assert [m.text for m in chat.messages] == ["Three."]
    assert (problem.line, "has 3 cells where the heading has 2" in problem.message) == (2, True)


def test_bytes_of_another_encoding_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    path.write_bytes(b"speaker,text\nAna,caf\xe9\nBen,Tea.\n")
    (chat,), (problem,) = read_all(path)
    assert [m.text for m in chat.messages] == ["Tea."]
    assert (problem.line, "not UTF-8" in problem.message) == (2, True)


def test_a_quote_that_never_ends_is_named_where_it_begins(tmp_path: Path) -> None:
    text = 'speaker,text\nAna,Hi.\nAna,"' + "I keep bees. \n" * 20_000
    (chat, *_), (problem, *_) = read_all(table(tmp_path, text))
    assert chat.messages[0].text == "Hi."
    assert (problem.line, "no CSV" in problem.message) == (3, True)


def test_a_longer_export_keeps_every_id(tmp_path: Path) -> None:
    short = "speaker,text\nAna,Yes.\nAna,Yes.\n"
    before, after = (
        [(c.external_id, m.external_id) for c in read_all(path)[0] for m in c.messages]
        for path in (
            table(tmp_path, short),
            table(tmp_path, short + "Ana,Yes.\n", name="later.csv"),
        )
    )
    assert after[:2] == before
    assert len(set(after)) == 3


def test_the_files_own_ids_count_and_an_edit_stays_beside_its_first_words(tmp_path: Path) -> None:
    text = "id,speaker,text\n7,Ana,I keep bees.\n7,Ana,I keep bees.\n7,Ana,I keep goats.\n"
    (chat,), _ = read_all(table(tmp_path, text))
    assert [m.text for m in chat.messages] == ["I keep bees.", "I keep goats."]
    assert chat.messages[0].external_id == "7"


def test_a_message_said_again_in_a_later_part_is_another(tmp_path: Path) -> None:
    rows = [f"a,Ana,,I keep {place} bees.\n" for place in range(2_000)]
    text = PLAIN + "a,Ana,,Hello.\n" + "".join(rows) + "a,Ana,,Hello.\n"
    chats, _ = read_all(table(tmp_path, text))
    ids = [m.external_id for chat in chats for m in chat.messages]
    assert len(chats) > 1
    assert len(ids) == len(set(ids)) == 2_002


def test_a_table_that_does_not_say_who_spoke_is_no_known_format(tmp_path: Path) -> None:
    path = table(tmp_path, "colour,text\nred,Hi.\n")
    with pytest.raises(UnknownFormat):
        read_all(path)
    with pytest.raises(NothingReadable, match="names no columns that are needed"):
        list(read(path, "csv"))


def test_empty_rows_are_counted_and_nothing_at_all_is_no_success(tmp_path: Path) -> None:
    (chat,), _ = read_all(table(tmp_path, "speaker,text\nAna,\nAna,Hi.\n,\n"))
    assert chat.without_words == 1
    with pytest.raises(NothingReadable):
        read_all(table(tmp_path, "speaker,text\n", name="none.csv"))


def test_times_of_the_hour_that_comes_twice_go_on(tmp_path: Path) -> None:
    text = PLAIN + "".join(
        f"a,Ana,2025-10-26 {clock},At {clock}.\n" for clock in ("00:59", "01:30", "01:10", "02:05")
    )
    (chat,), _ = read_all(table(tmp_path, text), LISBON)
    times = [m.sent_at for m in chat.messages if m.sent_at]
    assert times == sorted(times)
    assert times[2] - times[1] == timedelta(minutes=40)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400))
def test_nothing_in_a_table_ends_an_import_but_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, body: str
) -> None:
    path = table(tmp_path_factory.mktemp("fuzz"), "")
    path.write_bytes(("conversation,role,speaker,time,text\n" + body).encode(errors="replace"))
    options = ReadOptions(zone=LISBON.zone, day_first=True)
    try:
        items = list(read(path, "csv", options=options))
    except ImportRefused:
        return
    assert any(isinstance(item, ImportedConversation) and item.messages for item in items)
