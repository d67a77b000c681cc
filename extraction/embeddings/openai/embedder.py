"""Any OpenAI-compatible endpoint as an embedder."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from extraction.embeddings.base import MOST_DIMENSIONS, DuplicateThresholds
from extraction.embeddings.calibration import measured_thresholds
from extraction.embeddings.openai.answers import NoDirection, read, tokens_in
from extraction.embeddings.openai.endpoint import Endpoint, prefix_of
from extraction.embeddings.openai.wire import InputRefused, Patience, Wire
from extraction.embeddings.query_memory import QueryMemory
from extraction.embeddings.readable import readable
from extraction.errors import DimensionsRefused, EmbeddingError, TextRefused

log = structlog.get_logger(__name__)

_ATTEMPTS = 4
_PROBE = "Ines lives in Porto."
# A text that is refused is tried in halves, down to so many characters.
_SHORTEST = 100
# Some servers take no empty text; what stands for it matters to nobody.
_NOTHING = "."
# What may be left out of a request where a server does not know it.
_OPTIONAL = ("dimensions", "encoding_format")


@dataclass(frozen=True, slots=True)
class Tried:
    """What a trial brought. **Shape**: ``tokens`` is None where the server does not count them."""

    vectors: list[list[float]]
    left_out: frozenset[str]
    tokens: int | None


class OpenAIEmbedder:
    """One model behind an endpoint; safe between threads, nothing is asked before it is needed.

    Vectors are brought to length 1 here, whatever the server does. Texts beyond the endpoint's
    ``longest`` are cut: what is not embedded is still found by its words.
    """

    normalised = True

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._wire = Wire(endpoint)
        self._learned = endpoint.dimensions
        self._thresholds: DuplicateThresholds | None = None
        self._batch = max(1, endpoint.batch)
        self._left_out: set[str] = set()
        self._queries = QueryMemory()
        self._measuring = threading.Lock()
        self._patient = Patience(endpoint.timeout_s, _ATTEMPTS, 2 * endpoint.timeout_s)
        self._hurried = Patience(endpoint.query_timeout_s, 1, endpoint.query_timeout_s)
        self._query_prefix = prefix_of(endpoint.query_prefix)
        self._passage_prefix = prefix_of(endpoint.passage_prefix)

    @property
    def dimensions(self) -> int:
        """Say how many numbers a vector has; the first time the endpoint is asked for one."""
        if not self._learned:
            self._vectors([self._passage_prefix + _PROBE], patience=self._patient)
        return self._learned

    @property
    def model_id(self) -> str:
        """Name model and dimensions; see ``Endpoint.model_id``."""
        return self.endpoint.model_id(dimensions=self.dimensions)

    @property
    def thresholds(self) -> DuplicateThresholds:
        """Give what was set, or else what this model makes of a few known pairs, measured once."""
        near, same = self.endpoint.near, self.endpoint.same
        if near is not None:
            return DuplicateThresholds(near=near, same=max(near, same or near))
        with self._measuring:
            if self._thresholds is None:
                self._thresholds = measured_thresholds(self.embed_passages)
                log.info(
                    "duplicate_thresholds_measured",
                    model=self.endpoint.model,
                    near=self._thresholds.near,
                    same=self._thresholds.same,
                )
            return self._thresholds

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts that are to be found.

        **Shape**: one vector a text, in order. **Raises**: EmbeddingError; TextRefused where one
        of them is not taken, and the others may be.
        """
        vectors: list[list[float]] = []
        while len(vectors) < len(texts):
            batch = texts[len(vectors) : len(vectors) + self._batch]
            vectors += self._embed(
                [self._prepared(text, prefix=self._passage_prefix) for text in batch],
                patience=self._patient,
            )
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed a question, in a hurry: somebody waits. The last few hundred are remembered.

        **Raises**: EmbeddingError.
        """
        asked = self._prepared(text, prefix=self._query_prefix)
        known = self._queries.recall(asked)
        if known is not None:
            return known
        vector = self._embed([asked], patience=self._hurried)[0]
        self._queries.keep(asked, vector)
        return vector

    def try_out(self, texts: Sequence[str]) -> Tried:
        """Embed a few texts to see what the endpoint can: asked once, without insisting.

        **Raises**: EmbeddingError.
        """
        endpoint = self.endpoint
        prepared = [self._prepared(text, prefix=self._passage_prefix) for text in texts]
        once = Patience(endpoint.timeout_s, 1, endpoint.timeout_s)
        raw = self._asked(prepared, patience=once)
        vectors = self._checked(raw, count=len(texts))
        return Tried(vectors, frozenset(self._left_out), tokens_in(raw))

    def close(self) -> None:
        """Let go of the connections, where this embedder is not used any more."""
        self._wire.close()

    def _prepared(self, text: str, *, prefix: str) -> str:
        plain = readable(text, longest=self.endpoint.longest)
        return prefix + (plain if plain.strip() else _NOTHING)

    def _embed(self, texts: Sequence[str], *, patience: Patience) -> list[list[float]]:
        """Embed a batch; one that is refused is halved until it is known which text is at fault."""
        try:
            return self._vectors(texts, patience=patience)
        except (InputRefused, NoDirection) as refusal:
            if len(texts) == 1:
                return [self._shortened(texts[0], refusal=refusal, patience=patience)]
        middle = len(texts) // 2
        halves = (texts[:middle], texts[middle:])
        try:
            taken = [self._vectors(half, patience=patience) for half in halves]
        except (InputRefused, NoDirection):
            taken = [self._embed(half, patience=patience) for half in halves]
        else:  # every text was taken: they were too many at once, and will be again
            self._batch = min(self._batch, len(texts) - middle)
        return [vector for half in taken for vector in half]

    def _shortened(self, text: str, *, refusal: EmbeddingError, patience: Patience) -> list[float]:
        """Embed the longest beginning of a text that is taken."""
        length = len(text) // 2
        while length >= _SHORTEST:
            try:
                return self._vectors([text[:length]], patience=patience)[0]
            except (InputRefused, NoDirection):
                length //= 2
        raise TextRefused(f"A text gets no vector. {refusal}")

    def _vectors(self, texts: Sequence[str], *, patience: Patience) -> list[list[float]]:
        return self._checked(self._asked(texts, patience=patience), count=len(texts))

    def _checked(self, raw: bytes, *, count: int) -> list[list[float]]:
        vectors = read(raw, count=count)
        self._check_dimensions(len(vectors[0]))
        return vectors

    def _asked(self, texts: Sequence[str], *, patience: Patience) -> bytes:
        """Ask, leaving out one after the other the parameters this server does not take."""
        body = self._body(texts)
        try:
            return self._wire.ask(body, patience=patience)
        except InputRefused as refusal:
            blamed = next(
                (name for name in _OPTIONAL if name in body and name in refusal.words), ""
            )
            if not blamed:
                raise
            self._left_out.add(blamed)
            return self._asked(texts, patience=patience)

    def _body(self, texts: Sequence[str]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.endpoint.model, "input": list(texts)}
        if "encoding_format" not in self._left_out:
            body["encoding_format"] = "float"  # else the SDK asks for base64, which not all know
        if self.endpoint.dimensions and "dimensions" not in self._left_out:
            body["dimensions"] = self.endpoint.dimensions
        return body

    def _check_dimensions(self, found: int) -> None:
        """Refuse vectors that cannot be stored, or compared with those before.

        A model that was changed under its name is learned anew by the next question.
        """
        model, wanted = self.endpoint.model, self.endpoint.dimensions
        if found > MOST_DIMENSIONS:
            raise DimensionsRefused(
                f"The model {model} gives {found:,} numbers a text; the database holds at most "
                f"{MOST_DIMENSIONS:,}. Set EMBEDDING_DIMENSIONS lower, or choose another model."
            )
        if wanted and found != wanted:
            raise DimensionsRefused(
                f"The model {model} gives {found:,} numbers a text, not the {wanted:,} that "
                f"EMBEDDING_DIMENSIONS asks for: unset it, or set it to {found}."
            )
        before, self._learned = self._learned, found
        if before and before != found:
            self._queries.forget()
            self._thresholds = None
            raise EmbeddingError(
                f"The model {model} gives {found:,} numbers a text now, and gave {before:,} "
                "before: it was changed on its server. Everything will be embedded anew."
            )
