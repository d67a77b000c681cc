"""A tiny data set goes through every arm and curator, and the figures are those of the store."""

import json
import os
import signal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from extraction.evaluation import running
from extraction.evaluation.arms import ARMS
from extraction.evaluation.database import scratch_database
from extraction.evaluation.datasets import Dataset, Question, Sample, Turn, Update
from extraction.evaluation.oracle import CURATORS
from extraction.evaluation.reading import read_dataset
from extraction.evaluation.reporting import CONTRACT
from extraction.evaluation.running import Plan
from extraction.pipeline import default_tools
from knowledge.models import Proposal, Space, Version
from knowledge.trust import TrustState
from tests.factories import NOW
from workbench.management.commands.evaluate import ending_in_order

TALK: dict[str, Any] = {
    "speaker_a": "Mira",
    "speaker_b": "Tom",
    "session_1_date_time": "10:00 am on 1 January, 2023",
    "session_1": [
        {"speaker": "Mira", "dia_id": "D1:1", "text": "I work as a nurse at Bloom Clinic."},
        {"speaker": "Tom", "dia_id": "D1:2", "text": "Wow!"},
        {"speaker": "Tom", "dia_id": "D1:3", "text": "I bought a kiln for my pottery."},
    ],
    "session_2_date_time": "10:00 am on 1 May, 2023",
    "session_2": [
        {"speaker": "Mira", "dia_id": "D2:1", "text": "I work as a nurse at Bloom Clinic."},
        {"speaker": "Mira", "dia_id": "D2:2", "text": "I adopted a greyhound called Biscuit."},
        {"speaker": "Tom", "dia_id": "D2:3", "text": "My sister lives in Oslo."},
    ],
}
QUESTIONS: list[dict[str, Any]] = [
    {"question": "Which dog did Mira adopt?", "answer": "x", "evidence": ["D2:2"], "category": 4},
    {"question": "What did Tom buy?", "answer": "a kiln", "evidence": ["D1:3"], "category": 1},
    {"question": "What is a trap?", "adversarial_answer": "y", "evidence": ["D2:3"], "category": 5},
]
OBSERVED = {"session_1_observation": {"Mira": [["Mira is a nurse.", "D1:1"]]}}


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    """One sample of two short sessions."""
    path = tmp_path / "dev" / "locomo" / "conv-1.json"
    path.parent.mkdir(parents=True)
    sample = {
        "sample_id": "conv-1",
        "conversation": TALK,
        "qa": QUESTIONS,
        "observation": OBSERVED,
    }
    path.write_text(json.dumps(sample))
    return path


def figures_of(dataset: Dataset, *, arm: str = "predict", curator: str = "approve-all") -> Any:
    """Run a data set in the database of the tests."""
    return running.run(
        dataset, plan=Plan(default_tools(), arm=arm, curator=curator), say=lambda _: None
    )


def texts(state: TrustState = TrustState.APPROVED) -> list[str]:
    """List the texts of proposals in a state, in their order."""
    found = Proposal.objects.filter(state=state).order_by("pk")
    return list(found.values_list("text", flat=True))


@pytest.mark.django_db
@pytest.mark.parametrize("curator", sorted(CURATORS))
@pytest.mark.parametrize("arm", sorted(ARMS))
def test_every_arm_and_curator_finds_what_was_needed(
    arm: str, curator: str, locomo_file: Path
) -> None:
    figures = figures_of(read_dataset("locomo", locomo_file), arm=arm, curator=curator)

    assert figures["recall_at_5"] == 1.0
    assert figures["need_recall"] == 1.0
    assert figures["by_category"]["adversarial"]["n"] == 1
    assert figures["questions"] == 2
    assert figures["update_both"] is None
    assert figures["messages"] == 6
    assert figures["needed_turns"] == {"found among 20": 2}
    assert Space.objects.get(slug__startswith="evaluation-").evaluation


@pytest.mark.django_db
def test_predicting_covers_what_is_known_and_everything_proposes_it_again(
    locomo_file: Path,
) -> None:
    dataset = read_dataset("locomo", locomo_file)

    predicted = figures_of(dataset)
    everything = figures_of(dataset, arm="everything")

    assert predicted["covered"] == 1
    assert everything["covered"] == 0
    assert everything["joined"] == 0
    assert everything["proposals"] == predicted["proposals"] + 1
    assert everything["statements"] == predicted["statements"] + 1
    assert everything["extraction_rate"] > predicted["extraction_rate"]
    repeated = [text for text in texts() if "Bloom" in text]
    assert len(repeated) == 3


@pytest.mark.django_db
def test_turns_are_kept_word_for_word_and_greetings_are_set_aside(locomo_file: Path) -> None:
    figures = figures_of(read_dataset("locomo", locomo_file), arm="turns")

    assert "Tom: My sister lives in Oslo." in texts()
    assert texts(TrustState.SET_ASIDE) == ["Tom: Wow!"]
    assert figures["set_aside_by_reason"] == {"trivial": 1}
    assert figures["proposals"] == 6
    assert figures["extraction_rate"] == round(5 / 6, 4)
    assert figures["turn_recall"] == 1.0


@pytest.mark.django_db
def test_the_oracle_rejects_what_no_label_names(locomo_file: Path) -> None:
    figures = figures_of(read_dataset("locomo", locomo_file), arm="turns", curator="oracle")

    assert figures["rejected"] == 2
    assert texts(TrustState.REJECTED) == [
        "Mira: I work as a nurse at Bloom Clinic.",  # the second time, which no label names
        "Tom: My sister lives in Oslo.",  # needed by an adversarial question alone
    ]


def chat(*said: str) -> tuple[Turn, ...]:
    """Make a chat of a person's messages, a day apart, each a session."""
    return tuple(
        Turn(str(n), "User", "user_message", text, str(n), NOW.replace(month=2, day=n + 1))
        for n, text in enumerate(said)
    )


UPDATED = Sample(
    id="chat",
    turns=chat(
        "My dashboard API takes 400 ms to respond.",
        "I have a dog called Biscuit.",
        "My dashboard API takes 250 ms to respond.",
    ),
    questions=(Question("How long does the dashboard API take?", "knowledge_update", ("0", "2")),),
    updates=(
        Update(
            "How long does the dashboard API take to respond?",
            "250 ms",
            old=frozenset({"0"}),
            new=frozenset({"2"}),
            is_clean=True,
            values=frozenset({"250"}),
        ),
    ),
)


@pytest.mark.django_db
@pytest.mark.parametrize("arm", ["everything", "turns"])
def test_the_oracle_says_changed_as_the_labels_do_even_if_no_engine_suggests_it(arm: str) -> None:
    dataset = Dataset("beam", "", "x", (UPDATED,))

    figures = figures_of(dataset, arm=arm, curator="oracle")

    assert (figures["update_new"], figures["update_stale_out"]) == (1.0, 1.0)
    assert figures["update_both"] == figures["correct_clean@5"] == 1.0
    assert figures["as_of"] == 1.0
    assert figures["misses"] == []
    assert Version.objects.filter(end_reason="superseded").count() == 1


@pytest.mark.django_db
def test_a_stale_value_that_nobody_replaced_is_a_miss_with_its_cause() -> None:
    dataset = Dataset("beam", "", "x", (UPDATED,))

    figures = figures_of(dataset, arm="turns", curator="approve-all")

    assert (figures["update_new"], figures["update_stale_out"]) == (1.0, 0.0)
    (miss,) = figures["misses"]
    assert "nothing of the new turn was said to change it" in miss["stale"]
    assert miss["new"] == ""
    assert len(miss["served"]) == 3


# --- the command ---


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_the_command_works_in_a_database_of_its_own_and_leaves_nothing(
    locomo_file: Path, tmp_path: Path
) -> None:
    out, target = StringIO(), tmp_path / "run.json"

    call_command("evaluate", "locomo", str(locomo_file), "--json", str(target), stdout=out)

    run = json.loads(target.read_text())
    assert set(CONTRACT) <= run.keys()
    assert (run["dataset"], run["split"], run["arm"], run["engine"]) == (
        "locomo",
        "dev",
        "predict",
        "local",
    )
    assert run["recall_at_5"] == 1.0
    assert run["update_new"] is None
    assert "recall of needed turns" in out.getvalue()
    assert not Space.objects.filter(evaluation=True).exists()
    main = connections["default"].settings_dict["NAME"]
    assert databases_like(f"{main}_evaluation_") == []

    call_command(
        "evaluate",
        *("locomo", str(locomo_file), "--arm", "turns", "--compare", str(target), "--causes"),
        stdout=out,
    )
    assert any(line.split() == ["predict", "turns"] for line in out.getvalue().splitlines())
    assert "what became of 2 needed turns" in out.getvalue()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_failed_run_leaves_no_database_and_the_next_drops_what_a_killed_one_left() -> None:
    main = connections["default"].settings_dict["NAME"]
    with connections["owner"].cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{main}_evaluation_left"')
    led_to: list[tuple[str, str]] = []
    there: list[str] = []

    def fail() -> None:
        with scratch_database() as name:
            led_to.append((name, str(connections["default"].settings_dict["NAME"])))
            there.extend(databases_like(f"{main}_evaluation_"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    ((name, led_name),) = led_to
    assert led_name == name
    assert there == [name]
    assert databases_like(f"{main}_evaluation_") == []
    assert connections["default"].settings_dict["NAME"] == main


def databases_like(prefix: str) -> list[str]:
    """Name the databases of the server that begin so."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [prefix])
        return [str(name) for (name,) in cursor.fetchall()]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["locomo", "absent.json"], "nothing at absent.json"),
        (["locomo", "{here}", "--limit", "0"], "counts conversations"),
        (["locomo", "{here}", "--json", "{here}/no/run.json"], "There is no folder"),
        (["locomo", "{here}", "--engine", "magic"], "no engine called magic"),
        (["beam", "{here}"], "holds no BEAM chat"),
        (["locomo", "{here}", "--compare", "{here}"], "not the JSON of an evaluation"),
        (["nothing", "{here}"], "invalid choice"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_with_a_sentence(
    arguments: list[str], sentence: str, locomo_file: Path
) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("evaluate", *(one.format(here=locomo_file) for one in arguments))


def test_unlike_runs_are_refused_before_anything_is_run(locomo_file: Path, tmp_path: Path) -> None:
    other = dict.fromkeys(("dataset", "split", "digest", "curator", "arm", "code"), "x")
    earlier = tmp_path / "run.json"
    earlier.write_text(json.dumps({**other, "dataset": "beam"}))

    with pytest.raises(CommandError, match="dataset is locomo here and beam there"):
        call_command("evaluate", "locomo", str(locomo_file), "--compare", str(earlier))


def test_being_told_to_end_is_an_exception_so_that_the_database_is_dropped() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with pytest.raises(SystemExit), ending_in_order():
        os.kill(os.getpid(), signal.SIGTERM)

    assert signal.getsignal(signal.SIGTERM) is before
