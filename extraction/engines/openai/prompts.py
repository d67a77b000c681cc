"""The prompts: text files with a version, told apart by a hash of their words.

A run stores ``prompt_version``; a call stores its own prompt's. Whoever changes a word changes
the hash, and whoever changes the meaning raises the version, too.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

VERSION = "1"
_FOLDER = Path(__file__).parent / "prompts"
# Which files a prompt is put together from, in order.
_PARTS = {
    "describe": ("describe",),
    "segment": ("segment",),
    "predict": ("predict",),
    "calibrate": ("calibrate", "candidate", "answer_calibrate"),
    "cold_start": ("cold_start", "candidate", "answer_cold_start"),
    "same": ("same",),
}
_AROUND = ("schema", "repair")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told to do. ``label`` is name, version and hash, as a call stores it."""

    name: str
    text: str

    @property
    def label(self) -> str:
        """Name the prompt so that its exact words can be found again."""
        return f"{self.name}-{VERSION}-{_short_hash(self.text)}"


@cache
def prompt(name: str) -> Prompt:
    """Give the prompt of that name."""
    return Prompt(name, "\n".join(_read(part) for part in _PARTS[name]))


def with_schema(text: str, schema: str) -> str:
    """Add a JSON schema to a prompt, for servers that cannot be held to one."""
    return f"{text}\n{_read('schema')}{schema}\n"


def repair(problem: str) -> str:
    """Word what is wrong with an answer, and ask for it again."""
    return _read("repair").replace("{problem}", problem)


@cache
def prompt_version() -> str:
    """Name all prompts together: the version and a short hash of every word of them."""
    words = [prompt(name).text for name in sorted(_PARTS)] + [_read(part) for part in _AROUND]
    return f"{VERSION}-{_short_hash(chr(0).join(words))}"


@cache
def _read(name: str) -> str:
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
