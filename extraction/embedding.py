"""Vectors for what was approved and what waits, filled in by the worker: nobody waits for them.

Another model's vectors are made anew in the background. Until that is done a text has either a
vector of the old model, which no question is compared with any more, or one of the new.
"""

import math
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.utils import timezone

from extraction.embeddings import memory
from extraction.embeddings.base import Embedder
from extraction.embeddings.openai import OpenAIEmbedder
from extraction.embeddings.registry import ENDPOINT, chosen, configured_endpoint, get_embedder
from extraction.errors import EmbeddingError, ExtractionError, TextRefused
from knowledge.commands import indexing, jobs
from knowledge.errors import Conflict
from knowledge.queries.jobs import open_jobs
from knowledge.queries.vectors import entries_to_embed, proposals_to_embed, spaces_to_embed
from knowledge.results import Lease

log = structlog.get_logger(__name__)

BATCH = 32
MOST_A_JOB = 30 * BATCH  # well under a minute on one core
# How long one task begins further batches: an endpoint may be slower than the machine itself.
SLICE_S = 45.0
# How often the worker looks for what lacks a vector of its model.
LOOK_EVERY = timedelta(minutes=30)


def embedded_query(text: str) -> tuple[list[float] | None, str]:
    """Embed a question with this installation's embedder, or say that words alone must do.

    **Returns**: the vector and the id of its model; None and an empty id where no embedder
    answers, which the log then says.
    """
    try:
        embedder = get_embedder()
        vector, model = embedder.embed_query(text), embedder.model_id
    except ExtractionError as error:
        log.warning("query_not_embedded", reason=str(error))
        return None, ""
    if len(vector) != embedder.dimensions:
        log.warning("query_not_embedded", reason="the model was changed at this moment")
        return None, ""
    return vector, model


def try_embedder() -> None:
    """Ask this installation's embedder for one vector, in a hurry.

    **Raises**: DimensionsRefused where its vectors cannot be stored; ExtractionError where none
    comes.
    """
    get_embedder().embed_query("Where does Ines live?")


def begin(*, now: datetime) -> None:
    """Have the worker look at once what lacks a vector of its model; each round asks for the next.

    Called at every start, which is when another model may have been set.
    """
    indexing.ask_to_look(now=now, every=LOOK_EVERY)


def look_job(payload: dict[str, Any], held: Lease) -> bool:
    """Ask for the embedding of every space that lacks vectors of this installation's model.

    The next round is asked for first, so that a failure ends nothing. While the embedder is away
    there is nothing to ask for; work that was given up meanwhile is taken up again.
    """
    now = timezone.now()
    indexing.ask_to_look(now=now, every=LOOK_EVERY, rounds_ahead=1)
    try:
        embedder = get_embedder()
        model = embedder.model_id
    except ExtractionError as error:
        log.warning("vectors_not_looked_for", reason=str(error))
        _note_trouble(error)
        return False
    _note_dimensions(embedder)
    for space_id in spaces_to_embed(model=model):
        _ask_anew(space_id, now=now)
    return False


def embed_job(payload: dict[str, Any], held: Lease) -> bool:
    """Embed part of what a space's index, and its proposals, lack.

    **Returns**: whether there may be more to do. **Raises**: EmbeddingError, Conflict.
    """
    space_id, ends_at = int(payload["space_id"]), time.monotonic() + SLICE_S
    done = embed_space(space_id=space_id, held=held, most=MOST_A_JOB, ends_at=ends_at)
    if done >= MOST_A_JOB or time.monotonic() > ends_at:
        return True
    left = MOST_A_JOB - done
    done = embed_proposals(space_id=space_id, held=held, most=left, ends_at=ends_at)
    return done >= left or time.monotonic() > ends_at


def embed_space(
    *,
    space_id: int,
    held: Lease | None = None,
    most: int = sys.maxsize,
    ends_at: float = math.inf,
    embedder: Embedder | None = None,
) -> int:
    """Embed search entries of the space that have no vector of this model yet.

    ``embedder`` is the one this process is set up with, unless given.

    **Returns**: how many it embedded. The model runs outside of any transaction, and what a
    batch has made is kept whatever becomes of the next. **Units**: ``ends_at`` monotonic seconds,
    after which no batch begins. **Raises**: EmbeddingError.
    """
    embedder = embedder or get_embedder()
    done = 0
    while done < most and time.monotonic() <= ends_at:
        model = embedder.model_id
        batch = entries_to_embed(space_id=space_id, model=model, limit=BATCH)
        if not batch:
            break
        made = _embed([text for _, text in batch], embedder=embedder)
        if embedder.model_id != model:  # it was changed on its server meanwhile
            continue
        vectors = [(entry_id, text, made[text]) for entry_id, text in batch]
        indexing.store_vectors(vectors=vectors, model=model)
        done += len(batch)
        _note(held, progress={"embedded": done})
    return done


def embed_proposals(
    *,
    space_id: int,
    held: Lease | None = None,
    most: int = sys.maxsize,
    ends_at: float = math.inf,
    embedder: Embedder | None = None,
) -> int:
    """Embed what duplicates are compared with: proposals without a vector of this model.

    **Returns**, **Units**, **Raises**: as ``embed_space``.
    """
    embedder = embedder or get_embedder()
    done = 0
    refused: set[int] = set()
    while done < most and time.monotonic() <= ends_at:
        model = embedder.model_id
        batch = proposals_to_embed(
            space_id=space_id, model=model, limit=BATCH, besides=frozenset(refused)
        )
        if not batch:
            break
        made = _embed([text for _, text in batch], embedder=embedder)
        if embedder.model_id != model:
            continue
        vectors = [(pk, text, vector) for pk, text in batch if (vector := made[text]) is not None]
        indexing.store_proposal_vectors(vectors=vectors, model=model)
        refused |= {pk for pk, text in batch if made[text] is None}
        done += len(batch)
        _note(held, progress={"proposals_embedded": done})
    return done


def _embed(texts: Sequence[str], *, embedder: Embedder) -> dict[str, list[float] | None]:
    """Embed each different text once; None for one of which no vector can be made.

    The words around a quote are the same for every statement made of them.
    """
    different = list(dict.fromkeys(texts))
    try:
        return dict(zip(different, embedder.embed_passages(different), strict=True))
    except TextRefused:
        return {text: _embed_alone(text, embedder=embedder) for text in different}


def _embed_alone(text: str, *, embedder: Embedder) -> list[float] | None:
    try:
        return embedder.embed_passages([text])[0]
    except TextRefused as refusal:
        log.warning("text_not_embedded", reason=str(refusal))
        return None


def _note_dimensions(embedder: Embedder) -> None:
    """Let other processes, and people who look, know what an endpoint's vectors are like."""
    if isinstance(embedder, OpenAIEmbedder):
        memory.note_vectors(embedder.endpoint, dimensions=embedder.dimensions)


def _note_trouble(error: ExtractionError) -> None:
    if isinstance(error, EmbeddingError) and chosen() == ENDPOINT:
        with suppress(EmbeddingError):
            memory.note_trouble(configured_endpoint(), sentence=str(error))


def _ask_anew(space_id: int, *, now: datetime) -> None:
    """Ask for a space's vectors, by the job that was given up where there is one."""
    given_up = open_jobs(kind=indexing.EMBED_ENTRIES, keys=[f"space:{space_id}"], given_up=True)
    if not given_up:
        indexing.ask_to_embed(space_id=space_id, now=now)
        return
    try:
        jobs.retry(job_id=given_up[0].id, now=now)
    except Conflict:  # somebody was quicker
        log.info("vectors_asked_for_already", space=space_id)


def _note(held: Lease | None, *, progress: dict[str, Any]) -> None:
    if held is not None:
        jobs.note_progress(
            job_id=held.job_id, fence=held.fence, progress=progress, now=timezone.now()
        )
