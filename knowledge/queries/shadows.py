"""Runs for comparison: what is asked of one, which stand beside a run, and what they found."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.models import Arm, ExtractionRun, Job, RunState, ShadowCandidate
from knowledge.models.job import OPEN_STATES


@dataclass(frozen=True, slots=True)
class AskedShadow:
    """A shadow run that somebody asked for. ``known_at`` is when its words were first read."""

    run_id: int
    episode_id: int
    conversation_id: int
    subject_id: int
    engine: str
    model: str
    prompt_version: str
    predict_model: str
    expects: bool
    known_at: datetime
    is_done: bool


@dataclass(frozen=True, slots=True)
class ShadowRow:
    """A shadow run in the list beside the run it is compared with.

    **Shape**: ``again_at`` is when a failed one is tried again by itself.
    """

    id: int
    engine: str
    model: str
    predict_model: str
    expects: bool
    state: str
    error: str
    asked_by: str
    asked_at: datetime
    candidates: int
    again_at: datetime | None


def asked_shadow(run_id: int) -> AskedShadow | None:
    """Read what is asked of a shadow run, or None where there is none. One query."""
    row = (
        ExtractionRun.objects.filter(pk=run_id, shadow=True)
        .select_related("episode", "beside")
        .first()
    )
    if row is None or row.beside is None:
        return None
    return AskedShadow(
        run_id=row.pk,
        episode_id=row.episode_id,
        conversation_id=row.episode.conversation_id,
        subject_id=row.subject_id,
        engine=row.engine,
        model=row.model,
        prompt_version=row.prompt_version,
        predict_model=row.predict_model,
        expects=row.arm == Arm.PREDICT,
        known_at=row.beside.started_at,
        is_done=row.state == RunState.DONE,
    )


def shadows_beside(run_id: int) -> tuple[ShadowRow, ...]:
    """List the shadow runs that stand beside a run, newest first. **Cost**: three queries."""
    rows = list(
        ExtractionRun.objects.filter(beside_id=run_id).select_related("asked_by").order_by("-pk")
    )
    found = ShadowCandidate.objects.filter(run__beside_id=run_id).values_list("run_id", flat=True)
    candidates = list(found)
    again = next_attempts([row.pk for row in rows])
    return tuple(
        ShadowRow(
            id=row.pk,
            engine=row.engine,
            model=row.model,
            predict_model=row.predict_model,
            expects=row.arm == Arm.PREDICT,
            state=row.state,
            error=row.error,
            asked_by=row.asked_by.get_username() if row.asked_by else "",
            asked_at=row.started_at,
            candidates=candidates.count(row.pk),
            again_at=again.get(row.pk) if row.state == RunState.FAILED else None,
        )
        for row in rows
    )


def next_attempts(run_ids: list[int]) -> dict[int, datetime]:
    """Say of shadow runs that still have an open job when it is tried next. One query."""
    jobs = Job.objects.filter(
        kind="shadow_run", key__in=[str(pk) for pk in run_ids], state__in=OPEN_STATES
    )
    return {int(key): at for key, at in jobs.values_list("key", "run_after")}
