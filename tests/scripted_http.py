"""A real HTTP server that does to each request what a test wrote down."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One request as it came in. **Shape**: names of ``headers`` are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Reaction:
    """What the server does: a status and a body, late, a byte at a time, or cut.

    **Shape**: ``body`` is bytes, or anything JSON can write.
    """

    body: object = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after_s: float = 0.0
    drip_s: float = 0.0
    cut: bool = False

    @property
    def payload(self) -> bytes:
        """Write the body as it goes over the wire."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


React = Callable[[Asked], Reaction]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reaction = self.server.react(Asked(self.path, headers, json.loads(raw)))
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

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Stay quiet: a test tells what was asked."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    react: React


@contextmanager
def serving(react: React) -> Iterator[str]:
    """Run a server on a free port of this machine, and give its address.

    ``react`` decides what happens to a request, in that request's thread.
    """
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.react = react
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()
