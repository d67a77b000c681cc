"""Vectors for what was approved, filled in by the worker: approval never waits for them."""

import sys
from typing import Any

from django.utils import timezone

from extraction.embeddings.base import Embedder
from extraction.embeddings.registry import get_embedder
from knowledge.commands import indexing, jobs
from knowledge.queries.processing import entries_to_embed
from knowledge.results import Lease

BATCH = 32
MOST_A_JOB = 30 * BATCH  # well under a minute on one core


def embed_job(payload: dict[str, Any], held: Lease) -> bool:
    """Embed part of what a space's index lacks.

    **Returns**: whether there may be more to do.
    """
    done = embed_space(space_id=int(payload["space_id"]), held=held, most=MOST_A_JOB)
    return done >= MOST_A_JOB


def embed_space(
    *,
    space_id: int,
    held: Lease | None = None,
    most: int = sys.maxsize,
    embedder: Embedder | None = None,
) -> int:
    """Embed search entries of the space that have no vector yet.

    ``embedder`` is the one this process is set up with, unless given.

    **Returns**: how many it embedded. The model runs outside of any transaction.
    """
    embedder = embedder or get_embedder()
    done = 0
    while done < most and (
        batch := entries_to_embed(space_id=space_id, model=embedder.model_id, limit=BATCH)
    ):
        # The words around a quote are the same for every statement made of them.
        texts = list(dict.fromkeys(text for _, text in batch))
        made = dict(zip(texts, embedder.embed_passages(texts), strict=True))
        indexing.store_vectors(
            vectors=[(entry_id, text, made[text]) for entry_id, text in batch],
            model=embedder.model_id,
        )
        done += len(batch)
        if held is not None:
            jobs.note_progress(
                job_id=held.job_id,
                fence=held.fence,
                progress={"embedded": done},
                now=timezone.now(),
            )
    return done
