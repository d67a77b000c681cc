"""A real HTTP server that embeds as OpenAI's protocol says, and fails as a test wrote down.

Its vectors are made of the words and letter groups of a text, so that texts that share words are
near each other, in as many dimensions as a test wants and of any length.
"""

import hashlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from extraction.embeddings.openai import Endpoint

KEY = "sk-embedding-0123456789abcdef"


@dataclass(frozen=True)
class Reaction:
    """What the server does: a status and a body, late, a byte at a time, or cut."""

    body: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after_s: float = 0.0
    drip_s: float = 0.0
    cut: bool = False

    @property
    def payload(self) -> bytes:
        """Write the body as it goes over the wire."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


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

    def react(self, body: dict[str, Any], *, key: str) -> Reaction:
        """Decide what happens to a request."""
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


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_POST(self) -> None:  # the name the library calls
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        key = self.headers.get("authorization", "")
        reaction = self.server.script.react(json.loads(raw), key=key)
        time.sleep(reaction.after_s)
        try:
            self._give(reaction)
        except OSError:
            self.close_connection = True  # the client did not wait

    def _give(self, reaction: Reaction) -> None:
        payload = reaction.payload
        self.send_response(reaction.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        for name, value in reaction.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if reaction.cut:
            self.wfile.write(payload[: len(payload) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif reaction.drip_s:
            for place in range(len(payload)):
                self.wfile.write(payload[place : place + 1])
                self.wfile.flush()
                time.sleep(reaction.drip_s)
        else:
            self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the library's name
        """Stay quiet: a test tells what was asked."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    script: EmbeddingServer


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """Run a server on a free port of this machine."""
    script = EmbeddingServer()
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.script = script
        script.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()
