"""The keys of fingerprints as an installation keeps them: one, or several with their versions."""

import re
import secrets
from pathlib import Path

from workbench.local_secrets import SECRET_BYTES, write_private_file

_VERSIONED = re.compile(r"(?P<version>[1-9]\d{0,5}):(?P<key>.+)", re.DOTALL)


def parse(text: str) -> dict[int, str]:
    """Read ``KEY``, or ``2:NEW,1:OLD`` with commas or lines between, as keys by version.

    A key without a version is version 1.
    """
    parts = [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]
    found = [_VERSIONED.fullmatch(part) for part in parts]
    if parts and all(found):
        return {int(match["version"]): match["key"] for match in found if match}
    return {1: text.strip()}


def rotate(path: Path) -> int:
    """Put a new key before those in ``path``, which stay to recognise what they wrote.

    **Returns**: the new key's version.
    """
    keys = parse(path.read_text(encoding="utf-8"))
    version = max(keys) + 1
    keys[version] = secrets.token_urlsafe(SECRET_BYTES)
    lines = [f"{number}:{keys[number]}\n" for number in sorted(keys, reverse=True)]
    write_private_file(path, "".join(lines))
    return version
