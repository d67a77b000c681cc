"""The figures are those that the shared evaluation scripts give for the very same answers.

Parts of the shared data are cut out into a temporary folder. The scripts run in a process of
their own over a system that replays what was found here, and know of no question not asked here.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from extraction.evaluation import running, stored
from extraction.evaluation.datasets import Dataset
from extraction.evaluation.measures import Held
from extraction.evaluation.reading import read_dataset
from extraction.evaluation.running import Plan
from extraction.evaluation.scratch import Asking
from extraction.pipeline import default_tools
from knowledge.models import Space

pytestmark = pytest.mark.django_db

SESSIONS = 3
REPLAY = """
import json, os
ANSWERS = json.load(open(os.environ["ANSWERS"]))
def factory(docs):
    return lambda query, k, as_of=None: ANSWERS[json.dumps([query, k, as_of])]
"""
Answers = dict[str, list[dict[str, Any]]]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Every answer that was given, by what was asked."""
    given: Answers = {}
    search = Asking.search

    def remember(asking: Asking, query: str, k: int, as_of: datetime | None) -> list[Held]:
        hits = search(asking, query, k, as_of)
        when = as_of.replace(tzinfo=None).isoformat() if as_of else None
        given[json.dumps([query, k, when])] = [
            {"text": hit.text, "sources": list(hit.sources)} for hit in hits
        ]
        return hits

    monkeypatch.setattr(Asking, "search", remember)
    return given


def run_here(dataset: Dataset, *, curator: str = "approve-all") -> dict[str, Any]:
    """Evaluate in the database of the tests."""
    return running.run(dataset, plan=Plan(default_tools(), curator=curator), say=lambda _: None)


def run_script(
    name: str, *arguments: str, shared: Path, pack: Path, answers: Answers | None = None
) -> str:
    """Run a shared script over the cut data and the remembered answers; its output."""
    (pack / "replay.py").write_text(REPLAY)
    (pack / "answers.json").write_text(json.dumps(answers))
    environment = os.environ | {
        "PACK": str(pack),
        "ANSWERS": str(pack / "answers.json"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, str(shared / "eval" / name), *arguments],
        cwd=pack,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def cut_locomo(shared: Path, pack: Path) -> Path:
    """Keep the first sessions of one conversation, and the audit of its labels."""
    sample = json.loads((shared / "data/dev/locomo/conv-30.json").read_text(encoding="utf-8"))
    later = [
        key
        for key in sample["conversation"]
        if (found := re.match(r"session_(\d+)", key)) and int(found[1]) > SESSIONS
    ]
    for key in later:
        del sample["conversation"][key]
    folder = pack / "dev" / "locomo"
    folder.mkdir(parents=True)
    (folder / "conv-30.json").write_text(json.dumps(sample), encoding="utf-8")
    (pack / "dev" / "locomo_audit").symlink_to(shared / "data/dev/locomo_audit")
    return folder


def statements(dataset: Dataset) -> Iterable[dict[str, Any]]:
    """Give what was approved of each sample, as the script reads it."""
    spaces = Space.objects.filter(evaluation=True).order_by("pk")
    for space, sample in zip(spaces, dataset.samples, strict=True):
        for held in stored.statements_of(space.pk):
            yield {"conversation": sample.id, "text": held.text, "sources": list(held.sources)}


def test_locomo_figures_are_those_of_the_shared_scripts(
    shared_data: Path, tmp_path: Path, answers: Answers
) -> None:
    dataset = read_dataset("locomo", cut_locomo(shared_data, tmp_path))
    figures = run_here(dataset)
    lines = "\n".join(json.dumps(one) for one in statements(dataset))
    (tmp_path / "statements.jsonl").write_text(lines)
    places: dict[str, Any] = {"shared": shared_data, "pack": tmp_path}

    kept = json.loads(run_script("locomo_extraction.py", "--pred", "statements.jsonl", **places))
    found_in = tmp_path / "found.json"
    run_script(
        "locomo_recall.py",
        *("--system", "replay:factory", "--json", str(found_in)),
        answers=answers,
        **places,
    )
    found = json.loads(found_in.read_text())

    assert figures["questions"] > 5
    assert figures["statements"] == kept["statements"]
    for mine, theirs in (
        ("turn_precision", "turn_precision"),
        ("turn_recall", "turn_recall"),
        ("need_recall", "need_recall"),
        ("words_kept", "word_share"),
    ):
        assert figures[mine] == pytest.approx(kept[theirs], abs=1e-4), mine
    total = found.pop("all but adversarial")
    assert figures["questions"] == total["n"]
    for depth in (5, 10, 20):
        assert figures[f"recall_at_{depth}"] == pytest.approx(total[f"recall@{depth}"], abs=1e-4)
    assert figures["words_at_20"] == pytest.approx(total["words@20"], abs=1e-3)
    assert figures["by_category"].keys() == found.keys()
    for category, theirs_of in found.items():
        mine_of = figures["by_category"][category]
        assert mine_of["n"] == theirs_of["n"]
        for depth in (5, 10, 20):
            assert mine_of[f"recall_at_{depth}"] == pytest.approx(
                theirs_of[f"recall@{depth}"], abs=1e-4
            )


def cut_beam(shared: Path, pack: Path) -> Path:
    """Keep the messages of one chat that labels of change name, and their neighbours."""
    source = shared / "data/dev/beam100k/02"
    probes = json.loads((source / "probing_questions.json").read_text(encoding="utf-8"))
    changes = {
        ability: probes[ability] for ability in ("knowledge_update", "contradiction_resolution")
    }
    named = {
        int(key) for asked in changes.values() for key in re.findall(r"\d+", sources_of(asked))
    }
    near = {key + step for key in named for step in (-1, 0, 1)}
    chat = json.loads((source / "chat.json").read_text(encoding="utf-8"))
    for batch in chat:
        batch["turns"] = [
            [message for message in turn if message["id"] in near] for turn in batch["turns"]
        ]
    folder = pack / "dev" / "beam100k" / "02"
    folder.mkdir(parents=True)
    (pack / "dev" / "beam500k_user").mkdir()
    (folder / "chat.json").write_text(json.dumps(chat), encoding="utf-8")
    (folder / "probing_questions.json").write_text(json.dumps(changes), encoding="utf-8")
    return pack / "dev"


def sources_of(asked: list[dict[str, Any]]) -> str:
    """Write the turns that probes name."""
    return json.dumps([probe["source_chat_ids"] for probe in asked])


@pytest.mark.parametrize("curator", ["approve-all", "oracle"])
def test_beam_figures_are_those_of_the_shared_script(
    curator: str, shared_data: Path, tmp_path: Path, answers: Answers
) -> None:
    dataset = read_dataset("beam", cut_beam(shared_data, tmp_path))
    figures = run_here(dataset, curator=curator)

    theirs = json.loads(
        run_script(
            "knowledge_update.py",
            *("--system", "replay:factory", "--k", "5"),
            shared=shared_data,
            pack=tmp_path,
            answers=answers,
        )
    )

    assert (figures["updates"], figures["updates_clean"]) == (
        theirs["n_updates"],
        theirs["n_clean"],
    )
    assert theirs["n_clean"] > 0
    for mine, name in (
        ("update_new", "new@5"),
        ("update_stale_out", "stale_out@5"),
        ("update_both", "correct@5"),
        ("as_of", "asof@5"),
        ("correct_clean@5", "correct_clean@5"),
        ("new_clean@5", "new_clean@5"),
        ("stale_out_clean@5", "stale_out_clean@5"),
        ("pair@5", "pair@5"),
        ("pair@20", "pair@20"),
    ):
        assert figures[mine] == theirs[name], mine
    if figures["update_order"] is not None:
        assert figures["update_order"] == theirs["order"]
