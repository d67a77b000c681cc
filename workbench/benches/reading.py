"""How long it takes to say what was believed and true at two instants."""

import random
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import connection, connections

from knowledge.queries.asof import believed_at, instants_of

GENERATE = (Path(__file__).parent / "asof.sql").read_text(encoding="utf-8")
SUBJECTS = 50
ROWS_OF_A_LINEAGE = 10
QUESTIONS = 500
WARM_UP = 50
FIRST_DAY = datetime.fromisoformat("2022-01-01T00:00:00+00:00")
DAYS = 1000


def measure_reading(*, space_id: int, versions: int, now: datetime) -> dict[str, Any]:
    """Return how long questions take beside this many versions of fifty subjects.

    A question names one subject and both instants, drawn evenly over the whole time on both
    axes, and reads every answer into objects, as the pages and the API do.
    """
    lineages = max(1, versions // ROWS_OF_A_LINEAGE)
    with copied_versions(space_id=space_id, lineages=lineages):
        _ask(space_id=space_id, count=WARM_UP, now=now)
        asked = _ask(space_id=space_id, count=QUESTIONS, now=now)
        ended = _share_ended()
    taken = sorted(each[0] for each in asked)
    return {
        "versions": lineages * ROWS_OF_A_LINEAGE,
        "ended_share": ended,
        "subjects": SUBJECTS,
        "questions": QUESTIONS,
        "answers_p50": statistics.median(each[1] for each in asked),
        "p50_ms": round(statistics.median(taken), 2),
        "p95_ms": round(taken[int(len(taken) * 0.95)], 2),
    }


@contextmanager
def copied_versions(*, space_id: int, lineages: int) -> Iterator[None]:
    """Let reads of versions meet a generated copy of their table, and drop it afterwards."""
    given = {"space_id": space_id, "subjects": SUBJECTS, "lineages": lineages}
    with connections["owner"].cursor() as owner:
        owner.execute(GENERATE, given)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET search_path = bench_asof, public")
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET search_path")
            owner.execute("DROP SCHEMA bench_asof CASCADE")


def _ask(*, space_id: int, count: int, now: datetime) -> list[tuple[float, int]]:
    """Return milliseconds and number of answers of each question, the same on every run."""
    chosen = random.Random(count)  # noqa: S311  # draws questions, no secrets
    taken = []
    for _ in range(count):
        subject_id = chosen.randrange(SUBJECTS)
        valid_at, known_at = (FIRST_DAY + timedelta(days=chosen.random() * DAYS) for _ in "vk")
        began = time.perf_counter()
        instants = instants_of(space_id=space_id, valid_at=valid_at, known_at=known_at, now=now)
        answers = list(believed_at(space_id=space_id, subject_ids=[subject_id], instants=instants))
        taken.append(((time.perf_counter() - began) * 1000, len(answers)))
    return taken


def _share_ended() -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT avg((tx_to IS NOT NULL)::int) FROM knowledge_version")
        row = cursor.fetchone()
    return round(float(row[0]), 3) if row else 0.0
