"""The engines this installation has."""

from collections.abc import Callable

from extraction.engines.base import Engine
from extraction.engines.local import LocalEngine
from extraction.errors import BadInput

_ENGINES: dict[str, Callable[[], Engine]] = {"local": LocalEngine}


def get_engine(name: str = "local") -> Engine:
    """Give the engine of that name.

    **Raises**: BadInput naming the engines there are.
    """
    if name not in _ENGINES:
        raise BadInput(f"There is no engine called {name}. Choose one of {', '.join(_ENGINES)}.")
    return _ENGINES[name]()
