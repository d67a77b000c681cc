"""Keyed fingerprints of words and values: equal meaning of form, equal fingerprint.

The keys never enter the database. The process installs its keyring once at start-up
(``workbench.apps``), so that the core reads no settings.
"""

import hashlib
import hmac
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Keyring:
    """Keys by version: the highest writes, the others recognise what they once wrote."""

    keys: Mapping[int, bytes]

    @property
    def version(self) -> int:
        """Return the version of the key that writes."""
        return max(self.keys)

    @property
    def newest_first(self) -> list[int]:
        """Return every version a fingerprint may have been written with."""
        return sorted(self.keys, reverse=True)


_installed: list[Keyring] = []
_AROUND = " \t\n\r.,;:!?…·'\"`´‘’‚“”„«»‹›()[]{}。、，！？：；「」『』"


def install(keyring: Keyring) -> None:
    """Make this keyring the one the process uses."""
    _installed[:] = [keyring]


def current() -> Keyring:
    """Return the installed keyring.

    **Raises**: RuntimeError when the process installed none: a set-up fault, never a user's.
    """
    if not _installed:
        raise RuntimeError("No fingerprint key is installed. Set FINGERPRINT_KEYS.")
    return _installed[0]


def canonical(value: str) -> str:
    """Return the value with case, width, white space and Unicode form folded.

    Punctuation stays: ``C++`` is not ``C`` and ``-5`` is not ``5``.
    """
    folded = unicodedata.normalize("NFKC", value).casefold()
    return " ".join(folded.split())


def essential(value: str) -> str:
    """Return the value without what is not seen, and without quotes and full stops around it.

    For recognising what must not come back: form is no way round. Signs that carry meaning stay.
    """
    seen = "".join(letter for letter in value if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", seen).strip(_AROUND)


def fingerprint(*parts: str) -> str:
    """Return the keyed fingerprint of the parts, as ``v<key version>:<hex>``."""
    return forms(*parts)[0]


def forms(*parts: str) -> tuple[str, ...]:
    """Return the fingerprint under every installed key, the current one first: what to look for."""
    return _under_each_key("\x1f".join(canonical(part) for part in parts).encode())


def content_forms(text: str) -> tuple[str, ...]:
    """Return the fingerprint of a message under every installed key, the current one first."""
    return _under_each_key(text.encode("utf-8", "surrogatepass"))


def name_forms(*parts: str) -> tuple[str, ...]:
    """Return the fingerprint of a name letter by letter, such as a subject's, under every key."""
    return _under_each_key(json.dumps(parts).encode())


def version_of(written: str) -> int:
    """Return the version of the key a fingerprint was written with."""
    return int(written.removeprefix("v").partition(":")[0])


def _under_each_key(body: bytes) -> tuple[str, ...]:
    ring = current()
    return tuple(
        f"v{version}:{hmac.new(ring.keys[version], body, hashlib.sha256).hexdigest()}"
        for version in ring.newest_first
    )
