"""Leaving out of a statement what says nothing: stress, throat-clearing, afterthoughts."""

import re

from extraction.engines.local import words

# Words of stress before a verb or an adjective; "not really" and "just like" mean something.
_STRESS = re.compile(
    r"(?<!\bnot)(?<!n['\u2019]t)(?<!\bis it) (?:really|just|definitely|totally|absolutely|truly"
    r"|super|honestly|literally|actually|basically|simply|certainly|seriously|completely)"
    r"(?= (?!(?:as|like|about|before|after|because|when|right|enough|the|then|in time|so you)\b)"
    r"[a-z])",
)
_SO = re.compile(
    r"\b((?:is|are|was|were|feels?|felt|been|be|became|get|got|looks?|looked|means|meant"
    r"|(?:[Ii]t|[Hh]e|[Ss]he|[Tt]hat|[Tt]here|[Tt]hey|[Ww]e)['\u2019](?:s|re))) "
    r"(?:so|very|really|pretty|incredibly|extremely) "
    r"(?=(?!(?:far|much|many|long|to|often|little|few|and|but|or|in|with|for|on|at|when)\b)"
    r"[a-z]+\b(?! that\b))"
)
_LEAD = re.compile(
    r"^(?:(?:just|actually|honestly|basically|for example|for instance|well|yup|also|plus|in fact"
    r"|to be honest|as always|believe it or not|luckily|thankfully|fortunately|unfortunately|sadly"
    r"|of course|anyway|besides that|(?:and )?btw"
    r"|by the way|guess what|crazy thing happened|you know what|for me|lately|speaking of which)"
    r"(?:,| -| \u2013| \u2014|:)\s+)+",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"^[^.,;]{0,60}?\b(?:had to (?:share|tell)|has (?:some |an? |the )?(?:\w+ )?(?:news|update)"
    r"|wanted to (?:share|tell|let))\b[^.,;]{0,60}? [-\u2013\u2014]+ (?=\w)",
    re.IGNORECASE,
)
_JUST_TIME = re.compile(r"^Just (?=(?:last|yesterday|this|the|in|on|a|two|three|got|had)\b)")
_END = re.compile(
    r"(?:,? (?<!['\u2019]s )(?:for sure|as well|too|though|a lot lately|you know|of course"
    r"|after all|and all|and everything|or whatever|and so on))+(?=[.!]?$)"
)
# ", which is amazing." and " and it was so fun." at the end; "is fun" alone may be the claim.
_OPINION_TAIL = re.compile(
    r",? (?:(?:and|but|so) (?:it|that)|which|(?<=, )(?:it|that))"
    r"(?:['\u2019]s| is| was| has been| felt| feels) (?:(?:so|really|very|such|pretty|just) )?"
    rf"(?:{'|'.join(sorted(words.OPINION_ADJECTIVES))})(?=[.!]?$)"
    # " - so exciting." says as little.
    r"|(?:,| [-\u2013\u2014]) (?:so|pretty|really|very) "
    rf"(?:{'|'.join(sorted(words.OPINION_ADJECTIVES))})(?=[.!]?$)",
    re.IGNORECASE,
)
# "even went", not "cannot even go", "even though", "even more".
_EVEN = re.compile(
    r" even (?=(?:went|found|got|had|made|saw|took|won|gave|has|bought|ran|built|wrote|met"
    r"|[a-z]{2,}ed)\b)"
)
_PADDED = re.compile(
    r"\bsuch (?!as\b)(?=[a-z])(?![^.;]* that\b)|\bkinda (?=[a-z])|(?<=\bhas )got (?!to\b)"
)
_QUOTED_STOP = re.compile(r"([.!?][\"\u201d])\.$")


def shortened(statement: str) -> str:
    """Leave out stress and throat-clearing; the claim, its names, numbers and denials stay."""
    text = _LEAD.sub("", statement)
    text = _JUST_TIME.sub("", _ANNOUNCES.sub("", text))
    before = None
    while before != text:
        before = text
        text = _PADDED.sub("", _SO.sub(r"\1 ", _STRESS.sub("", _EVEN.sub(" ", text))))
    text = _QUOTED_STOP.sub(r"\1", _OPINION_TAIL.sub("", _END.sub("", text)))
    return text[:1].upper() + text[1:] if len(text.split()) > 1 else statement
