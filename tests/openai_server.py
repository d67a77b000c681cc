"""A real HTTP server that speaks the OpenAI protocol and says what a test wrote down.

Chat completions are answered by what the prompt asks for (describe, predict, calibrate …), so a
test scripts a whole run. Everything asked is kept, as it came over the wire.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from extraction.engines.openai import prompts
from tests import scripted_http
from tests.scripted_http import Reaction

KEY = "sk-test-0123456789abcdef"
MODEL = "scripted-1"
TASKS = ("describe", "segment", "predict", "calibrate", "cold_start", "same")


@dataclass(frozen=True)
class Asked(scripted_http.Asked):
    """One request as it came in, and what it asks."""

    @property
    def task(self) -> str:
        """Which prompt the system message begins with; empty for none of ours."""
        system = str(self.messages[0]["content"]) if self.messages else ""
        return next((t for t in TASKS if system.startswith(prompts.prompt(t).text)), "")

    @property
    def messages(self) -> list[dict[str, str]]:
        found = self.body.get("messages", [])
        return found if isinstance(found, list) else []

    @property
    def data(self) -> dict[str, Any]:
        """What the model was shown, read back from JSON."""
        shown = json.loads(self.messages[1]["content"])
        assert isinstance(shown, dict)
        return shown

    @property
    def mode(self) -> str:
        """How the answer was to be held to JSON."""
        wanted = self.body.get("response_format")
        return str(wanted["type"]) if isinstance(wanted, dict) else "prompt"

    @property
    def is_repair(self) -> bool:
        return len(self.messages) > 2


Play = Reaction | Callable[[Asked], Reaction]
Part = Play | Sequence[Play]


def completion(
    content: str | None,
    *,
    finish: str = "stop",
    refusal: str | None = None,
    usage: tuple[int, int] | None = (100, 20),
) -> bytes:
    """Write a chat completion as servers send it."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage is not None:
        body["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return json.dumps(body).encode()


def says(answer: object, **how: Any) -> Reaction:
    """Answer with an object as JSON, or with a text as it is."""
    content = answer if isinstance(answer, str) or answer is None else json.dumps(answer)
    return Reaction(completion(content, **how))


def refuses(
    status: int,
    message: str = "no",
    *,
    code: str = "",
    param: str = "",
    headers: Mapping[str, str] | None = None,
) -> Reaction:
    """Answer with an error."""
    error = {"message": message, "type": "error", "code": code or None, "param": param or None}
    return Reaction(json.dumps({"error": error}).encode(), status=status, headers=headers or {})


def late(answer: object, *, seconds: float) -> Reaction:
    """Answer, but not soon."""
    return Reaction(says(answer).payload, after_s=seconds)


def drips(answer: object, *, every_s: float) -> Reaction:
    """Answer a byte at a time."""
    return Reaction(says(answer).payload, drip_s=every_s)


def cuts(answer: object) -> Reaction:
    """Promise a whole answer and close the connection in its middle."""
    return Reaction(says(answer).payload, cut=True)


@dataclass
class ModelServer:
    """The server of one test."""

    base_url: str = ""
    key: str = KEY
    asked: list[Asked] = field(default_factory=list)
    parts: dict[str, Part] = field(default_factory=dict)
    # Looked at before anything else: what a whole server does, whatever is asked.
    always: Callable[[Asked], Reaction | None] | None = None
    dimensions: int = 8
    # Entered while a request is held, by each of them.
    around: AbstractContextManager[object] = field(default_factory=nullcontext)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def plays(self, **parts: Part) -> None:
        """Set what is answered to each task: one thing, a function, or one after the other."""
        self.parts |= {
            task: part if isinstance(part, Reaction) or callable(part) else list(part)
            for task, part in parts.items()
        }

    def of(self, task: str) -> list[Asked]:
        """List what was asked for a task, repairs included."""
        return [asked for asked in self.asked if asked.task == task]

    def react(self, asked: Asked) -> Reaction:
        """Decide what happens to a request."""
        with self._lock:
            self.asked.append(asked)
            if asked.headers.get("authorization") != f"Bearer {self.key}":
                return refuses(401, f"Incorrect API key provided: {asked.headers['authorization']}")
            first = self.always(asked) if self.always else None
            if first is not None:
                return first
            if asked.path.endswith("/embeddings"):
                return self._embed(asked)
            if not asked.path.endswith("/chat/completions"):
                return refuses(404, "no such path")
            return self._play(asked)

    def _play(self, asked: Asked) -> Reaction:
        part = self.parts.get(asked.task)
        if part is None:
            return refuses(400, f"the test wrote nothing down for {asked.task or 'this prompt'}")
        if isinstance(part, list):
            # The last one stays.
            part = part.pop(0) if len(part) > 1 else part[0]
        if isinstance(part, Reaction):
            return part
        assert callable(part)
        return part(asked)

    def _embed(self, asked: Asked) -> Reaction:
        texts = asked.body["input"]
        texts = [texts] if isinstance(texts, str) else texts
        data = [
            {"object": "embedding", "index": n, "embedding": _vector(text, self.dimensions)}
            for n, text in enumerate(texts)
        ]
        body = {"object": "list", "model": asked.body["model"], "data": data}
        return Reaction(json.dumps(body | {"usage": {"prompt_tokens": 1}}).encode())


def _vector(text: str, dimensions: int) -> list[float]:
    """Make up a vector: the same for the same text."""
    raw = text.encode() or b"\0"
    return [1.0 + (raw[place % len(raw)] + place) % 17 for place in range(dimensions)]


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Run a server on a free port of this machine."""
    script = ModelServer()

    def react(asked: scripted_http.Asked) -> Reaction:
        with script.around:
            reaction = script.react(Asked(asked.path, asked.headers, asked.body))
            time.sleep(reaction.after_s)
        return replace(reaction, after_s=0.0)

    with scripted_http.serving(react) as script.base_url:
        yield script
