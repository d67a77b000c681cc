"""Trying a model: one harmless call at a time for each person, and an event for each trial."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from extraction.embeddings.probing import EmbedderProbe, probe_embedder
from extraction.engines.probing import Probe, probe
from knowledge.errors import Conflict
from knowledge.results import Actor
from workbench import auditing

ACTION = "settings.try"


def try_models(*, space_id: int, by: Actor) -> tuple[Probe, ...]:
    """Try the engine, and its prediction model where that is another; log how each ended.

    **Raises**: Conflict while the same person tries something else; AuditUnavailable.
    """
    with _one_at_a_time(by=by):
        probes = probe()
        for told in probes:
            _log(
                told,
                space_id=space_id,
                by=by,
                role="chat",
                tokens={"input_tokens": told.input_tokens, "output_tokens": told.output_tokens},
            )
    return probes


def try_embedder(*, space_id: int, by: Actor) -> EmbedderProbe:
    """Try the embedder, and log how it ended.

    **Raises**: Conflict while the same person tries something else; AuditUnavailable.
    """
    with _one_at_a_time(by=by):
        told = probe_embedder()
        _log(told, space_id=space_id, by=by, role="embedding", tokens={"tokens": told.tokens})
    return told


def _log(
    told: Probe | EmbedderProbe,
    *,
    space_id: int,
    by: Actor,
    role: str,
    tokens: dict[str, int | None],
) -> None:
    auditing.log(
        space_id=space_id,
        by=by,
        action=ACTION,
        outcome="ok" if told.works else "failed",
        object_type="endpoint",
        object_id=f"{role}:{told.model or 'built-in'}",
        reason_code="" if told.works else "does_not_work",
        payload={
            "role": role,
            "address": told.address,
            "model": told.model,
            "ms": told.ms,
            "problem": told.problem,
            **tokens,
        },
    )


@contextmanager
def _one_at_a_time(*, by: Actor) -> Iterator[None]:
    """Let a person try one thing at a time, over all processes.

    A lock of the connection, not of a transaction: nothing is held open while a model thinks, and
    it ends with the connection.
    """
    name = f"trial of {by.user_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
        is_mine = cursor.fetchone() == (True,)
    if not is_mine:
        raise Conflict("Another trial of yours still runs. Wait for its answer, then try again.")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
