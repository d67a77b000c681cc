"""Keyed fingerprints of words and values: equal meaning of form, equal fingerprint.

The key never enters the database. The process installs its keyring once at start-up
(``workbench.apps``), so that the core reads no settings.
"""

import hashlib
import hmac
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Keyring:
    """The current key and its version; older versions stay readable for comparison."""

    version: int
    key: bytes


_installed: list[Keyring] = []


def install(keyring: Keyring) -> None:
    """Make this keyring the one the process uses."""
    _installed[:] = [keyring]


def current() -> Keyring:
    """Return the installed keyring.

    **Raises**: RuntimeError when the process installed none: a set-up fault, never a user's.
    """
    if not _installed:
        raise RuntimeError("No fingerprint key is installed. Set FINGERPRINT_KEY.")
    return _installed[0]


def canonical(value: str) -> str:
    """Return the value with case, width, white space and Unicode form folded.

    Punctuation stays: ``C++`` is not ``C`` and ``-5`` is not ``5``.
    """
    folded = unicodedata.normalize("NFKC", value).casefold()
    return " ".join(folded.split())


def fingerprint(*parts: str) -> str:
    """Return the keyed fingerprint of the parts, as ``v<key version>:<hex>``."""
    keyring = current()
    body = "\x1f".join(canonical(part) for part in parts).encode()
    return f"v{keyring.version}:{hmac.new(keyring.key, body, hashlib.sha256).hexdigest()}"


def content_fingerprint(text: str) -> str:
    """Return the keyed fingerprint of a message exactly as written."""
    keyring = current()
    digest = hmac.new(keyring.key, text.encode("utf-8", "surrogatepass"), hashlib.sha256)
    return f"v{keyring.version}:{digest.hexdigest()}"
