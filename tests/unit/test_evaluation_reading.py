"""Data sets are read as they are published, slips included, and what is unfit is named."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from extraction.evaluation.datasets import Dataset, UnreadableDataset, digest_of, split_of
from extraction.evaluation.read_beam import numbers
from extraction.evaluation.read_locomo import turn_ids
from extraction.evaluation.reading import read_dataset

SAMPLE: dict[str, Any] = {
    "sample_id": "conv-26",
    "conversation": {
        "speaker_a": "Mira",
        "speaker_b": "Tom",
        "session_10_date_time": "9:05 am on 2 June, 2023",
        "session_10": [{"speaker": "Tom", "dia_id": "D10:1", "text": "Still at it."}],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            {"speaker": "Mira", "dia_id": "D2:1", "text": "I moved to Lisbon."},
            {"speaker": "Tom", "dia_id": "D2:2", "text": "Look!", "blip_caption": "a red kiln"},
        ],
        "session_3_date_time": "1:56 pm on 9 May, 2023",
    },
    "observation": {"session_2_observation": {"Mira": [["Mira lives in Lisbon.", "D2:1"]]}},
    "qa": [
        {"question": "Where?", "answer": "Lisbon", "evidence": ["D2:1; D:2:02"], "category": 1},
        {"question": "Wrong label?", "answer": "x", "evidence": ["D2:2"], "category": 4},
        {"question": "Trap?", "adversarial_answer": "y", "evidence": ["D10:1"], "category": 5},
        {"question": "No evidence?", "answer": "z", "evidence": ["D"], "category": 4},
    ],
}


def write(path: Path, value: object) -> Path:
    """Write a JSON file, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def read_locomo(tmp_path: Path) -> Dataset:
    """Read the sample above."""
    write(tmp_path / "dev" / "locomo" / "conv-26.json", SAMPLE)
    return read_dataset("locomo", tmp_path / "dev" / "locomo")


def test_locomo_sessions_follow_their_numbers_and_turns_are_a_minute_apart(tmp_path: Path) -> None:
    turns = read_locomo(tmp_path).samples[0].turns

    assert [turn.id for turn in turns] == ["D2:1", "D2:2", "D10:1"]
    assert [turn.said_at.strftime("%d %H:%M") for turn in turns] == [
        "08 13:56",
        "08 13:57",
        "02 09:05",
    ]
    assert turns[1].text == "Look! [shares a picture: a red kiln]"


def test_locomo_questions_keep_their_turns_and_adversarial_ones_do_not_count(
    tmp_path: Path,
) -> None:
    sample = read_locomo(tmp_path).samples[0]

    assert [(q.category, q.gold, q.counts) for q in sample.questions] == [
        ("multi-hop", ("D2:1", "D2:2"), True),
        ("single-hop", ("D2:2",), True),
        ("adversarial", ("D10:1",), False),
    ]
    assert sample.skipped == 1
    assert sample.facts == frozenset({"D2:1"})


def test_an_audit_beside_the_data_corrects_wrong_labels_and_changes_the_digest(
    tmp_path: Path,
) -> None:
    before = read_locomo(tmp_path)
    write(
        tmp_path / "dev" / "locomo_audit" / "errors_conv_0.json",
        [{"question": "Wrong label?", "correct_evidence": ["D2:1"]}],
    )

    after = read_locomo(tmp_path)

    assert (before.notes["audit"], after.notes["audit"]) == ("off", "fix")
    assert before.samples[0].questions[1].gold == ("D2:2",)
    assert after.samples[0].questions[1].gold == ("D2:1",)
    assert before.digest != after.digest


def test_slips_in_published_evidence_are_read_and_unknown_turns_are_left_out() -> None:
    known = frozenset({"D8:6", "D9:17", "D30:5", "D11:26"})

    assert turn_ids(["D8:6; D9:17", "D:11:26", "D30:05", "D", "D99:1", "D8:6"], known=known) == (
        "D8:6",
        "D9:17",
        "D11:26",
        "D30:5",
    )
    assert turn_ids("D8:6", known=known) == ("D8:6",)


def beam_chat(folder: Path, probes: dict[str, Any]) -> Path:
    """Write a chat whose third message updates its first."""
    said = [
        ("user", "March-15-2024", "It takes 400 ms. ->-> 1,1"),
        ("assistant", None, "Fine."),
        ("user", None, "Now it takes 250 ms, 3 of them."),
    ]
    write(
        folder / "chat.json",
        [
            {
                "batch_number": 1,
                "turns": [
                    [
                        {"role": role, "id": place, "time_anchor": anchor, "content": text}
                        for place, (role, anchor, text) in enumerate(said)
                    ]
                ],
            }
        ],
    )
    write(folder / "probing_questions.json", probes)
    return folder


def update(answer: str, *, old: list[int], new: list[int]) -> dict[str, Any]:
    """Make a probe of a changed value."""
    sources = {"original_info": old, "updated_info": new}
    return {"question": "How long?", "answer": answer, "source_chat_ids": sources}


def test_beam_updates_are_kept_where_the_old_comes_first_and_checked_by_their_number(
    tmp_path: Path,
) -> None:
    probes = {
        "knowledge_update": [
            update("250 ms", old=[0], new=[2]),
            update("much faster", old=[0], new=[2]),
            update("400 ms", old=[2], new=[0]),
            {"question": "No labels?", "answer": "x", "source_chat_ids": None},
        ],
        "contradiction_resolution": [
            {
                "question": "Which?",
                "ideal_answer": "Both.",
                "source_chat_ids": {"first_statement": [0], "second_statement": [2]},
            }
        ],
        "abstention": [{"question": "What else?", "ideal_answer": "Nothing."}],
    }
    sample = read_dataset("beam", beam_chat(tmp_path / "beam100k" / "01", probes)).samples[0]

    assert [(one.is_clean, one.values) for one in sample.updates] == [
        (True, {"250"}),
        (False, frozenset()),
    ]
    assert sample.skipped == 2
    assert sample.contradictions[0].sides == (frozenset({"0"}), frozenset({"2"}))
    assert sample.turns[0].text == "It takes 400 ms."
    assert [turn.kind for turn in sample.turns] == ["user_message", "agent_message", "user_message"]
    assert {q.category for q in sample.questions} == {
        "knowledge_update",
        "contradiction_resolution",
    }
    assert not sample.asked_back


def test_beam_tiers_are_read_together_or_one_by_one(tmp_path: Path) -> None:
    beam_chat(tmp_path / "beam100k" / "01", {})
    folder = tmp_path / "beam500k_user" / "02"
    write(folder / "probing_questions.json", {})
    with gzip.open(folder / "user_messages.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.write(json.dumps({"id": 7, "batch": 3, "content": "I moved."}) + "\n")

    def ids(path: Path, limit: int | None = None) -> list[str]:
        return [sample.id for sample in read_dataset("beam", path, limit=limit).samples]

    assert ids(tmp_path) == ["beam100k/01", "beam500k_user/02"]
    assert ids(tmp_path, 1) == ["beam100k/01"]
    assert ids(tmp_path / "beam500k_user") == ["beam500k_user/02"]


def test_numbers_keep_their_separators() -> None:
    assert numbers("1,200 calls, 3.5 h at 10:30") == {"1,200", "3.5", "10:30"}


LME_TURNS = [
    {"role": "user", "content": "I have 12 bass.", "date": "2023/05/20 (Sat) 08:27"},
    {"role": "assistant", "content": "Nice.", "date": "2023/05/20 (Sat) 08:27"},
]


def test_longmemeval_samples_are_pooled_and_name_sessions(tmp_path: Path) -> None:
    entry = {
        "id": "q",
        "question_type": "single",
        "conversation": LME_TURNS,
        "questions": [{"question": "How many?", "answer": 12}],
    }
    path = write(tmp_path / "oracle.json", {"data": [entry, {**entry, "id": "r"}]})

    (sample,) = read_dataset("longmemeval", path).samples

    assert sample.by_session
    assert len(sample.turns) == 4
    assert {turn.session for turn in sample.turns} == {
        "q|2023/05/20 (Sat) 08:27",
        "r|2023/05/20 (Sat) 08:27",
    }
    assert all(turn.startswith("q|") for turn in sample.questions[0].gold)


def test_longmemeval_as_published_names_the_turns_that_hold_the_answer(tmp_path: Path) -> None:
    entry = {
        "question_id": "q",
        "question_type": "single",
        "question": "How many?",
        "answer": "12",
        "haystack_session_ids": ["late", "early"],
        "haystack_dates": ["2023/05/22 (Mon) 08:27", "2023/05/20 (Sat) 08:27"],
        "haystack_sessions": [
            [{"role": "user", "content": "Hello."}],
            [{"role": "user", "content": "12 bass.", "has_answer": True}],
        ],
        "answer_session_ids": ["early"],
    }

    (sample,) = read_dataset("longmemeval", write(tmp_path / "s.json", [entry])).samples

    assert [turn.id for turn in sample.turns] == ["early|0", "late|0"]
    assert sample.questions[0].gold == ("early|0",)
    assert not sample.by_session


@pytest.mark.parametrize("name", ["locomo", "beam", "longmemeval"])
def test_a_path_with_nothing_there_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableDataset, match="nothing at"):
        read_dataset(name, tmp_path / "absent")
    with pytest.raises(UnreadableDataset, match="holds no"):
        read_dataset(name, tmp_path)


@pytest.mark.parametrize("name", ["locomo", "longmemeval"])
@pytest.mark.parametrize("content", ["{", "[1]", '{"data": [{}]}', "3", '{"conversation": {}}'])
def test_a_file_of_another_shape_is_refused_with_what_was_expected(
    name: str, content: str, tmp_path: Path
) -> None:
    path = tmp_path / "data.json"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(UnreadableDataset, match=r"data\.json is n"):
        read_dataset(name, path)


def test_a_chat_of_another_shape_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "probing_questions.json", {})
    write(tmp_path / "chat.json", [{"turns": 3}])

    with pytest.raises(UnreadableDataset, match="is no BEAM chat"):
        read_dataset("beam", tmp_path)


def test_a_digest_knows_content_and_name_and_not_the_place(tmp_path: Path) -> None:
    here = write(tmp_path / "a" / "set" / "one.json", [1])
    there = write(tmp_path / "b" / "set" / "one.json", [1])
    other = write(tmp_path / "c" / "set" / "one.json", [2])

    assert digest_of([here]) == digest_of([there])
    assert digest_of([here]) != digest_of([other])
    assert digest_of([here]) != digest_of([here], extra="3")


def test_the_split_is_the_folder_that_is_named_like_one(tmp_path: Path) -> None:
    assert split_of(tmp_path / "dev" / "locomo") == "dev"
    assert split_of(Path("/elsewhere/locomo")) == ""
