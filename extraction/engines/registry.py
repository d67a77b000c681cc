"""The engines this installation has; one of each in a process."""

import os
import threading
from collections.abc import Hashable

from extraction.engines.base import Engine
from extraction.engines.local import LocalEngine
from extraction.engines.openai import OpenAIEngine, config
from extraction.errors import BadInput

LOCAL, OPENAI = "local", "openai"
NAMES = (LOCAL, OPENAI)


class EngineNotSet(BadInput):
    """The engine needs an endpoint and a model, and the settings name none."""

    def __init__(self) -> None:
        super().__init__(
            "The engine openai needs an endpoint: set LLM_BASE_URL and LLM_MODEL"
            " (and LLM_API_KEY where the endpoint wants one)."
        )


def get_engine(name: str = "", *, model: str = "", predict_model: str = "") -> Engine:
    """Give the engine of that name; without one, the one the settings name.

    That is ``openai`` where LLM_BASE_URL and LLM_MODEL are set, and ``local`` otherwise.
    ``model`` and ``predict_model`` stand in for those of the settings, to compare two.
    **Raises**: BadInput naming the engines there are; EngineNotSet.
    """
    chosen = name or default_name()
    if chosen == LOCAL:
        return _local
    if chosen != OPENAI:
        raise BadInput(f"There is no engine called {chosen}. Choose one of {', '.join(NAMES)}.")
    return model_engine(model=model, predict_model=predict_model)


def model_engine(*, model: str = "", predict_model: str = "") -> OpenAIEngine:
    """Give the engine that asks the endpoint of the settings, with other models where given.

    **Raises**: EngineNotSet.
    """
    wanted = config.from_settings(model=model, predict_model=predict_model)
    if not wanted.base_url or not wanted.model:
        raise EngineNotSet
    # A process that was forked must not share its parent's connections.
    key: Hashable = (os.getpid(), wanted)
    with _making:
        if key not in _made:
            _made[key] = OpenAIEngine(wanted)
        return _made[key]


def default_name() -> str:
    """Name the engine the settings choose."""
    return OPENAI if config.is_configured() else LOCAL


_local = LocalEngine()
_made: dict[Hashable, OpenAIEngine] = {}
_making = threading.Lock()
