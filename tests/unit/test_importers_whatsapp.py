"""WhatsApp chats: times of many countries, names, and what the app itself writes."""

import zipfile
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from extraction.importers import (
    ImportedConversation,
    ImportedMessage,
    ImportProblem,
    ReadOptions,
    read,
    sniff,
)
from extraction.importers.errors import DayOrderNeeded, NothingReadable, UnknownFormat, ZoneNeeded

BERLIN = ZoneInfo("Europe/Berlin")
LRM = "\u200e"


def chat(folder: Path, *lines: str, name: str = "_chat.txt") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def parts(
    path: Path, *, zone: str = "UTC", day_first: bool | None = None
) -> list[ImportedConversation]:
    options = ReadOptions(ZoneInfo(zone), day_first)
    return [c for c in read(path, options=options) if isinstance(c, ImportedConversation)]


def messages(
    path: Path, *, zone: str = "UTC", day_first: bool | None = None
) -> list[ImportedMessage]:
    return [m for c in parts(path, zone=zone, day_first=day_first) for m in c.messages]


def problems(path: Path) -> list[ImportProblem]:
    found = read(path, options=ReadOptions(UTC, day_first=True))
    return [item for item in found if isinstance(item, ImportProblem)]


def left_out(path: Path) -> list[str]:
    return [one.why for c in parts(path, day_first=True) for one in c.left_out]


# --- times ---


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[12/31/23, 11:59:58\u202fPM] Ana: hi", (2023, 12, 31, 23, 59, 58)),
        ("[31.12.23, 23:59:58] Ana: hi", (2023, 12, 31, 23, 59, 58)),
        ("[31.12.23 um 23:59:58] Ana: hi", (2023, 12, 31, 23, 59, 58)),
        ("31/12/2023, 23:59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("31/12/2023 à 23:59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("31/12/23 11:59 p.\u00a0m. - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("31/12/23 12:05 a.\u00a0m. - Ana: hi", (2023, 12, 31, 0, 5, 0)),
        ("31.12.2023 klo 23.59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("31/12/23 23.59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("31-12-2023 23:59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("2023-12-31, 11:59\u202fp.m. - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("2023/12/31 23:59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("2023. 12. 31. 오후 11:59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("2023년 12월 31일 오전 12:10 - Ana: hi", (2023, 12, 31, 0, 10, 0)),
        ("2023年12月31日 下午11:59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("[2023/12/31 凌晨12:30:01] Ana: hi", (2023, 12, 31, 0, 30, 1)),
        ("[2023/12/31 午後11:59:58] Ana: hi", (2023, 12, 31, 23, 59, 58)),
        ("31.12.2023 г., 23:59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("31/12/23, 11:59 μ.μ. - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("31.12.2023 ÖS 11:59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("23:59, 31/12/2023 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
        ("[23:59:58, 31/12/2023] Ana: hi", (2023, 12, 31, 23, 59, 58)),
        ("[٣١\u200f/١٢\u200f/٢٠٢٣، ١١:٥٩:٥٨ م] Ana: hi", (2023, 12, 31, 23, 59, 58)),
        ("\u200e[31/12/2023, 23:59:58] Ana: hi", (2023, 12, 31, 23, 59, 58)),
        ("31/12/2566 23:59 - Ana: hi", (2023, 12, 31, 23, 59, 0)),
    ],
)
def test_the_times_of_many_countries_are_read(
    tmp_path: Path, line: str, expected: tuple[int, int, int, int, int, int]
) -> None:
    (message,) = messages(chat(tmp_path, line))
    assert (message.speaker, message.text) == ("Ana", "hi")
    assert message.sent_at == datetime(*expected, tzinfo=UTC)


def test_a_time_is_that_of_the_zone_the_person_says(tmp_path: Path) -> None:
    (message,) = messages(chat(tmp_path, "31/07/23, 23:59 - Ana: hi"), zone="Europe/Berlin")
    assert message.sent_at == datetime(2023, 7, 31, 21, 59, tzinfo=UTC)


def test_without_a_zone_nothing_is_read_and_the_zone_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ZoneNeeded, match="time zone") as refused:
        list(read(chat(tmp_path, "31/07/23, 23:59 - Ana: hi")))
    assert refused.value.option == "zone"


def test_the_hour_that_comes_twice_goes_on_after_the_clocks_step_back(tmp_path: Path) -> None:
    path = chat(
        tmp_path,
        "[26.10.2025, 02:30:00] Ana: one",
        "[26.10.2025, 02:10:00] Ana: two",
        "[26.10.2025, 02:40:00] Ana: three",
        "[26.10.2025, 03:00:00] Ana: four",
    )
    times = [m.sent_at for m in messages(path, zone="Europe/Berlin")]
    assert [t.strftime("%H:%M") for t in times if t] == ["00:30", "01:10", "01:40", "02:00"]


def test_twenty_four_hours_are_the_beginning_of_the_next_day(tmp_path: Path) -> None:
    (message,) = messages(chat(tmp_path, "31.12.21, 24:00 - Ana: hi"))
    assert message.sent_at == datetime(2022, 1, 1, tzinfo=UTC)


def test_a_word_beside_the_time_that_nobody_knows_costs_the_time_and_is_said(
    tmp_path: Path,
) -> None:
    path = chat(tmp_path, "13/07/23, 7:02 zonk - Ana: hi", "13/07/23, 7:03 zonk - Ana: ho")
    assert [m.sent_at for m in messages(path)] == [None, None]
    assert ["zonk" in p.message for p in problems(path)] == [True]


# --- day and month ---


def test_one_day_above_twelve_proves_the_order_for_all(tmp_path: Path) -> None:
    path = chat(tmp_path, "1/4/23, 19:00 - Ana: hi", "1/13/23, 19:00 - Ana: ho")
    assert [m.sent_at.month for m in messages(path) if m.sent_at] == [1, 1]


def test_the_order_of_the_lines_proves_it_too(tmp_path: Path) -> None:
    path = chat(
        tmp_path, *(f"{day}/{month}/23, 19:00 - Ana: hi" for month in (1, 2, 3) for day in (2, 9))
    )
    assert [m.sent_at.month for m in messages(path) if m.sent_at] == [1, 1, 2, 2, 3, 3]


def test_an_order_that_nothing_proves_is_asked_for(tmp_path: Path) -> None:
    path = chat(tmp_path, "3/8/21, 12:30 - Ana: hi")
    with pytest.raises(DayOrderNeeded, match="3/8/21") as refused:
        messages(path)
    assert refused.value.option == "day_first"
    days = [messages(path, day_first=answer)[0].sent_at for answer in (True, False)]
    assert days == [
        datetime(2021, 8, 3, 12, 30, tzinfo=UTC),
        datetime(2021, 3, 8, 12, 30, tzinfo=UTC),
    ]


def test_what_the_file_proves_comes_before_what_the_person_says(tmp_path: Path) -> None:
    (message,) = messages(chat(tmp_path, "1/13/23, 19:00 - Ana: hi"), day_first=True)
    assert message.sent_at == datetime(2023, 1, 13, 19, tzinfo=UTC)


def test_a_day_that_does_not_exist_costs_the_time_of_its_message_alone(tmp_path: Path) -> None:
    path = chat(tmp_path, "30.12.22, 12:30 - Ana: hi", "31.2.23, 12:30 - Ana: ho")
    assert [m.sent_at is None for m in messages(path)] == [False, True]
    assert [p.line for p in problems(path)] == [2]


# --- words ---


def test_a_message_goes_on_over_lines_and_blank_lines(tmp_path: Path) -> None:
    path = chat(
        tmp_path, "13/07/23, 7:02 - Ana: one", "two", "", "four: five", "13/07/23, 7:03 - Bo: x"
    )
    assert [m.text for m in messages(path)] == ["one\ntwo\n\nfour: five", "x"]


def test_a_line_with_a_time_of_another_style_is_a_message_s_words_and_said(tmp_path: Path) -> None:
    path = chat(tmp_path, "[13/07/23, 7:02:00] Ana: see", "14.07.2023, 09:00 - Bo: pasted")
    assert [m.text for m in messages(path)] == ["see\n14.07.2023, 09:00 - Bo: pasted"]
    assert [p.line for p in problems(path)] == [2]


@pytest.mark.parametrize(
    "text",
    [
        "<Media omitted>",
        "<Medien ausgeschlossen>",
        "<Multimedia omitido>",
        "<Médias omis>",
        "<メディアなし>",
        f"{LRM}image omitted",
        f"{LRM}Bild weggelassen",
        f"{LRM}画像は省略されました",
    ],
)
def test_media_that_was_left_out_is_marked_alike_in_all_languages(
    tmp_path: Path, text: str
) -> None:
    (message,) = messages(chat(tmp_path, f"13/07/23, 7:02 - Ana: {text}"))
    assert (message.text, message.kind) == ("[media left out]", "user_message")


@pytest.mark.parametrize("text", ["<3", "<3 you>", "<b>", "x <Media omitted> y"])
def test_words_between_angle_brackets_stay(tmp_path: Path, text: str) -> None:
    (message,) = messages(chat(tmp_path, f"13/07/23, 7:02 - Ana: {text}"))
    assert message.text == text


@pytest.mark.parametrize(
    "text",
    [
        f"{LRM}<attached: 0001-PHOTO.jpg>",
        f"{LRM}<Anhang: 0001-PHOTO.jpg>",
        "0001-PHOTO.jpg (file attached)",
        f"{LRM}0001-PHOTO.jpg (Datei angehängt)",
    ],
)
def test_an_attached_file_is_named(tmp_path: Path, text: str) -> None:
    (message,) = messages(chat(tmp_path, f"13/07/23, 7:02 - Ana: {text}"))
    assert message.text == "[attached: 0001-PHOTO.jpg]"


def test_the_words_below_an_attached_file_stay(tmp_path: Path) -> None:
    path = chat(tmp_path, "13/07/23, 7:02 - Ana: a.jpg (file attached)", "our new house")
    assert messages(path)[0].text == "[attached: a.jpg]\nour new house"


@pytest.mark.parametrize(
    "text",
    [
        "This message was deleted",
        "You deleted this message.",
        "Du hast diese Nachricht gelöscht.",
        f"{LRM}Se eliminó este mensaje.",
        "このメッセージは削除されました",
        "تم حذف هذه الرسالة",
    ],
)
def test_a_deleted_message_says_only_that(tmp_path: Path, text: str) -> None:
    (message,) = messages(chat(tmp_path, f"13/07/23, 7:02 - Ana: {text}"))
    assert message.text == "[deleted]"


@pytest.mark.parametrize(
    "note", ["<This message was edited>", "<Diese Nachricht wurde bearbeitet>", f"{LRM}<xyz abc>"]
)
def test_the_note_on_an_edit_is_taken_off_the_words(tmp_path: Path, note: str) -> None:
    (message,) = messages(chat(tmp_path, f"13/07/23, 7:02 - Ana: at 3:50 now {note}"))
    assert (message.text, message.edited) == ("at 3:50 now", True)


def test_what_the_app_says_is_nobodys_words(tmp_path: Path) -> None:
    path = chat(
        tmp_path,
        "13/07/23, 7:02 - Messages and calls are end-to-end encrypted.",
        '13/07/23, 7:02 - Ana changed the subject from "A: b" to "C: d"',
        "13/07/23, 7:02 - Ana a créé le groupe « Famille : été »",
        "13/07/23, 7:03 - Ana: hi",
    )
    assert [m.text for m in messages(path)] == ["hi"]
    assert left_out(path) == ["event", "event", "event"]


def test_what_the_app_says_under_a_persons_name_is_not_theirs(tmp_path: Path) -> None:
    path = chat(
        tmp_path,
        f"[13/07/23, 7:02:00] Family: {LRM}Messages and calls are end-to-end encrypted.",
        "[13/07/23, 7:02:10] Ana: hi",
        f"[13/07/23, 7:02:20] Ana: {LRM}POLL:",
        "Tea?",
    )
    (part,) = parts(path)
    assert [p.speaker for p in part.participants] == ["Ana"]
    assert [m.text for m in part.messages] == ["hi", f"{LRM}POLL:\nTea?"]


# --- names ---


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("~\u00a0Ana", "Ana"),
        ("\u202a+49\u00a0170\u00a0123\u202c", "+49 170 123"),
        ("Dr. O'Hara", "Dr. O'Hara"),
        ("مستخدم", "مستخدم"),
        ("👩🏽‍🚀 Zoë", "👩🏽‍🚀 Zoë"),
    ],
)
def test_names_lose_marks_and_nothing_else(tmp_path: Path, written: str, expected: str) -> None:
    (message,) = messages(chat(tmp_path, f"13/07/23, 7:02 - {written}: hi"))
    assert message.speaker == expected


def test_a_colon_that_all_lines_of_a_name_share_belongs_to_it(tmp_path: Path) -> None:
    path = chat(
        tmp_path,
        *(f"13/07/23, 7:0{n} - Team: Alpha: point {n}: x" for n in range(4)),
        "13/07/23, 7:09 - Ana: note: y",
    )
    (part,) = parts(path)
    assert [p.speaker for p in part.participants] == ["Team: Alpha", "Ana"]
    assert [m.text for m in part.messages[3:]] == ["point 3: x", "note: y"]


def test_every_speaker_is_offered_with_every_part(tmp_path: Path) -> None:
    lines = [f"13/07/23, 7:02 - Ana: {n}" for n in range(1_200)]
    found = parts(chat(tmp_path, *lines, "13/07/23, 7:03 - Bo: last"))
    assert [len(c.messages) for c in found] == [500, 500, 201]
    assert {p.speaker for p in found[0].participants} == {"Ana", "Bo"}
    assert len({c.external_id for c in found}) == 1
    ids = [m.external_id for c in found for m in c.messages]
    assert len(set(ids)) == len(ids)


# --- the same again ---


def ids(path: Path) -> list[tuple[str, str]]:
    return [(c.external_id, m.external_id) for c in parts(path) for m in c.messages]


def test_a_longer_export_adds_only_its_tail_even_if_a_contact_was_renamed(tmp_path: Path) -> None:
    old = ["13/07/23, 7:02 - +49 170: ok", "13/07/23, 7:02 - Ana: ok", "13/07/23, 7:03 - Ana: ok"]
    first = ids(chat(tmp_path, *old, name="WhatsApp Chat with +49 170.txt"))
    renamed = [line.replace("+49 170", "Bo") for line in old]
    second = ids(
        chat(tmp_path, *renamed, "14/07/23, 7:00 - Bo: new", name="WhatsApp Chat with Bo.txt")
    )
    assert len(set(first)) == 3
    assert second[:3] == first
    assert len(second) == 4


def test_an_edited_message_comes_beside_its_first_words(tmp_path: Path) -> None:
    first = ids(chat(tmp_path, "13/07/23, 7:02 - Ana: hi", "13/07/23, 7:03 - Ana: at 3"))
    edited = "13/07/23, 7:03 - Ana: at 4 <This message was edited>"
    second = ids(chat(tmp_path, "13/07/23, 7:02 - Ana: hi", edited))
    assert first[0] == second[0]
    assert first[1] != second[1]


# --- the file ---


def test_the_chat_is_found_in_its_zip_beside_what_was_sent_in_it(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat - Ana.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("_chat.txt", "\ufeff[13/07/23, 7:02:00] Ana: hi\r\n")
        packed.writestr("00001-notes.txt", "13/07/23, 7:02 - Eve: forged\n")
        packed.writestr("00002-PHOTO.jpg", b"\xff\xd8\x00")
    assert sniff(path) == "whatsapp"
    assert [m.text for m in messages(path)] == ["hi"]


def test_the_title_is_the_file_s_where_it_says_one(tmp_path: Path) -> None:
    named = chat(tmp_path, "13/07/23, 7:02 - Ana: hi", name="WhatsApp Chat with Bo (1).txt")
    assert parts(named)[0].title == "Bo"
    assert parts(chat(tmp_path, "13/07/23, 7:02 - Ana: hi"))[0].title == "Ana"


def test_bad_lines_are_named_and_the_others_kept(tmp_path: Path) -> None:
    path = chat(tmp_path, "cut off", "13/07/23, 7:02 - Ana: hi", "13/07/23, 7:03 - Bo: ho")
    raw = path.read_bytes().replace(b"hi\n", b"hi\n\xff\xfe\n\x00\n")
    path.write_bytes(raw)
    assert [m.text for m in messages(path)] == ["hi", "ho"]
    assert [p.line for p in problems(path)] == [1, 3, 4]


def test_a_chat_in_which_nobody_speaks_is_no_success(tmp_path: Path) -> None:
    path = chat(tmp_path, "13/07/23, 7:02 - Messages are end-to-end encrypted.")
    with pytest.raises(NothingReadable, match="Nobody says anything"):
        list(read(path, "whatsapp", options=ReadOptions(UTC)))


@pytest.mark.parametrize(
    "line", ["just words", "2024-01-01 is a date", "10:30 - 11:30 Ana: x", "[a] b: c"]
)
def test_other_texts_are_not_taken_for_a_chat(tmp_path: Path, line: str) -> None:
    with pytest.raises(UnknownFormat):
        sniff(chat(tmp_path, line))


# --- the invented samples ---


@pytest.mark.parametrize(
    ("file", "count", "events", "day_first"),
    [
        ("android_us.txt", 4, 2, None),
        ("android_de.txt", 3, 1, True),
        ("ios_iso.txt", 3, 0, None),
        ("ios_fi.txt", 1, 0, None),
        ("ios_zh.txt", 2, 0, None),
        ("ios_ar.txt", 1, 0, None),
    ],
)
def test_the_samples_give_what_their_key_says(
    shared_data: Path, file: str, count: int, events: int, day_first: bool | None
) -> None:
    path = shared_data / "data" / "formats" / "whatsapp" / file
    (part,) = parts(path, day_first=day_first)
    assert sniff(path) == "whatsapp"
    assert len(part.messages) == count
    assert [one.why for one in part.left_out] == ["event"] * events


def test_the_sample_from_america_has_one_of_each(shared_data: Path) -> None:
    found = messages(shared_data / "data" / "formats" / "whatsapp" / "android_us.txt")
    assert [m.edited for m in found].count(True) == 1
    assert [m.text for m in found].count("[media left out]") == 1
    assert [m.text for m in found].count("[deleted]") == 1
    assert found[0].sent_at == datetime(2023, 1, 4, 19, 3, tzinfo=UTC)


def test_the_sample_from_germany_asks_for_the_order_of_days(shared_data: Path) -> None:
    path = shared_data / "data" / "formats" / "whatsapp" / "android_de.txt"
    with pytest.raises(DayOrderNeeded):
        parts(path)
    times = [m.sent_at for m in messages(path, day_first=True)]
    assert times[0] == times[1] == datetime(2021, 8, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("file", "at"),
    [
        ("ios_fi.txt", datetime(2025, 10, 26, 14, 8, 18, tzinfo=UTC)),
        ("ios_zh.txt", datetime(2025, 10, 26, 15, 34, 9, tzinfo=UTC)),
        ("ios_ar.txt", datetime(2025, 10, 26, 15, 34, 9, tzinfo=UTC)),
    ],
)
def test_the_samples_of_other_scripts_have_their_times(
    shared_data: Path, file: str, at: datetime
) -> None:
    assert messages(shared_data / "data" / "formats" / "whatsapp" / file)[0].sent_at == at
