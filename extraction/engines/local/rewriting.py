"""From "I work at Northwind" to "Ana works at Northwind".

Word by word, without a parser: what cannot be rewritten safely is left as it was said.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from extraction.engines.local import companions, verbs, words

_TOKEN = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*['\u2019]?|\d[\w.,:%/-]*|\s+|.", re.DOTALL)
_PERSON = {"i", "we"}
_SPLIT_CONTRACTION = re.compile(r"(i|we)['\u2019](m|re|ve|ll|d|s)\Z", re.IGNORECASE)
_BARE_CONTRACTION = {"im": ("I", "am"), "ive": ("I", "have"), "i´m": ("I", "am")}
_TAILS = {"m": "am", "re": "are", "ve": "have", "ll": "will"}
_GENERIC_YOU_BEFORE = frozenset(
    "when if where what how that until while before after because as and".split()
)
_TOLD = frozenset(
    "with to for show tell give help see join visit meet thank remind hear from like about "
    "have having love call beat teach ask support know at on behind told showed gave sent owe "
    "and".split()
)
# "what you said", "while you were away": one person's past, not everybody's.
_YOU_DID = frozenset(
    "were said mentioned told asked gave recommended suggested sent showed did wrote made".split()
)


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks and to whom: the names the pronouns of a sentence stand for."""

    name: str
    addressee: str = ""
    group: str = ""  # what "we" is called; empty = worked out from the words

    @property
    def possessive(self) -> str:
        """Give the name's possessive: Ana's, James'."""
        return possessive(self.name)


@dataclass(slots=True)
class _Line:
    voice: Voice
    tokens: list[str]
    companion: str
    plain_they: bool
    out: list[str] = field(default_factory=list)
    named: bool = False  # stood as subject or object: a later "I" is "they"
    owned: bool = False  # stood as "Ana's" only: "Ana's brother … they" would be the brother
    at: int = 0
    stative: bool = False  # that verb is "is": only a verb of wanting or thinking continues it
    present: bool = False  # inside a verb phrase whose first verb took the third person


def possessive(name: str) -> str:
    """Give a name's possessive: Ana's, the Osei twins'."""
    return name + ("'" if name.endswith("s") and " " in name else "'s")


def third_person(sentence: str, voice: Voice, *, before: str = "") -> str:
    """Say a speaker's sentence about the speaker, by name.

    **Shape**: the name once, then "they"; ``before`` is the sentence before it, where "we" may
    find its company. The meaning is kept before the style.
    """
    text = companions.joined(sentence, voice.name)
    tokens = _TOKEN.findall(text)
    low = {token.lower() for token in tokens}
    line = _Line(
        voice=voice,
        tokens=tokens,
        companion=companions.company(f"{before} {sentence}"),
        plain_they=bool(low & {"they", "them", "their", "they're", "they've", "theirs"}),
        named=text != sentence or (voice.name[:1].isupper() and voice.name in tokens),
    )
    while line.at < len(tokens):
        _step(line)
    return _capitalised(re.sub(r"\s+", " ", "".join(line.out)).strip())


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _step(line: _Line) -> None:
    token = line.tokens[line.at]
    low = token.lower().replace("\u2019", "'")
    contraction = _SPLIT_CONTRACTION.match(token)
    if contraction and (low != "we's"):
        _subject(line, contraction[1].lower(), tail=_tail(line, contraction[2].lower()))
    elif low in _BARE_CONTRACTION and line.tokens[line.at] != "IM":
        _subject(line, "i", tail=_BARE_CONTRACTION[low][1])
    elif low in _PERSON:
        _subject(line, low, tail="")
    elif low in _SIMPLE:
        line.out.append(_SIMPLE[low](line))
        line.at += 1
    elif low in {"you", "your", "yours"}:
        _you(line, token)
    else:
        _plain(line, token)


def _subject(line: _Line, who: str, *, tail: str) -> None:
    """Write the subject, then make the verb that follows agree with it."""
    inverted = _inversion(line)
    name, plural = _subject_form(line, who)
    line.out.append(name)
    line.at += 1
    line.present = False
    if tail:
        _verb(line, tail, plural=plural, glued=True)
        return
    if inverted:
        return
    _copy_adverbs(line)
    if line.at < len(line.tokens) and line.tokens[line.at][:1].isalpha():
        _verb(line, line.tokens[line.at], plural=plural, glued=False)


def _subject_form(line: _Line, who: str) -> tuple[str, bool]:
    if who == "we":
        return _we(line), not line.voice.group
    if line.named and not line.plain_they:
        return "they", True
    line.named = True
    return line.voice.name, False


def _we(line: _Line) -> str:
    if line.voice.group:
        line.named = True
        return line.voice.group
    if line.named and not line.plain_they:
        return "they"
    line.named = True
    if line.companion:
        return f"{line.voice.name} and their {line.companion}"
    return f"{line.voice.name} and others"


def _inversion(line: _Line) -> bool:
    """Repair "so do I", "am I": the verb stands before its subject."""
    before = [index for index, word in enumerate(line.out) if word.strip()]
    if not before or line.out[before[-1]].lower() not in _INVERTS:
        return False
    ahead = line.out[before[-2]].lower() if len(before) > 1 else ""
    if ahead not in _INVERTED_AFTER:
        return False
    line.out[before[-1]] = verbs.third_person(line.out[before[-1]])
    return True


_INVERTS = frozenset("am do have was did should can could would will".split())
_INVERTED_AFTER = frozenset({"", ",", *"so neither nor only rarely never what where how".split()})


def _tail(line: _Line, letters: str) -> str:
    if letters == "d":
        return (
            "had"
            if _next_word(line, 1) in {"better", "been"} or verbs.is_past(_next_word(line, 1))
            else "would"
        )
    if letters == "s":
        return "is"
    return _TAILS[letters]


def _next_word(line: _Line, offset: int) -> str:
    following = [t for t in line.tokens[line.at + offset : line.at + offset + 6] if t.strip()]
    while following and following[0].lower() in words.ADVERBS:
        following = following[1:]
    return following[0].lower() if following else ""


def _verb(line: _Line, verb: str, *, plural: bool, glued: bool) -> None:
    low = verb.lower().replace("\u2019", "'")
    form = _agree(line, low, verb, plural=plural)
    line.present = not plural and form.lower() != low and low not in {"have", "was", "were"}
    line.stative = low == "am"
    if glued:
        line.out.append(" " + form)
        _spell_out(line, form)
        return
    line.out.append(form)
    line.at += 1


def _agree(line: _Line, low: str, verb: str, *, plural: bool) -> str:
    if plural:
        return {"am": "are", "was": "were", "wasn't": "weren't", "is": "are"}.get(low, verb)
    if low in {"gonna", "gotta"}:
        return "is going to" if low == "gonna" else "has to"
    if low == "wanna":
        return "wants to"
    if low in {"read", "put", "set", "cut", "hit", "let", "quit", "cost", "hurt", "beat"}:
        return verb + "s" if low == "read" and not _sounds_past(line) else verb
    return verbs.third_person(verb)


def _sounds_past(line: _Line) -> bool:
    return bool(
        re.search(
            r"\b(?:ago|yesterday|last|was|were|did|just|already|recently)\b",
            "".join(line.tokens).lower(),
        )
    )


def _spell_out(line: _Line, form: str) -> None:
    """Turn the "gonna" after a contraction into words: "I'm gonna" → "Ana is going to"."""
    if form in {"is", "are"} and _next_word(line, 0) == "gonna":
        while line.tokens[line.at].lower() != "gonna":
            line.out.append(line.tokens[line.at])
            line.at += 1
        line.out.append("going to")
        line.at += 1


def _copy_adverbs(line: _Line) -> None:
    while line.at < len(line.tokens):
        token = line.tokens[line.at]
        if token.strip() and token.lower() not in words.ADVERBS:
            return
        line.out.append(token)
        line.at += 1


def _plain(line: _Line, word: str) -> None:
    low = word.lower()
    continues = words.STATE_VERBS if line.stative else words.COORDINATED_VERBS
    if line.present and low in continues and _follows_conjunction(line):
        word = verbs.third_person(word)
    elif word in ".;:!?" or low.split("'")[0] in _NEW_CLAUSE:
        line.present = False
    line.out.append(word)
    line.at += 1


_NEW_CLAUSE = frozenset("to who that which because if when they he she it you there".split())


def _follows_conjunction(line: _Line) -> bool:
    written = [word.lower() for word in line.out if word.strip()]
    while written and written[-1] in words.ADVERBS:
        written.pop()
    return bool(written) and written[-1] in {"and", "but", "or", "then"}


def _you(line: _Line, token: str) -> None:
    """Name the person spoken to where "you" is clearly them and not everybody."""
    written = [word.lower() for word in line.out if word.strip()]
    last = written[-1] if written else ""
    addressee = line.voice.addressee
    if token.lower() == "your" and addressee and last not in _GENERIC_YOU_BEFORE | {"keep"}:
        line.out.append(possessive(addressee))
    elif token.lower() == "you" and addressee and last in _TOLD and _you_is_object(line):
        line.out.append(addressee)
    elif token.lower() == "you" and addressee and _next_word(line, 1) in _YOU_DID:
        line.out.append(addressee)
        line.at += 1
        _copy_adverbs(line)
        line.out.append(verbs.third_person(line.tokens[line.at]))
    else:
        line.out.append(token)
    line.at += 1


def _you_is_object(line: _Line) -> bool:
    follows = _next_word(line, 1)
    return not follows.isalpha() or follows in {
        "and",
        "about",
        "for",
        "at",
        "in",
        "on",
        "too",
        "soon",
        "so",
        "all",
        "some",
        "a",
        "the",
        "that",
        "how",
        "what",
        "with",
        "to",
        "as",
        "there",
        "this",
        "my",
        "when",
        "if",
        "today",
        "tomorrow",
        "again",
        "by",
    }


def _me(line: _Line) -> str:
    if line.named and not line.plain_they:
        return "them"
    line.named = True
    return line.voice.name


def _us(line: _Line) -> str:
    if line.voice.group:
        return line.voice.group
    if line.named and not line.plain_they:
        return "them"
    line.named = True
    return f"{line.voice.name} and others"


def _my(line: _Line) -> str:
    if not line.owned and not line.named and _subject_follows(line):
        return "their"  # "In their spare time Ana paints"
    if line.named or line.owned:
        return "their"
    line.owned = True
    return line.voice.possessive


def _subject_follows(line: _Line) -> bool:
    """Tell whether a sentence opens with a side clause and names its speaker after it."""
    opener = next((token.lower() for token in line.tokens if token.strip()), "")
    ahead = {token.lower().replace("\u2019", "'") for token in line.tokens[line.at + 1 :]}
    return opener in _SIDE_OPENERS and bool(ahead & _FIRST_PERSONS)


_SIDE_OPENERS = frozenset(
    "after before while when since as during despite with without besides by in on at through for "
    "because although though until once if".split()
)
_FIRST_PERSONS = frozenset("i i'm i've i'd i'll".split())


def _our(line: _Line) -> str:
    if line.voice.group and not line.named and not line.owned:
        line.owned = True
        return possessive(line.voice.group)
    return _my(line)


def _mine(line: _Line) -> str:
    return "theirs" if line.named else line.voice.possessive


_SIMPLE: dict[str, Callable[[_Line], str]] = {
    "me": _me,
    "us": _us,
    "my": _my,
    "our": _our,
    "mine": _mine,
    "ours": _mine,
    "myself": lambda _line: "themselves",
    "ourselves": lambda _line: "themselves",
}
