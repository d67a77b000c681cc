"""Reading an endpoint's answer: nothing of it is believed before it was looked at."""

import base64
import binascii
import json
import math
import struct
from typing import Annotated

from pydantic import BaseModel, Strict, ValidationError

from extraction.errors import EmbeddingError

_FLOAT_BYTES = 4
_MOST_TOKENS = 10**9
# Under this length a direction is rounding noise.
_LEAST_LENGTH = 1e-20


class _Entry(BaseModel):
    embedding: list[Annotated[float, Strict()]] | str
    index: int | None = None


class _Answer(BaseModel):
    data: list[_Entry]


class NoDirection(EmbeddingError):
    """A vector came that points nowhere: all zeros, not a number, or infinite."""


def read(raw: bytes, *, count: int) -> list[list[float]]:
    """Read the vectors of ``count`` texts, in the order of the texts, each of length 1.

    **Raises**: EmbeddingError; NoDirection where a vector says nothing.
    """
    try:
        answer = _Answer.model_validate_json(raw)
    except ValidationError:
        raise EmbeddingError(
            f"The embedding endpoint's answer holds no vectors ({_kind_of(raw)})."
        ) from None
    if len(answer.data) != count:
        raise EmbeddingError(
            f"The embedding endpoint gave {len(answer.data)} vectors for {count} texts."
        )
    vectors = [_unit(_floats(entry.embedding)) for entry in _in_order(answer.data)]
    lengths = {len(vector) for vector in vectors}
    if len(lengths) > 1:
        raise EmbeddingError(
            "The embedding endpoint gave vectors of different lengths in one answer: "
            f"{', '.join(map(str, sorted(lengths)))} numbers."
        )
    return vectors


def tokens_in(raw: bytes) -> int | None:
    """Read how many tokens an answer took; None where the server does not say."""
    try:
        used = json.loads(raw)["usage"]["prompt_tokens"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    is_number = isinstance(used, int) and not isinstance(used, bool) and 0 <= used < _MOST_TOKENS
    return used if is_number else None


def _in_order(entries: list[_Entry]) -> list[_Entry]:
    """Order by index; where a server gives none at all, its order is the order of the texts."""
    if all(entry.index is None for entry in entries):
        return entries
    placed = {entry.index: entry for entry in entries}
    if placed.keys() != set(range(len(entries))):
        raise EmbeddingError(
            "The embedding endpoint does not say which vector belongs to which text: the "
            "indices in its answer are not one for each."
        )
    return [placed[place] for place in range(len(entries))]


def _floats(embedding: list[float] | str) -> list[float]:
    """Give the numbers, also where a server packs them although it was not asked to."""
    if not isinstance(embedding, str):
        return embedding
    try:
        packed = base64.b64decode(embedding, validate=True)
        return list(struct.unpack(f"<{len(packed) // _FLOAT_BYTES}f", packed))
    except (binascii.Error, struct.error, ValueError):
        raise EmbeddingError(
            "The embedding endpoint gave a vector that is neither numbers nor base64 of them."
        ) from None


def _unit(vector: list[float]) -> list[float]:
    """Bring a vector to length 1: some servers do, some do not, and cosine does not care."""
    length = math.hypot(*vector)
    if not math.isfinite(length) or length < _LEAST_LENGTH:
        raise NoDirection("The embedding endpoint gave a vector of zeros, or one with no numbers.")
    return [value / length for value in vector]


def _kind_of(raw: bytes) -> str:
    """Say what came instead, never its words: they may repeat what was asked."""
    if not raw.strip():
        return "it is empty"
    return "not JSON" if raw.lstrip()[:1] != b"{" else "JSON of another shape"
