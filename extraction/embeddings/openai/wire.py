"""One question to the endpoint, put again where that may help, and its failures by name."""

import email.utils
import math
import os
import random
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx2
import openai

from extraction import connection
from extraction.embeddings.openai.endpoint import Endpoint
from extraction.errors import EmbeddingError, EmbeddingUnavailable

_now, _sleep = time.monotonic, time.sleep

CONNECT_S = 5.0
LARGEST_ANSWER = 200_000_000  # bytes; 64 vectors of 16,000 numbers written out are 25 MB
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 8.0
# Failures in a row after which nobody waits for the endpoint for a while.
_OPENS_AFTER, _STAYS_OPEN_S = 3, 30.0
_LATER = frozenset({408, 409, 425, 429})
_ABOUT_THE_TEXT = frozenset({400, 413, 422})
# Some servers answer 500 to a text they cannot take, and it stays so however often it is asked.
_SERVER_MEANS_THE_TEXT = re.compile(
    r"too (?:large|long)|context (?:length|size|window)|batch size|unsupported value", re.IGNORECASE
)
_NO_ADDRESS = "EMBEDDING_BASE_URL is no address: it begins with http:// or https://."
_MOST_WORDS = 200
_QUOTES, _LEAST_QUOTE = 30, 5  # characters of a text by which an answer that repeats it is known


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for one answer, how often to ask, and when to give up. **Units**: s."""

    timeout_s: float
    attempts: int
    at_most_s: float


class InputRefused(EmbeddingError):
    """The endpoint does not take this request as it is; ``words`` are its own, cut."""

    def __init__(self, message: str, *, words: str) -> None:
        super().__init__(message)
        self.words = words


class _Retry(EmbeddingUnavailable):
    """It may work in a moment; ``wait_s`` is what the server asked for."""

    def __init__(self, message: str, *, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class Wire:
    """The connection to one endpoint, safe between threads and after a fork."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: openai.OpenAI | None = None
        self._made_in = 0
        self._lock = threading.Lock()
        self._failures = 0
        self._open_until = 0.0
        self._last_error = ""

    def ask(self, body: dict[str, Any], *, patience: Patience) -> bytes:
        """Ask once, and again after failures that may pass.

        After several questions in a row without an answer it refuses at once for half a minute.

        **Raises**: EmbeddingUnavailable; InputRefused; EmbeddingError for what waiting cannot mend.
        """
        self._check_breaker()
        try:
            raw = self._ask_patiently(body, patience=patience)
        except EmbeddingUnavailable as error:
            self._note_failure(str(error))
            raise EmbeddingUnavailable(str(error)) from None
        self._failures = 0
        return raw

    def close(self) -> None:
        """Let go of the connections; another question makes new ones."""
        with self._lock:
            if self._client is not None and self._made_in == os.getpid():
                self._client.close()
            self._client = None

    def _ask_patiently(self, body: dict[str, Any], *, patience: Patience) -> bytes:
        ends_at = _now() + patience.at_most_s
        for attempt in range(patience.attempts):
            left_s = max(0.1, ends_at - _now())
            try:
                return self._once(body, timeout_s=min(patience.timeout_s, left_s))
            except _Retry as error:
                wait_s = _wait_s(attempt) if error.wait_s is None else error.wait_s
                is_last = attempt + 1 == patience.attempts
                if is_last or _now() + wait_s >= ends_at:
                    raise
                _sleep(wait_s)
        raise EmbeddingUnavailable(f"{self._name} was not asked.")

    def _once(self, body: dict[str, Any], *, timeout_s: float) -> bytes:
        ends_at = _now() + timeout_s
        too_late = f"{self._name} did not answer within {timeout_s:.0f} s."
        timeout = openai.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s))
        try:
            asking = self._connected().embeddings.with_streaming_response
            with asking.create(**body, timeout=timeout) as answer:
                return _whole(answer.iter_bytes(), ends_at=ends_at)
        except (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError):
            raise _Retry(too_late) from None
        except openai.APIStatusError as error:
            # Not chained: a server may repeat the key, or the texts, in what it answers.
            raise self._named(error, texts=body["input"]) from None
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            cause = error.__cause__ or error
            if isinstance(cause, (httpx2.UnsupportedProtocol, httpx2.InvalidURL)):
                raise EmbeddingError(_NO_ADDRESS) from None
            kind = type(cause).__name__
            raise _Retry(f"{self._name} cannot be reached ({kind}).") from None
        except UnicodeEncodeError:
            raise EmbeddingError("EMBEDDING_API_KEY holds letters no key has.") from None
        except (openai.OpenAIError, httpx2.InvalidURL, httpx2.StreamError) as error:
            kind = type(error).__name__
            raise EmbeddingError(f"{self._name} gave no answer to read ({kind}).") from None

    def _named(self, error: openai.APIStatusError, *, texts: Sequence[str]) -> EmbeddingError:
        """Turn a status into the failure it means."""
        status = error.status_code
        words = self._words_of(error, texts=texts)
        said = f"{self._name} answered {status}" + (f": {words}" if words else ".")
        if status in {401, 403}:
            return EmbeddingError(
                f"{self._name} refuses the key ({status}): see EMBEDDING_API_KEY."
            )
        if status == 404:
            return EmbeddingError(
                f"{self._name} knows no model “{self._endpoint.model}”, or no embeddings (404): "
                "see EMBEDDING_MODEL and EMBEDDING_BASE_URL, which often ends in /v1."
            )
        if 300 <= status < 400:
            return EmbeddingError(
                f"{self._name} names another address ({status}), where nothing is sent: set "
                "EMBEDDING_BASE_URL to the one that answers."
            )
        if status in _ABOUT_THE_TEXT or (status >= 500 and _SERVER_MEANS_THE_TEXT.search(words)):
            return InputRefused(said, words=words)
        if status in _LATER or status >= 500:
            return _Retry(said, wait_s=_asked_to_wait(error.response.headers.get("retry-after")))
        return EmbeddingError(said)

    def _words_of(self, error: openai.APIStatusError, *, texts: Sequence[str]) -> str:
        """Give the server's own sentence, unless it repeats a text, and never with the key."""
        body = error.body
        said = body.get("message") or body.get("detail") or "" if isinstance(body, dict) else ""
        if any(
            len(start := text.strip()[:_QUOTES]) > _LEAST_QUOTE and start in str(said)
            for text in texts
        ):
            return ""
        words = " ".join(str(said).split())
        key = self._endpoint.api_key
        # Before it is cut, or half of the key might stay.
        return (words.replace(key, "…") if key else words)[:_MOST_WORDS]

    def _connected(self) -> openai.OpenAI:
        """Give the client of this process: connections do not survive a fork."""
        with self._lock:
            if self._client is None or self._made_in != os.getpid():
                try:
                    self._client = openai.OpenAI(
                        base_url=self._endpoint.base_url,
                        api_key=self._endpoint.api_key or "none",  # local servers ask for none
                        max_retries=0,
                        http_client=connection.client(),
                    )
                except (openai.OpenAIError, httpx2.InvalidURL, ValueError):
                    raise EmbeddingError(_NO_ADDRESS) from None
                # What is set for OpenAI itself is nobody else's business.
                self._client.organization = self._client.project = None
                self._made_in = os.getpid()
            return self._client

    @property
    def _name(self) -> str:
        return f"The embedding endpoint {self._endpoint.shown}"

    def _check_breaker(self) -> None:
        left_s = self._open_until - _now()
        if left_s > 0:
            raise EmbeddingUnavailable(f"{self._last_error} It is asked again in {left_s:.0f} s.")

    def _note_failure(self, said: str) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= _OPENS_AFTER:
                self._last_error = said
                self._open_until = _now() + _STAYS_OPEN_S


def _whole(chunks: Iterator[bytes], *, ends_at: float) -> bytes:
    """Collect an answer, but not for ever: a server may send a byte at a time."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if _now() > ends_at:
            raise TimeoutError
        if size > LARGEST_ANSWER:
            raise EmbeddingError("The embedding endpoint's answer is too large to be vectors.")
    return b"".join(parts)


def _wait_s(attempt: int) -> float:
    """Wait longer each time, and not in step with other workers."""
    longest = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt)
    return random.uniform(longest / 2, longest)  # noqa: S311  # no secret hangs on it


def _asked_to_wait(header: str | None) -> float | None:
    """Read `Retry-After`, which is seconds or a date; None where it says nothing."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            at = email.utils.parsedate_to_datetime(header)
        except (ValueError, OverflowError):  # a year or a zone no calendar has
            return None
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        seconds = (at - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
