"""The last resort where no model fits the machine: words and letter groups, hashed.

It finds texts that share words or parts of words, in any script, and knows nothing of meaning.
``model_id`` says so, and every screen that names the embedder shows it.
"""

import hashlib
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence

from extraction.embeddings.base import DuplicateThresholds

DIMENSIONS = 384
TEXT_LIMIT = 2_000
_WORD = re.compile(r"[\w+#]+")
_WORD_WEIGHT = 1.0
_GROUP_WEIGHT = 0.5  # parts of words help with endings, yet say less than the word
_GROUP_LENGTH = 3
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class HashingEmbedder:
    """Feature hashing into 384 signed buckets, length 1."""

    model_id = "hashing-1/last-resort"
    dimensions = DIMENSIONS
    normalised = True
    # Source: tests/unit/embedding_pairs.py, median (range): plain paraphrases .69 (.31-1), changed
    # number .88 (.77-.91), negation .77 (.63-.93), unrelated .09 (up to .6). `same` is set above
    # every changed number and negation, so it holds little more than reordered words.
    thresholds = DuplicateThresholds(near=0.70, same=0.95)

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts that are to be found.

        **Shape**: one vector a text, in order.
        """
        return [_vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Embed a question, in the same way as a text."""
        return _vector(text)


def _vector(text: str) -> list[float]:
    """Add up the text's features. A text without any gets the first axis, never a zero vector."""
    sums = [0.0] * DIMENSIONS
    for feature, weight in _features(text):
        hashed = hashlib.blake2b(feature.encode("utf-8", errors="replace"), digest_size=8).digest()
        number = int.from_bytes(hashed, "big")
        sums[number % DIMENSIONS] += weight if number >> 63 else -weight
    length = math.sqrt(sum(value * value for value in sums))
    if not length:
        return [1.0] + [0.0] * (DIMENSIONS - 1)
    return [value / length for value in sums]


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Yield words, and the letter groups inside them; for scripts without spaces pairs."""
    folded = unicodedata.normalize("NFKC", text[:TEXT_LIMIT]).casefold()
    for word in _WORD.findall(folded):
        if _UNSPACED.search(word):
            yield from ((word[i : i + 2], _WORD_WEIGHT) for i in range(max(1, len(word) - 1)))
            continue
        yield word, _WORD_WEIGHT
        edged = f"<{word}>"
        for i in range(len(edged) - _GROUP_LENGTH + 1):
            yield f"~{edged[i : i + _GROUP_LENGTH]}", _GROUP_WEIGHT
