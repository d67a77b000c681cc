"""How this installation is set up to propose and to find: read without asking any model.

A key is never part of what is returned, only whether there is one.
"""

from dataclasses import dataclass

from django.conf import settings

from extraction.embeddings import memory
from extraction.embeddings.base import DuplicateThresholds
from extraction.embeddings.registry import (
    ENDPOINT,
    chosen,
    configured_endpoint,
    get_embedder,
)
from extraction.endpoints import public_address
from extraction.engines.openai import config
from extraction.engines.registry import OPENAI, default_name, get_engine
from extraction.errors import EmbeddingError


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """The engine and how it is asked.

    **Shape**: ``address`` and ``models`` are empty for the built-in one; ``half_set`` names what
    is missing beside what is set. **Units**: seconds, tokens; prices and cost in the currency of
    whoever set them, None is not known, or no limit.
    """

    name: str
    prompt_version: str
    confidence_floor: float
    address: str
    model: str
    predict_model: str
    key_is_set: bool
    half_set: str
    temperature: float
    timeout_s: float
    attempts: int
    answer_tokens: int
    concurrency: int
    run_s: float
    run_tokens: int
    run_cost: float | None
    price_input: float | None
    price_output: float | None
    breaker_failures: int
    breaker_s: float

    @property
    def is_endpoint(self) -> bool:
        """Tell whether a model behind an endpoint proposes."""
        return self.name == OPENAI

    @property
    def models(self) -> tuple[str, ...]:
        """List the models that are asked, each once."""
        return tuple(dict.fromkeys((self.model, self.predict_model))) if self.is_endpoint else ()


@dataclass(frozen=True, slots=True)
class EmbedderSetup:
    """The embedder and how it is asked.

    **Shape**: ``model_id`` names its vectors, empty until an endpoint's dimensions are known;
    ``thresholds`` None are measured when they are first needed; ``problem`` says why there is no
    embedder at all. **Units**: seconds; ``longest`` in characters.
    """

    is_endpoint: bool
    model_id: str
    model: str
    address: str
    key_is_set: bool
    dimensions: int | None
    thresholds: DuplicateThresholds | None
    problem: str
    prefixes: tuple[str, str]
    revision: str
    batch: int
    longest: int
    timeout_s: float
    query_timeout_s: float
    asked_dimensions: int


def engine_setup() -> EngineSetup:
    """Read how the engine is set up."""
    name, wanted = default_name(), config.from_settings()
    engine = get_engine()
    halves = {"LLM_BASE_URL": settings.LLM_BASE_URL, "LLM_MODEL": settings.LLM_MODEL}
    unset = [variable for variable, value in halves.items() if not value]
    return EngineSetup(
        name=name,
        prompt_version=engine.prompt_version,
        confidence_floor=engine.confidence_floor,
        address=wanted.shown_url if name == OPENAI else "",
        model=wanted.model,
        predict_model=wanted.predict_model,
        key_is_set=bool(wanted.api_key),
        half_set=unset[0] if len(unset) == 1 else "",
        temperature=wanted.temperature,
        timeout_s=wanted.timeout_s,
        attempts=wanted.attempts,
        answer_tokens=wanted.answer_tokens,
        concurrency=wanted.concurrency,
        run_s=wanted.run_s,
        run_tokens=settings.LLM_RUN_TOKENS,
        run_cost=settings.LLM_RUN_COST,
        price_input=wanted.prices.input,
        price_output=wanted.prices.output,
        breaker_failures=wanted.breaker.failures,
        breaker_s=wanted.breaker.rest.total_seconds(),
    )


def embedder_setup() -> EmbedderSetup:
    """Read how the embedder is set up. **Cost**: one query for an endpoint's."""
    is_endpoint = chosen() == ENDPOINT
    model_id, model, address, problem = "", settings.EMBEDDING_MODEL, "", ""
    dimensions: int | None = None
    thresholds: DuplicateThresholds | None = None
    try:
        if is_endpoint:
            endpoint = configured_endpoint()
            address = public_address(endpoint.base_url)
            dimensions = memory.dimensions_of(endpoint)
            model_id = endpoint.model_id(dimensions=dimensions) if dimensions else ""
            if endpoint.near is not None:
                same = max(endpoint.near, endpoint.same or endpoint.near)
                thresholds = DuplicateThresholds(near=endpoint.near, same=same)
        else:
            embedder = get_embedder()
            model = model_id = embedder.model_id
            dimensions, thresholds = embedder.dimensions, embedder.thresholds
    except EmbeddingError as error:
        problem = str(error)
    return EmbedderSetup(
        is_endpoint=is_endpoint,
        model_id=model_id,
        model=model,
        address=address,
        key_is_set=bool(settings.EMBEDDING_API_KEY.strip()),
        dimensions=dimensions,
        thresholds=thresholds,
        problem=problem,
        prefixes=(settings.EMBEDDING_QUERY_PREFIX, settings.EMBEDDING_PASSAGE_PREFIX),
        revision=settings.EMBEDDING_REVISION,
        batch=settings.EMBEDDING_BATCH,
        longest=settings.EMBEDDING_TEXT_LIMIT,
        timeout_s=settings.EMBEDDING_TIMEOUT_S,
        query_timeout_s=settings.EMBEDDING_QUERY_TIMEOUT_S,
        asked_dimensions=settings.EMBEDDING_DIMENSIONS,
    )
