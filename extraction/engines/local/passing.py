"""What is said in passing: about everybody, or about the next minute, and soon of no use."""

import re

from extraction.engines.local import words
from extraction.words import content_words

_FIRST_SINGULAR = re.compile(
    r"\b(?:i|i['\u2019](?:m|ve|d|ll)|im|ive|my|me|mine|myself)\b", re.IGNORECASE
)
_FIRST_PLURAL = re.compile(r"\b(?:we|we['\u2019]\w+|us|our|ours|ourselves)\b", re.IGNORECASE)
_OF_US = re.compile(
    r"^(?:\W*(?:\w+ ){0,2})?(?:we(?:['\u2019]\w+)?|our) (?!can\b|all\b|should\b|need\b)",
    re.IGNORECASE,
)
_HAPPENED = re.compile(
    r"\b(?:was|were|went|had|did|got|made it|took|came|met|joined|visited|started|helped|\w{3,}ed"
    r"|yesterday|last|ago|recently)\b",
    re.IGNORECASE,
)
_NEXT_MINUTE = re.compile(
    r"^(?:(?:yeah|yes|sure|okay|ok|for sure),? )?(?:i['\u2019]?ll|i will|we['\u2019]?ll|we will"
    r"|i['\u2019]?m gonna|i am gonna|we['\u2019]re gonna|gonna|gotta|i gotta|we gotta)\s+"
    r"(?:(?:definitely|always|just|surely|totally|never|also|for sure|make sure to|be sure to)\s+)*"
    r"(?:keep|check|try|let|make sure|be (?:there|here|sure)|see|look|remember|do|give|support"
    r"|share|send|tell|think|show|bring it|stay|work|find|take|get|have|make|put|cheer|watch|add"
    r"|consider|hold|need)\b",
    re.IGNORECASE,
)
_WONDER = re.compile(
    r"^(?:it(?:['\u2019]s| is| was)|that(?:['\u2019]s| is)) (?:(?:so|really|very|super|pretty|just"
    r"|always|truly) )*(?:amazing|awesome|great|cool|nice|good|wonderful|incredible|important|fun"
    r"|lovely|inspiring|rewarding|crazy) (?:how|to|that|when|what|seeing|having)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(r"(?<![.!?]\s)(?<!^)\b(?!I\b|I['\u2019])[A-Z][\w'-]+|\d|\"|\u201c")
_TIME = re.compile(
    r"\b(?:tomorrow|tonight|next|weekend|week|month|year|monday|tuesday|wednesday|thursday|friday"
    r"|saturday|sunday|summer|winter|spring|soon|class\w*|course|trip|job)\b",
    re.IGNORECASE,
)


def is_said_in_passing(sentence: str) -> bool:
    """Tell a saw about everybody, or a promise for the next minute, from something to keep.

    **Shape**: "Challenges force us to grow", "We can do anything together", "I'll keep trying",
    "It's amazing how much it helps". A name, a number, a time or an event of one's own keeps it.
    """
    if _TELLING.search(sentence):
        return False
    if _NEXT_MINUTE.match(sentence):
        return not _TIME.search(sentence)
    if _WONDER.match(sentence):
        return not _FIRST_SINGULAR.search(sentence)
    return _speaks_of_everybody(sentence)


def _speaks_of_everybody(sentence: str) -> bool:
    """Tell "it helps us grow": a first person only as one of all."""
    if _FIRST_SINGULAR.search(sentence) or not _FIRST_PLURAL.search(sentence):
        return False
    if _OF_US.match(sentence) or _HAPPENED.search(sentence):
        return False
    spoken = re.findall(r"[a-z]+", sentence.lower())
    return not any(word in words.IRREGULAR_PAST for word in spoken)


_ADDRESSES = re.compile(r"\b(?:you|your|yours|you['\u2019]\w+)\b", re.IGNORECASE)
_GUESSES = re.compile(
    r"^(?:it|that|this|they|those|these)\b.{0,12}\b(?:must be|must have|all about|worth it|means?"
    r"|meant|feels?|felt|reminds?|makes? (?:me|us|them|everything|it)|gives? (?:me|us)"
    r"|brings? (?:me|us)|helps? (?:me|us))\b",
    re.IGNORECASE,
)
_SAYS_NOTHING = words.OPINION_ADJECTIVES | frozenset(
    "feeling experience memory memories time moment thing day night place way reminder part lot "
    "feel feels felt make makes made bring brings great favorite peaceful rewarding relaxing love "
    "fun joy happy happiness good super really definitely always memorable unforgettable best "
    "worth touching refreshing calming soothing cute delicious yummy".split()
)
_EMPTY_KEYS = frozenset(key for word in _SAYS_NOTHING for key in content_words(word, "en"))


def adds_little(sentence: str) -> bool:
    """Tell an afterthought ("It was so rewarding.") from a second half of the news.

    **Shape**: a sentence that only points back, before it is joined to the one it points to.
    """
    if _TELLING.search(sentence):
        return False
    if is_said_in_passing(sentence) or _ADDRESSES.search(sentence) or _GUESSES.match(sentence):
        return True
    return len(set(content_words(sentence, "en")) - _EMPTY_KEYS) <= 1
