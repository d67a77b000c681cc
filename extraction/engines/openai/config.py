"""How the engine is set up: read once from the settings, passed on from there."""

from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings

from extraction.endpoints import Breaker, public_address

MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost; None is not known."""

    input: float | None = None
    output: float | None = None

    def cost_micro(self, *, input_tokens: int, output_tokens: int) -> int | None:
        """Price tokens. **Units**: millionths of the currency; None without both prices."""
        if self.input is None or self.output is None:
            return None
        return round(input_tokens * self.input + output_tokens * self.output)


@dataclass(frozen=True, slots=True)
class Config:
    """One endpoint and how it is asked. The key never shows in a representation.

    **Units**: seconds, tokens.
    """

    base_url: str
    model: str
    predict_model: str
    api_key: str = field(default="", repr=False)
    timeout_s: float = 30.0
    attempts: int = 3
    concurrency: int = 4
    answer_tokens: int = 4_096
    temperature: float = 0.0
    run_s: float = 80.0
    prices: Prices = field(default_factory=Prices)
    breaker: Breaker = field(default_factory=Breaker)

    @property
    def shown_url(self) -> str:
        """The address without anything that could be a secret."""
        return public_address(self.base_url)


def from_settings(*, model: str = "", predict_model: str = "") -> Config:
    """Read the configuration of this installation; a model given here comes first."""
    chosen = model or settings.LLM_MODEL
    return Config(
        base_url=settings.LLM_BASE_URL.strip(),
        model=chosen,
        predict_model=predict_model or settings.PREDICT_MODEL or chosen,
        api_key=settings.LLM_API_KEY.strip(),  # a file's last line ends one
        timeout_s=settings.LLM_TIMEOUT_S,
        attempts=max(1, settings.LLM_ATTEMPTS),
        concurrency=max(1, settings.LLM_CONCURRENCY),
        answer_tokens=settings.LLM_ANSWER_TOKENS,
        temperature=settings.LLM_TEMPERATURE,
        run_s=settings.LLM_RUN_S,
        prices=Prices(settings.LLM_PRICE_INPUT, settings.LLM_PRICE_OUTPUT),
        breaker=Breaker(
            failures=max(1, settings.LLM_BREAKER_FAILURES),
            rest=timedelta(seconds=settings.LLM_BREAKER_S),
        ),
    )


def is_configured() -> bool:
    """Say whether this installation names an endpoint and a model."""
    return bool(settings.LLM_BASE_URL and settings.LLM_MODEL)
