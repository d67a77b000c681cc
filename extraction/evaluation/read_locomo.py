"""The LoCoMo layout: two people who talk over months, with questions and their evidence turns.

Where a folder ``locomo_audit`` lies beside the data, its corrections of wrong labels apply.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from extraction.evaluation.datasets import (
    Dataset,
    Question,
    Sample,
    Turn,
    UnreadableDataset,
    digest_of,
    first,
    read_json,
    split_of,
)

CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
ADVERSARIAL = 5
# The published order of the samples, by which the audit's files are numbered.
PUBLISHED = tuple(f"conv-{number}" for number in (26, 30, 41, 42, 43, 44, 47, 48, 49, 50))
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)\Z")

Json = Mapping[str, Any]
Audit = dict[tuple[str, str], Json]


def read(path: Path, *, limit: int | None) -> Dataset:
    """Read a sample, a list of samples, or a folder of such files.

    **Raises**: UnreadableDataset.
    """
    files = sorted(path.glob("conv-*.json")) or sorted(path.glob("*.json"))
    files = files if path.is_dir() else [path]
    if not files:
        raise UnreadableDataset(f"{path} holds no JSON file of LoCoMo samples.")
    audit_files = _audit_files(path if path.is_dir() else path.parent)
    audit = _audit(audit_files)
    read_files: list[Path] = []
    samples: list[Sample] = []
    for file in files:
        if limit is not None and len(samples) >= limit:
            break
        document = read_json(file)
        read_files.append(file)
        several = document if isinstance(document, list) else [document]
        samples += [_sample(one, file=file, audit=audit) for one in several]
    samples = samples[:limit]
    return Dataset(
        name="locomo",
        split=split_of(path),
        digest=digest_of(first(read_files, None) + audit_files, extra=f"{limit}"),
        samples=tuple(samples),
        notes={"audit": "fix" if audit else "off"},
    )


def _audit_files(folder: Path) -> list[Path]:
    return sorted((folder.parent / "locomo_audit").glob("errors_conv_*.json"))


def _audit(files: list[Path]) -> Audit:
    known: Audit = {}
    for file in files:
        number = int("".join(re.findall(r"\d+", file.stem)[-1:]) or "0")
        for error in read_json(file):
            if number < len(PUBLISHED):
                known[PUBLISHED[number], str(error.get("question"))] = error
    return known


def _sample(value: Any, *, file: Path, audit: Audit) -> Sample:
    try:
        return _read_sample(value, audit=audit)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableDataset(
            f"{file} is no LoCoMo sample ({type(error).__name__}: {error}). Expected "
            "“sample_id”, “conversation” with “session_1” and its date, and “qa”."
        ) from error


def _read_sample(sample: Json, *, audit: Audit) -> Sample:
    turns = _turns(sample["conversation"])
    known = frozenset(turn.id for turn in turns)
    if not known:
        raise ValueError("no session has a turn")
    questions: list[Question] = []
    skipped = 0
    for qa in sample["qa"]:
        correction = audit.get((sample["sample_id"], qa["question"]), {})
        gold = turn_ids(correction.get("correct_evidence") or [], known=known)
        gold = gold or turn_ids(qa.get("evidence", []), known=known)
        if not gold:
            skipped += 1
            continue
        questions.append(
            Question(
                text=qa["question"],
                category=CATEGORIES[qa["category"]],
                gold=gold,
                counts=qa["category"] != ADVERSARIAL,
                answer=str(qa.get("answer", qa.get("adversarial_answer", ""))),
            )
        )
    return Sample(
        id=str(sample["sample_id"]),
        turns=turns,
        questions=tuple(questions),
        facts=_observed(sample.get("observation"), known=known),
        asked_back=True,
        skipped=skipped,
    )


def _turns(talk: Json) -> tuple[Turn, ...]:
    """Sessions are dated, turns are not: a minute each keeps their order."""
    numbers = sorted(int(match[1]) for key in talk if (match := _SESSION.match(key)))
    turns: list[Turn] = []
    for number in numbers:
        when = datetime.strptime(
            talk[f"session_{number}_date_time"].strip(), "%I:%M %p on %d %B, %Y"
        ).replace(tzinfo=UTC)
        for minute, turn in enumerate(talk[f"session_{number}"]):
            caption = turn.get("blip_caption")
            turns.append(
                Turn(
                    id=turn["dia_id"],
                    speaker=turn["speaker"],
                    kind="user_message",
                    text=turn["text"] + (f" [shares a picture: {caption}]" if caption else ""),
                    session=str(number),
                    said_at=when + timedelta(minutes=minute),
                )
            )
    return tuple(turns)


def _observed(observation: Json | None, *, known: frozenset[str]) -> frozenset[str] | None:
    if observation is None:
        return None
    return frozenset(
        turn
        for session in observation.values()
        for facts in session.values()
        for fact in facts
        for turn in turn_ids(fact[1], known=known)
    )


def turn_ids(evidence: object, *, known: frozenset[str]) -> tuple[str, ...]:
    """Read turn ids as published, slips such as ``D8:6; D9:17`` or ``D30:05`` included.

    **Shape**: known ids only, each once, in order.
    """
    found: dict[str, None] = {}
    for text in evidence if isinstance(evidence, list) else [evidence]:
        for session, turn in _TURN_ID.findall(str(text)):
            key = f"D{int(session)}:{int(turn)}"
            if key in known:
                found[key] = None
    return tuple(found)
