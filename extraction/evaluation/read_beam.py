"""The BEAM layout: long chats with an assistant, probed for ten abilities.

A chat's folder has ``probing_questions.json`` beside ``chat.json`` (both sides) or
``user_messages.jsonl.gz`` (the person's alone).
"""

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from extraction.evaluation.datasets import (
    Contradiction,
    Dataset,
    Question,
    Sample,
    Turn,
    UnreadableDataset,
    Update,
    digest_of,
    first,
    read_json,
    split_of,
)

PROBES = "probing_questions.json"
CHAT = "chat.json"
USER_ONLY = "user_messages.jsonl.gz"
TIERS = ("beam100k", "beam500k_user")
SIDES = 2
# Users' messages end in "->-> 1,1": the place in the plan they were written from.
_PLAN_MARK = re.compile(r"\s*-\s*>\s*-?\s*>.*$", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_BEGIN = datetime(2024, 1, 1, tzinfo=UTC)

Json = Mapping[str, Any]


def read(path: Path, *, limit: int | None) -> Dataset:
    """Read one chat's folder, a tier of them, or a folder that holds tiers.

    **Raises**: UnreadableDataset.
    """
    folders = first(_chats(path), limit)
    if not folders:
        raise UnreadableDataset(
            f"{path} holds no BEAM chat: a folder with {PROBES} and {CHAT} or {USER_ONLY}."
        )
    files = [
        folder / name
        for folder in folders
        for name in (PROBES, CHAT, USER_ONLY)
        if (folder / name).is_file()
    ]
    return Dataset(
        name="beam",
        split=split_of(path),
        digest=digest_of(files),
        samples=tuple(_sample(folder) for folder in folders),
    )


def _chats(path: Path) -> list[Path]:
    if (path / PROBES).is_file():
        return [path]
    if not path.is_dir():
        return []
    tiers = [path / tier for tier in TIERS if (path / tier).is_dir()]
    return [
        folder
        for tier in tiers or [path]
        for folder in sorted(tier.iterdir())
        if (folder / PROBES).is_file()
    ]


def _sample(folder: Path) -> Sample:
    try:
        turns = _turns(list(_messages(folder)))
        return _read_sample(
            f"{folder.parent.name}/{folder.name}", turns=turns, probes=read_json(folder / PROBES)
        )
    except (KeyError, TypeError, ValueError, AttributeError, OSError) as error:
        raise UnreadableDataset(
            f"{folder} is no BEAM chat ({type(error).__name__}: {error})."
        ) from error


def _messages(folder: Path) -> Iterator[Json]:
    if (folder / CHAT).is_file():
        for batch in read_json(folder / CHAT):
            for turn in batch["turns"]:
                for message in turn:
                    yield {**message, "batch": batch["batch_number"]}
        return
    with gzip.open(folder / USER_ONLY, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield {**json.loads(line), "role": "user"}


def _turns(messages: Sequence[Json]) -> tuple[Turn, ...]:
    """Sessions are dated, messages are not: a minute each keeps their order."""
    turns: list[Turn] = []
    at = _BEGIN
    for message in messages:
        at = max(at, _anchor(message.get("time_anchor")) or at) + timedelta(minutes=1)
        is_user = message["role"] == "user"
        turns.append(
            Turn(
                id=str(message["id"]),
                speaker="User" if is_user else "Assistant",
                kind="user_message" if is_user else "agent_message",
                text=_PLAN_MARK.sub("", message["content"]),
                session=str(message["batch"]),
                said_at=at,
            )
        )
    return tuple(turns)


def _anchor(text: object) -> datetime | None:
    try:
        return datetime.strptime(str(text), "%B-%d-%Y").replace(tzinfo=UTC)
    except ValueError:
        return None


def _read_sample(name: str, *, turns: tuple[Turn, ...], probes: Json) -> Sample:
    place = {turn.id: number for number, turn in enumerate(turns)}
    text = {turn.id: turn.text for turn in turns}
    updates = [
        _update(probe, place=place, text=text) for probe in probes.get("knowledge_update", [])
    ]
    contradictions = [
        _contradiction(probe, place=place) for probe in probes.get("contradiction_resolution", [])
    ]
    return Sample(
        id=name,
        turns=turns,
        questions=tuple(_questions(probes, known=place)),
        updates=tuple(one for one in updates if one is not None),
        contradictions=tuple(one for one in contradictions if one is not None),
        skipped=updates.count(None) + contradictions.count(None),
    )


def _questions(probes: Json, *, known: Mapping[str, int]) -> Iterator[Question]:
    for ability, asked in probes.items():
        for probe in asked:
            gold = tuple(dict.fromkeys(key for key in _flat(_sources(probe)) if key in known))
            if gold:
                answer = str(probe.get("answer", probe.get("ideal_answer", "")))
                yield Question(probe["question"], ability, gold, answer=answer)


def _update(probe: Json, *, place: Mapping[str, int], text: Mapping[str, str]) -> Update | None:
    """An update with its labels, or None where the old does not come before the new."""
    sources = _sources(probe)
    if not isinstance(sources, dict):
        return None
    new = set(_flat(sources.get("updated_info", []))) & place.keys()
    old = (set(_flat(sources.get("original_info", []))) & place.keys()) - set(new)
    if not old or not new or max(place[i] for i in old) >= min(place[i] for i in new):
        return None
    answer = str(probe.get("answer", ""))
    values = numbers(answer) & {number for key in new for number in numbers(text[key])}
    values -= {number for key in old for number in numbers(text[key])}
    return Update(
        question=probe["question"],
        answer=answer,
        old=frozenset(old),
        new=frozenset(new),
        is_clean=bool(values),
        values=frozenset(values),
    )


def _contradiction(probe: Json, *, place: Mapping[str, int]) -> Contradiction | None:
    sources = _sources(probe)
    if not isinstance(sources, dict) or len(sources) < SIDES:
        return None
    sides = tuple(frozenset(_flat(side)) & place.keys() for side in sources.values())
    return Contradiction(probe["question"], sides) if all(sides) else None


def _sources(probe: Json) -> Any:
    return probe.get("source_chat_ids") or {}


def _flat(value: object) -> list[str]:
    if isinstance(value, dict):
        return [key for one in value.values() for key in _flat(one)]
    if isinstance(value, list):
        return [key for one in value for key in _flat(one)]
    return [str(value)]


def numbers(text: str) -> frozenset[str]:
    """List the numbers of a text as they are written, such as ``1,200`` or ``3.5``."""
    return frozenset(_NUMBER.findall(text))
