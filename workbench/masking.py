"""Secrets in lists: a list is read over shoulders, a card is opened on purpose."""

import re

_TOKEN = re.compile(r"\S*\d\S*")
_LEAST_LENGTH = 6
_SHOWN = 2
SECRET_FLAGS = frozenset({"secret", "card_number"})


def masked(text: str) -> str:
    """Hide every longer word that holds a digit, but for its beginning.

    Passwords without a digit cannot be told from words; where a flag says that a text holds a
    secret, this hides what keys, tokens and card numbers look like.
    """
    return _TOKEN.sub(_hide, text)


def masked_if(text: str, *, flags: tuple[str, ...]) -> str:
    """Mask a text whose flags say that it holds a secret."""
    return masked(text) if SECRET_FLAGS.intersection(flags) else text


def _hide(found: re.Match[str]) -> str:
    word = found.group()
    if len(word) < _LEAST_LENGTH and not word.isdigit():
        return word
    return word[:_SHOWN] + "•" * 6
