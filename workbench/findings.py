"""One thing that was looked at in an installation, and what to do about it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. **Shape**: ``todo`` is empty when all is well."""

    state: Literal["ok", "warning", "failed"]
    about: str
    says: str
    todo: str = ""
