"""How a sentence is meant: asserted, negated, supposed, asked, or passed on from someone else."""

import re

from extraction.engines.base import Modality

_TAG = re.compile(
    r"(?:,\s*(?:right|no|huh|yeah|eh|ok|okay)|,?\s+(?:y(?:ou|a) know|(?:is|has|are|do"
    r"|did)n't (?:it|i)))\s*\?\s*$",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:(?:do|does|did|is|are|am|was|were|can|could|should|shall|will|would|have|has"
    r"|what|where|who|why|how)"
    r"\s+(?:i|we|you|he|she|they|it|my|the|there|your|this|that)\b"
    r"|(?:what|where|when|who|why|how|which)\s+(?:is|are|was|were|do|does|did|should|can"
    r"|would|about)\b)",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    # Only near the start do these words make the whole sentence a supposition.
    r"^(?:\S+ ){0,7}(?:maybe|perhaps)\b|^(?:\S+ ){0,5}(?<!that )(?<!which )might\b|"
    r"\bif (?:i|we|my \w+) (?:was|were|had|could|ever|moved|got|took|went|left|became|won"
    r"|did|quit|\w+ed)\b"
    r"|\bif\b[^.]*\b(?:would|could|might|['\u2019]d)\b|\b(?:would|could|might"
    r"|['\u2019]d)\b[^.]*\bif\b"
    r"|\b(?:was|were|been) (?:just |only )?(?:thinking|wondering|toying"
    r"|considering)\b[^.]*\b(?:maybe|perhaps|whether|if|could|might)\b"
    r"|\bthinking (?:of|about) maybe\b|\bwhat if\b"
    r"|^(?:suppose|imagine|assuming|consider)\b"
    r"|\bconsider whether\b|\b(?:i|we) (?:was|were) thinking of\b|\bi wish (?:i|we)\b"
    r"|\bin theory\b|\bhypothetically\b",
    re.IGNORECASE,
)
_PASSED_ON = re.compile(
    r"\b(?:said|says|saying|claims?|claimed|swears|insists|insisted"
    r"|reckons)\b(?:\s+(?:that|he|she|they|i|it|we|my|the)\b|\s*[:,]?\s*[\"\u201c\u00ab])"
    r"|\b(?:told|tells|telling) (?:me|us|him|her|them) (?:that|he|she|they|it|i|we)\b"
    r"|\b(?:i|we)(?:['\u2019]ve)? (?:just )?(?:heard|read) (?:that|somewhere|it)\b"
    r"|\bapparently\b|\baccording to\b"
    r"|\brumou?r\b|\bsupposedly\b|\ballegedly\b|\bpeople say\b",
    re.IGNORECASE,
)
_ALL_QUOTED = re.compile(r"^\s*(?:>|[\"\u201c\u00ab\u201e].*[\"\u201d\u00bb\u201c][.!?]?\s*$)")
_NEGATES = re.compile(
    r"\b(?:not|never|no longer|cannot|nobody|nothing|neither|nor|none|without ever)\b"
    r"|\b(?:do|does|did|is|are|was|were|have|has|had|ca|could|wo|would|should|must|ai"
    r"|need)n['\u2019]?t\b"
    r"|\b(?:have|has|had|there is|there are|eat|drink|take|want|need|use) no\b|\bstopped\b"
    r"|\bany ?more\b",
    re.IGNORECASE,
)
_NO_NEGATION = re.compile(
    r", not (?:(?:to|at|in|on|for|an?|the) )*[\w-]+\W*$|\bcan['\u2019]?t (?:wait"
    r"|believe|get enough|stop|help)\b|\bcouldn['\u2019]t (?:be"
    r"|have been|agree|ask|wait)\b|\bnot only\b|\bnot just\b"
    r"|\bno doubt\b|\bwhy not\b|\bdon['\u2019]?t (?:forget|worry|know what i['\u2019]d)\b"
    r"|\bnot to mention\b|\bif not\b"
    r"|\bnothing (?:beats|like|better)\b|\bnever (?:been (?:better|happier)|gets old"
    r"|felt)\b|\bwhether or not\b|\bnot bad\b",
    re.IGNORECASE,
)
_OTHER_QUESTION = re.compile(r"[?\uff1f\u061f]\s*$|[吗嗎呢か][?\uff1f。]?\s*$")
_OTHER_NEGATION = re.compile(
    r"[不没沒無无]|ない|ません|않|\bne\b|\bn['\u2019]|\bpas\b|\bnicht\b|\bkeine?n?\b|\bno\b|\bnon\b"
    r"|\bnão\b|\bniet\b|\bgeen\b|\bلا\b|\bليس\b|\bلم\b|\bне\b",
    re.IGNORECASE,
)
_OTHER_SUPPOSITION = re.compile(
    r"也许|或许|可能|如果|要是|もし|かもしれ|たら|\bpeut-être\b|\bsi j['\u2019]|\bvielleicht\b"
    r"|\bwenn ich\b.*\b(?:würde|hätte|wäre)\b"
    r"|\bquizás\b|\btal vez\b|\bsi yo\b|\bforse\b|\bse io\b|\btalvez\b|\bmisschien\b|ربما"
    r"|\bلو\b|아마|만약|может быть|\bесли бы\b",
    re.IGNORECASE,
)


def of(sentence: str, *, language: str = "en") -> Modality:
    """Say how a sentence is meant.

    **Shape**: a question outranks a supposition, that a quotation, that a negation. A tag
    ("…, right?") leaves a statement a statement.
    """
    if language != "en":
        return _of_other(sentence)
    text = without_tag(sentence)
    if text.rstrip().endswith("?") or _ASKS.match(text):
        return "question"
    if _SUPPOSES.search(text):
        return "hypothetical"
    if _is_passed_on(text) or _ALL_QUOTED.match(text):
        return "quoted"
    return "negated" if is_negated(text) else "asserted"


def _is_passed_on(text: str) -> bool:
    """Tell what others said. What the speaker heard, told beside a statement of their own, is
    part of that: "I tune my scheduler, and I've heard that …, so I want to upgrade".
    """
    if not _PASSED_ON.search(text):
        return False
    beside = _HEARD_BESIDE.match(text)
    return (
        beside is None
        or bool(_PASSED_ON.search(text[: beside.start("heard")]))
        or bool(_PASSED_ON.search(text[beside.end("heard") :]))
    )


_HEARD_BESIDE = re.compile(
    r"^(?:i|i['\u2019]\w+|we|we['\u2019]\w+|my|our)\s(?:\S+\s+){3,}?"
    r"(?P<heard>(?:and|but|because|since|as)\s+(?:i|we)(?:['\u2019]ve| have)?(?: \w+)?"
    r" (?:heard|read) that)\b",
    re.IGNORECASE,
)


def without_request(sentence: str) -> str:
    """Leave the statement of "I moved to Ulm, can you find me a gym?".

    **Shape**: the sentence unchanged where it is all question, or all statement.
    """
    match = _REQUEST.search(sentence)
    lead = sentence[: match.start()].strip() if match else ""
    if not match or not _STATES.match(lead) or len(lead.split()) < _SHORTEST_STATEMENT:
        return sentence
    return lead.rstrip(" ,;:-\u2013\u2014") + "."


_SHORTEST_STATEMENT = 3
_STATES = re.compile(
    r"^(?:(?:also|currently|now|just|right now|recently) )?(?:i|i['\u2019]\w+|we"
    r"|we['\u2019]\w+|my|our)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:[,;:]|\s[-\u2013\u2014])\s*(?:and |but |so |then )?(?:(?:please )?(?:can|could"
    r"|would|will|do|did) you\b"
    r"|(?:how|what|where|why|should|shall|is|are|do|does|can|could"
    r"|would)\b(?=[^?]*\?\s*$)"
    r"|(?:and )?(?:i['\u2019]?m|i am|i was) wondering\b|i['\u2019]?d like to know\b"
    r"|here(?:['\u2019]s| is| are)\b).*$",
    re.IGNORECASE | re.DOTALL,
)


def fact_inside(sentence: str) -> str:
    """Give what a question takes as known: "How can I use the fact that I won?" → "I won."."""
    if not sentence.rstrip().endswith("?"):
        return sentence
    match = _TAKEN_AS_KNOWN.search(sentence)
    return match["fact"].rstrip(" ?,;") + "." if match else sentence


_TAKEN_AS_KNOWN = re.compile(
    r"\b(?:the fact that|given that|now that|considering(?: that)?|knowing that"
    r"|especially since)\s+(?P<fact>(?:i|i['\u2019]\w+|my|we|we['\u2019]\w+|our)\s"
    r"[^?;]{8,160}?)(?=,? (?:can|could|how|what|to further|so|and (?:how|what|can))\b|,|\s*\?)",
    re.IGNORECASE,
)


def without_tag(sentence: str) -> str:
    """Turn "I live in Ulm, right?" back into the statement it is."""
    return _TAG.sub(".", sentence)


def is_negated(sentence: str) -> bool:
    """Tell whether a sentence denies something, idioms left aside."""
    return bool(_NEGATES.search(_NO_NEGATION.sub(" ", sentence)))


def _of_other(sentence: str) -> Modality:
    if _OTHER_QUESTION.search(sentence):
        return "question"
    if _OTHER_SUPPOSITION.search(sentence):
        return "hypothetical"
    return "negated" if _OTHER_NEGATION.search(sentence) else "asserted"
