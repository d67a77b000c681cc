"""Tables say what is not known, and unlike runs are not set beside each other."""

import json
from pathlib import Path
from typing import Any

import pytest

from extraction.errors import BadInput
from extraction.evaluation import reporting
from extraction.evaluation.reporting import UnlikeRuns

RUN: dict[str, Any] = {
    "dataset": "locomo",
    "split": "dev",
    "digest": "abc",
    "conversations": 1,
    "curator": "approve-all",
    "arm": "predict",
    "engine": "local",
    "model": "m",
    "prompt_version": "1",
    "embedder": "e",
    "code": "c",
    "recall_at_5": 0.61234,
    "words_at_20": 311.27,
    "covered": 0,
    "update_both": None,
    "by_category": {"temporal": {"n": 7, "recall_at_5": 0.5}},
    "needed_turns": {"found among 20": 3, "covered": 1},
    "misses": [
        {
            "sample": "s",
            "question": "How many?",
            "is_clean": False,
            "new": "not extracted",
            "stale": "",
            "as_of": "",
        }
    ],
}


def cell_of(lines: list[str], label: str) -> list[str]:
    """Return the cells of the first row with that label."""
    row = next(line for line in lines if line.strip().startswith(label))
    return row[56:].split()


def test_what_a_data_set_cannot_give_is_a_dash_and_nought_is_not() -> None:
    lines = list(reporting.table(RUN))

    assert cell_of(lines, "both") == ["–"]
    assert cell_of(lines, "turns that questions need") == ["–"]
    assert cell_of(lines, "spans covered") == ["0"]
    assert cell_of(lines, "recall of needed turns") == ["0.612"]
    assert cell_of(lines, "words served") == ["311.3"]


def test_two_runs_stand_side_by_side_each_under_its_arm() -> None:
    other = {**RUN, "arm": "everything", "recall_at_5": 0.5, "by_category": {"other": {"n": 1}}}

    lines = list(reporting.table(RUN, other))

    assert cell_of(lines, "recall of needed turns") == ["0.612", "0.500"]
    assert any(line.split() == ["predict", "everything"] for line in lines)
    assert cell_of(lines, "temporal (questions)") == ["7", "–"]
    assert cell_of(lines, "other (questions)") == ["–", "1"]


def test_each_cause_of_a_miss_is_counted_and_each_missed_update_named() -> None:
    lines = "\n".join(reporting.causes(RUN))

    assert "what became of 4 needed turns" in lines
    assert "25.0 %  covered" in lines
    assert "s: How many? (label not checked)\n  new: not extracted" in lines
    assert "stale" not in lines


@pytest.mark.parametrize(
    ("key", "value"),
    [("dataset", "beam"), ("split", "test"), ("digest", "xyz"), ("curator", "oracle")],
)
def test_unlike_runs_are_refused_with_the_difference(key: str, value: str) -> None:
    with pytest.raises(UnlikeRuns, match=f"{key} is {value} here and {RUN[key]} there"):
        reporting.check_alike({**RUN, key: value}, RUN)


def test_runs_that_differ_in_arm_or_engine_may_be_compared() -> None:
    reporting.check_alike({**RUN, "arm": "turns", "engine": "other"}, RUN)


@pytest.mark.parametrize("content", ["{", "[]", '{"dataset": "locomo"}', "3"])
def test_a_file_that_is_no_evaluation_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)

    with pytest.raises(BadInput, match="is not the JSON of an evaluation"):
        reporting.read_runs(path)


def test_a_document_that_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for runs in ([RUN], [RUN, {**RUN, "predict_model": "small"}]):
        path.write_text(json.dumps(reporting.report(runs)))

        assert reporting.read_runs(path) == runs


def test_one_run_is_written_as_it_is_with_the_number_of_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(reporting.report([{**RUN, "runs": 4}])))

    assert json.loads(path.read_text()) == {**RUN, "runs": 4}
    assert reporting.read_runs(path) == [{**RUN, "runs": 4}]


def test_columns_are_named_by_what_predicted_and_stay_in_their_width() -> None:
    long = "a-model-with-a-very-long-name-2"
    lines = list(reporting.table({**RUN, "predict_model": "small"}, {**RUN, "predict_model": long}))

    (head,) = [line for line in lines if line.split()[:1] == ["small"]]
    assert len(head) == 56 + 2 * 14
    assert head.split()[1].endswith("name-2")


def test_the_digest_of_the_code_stays_while_the_code_does() -> None:
    assert reporting.code_digest() == reporting.code_digest()
    assert len(reporting.code_digest()) == 16
