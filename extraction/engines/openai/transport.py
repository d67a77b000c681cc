"""One question over the wire, and what came back: nothing is believed of it yet.

Retries are not the SDK's, so that every attempt is counted and none outlasts the run. An answer
is read piece by piece against a clock: a server that sends a byte now and then would otherwise
be waited for without end.
"""

import json
import logging
import time
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

from extraction import connection
from extraction.engines.openai.config import Config
from extraction.engines.openai.failures import Failed, Trouble, from_status

# At DEBUG the SDK logs whole requests, words of conversations included.
for _name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.WARNING)

MOST_BYTES = 4_000_000
_CONNECT_S = 5.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. Tokens are None where the server does not count them."""

    content: str
    refusal: str = ""
    finish_reason: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None


class Transport:
    """The connection to one endpoint, shared by the threads of a process."""

    def __init__(self, config: Config) -> None:
        self._key = config.api_key
        self._client = _client(config)

    def __repr__(self) -> str:
        return "Transport()"

    def send(self, body: dict[str, Any], *, timeout_s: float) -> Reply:
        """Put one question once. **Raises**: Failed."""
        if not (self._key.isascii() and self._key.isprintable()):
            raise Failed(Trouble.NO_KEY)
        if self._client is None:
            raise Failed(Trouble.NO_ADDRESS)
        ends_at = time.monotonic() + timeout_s
        timeout = openai.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s))
        try:
            with self._client.chat.completions.with_streaming_response.create(
                **body, timeout=timeout
            ) as response:
                raw = _read(response, ends_at=ends_at)
        except openai.APITimeoutError:
            raise Failed(Trouble.TIMEOUT) from None
        except openai.APIStatusError as error:
            raise from_status(
                error.status_code,
                body=error.body,
                headers=error.response.headers,
                secret=self._key,
            ) from None
        except openai.APIError as error:
            raise Failed(_of_connection(error.__cause__)) from None
        except httpx2.InvalidURL:
            raise Failed(Trouble.NO_ADDRESS) from None
        return parse(raw)


def _of_connection(cause: BaseException | None) -> Trouble:
    """Tell an address that is none from one where nobody listens, and from a cut connection."""
    if isinstance(cause, (httpx2.UnsupportedProtocol, httpx2.InvalidURL)):
        return Trouble.NO_ADDRESS
    return Trouble.UNREACHED if isinstance(cause, httpx2.ConnectError) else Trouble.CONNECTION


def _client(config: Config) -> openai.OpenAI | None:
    """Make the SDK's client; None where the address is none."""
    try:
        client = openai.OpenAI(
            base_url=config.base_url,
            # Servers without keys get one that opens nothing; the SDK insists on some.
            api_key=config.api_key or "none",
            max_retries=0,
            http_client=connection.client(),
        )
    except (openai.OpenAIError, httpx2.InvalidURL, ValueError):
        return None
    # The SDK takes these from its own variables; here the settings alone count.
    client.organization = client.project = None
    return client


def _read(response: Any, *, ends_at: float) -> bytes:
    """Read a whole answer, but no longer and no more than is allowed."""
    pieces, size = [], 0
    try:
        for piece in response.iter_bytes():
            size += len(piece)
            if size > MOST_BYTES:
                raise Failed(Trouble.GARBLED, status=response.status_code)
            if time.monotonic() > ends_at:
                raise Failed(Trouble.TIMEOUT)
            pieces.append(piece)
    except Failed:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the HTTP library of the SDK raises
        slow = "timeout" in type(error).__name__.lower()
        raise Failed(Trouble.TIMEOUT if slow else Trouble.CONNECTION) from None
    return b"".join(pieces)


def parse(raw: bytes) -> Reply:
    """Take the answer out of what a server sent. **Raises**: Failed where there is none."""
    try:
        body = json.loads(raw)
        choice = body["choices"][0]
        message = choice["message"]
        content, refusal = _text(message.get("content")), message.get("refusal")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise Failed(Trouble.GARBLED, status=200) from None
    usage = body.get("usage")
    counted = usage if isinstance(usage, dict) else {}
    return Reply(
        content=content,
        refusal=refusal if isinstance(refusal, str) else "",
        finish_reason=str(choice.get("finish_reason") or ""),
        input_tokens=_count(counted.get("prompt_tokens")),
        output_tokens=_count(counted.get("completion_tokens")),
    )


def _text(content: object) -> str:
    """Read content that is a string, nothing, or a list of parts as some servers send it."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    raise TypeError(content)


def _count(value: object) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9
    return value if is_number and isinstance(value, int) else None
