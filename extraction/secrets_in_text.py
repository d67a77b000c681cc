"""Secrets and card numbers in a text: found, and masked for every list that shows it."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

MASK = "\u2022\u2022\u2022\u2022"

# Tokens that announce themselves; the group ``keep`` may stay readable.
_TOKENS = re.compile(
    r"(?P<keep>sk-(?:proj-|ant-|live-)?|pk_(?:live|test)_|sk_(?:live|test)_|rk_live_"
    r"|gh[pousr]_|github_pat_"
    r"|glpat-|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|npm_|pypi-|hf_|mwk_|SG\.|eyJ)[A-Za-z0-9_\-.]{12,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_ANNOUNCED_BY = (
    r"(?<!\w)(?:pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|mot de passe|contraseña|clave"
    r"|api[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?token|auth[ _-]?token|bearer|token"
    r"|pin(?: code)?|recovery code)(?!\w)|密码|パスワード"
)
# "password is X", "token: X", or a name right before something with digits or signs in it.
_NAMED = re.compile(
    rf"(?P<keep>(?:{_ANNOUNCED_BY})['\"]?"
    r"(?:\s+(?:of|for|to|von|für|de|du|del)\s+[\w' -]{2,40}?"
    r"(?=\s+(?:is|was|ist|est|es)\s+\S*[\d!@#$%^&*]))?"
    r"(?:\s*(?:(?:is|was|ist|est|es)(?!\w)|[=:是は\uff1a])\s*|\s+(?=\S*[\d!@#$%^&*])))['\"`]?"
    r"(?P<secret>[^\s'\"`,;]{4,})",
    re.IGNORECASE,
)
_IN_URL = re.compile(
    r"(?P<keep>\b[a-z][a-z0-9+.-]*://[^\s:/@]+:)(?P<secret>[^\s@/]+)(?=@)", re.IGNORECASE
)
_LONG = re.compile(r"(?<![\w/.-])[A-Za-z0-9+_-]{32,}={0,2}(?![\w/.-])")
_CARD = re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])")
# What follows "password is" without being one.
_NO_SECRET = frozenset(
    """required needed wrong correct incorrect expired forgotten reset changed stored hashed
    protected invalid missing strong weak secure safe long short this that there here empty
    optional based manager field""".split()
)


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """Where a secret stands. ``start``–``end`` are the code points to mask."""

    start: int
    end: int
    is_card: bool = False


def find_secrets(text: str) -> tuple[SecretSpan, ...]:
    """Find passwords, keys, tokens and payment cards, in order and without
    overlaps.
    """
    found = sorted(_candidates(text), key=lambda s: (s.start, -s.end))
    kept: list[SecretSpan] = []
    for span in found:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)


def mask_secrets(text: str) -> str:
    """Replace what is secret by dots; a card keeps its last four digits, a token
    its kind.
    """
    for span in reversed(find_secrets(text)):
        tail = re.sub(r"\D", "", text[span.start : span.end])[-4:] if span.is_card else ""
        text = text[: span.start] + (f"{MASK} {tail}" if tail else MASK) + text[span.end :]
    return text


def _candidates(text: str) -> Iterator[SecretSpan]:
    for match in _TOKENS.finditer(text):
        yield SecretSpan(match.end("keep") if match["keep"] else match.start(), match.end())
    for pattern in (_NAMED, _IN_URL):
        for match in pattern.finditer(text):
            if match["secret"].strip(".!?").lower() not in _NO_SECRET:
                yield SecretSpan(match.start("secret"), match.end("secret"))
    for match in _LONG.finditer(text):
        if _looks_random(match[0]):
            yield SecretSpan(match.start(), match.end())
    for match in _CARD.finditer(text):
        if passes_luhn(match[0]):
            yield SecretSpan(match.start(), match.end(), is_card=True)


def _looks_random(word: str) -> bool:
    """Say whether a long word mixes letters and digits as keys do; a plain hash is no key."""
    if re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", word):
        return False
    if not (re.search(r"\d", word) and re.search(r"[A-Za-z]", word)):
        return False
    counts = [word.count(c) / len(word) for c in set(word)]
    return -sum(p * math.log2(p) for p in counts) > 3.5


def passes_luhn(number: str) -> bool:
    """Say whether digits could be a payment card: 13 to 19 of them, known first
    digit, checksum.
    """
    digits = [int(c) for c in number if c.isdecimal()]
    if not 13 <= len(digits) <= 19 or digits[0] not in {2, 3, 4, 5, 6} or len(set(digits)) < 2:
        return False
    doubled = [
        d if i % 2 == 0 else (2 * d - 9 if d > 4 else 2 * d) for i, d in enumerate(digits[::-1])
    ]
    return sum(doubled) % 10 == 0
