"""Whether texts get vectors: the embedder asked in earnest, and how far its vectors have come."""

import time
from collections.abc import Iterator
from contextlib import suppress

from django.db import DatabaseError

from extraction.embeddings.base import Embedder
from extraction.embeddings.hashing import HashingEmbedder
from extraction.embeddings.registry import get_embedder
from extraction.errors import ExtractionError
from extraction.similarity import cosine
from knowledge.queries import vectors
from workbench.embedded_places import EmbeddedDatabaseError
from workbench.findings import Finding

ABOUT = "embedder"
_QUESTION = "Where does Ines live?"
# Servers round differently from one day to the next; another model is far below.
_THE_SAME_FROM = 0.98


def look_at_embedder() -> Iterator[Finding]:
    """Ask the embedder for a vector, and compare with what it made before.

    **Cost**: two short texts to embed, and a count or two a space.
    """
    began = time.monotonic()
    try:
        embedder = get_embedder()
        embedder.embed_query(_QUESTION)
        yield _answered(embedder, seconds=time.monotonic() - began)
        with suppress(DatabaseError, EmbeddedDatabaseError):  # said already, about the database
            yield from look_at_vectors(embedder)
    except ExtractionError as error:
        yield Finding(
            "failed",
            ABOUT,
            str(error),
            "Until it answers words alone find and nothing is extracted: no other model stands in.",
        )


def look_at_vectors(embedder: Embedder) -> Iterator[Finding]:
    """Look whether the embedder still makes the vectors it made, and how many it has to make.

    **Raises**: EmbeddingError.
    """
    model = embedder.model_id
    kept = vectors.one_made_by(model)
    if kept and cosine(embedder.embed_passages([kept.text])[0], kept.vector) < _THE_SAME_FROM:
        yield Finding(
            "warning",
            ABOUT,
            f"{model} gives other vectors than those it made before: its server runs another"
            " model under the same name.",
            "Set EMBEDDING_REVISION to a new word: everything is then embedded anew.",
        )
    left = vectors.texts_to_embed(model=model)
    if left:
        yield Finding(
            "warning",
            "vectors",
            f"{left:,} texts have no vector of {model} yet; words find them.",
            "Nothing, while the worker runs: it makes them in the background.",
        )
    else:
        yield Finding("ok", "vectors", f"All are of {model}.")


def _answered(embedder: Embedder, *, seconds: float) -> Finding:
    model = embedder.model_id
    if isinstance(embedder, HashingEmbedder):
        return Finding(
            "warning",
            ABOUT,
            f"{model}: compares words and parts of words, and knows nothing of their meaning.",
            "The built-in model does not run on this machine. Name an endpoint:"
            " EMBEDDING_BASE_URL and EMBEDDING_MODEL.",
        )
    says = f"{model}: {embedder.dimensions:,} numbers a text, answered in {seconds:.1f} s."
    return Finding("ok", ABOUT, says)
