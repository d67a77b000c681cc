"""What can go wrong between a question and its answer, and the sentence it becomes.

Only this program's own words and a server's status and code leave here: what a server says may
repeat a key or words of a conversation.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum

from extraction.errors import (
    EngineAway,
    EngineError,
    EngineMisconfigured,
    EngineRefused,
    EngineUnavailable,
    EpisodeTooLong,
)

# Names of request parameters that not every server takes.
ADJUSTABLE = ("max_completion_tokens", "max_tokens", "temperature")
_TOO_LONG = re.compile(
    r"context[_ ](?:length|size|window)|maximum context|too many tokens|prompt is too long"
    r"|exceeds? the (?:available|maximum)",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content[_ ](?:filter|policy|management)|responsible.?ai", re.IGNORECASE)
_NO_MODEL = re.compile(r"model[_ ]not[_ ]found|model .{0,120}(?:does not exist|not found)", re.I)
_ADDRESS = "Check that LLM_BASE_URL is an OpenAI-compatible address, up to and including /v1."
_CODE = re.compile(r"[A-Za-z][\w.-]{0,39}")


class Trouble(StrEnum):
    """Kinds of failure, by what helps."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    UNREACHED = "unreached"
    BUSY = "busy"
    SERVER = "server"
    REJECTED = "rejected"
    TOO_LONG = "too_long"
    FILTERED = "filtered"
    KEY = "key"
    NO_MODEL = "no_model"
    GARBLED = "garbled"
    TIME_UP = "time_up"
    NO_ADDRESS = "no_address"
    NO_KEY = "no_key"
    MOVED = "moved"


# What may pass when the same question is put again.
PASSING = frozenset(
    {
        Trouble.TIMEOUT,
        Trouble.CONNECTION,
        Trouble.UNREACHED,
        Trouble.BUSY,
        Trouble.SERVER,
        Trouble.GARBLED,
    }
)
# What may be the fault of a response format the server does not know.
_BLAMES_FORMAT = frozenset({Trouble.REJECTED, Trouble.SERVER, Trouble.NO_MODEL})
# What no question is to blame for: one that breaks a server is not put to it day and night.
_NOBODY_THERE = frozenset({Trouble.UNREACHED, Trouble.BUSY})
_OUT_OF_SERVICE = frozenset({503, 529})
# Of these a gateway says that what is behind it is away, not that it dislikes a question.
_AWAY = frozenset({502, 503, 504, 520, 522, 524, 529})


@dataclass(slots=True)
class Failed(Exception):
    """A question that got no answer.

    **Shape**: ``parameter`` names a request parameter the server does not take, or "".
    **Units**: ``retry_after_s`` seconds the server asks to wait.
    """

    trouble: Trouble
    status: int | None = None
    code: str = ""
    parameter: str = ""
    retry_after_s: float | None = None

    @property
    def may_pass(self) -> bool:
        """Say whether the same question may be answered a moment later."""
        return self.trouble in PASSING

    @property
    def is_away(self) -> bool:
        """Say whether a gateway reports that nobody is behind it just now."""
        return self.status in _AWAY

    @property
    def may_be_format(self) -> bool:
        """Say whether another way of asking for JSON could help."""
        return self.trouble in _BLAMES_FORMAT and not self.is_away

    def sentence(self, *, address: str, model: str, timeout_s: float) -> str:
        """Word the failure for the person who runs this installation."""
        where = f"The model endpoint {address}"
        told = f" ({self.status}{f', {self.code}' if self.code else ''})" if self.status else ""
        return {
            Trouble.TIMEOUT: f"{where} did not answer within {timeout_s:g} seconds.",
            Trouble.CONNECTION: f"{where} could not be reached, or the connection was cut.",
            Trouble.UNREACHED: f"{where} could not be reached.",
            Trouble.BUSY: f"{where} takes no more questions for now{told}.",
            Trouble.SERVER: f"{where} failed{told}.",
            Trouble.REJECTED: f"{where} refused the question{told}. {_ADDRESS}",
            Trouble.TOO_LONG: f"The episode is longer than {model} can read{told}. "
            "Choose a model that reads more at once.",
            Trouble.FILTERED: f"The filter of {where[4:]} stopped the question{told}.",
            Trouble.KEY: f"{where} does not accept the key{told}. Check LLM_API_KEY.",
            Trouble.NO_MODEL: f"{where} has no model {model}, or no chat at this address{told}. "
            "Check LLM_MODEL and LLM_BASE_URL.",
            Trouble.GARBLED: f"{where} answered{told} with something that is no chat completion. "
            f"{_ADDRESS}",
            Trouble.NO_ADDRESS: "LLM_BASE_URL is no address: it begins with http:// or https://"
            " and names a host.",
            Trouble.MOVED: f"{where} names another address{told}, where nothing is sent."
            " Set LLM_BASE_URL to the one that answers.",
            Trouble.NO_KEY: "LLM_API_KEY holds signs that no key has.",
            Trouble.TIME_UP: f"The time one run may take was up before {where[4:]} was asked."
            " Raise LLM_RUN_S and WORKER_TIMEOUT_S, or choose a faster model.",
        }[self.trouble]

    def as_error(self, *, address: str, model: str, timeout_s: float) -> EngineError:
        """Turn the failure into the error a run ends with."""
        kinds: Mapping[Trouble, type[EngineError]] = {
            Trouble.KEY: EngineMisconfigured,
            Trouble.NO_MODEL: EngineMisconfigured,
            Trouble.REJECTED: EngineMisconfigured,
            Trouble.NO_ADDRESS: EngineMisconfigured,
            Trouble.NO_KEY: EngineMisconfigured,
            Trouble.MOVED: EngineMisconfigured,
            Trouble.FILTERED: EngineRefused,
            Trouble.TOO_LONG: EpisodeTooLong,
        }
        sentence = self.sentence(address=address, model=model, timeout_s=timeout_s)
        if self.trouble in _NOBODY_THERE or self.status in _OUT_OF_SERVICE:
            return EngineAway(sentence)
        return kinds.get(self.trouble, EngineUnavailable)(sentence)


# What a person has to set right; until then every question fails.
SET_WRONG = frozenset(
    {Trouble.KEY, Trouble.NO_MODEL, Trouble.NO_ADDRESS, Trouble.NO_KEY, Trouble.MOVED}
)


def from_status(
    status: int, *, body: object, headers: Mapping[str, str], secret: str = ""
) -> Failed:
    """Read what a server's refusal means from its status, code and headers.

    ``secret`` is left out, also where a server gives it back as its code.
    """
    error = body.get("error", body) if isinstance(body, dict) else body
    fields = error if isinstance(error, dict) else {}
    message = str(fields.get("message") or fields.get("detail") or error or "")
    code = str(fields.get("code") or fields.get("type") or "")
    trouble = _trouble(status, said=f"{code} {message}")
    named = str(fields.get("param") or "")
    # Only its beginning: some servers repeat the whole question, in which anything may stand.
    mentioned = (named, *re.findall(r"\w+", message[:300]))
    refused = next((name for name in mentioned if name in ADJUSTABLE), "")
    return Failed(
        trouble=trouble,
        status=status,
        code=code if _is_code(code, secret=secret) else "",
        parameter=refused if trouble in {Trouble.REJECTED, Trouble.TOO_LONG} else "",
        retry_after_s=retry_after(headers),
    )


def _is_code(code: str, *, secret: str) -> bool:
    """Say whether something is a code that may be shown, and not a key or a part of one."""
    if not _CODE.fullmatch(code) or code == "error":
        return False
    return not secret or (secret not in code and code not in secret)


def _trouble(status: int, *, said: str) -> Trouble:
    if 300 <= status < 400:
        return Trouble.MOVED
    if status in {401, 403}:
        return Trouble.KEY
    if status in {408, 409, 425, 429}:
        return Trouble.BUSY
    if status == 413 or (status in {400, 422, 500} and _TOO_LONG.search(said)):
        return Trouble.TOO_LONG
    if status >= 500:
        return Trouble.SERVER
    if status in {400, 422} and _FILTERED.search(said):
        return Trouble.FILTERED
    if status == 404 or _NO_MODEL.search(said):
        return Trouble.NO_MODEL
    return Trouble.REJECTED


def retry_after(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Read how long a server asks to be left alone. **Units**: seconds, never negative."""
    exact = _seconds(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    given = headers.get("retry-after", "")
    plain = _seconds(given)
    if plain is not None:
        return plain
    try:
        at = parsedate_to_datetime(given)
    except (ValueError, OverflowError):  # a year or a zone no calendar has
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, (at - (now or datetime.now(UTC))).total_seconds())


def _seconds(text: str) -> float | None:
    found = re.fullmatch(r"\s*(\d{1,9}(?:\.\d+)?)\s*", text)
    return float(found[1]) if found else None
