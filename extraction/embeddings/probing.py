"""Trying the embedder this installation is set up with, and saying in words what it can do."""

import time
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass

from extraction.embeddings import memory
from extraction.embeddings.hashing import HashingEmbedder
from extraction.embeddings.openai import Endpoint, OpenAIEmbedder
from extraction.embeddings.registry import ENDPOINT, chosen, configured_endpoint, get_embedder
from extraction.errors import EmbeddingError
from extraction.similarity import cosine

BUILT_IN = "local"
# A sentence, the same in other words, and another matter: nobody's words.
TEXTS = ("Water is wet.", "Wetness is what water has.", "The train leaves at noon.")


@dataclass(frozen=True, slots=True)
class EmbedderProbe:
    """What one trial of an embedder showed, in sentences for a person.

    **Shape**: ``address`` is empty for the built-in one; ``problem`` is empty where it works.
    **Units**: milliseconds; ``tokens`` as the server counts them, None where it does not.
    """

    embedder: str
    works: bool
    model: str = ""
    address: str = ""
    can: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()
    problem: str = ""
    ms: int = 0
    tokens: int | None = None


def probe_embedder() -> EmbedderProbe:
    """Try the embedder with three invented sentences; what its endpoint answers is remembered.

    It is asked also while it is left alone for failing. **Cost**: one request, and another for
    each parameter the server does not take, each within EMBEDDING_TIMEOUT_S.
    """
    try:
        if chosen() != ENDPOINT:
            return _of_the_built_in()
        endpoint = configured_endpoint()
    except EmbeddingError as error:
        return EmbedderProbe(embedder=chosen(), works=False, problem=str(error))
    return _of_an_endpoint(endpoint)


def _of_the_built_in() -> EmbedderProbe:
    began = time.monotonic()
    embedder = get_embedder()
    vectors = embedder.embed_passages(TEXTS)
    ms = _since(began)
    if isinstance(embedder, HashingEmbedder):
        can, cannot = _LAST_RESORT
    else:
        can = ("Works on this machine, at no cost: nothing leaves it.", *_can(vectors, ms=ms))
        cannot = _blind(vectors)
    return EmbedderProbe(
        embedder=BUILT_IN, works=True, model=embedder.model_id, can=can, cannot=cannot, ms=ms
    )


_Sentences = tuple[str, ...]
_LAST_RESORT: tuple[_Sentences, _Sentences] = (
    ("Finds texts that share words or parts of words, on this machine, at no cost.",),
    ("Knows nothing of meaning: the bundled model, whose place it takes, does not run here.",),
)


def _of_an_endpoint(endpoint: Endpoint) -> EmbedderProbe:
    began = time.monotonic()
    try:
        # Another one than the process's: nothing it remembers answers in the endpoint's place.
        with closing(OpenAIEmbedder(endpoint)) as embedder:
            tried = embedder.try_out(TEXTS)
    except EmbeddingError as error:
        memory.note_trouble(endpoint, sentence=str(error))
        return EmbedderProbe(
            embedder=ENDPOINT,
            works=False,
            model=endpoint.model,
            address=endpoint.shown,
            problem=str(error),
            ms=_since(began),
        )
    dimensions = len(tried.vectors[0])
    memory.note_vectors(endpoint, dimensions=dimensions, left_out=sorted(tried.left_out))
    ms = _since(began)
    counts = ("Says how many tokens it used.",) if tried.tokens is not None else ()
    return EmbedderProbe(
        embedder=ENDPOINT,
        works=True,
        model=endpoint.model_id(dimensions=dimensions),
        address=endpoint.shown,
        can=(*_can(tried.vectors, ms=ms), *counts),
        cannot=_cannot(tried.vectors, left_out=tried.left_out, tokens=tried.tokens),
        ms=ms,
        tokens=tried.tokens,
    )


def _can(vectors: Sequence[Sequence[float]], *, ms: int) -> tuple[str, ...]:
    same, other = _cosines(vectors)
    told = (f"Answers, in {ms / 1000:.1f} seconds, with {len(vectors[0]):,} numbers a text.",)
    if same <= other:
        return told
    return (
        *told,
        f"Tells other words for the same (cosine {same:.2f}) from another matter ({other:.2f}).",
    )


def _cannot(
    vectors: Sequence[Sequence[float]], *, left_out: Collection[str], tokens: int | None
) -> tuple[str, ...]:
    said = {
        "Does not shorten its vectors when it is asked to.": "dimensions" in left_out,
        "Does not take a wish for the form of its numbers; what it sends can be read all the same."
        "": "encoding_format" in left_out,
        "Does not say how many tokens it used.": tokens is None,
    }
    return (*_blind(vectors), *(sentence for sentence, holds in said.items() if holds))


def _blind(vectors: Sequence[Sequence[float]]) -> tuple[str, ...]:
    same, other = _cosines(vectors)
    if same > other:
        return ()
    told = f"other words for the same (cosine {same:.2f}) from another matter ({other:.2f})"
    return (f"Did not tell {told}. It will find little by meaning.",)


def _cosines(vectors: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Give the cosines of a sentence with its rewording, and with another matter."""
    return cosine(vectors[0], vectors[1]), cosine(vectors[0], vectors[2])


def _since(began: float) -> int:
    return round(1000 * (time.monotonic() - began))
