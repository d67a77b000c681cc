"""How an installation is set up, in the words of the page of settings."""

from dataclasses import dataclass

from workbench.queries.installation import EmbedderSetup, EngineSetup

ROLES: dict[str, str] = {"chat": "proposes", "embedding": "finds"}
A_KEY, NO_KEY = "a key is set", "no key"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is set. **Shape**: ``variables`` in the environment set it; maybe none do."""

    label: str
    says: str
    variables: tuple[str, ...] = ()
    note: str = ""


def of_engine(setup: EngineSetup) -> tuple[Fact, ...]:
    """Say how proposals are made."""
    version = Fact("Version", setup.prompt_version, note="every run keeps the one it was made with")
    if not setup.is_endpoint:
        return (
            Fact("Engine", "built in: rules that read plain sentences, no model"),
            version,
            _floor(setup),
            Fact(
                "A model instead",
                "none is set",
                ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY"),
            ),
        )
    prompts = Fact("Prompts", setup.prompt_version, note="every run keeps the one it was made with")
    return (
        Fact("Engine", "a language model behind an endpoint"),
        Fact("Address", setup.address, ("LLM_BASE_URL",)),
        Fact("Key", _key(is_set=setup.key_is_set), ("LLM_API_KEY",)),
        Fact("Extracts", setup.model, ("LLM_MODEL",)),
        Fact("Predicts", setup.predict_model, ("PREDICT_MODEL",)),
        prompts,
        _floor(setup),
        Fact("Temperature", f"{setup.temperature:g}", ("LLM_TEMPERATURE",)),
        *_patience(setup),
        *_money(setup),
    )


def _floor(setup: EngineSetup) -> Fact:
    if not setup.confidence_floor:
        return Fact("Confidence", "none is too low to be shown; it orders the queue")
    return Fact("Confidence", f"under {setup.confidence_floor:.2f} a proposal is set aside")


def _patience(setup: EngineSetup) -> tuple[Fact, ...]:
    return (
        Fact(
            "Patience",
            f"{setup.timeout_s:g} s for an answer, asked {_times(setup.attempts)},"
            f" {setup.run_s:g} s for a run",
            ("LLM_TIMEOUT_S", "LLM_ATTEMPTS", "LLM_RUN_S"),
        ),
        Fact(
            "At once",
            f"{_count(setup.concurrency, 'question')} from one process",
            ("LLM_CONCURRENCY",),
        ),
        Fact("Longest answer", f"{setup.answer_tokens:,} tokens", ("LLM_ANSWER_TOKENS",)),
        Fact(
            "Left alone",
            f"for {setup.breaker_s:g} s after {_count(setup.breaker_failures, 'failure')} in a row",
            ("LLM_BREAKER_FAILURES", "LLM_BREAKER_S"),
        ),
    )


def _money(setup: EngineSetup) -> tuple[Fact, ...]:
    tokens = f"{setup.run_tokens:,} tokens" if setup.run_tokens else "any number of tokens"
    cost = "" if setup.run_cost is None else f", at a cost of at most {setup.run_cost:g}"
    prices = (setup.price_input, setup.price_output)
    return (
        Fact("A run may use", f"{tokens}{cost}", ("LLM_RUN_TOKENS", "LLM_RUN_COST")),
        Fact(
            "Prices",
            "not known, so runs show no cost"
            if None in prices
            else f"{setup.price_input:g} for a million tokens in, {setup.price_output:g} out",
            ("LLM_PRICE_INPUT", "LLM_PRICE_OUTPUT"),
        ),
    )


def of_embedder(setup: EmbedderSetup) -> tuple[Fact, ...]:
    """Say how texts get their vectors."""
    near, same = ("EMBEDDING_NEAR", "EMBEDDING_SAME")
    found = setup.thresholds
    alike = (
        Fact("Alike", "measured on known pairs when it is first needed", (near, same))
        if found is None
        else Fact(
            "Alike",
            f"perhaps from a cosine of {found.near:.3g}, surely from {found.same:.3g}",
            (near, same) if setup.is_endpoint else (),
        )
    )
    if not setup.is_endpoint:
        return (
            Fact("Embedder", "built in, on this machine"),
            Fact("Model", setup.model or "none"),
            _numbers(setup),
            alike,
            Fact(
                "A model instead",
                "none is set",
                ("EMBEDDING_BASE_URL", "EMBEDDING_MODEL", "EMBEDDING_API_KEY"),
            ),
        )
    return (
        Fact("Embedder", "a model behind an endpoint"),
        Fact("Address", setup.address or "none", ("EMBEDDING_BASE_URL",)),
        Fact("Key", _key(is_set=setup.key_is_set), ("EMBEDDING_API_KEY",)),
        Fact("Model", setup.model or "none", ("EMBEDDING_MODEL",)),
        _numbers(setup),
        alike,
        *_asking(setup),
    )


def _numbers(setup: EmbedderSetup) -> Fact:
    variables = ("EMBEDDING_DIMENSIONS",) if setup.is_endpoint else ()
    if setup.dimensions is None:
        return Fact("Vectors", "not asked yet, so nobody knows how long they are", variables)
    wish = ", as is asked for" if setup.asked_dimensions and setup.is_endpoint else ""
    return Fact("Vectors", f"{setup.dimensions:,} numbers a text{wish}", variables)


def _asking(setup: EmbedderSetup) -> tuple[Fact, ...]:
    question, passage = (f"“{prefix}”" if prefix else "nothing" for prefix in setup.prefixes)
    return (
        Fact(
            "Put before",
            f"{question} before a question, {passage} before what is to be found",
            ("EMBEDDING_QUERY_PREFIX", "EMBEDDING_PASSAGE_PREFIX"),
        ),
        Fact("Revision", setup.revision or "none", ("EMBEDDING_REVISION",)),
        Fact(
            "At once",
            f"{_count(setup.batch, 'text')} of up to {setup.longest:,} characters",
            ("EMBEDDING_BATCH", "EMBEDDING_TEXT_LIMIT"),
        ),
        Fact(
            "Patience",
            f"{setup.timeout_s:g} s for the worker, {setup.query_timeout_s:g} s for a question",
            ("EMBEDDING_TIMEOUT_S", "EMBEDDING_QUERY_TIMEOUT_S"),
        ),
    )


def _key(*, is_set: bool) -> str:
    return A_KEY if is_set else NO_KEY


def _times(number: int) -> str:
    return {1: "once", 2: "at most twice"}.get(number, f"at most {number} times")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
