"""LoCoMo JSON, and the shared exports against their answer keys."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from extraction.importers import ImportedMessage, Participant, sniff
from tests.unit.importing import conversations, problems, written

# --- LoCoMo ---


def turn(speaker: str, dia_id: str, text: str, **fields: object) -> dict[str, object]:
    return {"speaker": speaker, "dia_id": dia_id, "text": text, **fields}


def sample(**talk: object) -> dict[str, object]:
    return {
        "qa": [],
        "sample_id": "conv-1",
        "conversation": {"speaker_a": "Ada", "speaker_b": "Mary Ann", **talk},
    }


SESSIONS: dict[str, object] = {
    "session_10": [turn("Ada", "D10:1", "Bye")],
    "session_10_date_time": "12:05 am on 1 January, 2024",
    "session_2": [
        turn("Ada", "D2:1", "Hi"),
        turn("Mary Ann", "D2:2", "Look!", blip_caption="a photo of a hive"),
    ],
    "session_2_date_time": "12:30 pm on 8 May, 2023",
    "session_3_date_time": "1:00 pm on 9 May, 2023",
}


@pytest.mark.parametrize("as_list", [False, True])
@pytest.mark.parametrize("indent", [None, 1])
def test_locomo_sessions_are_conversations_in_order(
    tmp_path: Path, as_list: bool, indent: int | None
) -> None:
    document = [sample(**SESSIONS)] if as_list else sample(**SESSIONS)
    path = written(tmp_path, json.dumps(document, indent=indent), name="locomo.json")
    assert sniff(path) == "locomo"
    first, last = conversations(path)
    assert (first.external_id, last.external_id) == ("conv-1/session_2", "conv-1/session_10")
    assert first.messages == (
        ImportedMessage(
            "D2:1", "Ada", "user_message", "Hi", datetime(2023, 5, 8, 12, 30, tzinfo=UTC), 0
        ),
        ImportedMessage(
            "D2:2",
            "Mary Ann",
            "user_message",
            "Look! [shares a picture: a photo of a hive]",
            datetime(2023, 5, 8, 12, 31, tzinfo=UTC),
            0,
        ),
    )
    assert first.participants == (
        Participant("Ada", "user", "ada", "Ada"),
        Participant("Mary Ann", "user", "mary-ann", "Mary Ann"),
    )
    assert last.messages[0].sent_at == datetime(2024, 1, 1, 0, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("session_2_date_time", "yesterday", "'yesterday' is not like"),
        ("session_2_date_time", None, "is not like"),
        ("session_2_date_time", "1:00 pm on 31 February, 2023", "does not exist"),
        ("session_2", {}, "must be a list"),
        ("session_2", [], "no turn with words"),
        ("session_2", [7], "turn 1 names no speaker"),
        ("session_2", [{"text": "x"}], "turn 1 names no speaker"),
        ("session_2", [{"speaker": "Ada", "text": 7}], "text must be text"),
    ],
)
def test_a_bad_session_is_named_and_the_others_are_kept(
    tmp_path: Path, key: str, value: object, words: str
) -> None:
    path = written(tmp_path, sample(**{**SESSIONS, key: value}), name="locomo.json")
    (problem,) = problems(path)
    assert "conv-1/session_2" in problem.message
    assert words in problem.message
    assert [c.external_id for c in conversations(path)] == ["conv-1/session_10"]


def test_a_sample_without_sessions_beside_a_good_one_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, [sample(**SESSIONS), {"sample_id": "x"}], name="locomo.json")
    assert "Sample 2" in problems(path)[0].message
    assert len(conversations(path)) == 2


# --- shared data ---


def test_a_whole_locomo_conversation_arrives(shared_data: Path) -> None:
    path = shared_data / "data" / "dev" / "locomo" / "conv-26.json"
    if not path.is_file():
        pytest.skip(f"no LoCoMo data at {path}")
    found = conversations(path)
    assert len(found) == 19
    assert sum(len(c.messages) for c in found) == 419
    assert len({m.external_id for c in found for m in c.messages}) == 419
    assert {p.external_id for c in found for p in c.participants} == {"caroline", "melanie"}
    assert not problems(path)
