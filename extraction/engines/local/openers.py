"""What stands before and after a statement in a chat line: greetings, names, smileys."""

import re
from collections.abc import Collection

_GREETING = (
    r"hey|hi|hello|hiya|wow|whoa|woah|yay|oh|ooh|ah|aw+|hm+|uh|um|haha\w*|lol|yeah|yea|yep"
    r"|yes|yup|ya|no|nope|nah"
    r"|well|so|ok|okay|sure|thanks(?: (?:so much|a lot|a bunch|again))?|thank you(?: so much)?|thx"
    r"|absolutely|definitely|totally|exactly|indeed|of course|right|true|cool|awesome|great|nice"
    r"|congrats|congratulations|btw|by the way|fyi|anyway|anyways|anyhow|actually|honestly"
    r"|also|plus"
    r"|agreed|sorry|please note|note|guess what|good question|for the record|to be honest"
    r"|in fact|no worries|no problem|you know|i mean|correction|good morning|good evening"
    r"|speaking of which"
)
_WITH_MARK = re.compile(rf"(?:{_GREETING})\b['\u2019]?\s*(?:[,!.:;…]+|\s[-–—]+)\s*", re.IGNORECASE)
_CONJUNCTION = re.compile(
    r"(?:and|but|also|so|plus|hey|hi|oh|wow|yeah|yep|well|because|cause|though|anyway)\s+"
    r"(?=(?:i|i['\u2019]\w+|my|we|we['\u2019]\w+|our|it|it['\u2019]s|he|she|they|the|this"
    r"|that|there|as|since|last|when)\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[a-z]+(?: [a-z]+)?:\s+(?=(?:i|we|my|our)\b)", re.IGNORECASE)
_LAST_CHAT = re.compile(
    r"since (?:we|our) last (?:talked|chatted|spoke|met|conversation|chat"
    r"|talk)(?: to each other)?,?\s*",
    re.IGNORECASE,
)
_SMILEY = re.compile(
    r"(?:\s*(?::-?[)D(pP]|;-?\)|<3|xD"
    r"|[\U0001F000-\U0001FAFF\u2600-\u27bf\ufe0f\u200d]))+\s*$"
)
_TRAILING = re.compile(
    r"(?:,| -| –)\s*(?:though|lol|haha|you know|right|too|as well|btw|by the way|thanks"
    r"|thank you|please|huh)\s*$",
    re.IGNORECASE,
)


def trim(sentence: str, *, names: Collection[str]) -> str:
    """Take greetings, names of address and smileys off a sentence.

    **Shape**: ``names`` are the people spoken to; their short forms of three letters count.
    What remains is a piece of the sentence, or nothing.
    """
    text = sentence.strip().lstrip("-*•> ")
    address = _address(names)
    before = None
    while before != text:
        before = text
        for pattern in (_WITH_MARK, _CONJUNCTION, _LABEL, _LAST_CHAT):
            text = _cut_start(pattern, text)
        if address is not None:
            text = address.sub("", text, count=1)
    return _trim_end(text, names)


def _cut_start(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.match(text)
    return text[match.end() :] if match else text


def _address(names: Collection[str]) -> re.Pattern[str] | None:
    forms = name_forms(names)
    if not forms:
        return None
    joined = "|".join(forms)
    return re.compile(
        rf"^(?:(?:{_GREETING})\s+)?(?:{joined})\s*(?:[,!.:…]+|[-–—]+)\s*"
        rf"|^(?:{_GREETING})\s+(?:{joined})\b\s*[,!.…]*\s*",
        re.IGNORECASE,
    )


def name_forms(names: Collection[str]) -> list[str]:
    """List how people may be addressed: whole names and short forms."""
    forms: set[str] = set()
    for name in names:
        first = name.split()[0] if name.split() else ""
        forms.add(re.escape(name))
        forms.update(re.escape(first[:size]) for size in range(3, len(first) + 1))
    forms.discard("")
    return sorted(forms, key=len, reverse=True)


def _trim_end(text: str, names: Collection[str]) -> str:
    text = _SMILEY.sub("", text).strip()
    body = text.rstrip(".!?…~: ")
    mark = text[len(body) :]
    forms = name_forms(names)
    before = None
    while before != body:
        before = body
        body = _TRAILING.sub("", body)
        if forms:
            body = re.sub(rf",\s*(?:{'|'.join(forms)})$", "", body, flags=re.IGNORECASE)
    return (body + ("?" if "?" in mark else "." if body else "")).strip()
