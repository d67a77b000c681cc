"""The LongMemEval layouts: a person's sessions with an assistant, and questions about them.

The sample layout is ``{"data": [{id, question_type, conversation, questions}]}``: all of its
sessions are pooled into one memory, and a question's gold are the turns of its own sessions. The
published layout is a list of ``{question_id, question, answer, haystack_sessions, …}``: each
question has a memory of its own, and gold are the turns marked ``has_answer``, or else those of
the answer's sessions.
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
    read_json,
    split_of,
)

_WEEKDAY = re.compile(r" \(\w+\)")

Json = Mapping[str, Any]


def read(path: Path, *, limit: int | None) -> Dataset:
    """Read a file, or the one JSON file of a folder. ``limit`` counts questions.

    **Raises**: UnreadableDataset.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise UnreadableDataset(f"{path} holds no JSON file of LongMemEval.")
    samples: list[Sample] = []
    for file in files:
        document = read_json(file)
        try:
            samples += _samples(document, limit=limit)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnreadableDataset(
                f"{file} is no LongMemEval file ({type(error).__name__}: {error}). Expected a "
                "list with “haystack_sessions”, or “data” with “conversation” and “questions”."
            ) from error
    return Dataset(
        name="longmemeval",
        split=split_of(path),
        digest=digest_of(files, extra=f"{limit}"),
        samples=tuple(samples),
    )


def _samples(document: Any, *, limit: int | None) -> list[Sample]:
    if isinstance(document, list):
        return [_published(one) for one in document[:limit]]
    return [_pooled(document["data"][:limit])]


def _pooled(entries: list[Json]) -> Sample:
    turns: list[Turn] = []
    questions: list[Question] = []
    for entry in entries:
        own = [
            _turn(
                said,
                key=f"{entry['id']}|{said['date']}|{place}",
                session=f"{entry['id']}|{said['date']}",
                at=_instant(said["date"]) + timedelta(seconds=place),
            )
            for place, said in enumerate(entry["conversation"])
        ]
        turns += own
        questions += [
            Question(
                asked["question"],
                entry["question_type"],
                gold=tuple(turn.id for turn in own),
                answer=str(asked["answer"]),
            )
            for asked in entry["questions"][:1]
        ]
    turns.sort(key=lambda turn: turn.said_at)
    return Sample(
        id="pooled",
        turns=tuple(turns),
        questions=tuple(questions),
        asked_back=True,
        by_session=True,
    )


def _published(entry: Json) -> Sample:
    turns: list[Turn] = []
    marked: list[str] = []
    of_answer: list[str] = []
    sessions = zip(
        entry["haystack_session_ids"],
        entry["haystack_dates"],
        entry["haystack_sessions"],
        strict=True,
    )
    for session, date, said in sorted(sessions, key=lambda one: _instant(one[1])):
        for place, message in enumerate(said):
            key = f"{session}|{place}"
            at = _instant(date) + timedelta(seconds=place)
            turns.append(_turn(message, key=key, session=str(session), at=at))
            if message.get("has_answer"):
                marked.append(key)
            if session in entry.get("answer_session_ids", ()):
                of_answer.append(key)
    question = Question(
        entry["question"],
        entry["question_type"],
        gold=tuple(marked or of_answer),
        answer=str(entry["answer"]),
    )
    return Sample(
        id=str(entry["question_id"]),
        turns=tuple(turns),
        questions=(question,) if question.gold else (),
        asked_back=True,
        by_session=not marked,
        skipped=0 if question.gold else 1,
    )


def _turn(message: Json, *, key: str, session: str, at: datetime) -> Turn:
    is_user = message["role"] == "user"
    return Turn(
        id=key,
        speaker="User" if is_user else "Assistant",
        kind="user_message" if is_user else "agent_message",
        text=message["content"],
        session=session,
        said_at=at,
    )


def _instant(text: str) -> datetime:
    return datetime.strptime(_WEEKDAY.sub("", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
