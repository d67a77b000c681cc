"""Where embeddings come from, and how to ask for them: what a person sets."""

import hashlib
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LONGEST_ID = 200  # of the columns that name a vector's model


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible endpoint and one model of it.

    **Shape**: ``dimensions`` 0 takes what the model gives; ``near`` and ``same`` None are
    measured. ``revision`` tells two models of one name apart. **Units**: seconds; ``longest`` in
    characters a text; ``batch`` in texts a request.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    dimensions: int = 0
    revision: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    near: float | None = None
    same: float | None = None
    batch: int = 64
    longest: int = 2_000
    timeout_s: float = 30.0
    query_timeout_s: float = 3.0

    @property
    def shown(self) -> str:
        """Give the address as it may be told: without a user, a password or a query."""
        try:
            parts = urlsplit(self.base_url)
            port = f":{parts.port}" if parts.port else ""
        except ValueError:
            return "(no address)"
        if not parts.hostname:
            return "(no address)"
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}".rstrip("/")

    def model_id(self, *, dimensions: int) -> str:
        """Name the vectors: model, dimensions, and what is put before every passage.

        The address is left out, so that a server may move; the prefix of questions too, which
        changes no stored vector.
        """
        name = f"{self.model}@{dimensions}"
        if self.revision:
            name += f"#{self.revision}"
        if self.passage_prefix:
            name += f"+{_short_hash(self.passage_prefix)}"
        if len(name) > LONGEST_ID:
            return f"{name[: LONGEST_ID - 14]}…{_short_hash(name)}"
        return name


def prefix_of(written: str) -> str:
    """Give a prefix as it is put before a text.

    A space that a settings file has lost after the colon, as in ``query:``, is put back.
    """
    return f"{written} " if written.endswith(":") else written


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()[:8]
