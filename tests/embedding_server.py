"""A real HTTP server that embeds as OpenAI's protocol says, and fails as a test wrote down.

Its vectors are made of the words and letter groups of a text, so that texts that share words are
near each other, in as many dimensions as a test wants and of any length.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from extraction.embeddings.openai import Endpoint
from tests.scripted_http import Asked, Reaction, serving

KEY = "sk-embedding-0123456789abcdef"


Fault = Callable[[dict[str, Any]], Reaction | None]


def refuses(status: int, message: str = "no", **how: Any) -> Reaction:
    """Answer with an error, as OpenAI words it."""
    return Reaction({"error": {"message": message, "type": "error"}}, status=status, **how)


def vector_of(text: str, *, dimensions: int, scale: float = 1.0) -> list[float]:
    """Make a vector of a text's words and letter groups; ``scale`` makes it longer than 1."""
    sums = [0.0] * dimensions
    for word in text.casefold().replace(".", " ").replace("?", " ").split():
        groups = [f"<{word}>"[i : i + 3] for i in range(len(word))]
        for feature in (word, *groups):
            number = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest())
            sums[number % dimensions] += scale if number >> 63 else -scale
    return sums if any(sums) else [scale] + [0.0] * (dimensions - 1)


@dataclass
class EmbeddingServer:
    """The server of one test. ``fault`` is looked at first; None goes on as usual."""

    base_url: str = ""
    dimensions: int = 64
    scale: float = 1.0
    asked: list[dict[str, Any]] = field(default_factory=list)
    fault: Fault | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def endpoint(self, **changes: Any) -> Endpoint:
        """Describe how to reach it, quick to give up."""
        plain: dict[str, Any] = {
            "base_url": self.base_url,
            "model": "words-1",
            "api_key": KEY,
            "timeout_s": 5.0,
            "near": 0.8,
            "same": 0.95,
        }
        return Endpoint(**plain | changes)

    @property
    def texts(self) -> list[str]:
        """List every text it was asked about, in order."""
        return [text for body in self.asked for text in body["input"]]

    def react(self, asked: Asked) -> Reaction:
        """Decide what happens to a request."""
        body, key = asked.body, asked.headers.get("authorization", "")
        with self._lock:
            self.asked.append(body)
        if key != f"Bearer {KEY}":
            return refuses(401, f"Incorrect API key provided: {key}")
        reaction = self.fault(body) if self.fault else None
        return reaction or self.vectors(body)

    def vectors(self, body: dict[str, Any]) -> Reaction:
        """Answer as a server in good order."""
        dimensions = body.get("dimensions", self.dimensions)
        data = [
            {
                "object": "embedding",
                "index": place,
                "embedding": vector_of(text, dimensions=dimensions, scale=self.scale),
            }
            for place, text in enumerate(body["input"])
        ]
        return Reaction({"object": "list", "model": body["model"], "data": data})


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """Run a server on a free port of this machine."""
    script = EmbeddingServer()
    with serving(script.react) as script.base_url:
        yield script
