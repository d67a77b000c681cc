"""The HTTP connection to an endpoint of models, for whoever speaks its protocol.

It goes nowhere else: a server that names another address would have the words of a conversation
sent there. And of an error it reads a page, not whatever a server sends, for as long as it does.
"""

import time
from collections.abc import Iterator
from contextlib import suppress

import httpx2
import openai

# Of an error only its code and first words count.
MOST_OF_AN_ERROR = 64_000
ERROR_PAGE_S = 2.0


def client() -> httpx2.Client:
    """Make the client the SDK sends with: no redirect is followed, errors are read in part.

    **Units**: an error is read for ``ERROR_PAGE_S`` seconds and ``MOST_OF_AN_ERROR`` bytes, as it
    comes over the wire: what is packed stays packed. Answers are for the caller to hold in bounds.
    """
    return _Client(follow_redirects=False, event_hooks={"response": [_shorten_error]})


class _Client(openai.DefaultHttpxClient):
    """Lets go of its connections with the last who used it, as the SDK's own does."""

    def __del__(self) -> None:
        with suppress(Exception):  # nobody is left who could be told
            self.close()


def _shorten_error(response: httpx2.Response) -> None:
    """Have the SDK, which reads an error to its end, find an early one."""
    if response.is_success or not isinstance(response.stream, httpx2.SyncByteStream):
        return
    response.headers.pop("content-encoding", None)
    response.stream = _Beginning(response.stream)


class _Beginning(httpx2.SyncByteStream):
    """As much of a stream as comes soon and is not too large; its failure is its end."""

    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        ends_at, left = time.monotonic() + ERROR_PAGE_S, MOST_OF_AN_ERROR
        try:
            for piece in self._stream:
                yield piece[:left]
                left -= len(piece)
                if left <= 0 or time.monotonic() > ends_at:
                    return
        except httpx2.HTTPError:
            return

    def close(self) -> None:
        self._stream.close()
