"""The data sets this command knows, by name."""

from collections.abc import Callable
from pathlib import Path

from extraction.evaluation import read_beam, read_locomo, read_longmemeval
from extraction.evaluation.datasets import Dataset, UnreadableDataset

_READERS: dict[str, Callable[..., Dataset]] = {
    "locomo": read_locomo.read,
    "beam": read_beam.read,
    "longmemeval": read_longmemeval.read,
}


def read_dataset(name: str, path: Path, *, limit: int | None = None) -> Dataset:
    """Read a data set, or the first ``limit`` of its conversations.

    **Raises**: UnreadableDataset with what was expected.
    """
    if name not in _READERS:
        raise UnreadableDataset(f"There is no data set called {name}: {', '.join(_READERS)}.")
    if not path.exists():
        raise UnreadableDataset(f"There is nothing at {path}.")
    return _READERS[name](path, limit=limit)
