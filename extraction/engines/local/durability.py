"""Which sentences are worth remembering, and how sure the words are."""

import re
from dataclasses import dataclass

from extraction.engines.base import Modality
from extraction.engines.local import passing, words
from extraction.words import content_words

_FIRST = re.compile(
    r"\b(?:i|i['\u2019](?:m|ve|d|ll)|im|ive|my|me|mine|myself|we|we['\u2019]\w+|our|ours"
    r"|us)\b",
    re.IGNORECASE,
)
_FIRST_SUBJECT = re.compile(
    r"^(?:\W*(?:\w+ ){0,3})?(?:i|i['\u2019](?:m|ve|d|ll)|im|ive|my|we|we['\u2019]\w+"
    r"|our)\b",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^(?:(?:so|really|super|very|just|ha) )*(?:thanks|thank you|thx|good luck|congrat\w*"
    r"|happy birthday|take care|see you"
    r"|see ya|bye|goodbye|cheers|have (?:a|an|fun)\b"
    r"|talk (?:to you )?(?:soon|later)|catch you|ttyl|you['\u2019]?re welcome"
    r"|no (?:problem|worries)|way to go|keep (?:it up|up|going|on)"
    r"|same (?:here|to you)|sounds|good to|great to|nice to|so (?:good|great|nice) to"
    r"|glad (?:you|to hear|to have you|that you|it|i could)|happy for you"
    r"|good (?:for you|job|morning|night|evening|point|idea)|great (?:job|idea|work)"
    r"|well done|nice (?:one|work|job|meeting)"
    r"|i (?:(?:totally|completely|fully|really|100%|couldn['\u2019]t) )?agree\b"
    r"|i hope (?:you|your|it|that you|things|everything)"
    r"|i see(?=[.,!]|$| (?:what|how|that|you|your|why|where))"
    r"|i (?:bet|know|get it|understand|hear you|imagine|can imagine|can (?:see|tell"
    r"|only imagine))\b(?! (?:a|an|my|the|how to|some)\b)"
    r"|i(?:['\u2019]m| am) (?:(?:so|really|super|very|always|truly) )*(?:proud of you"
    r"|here for you|happy for you|glad (?:you|to hear|that you|i could|it)"
    r"|sorry (?:to hear|about|for your|you)|sure (?:you|it|they|your)|excited for you"
    r"|with you|rooting for)"
    r"|i(?:['\u2019]ll| will) (?:(?:definitely|be sure to|make sure to"
    r"|always) )*(?:let you know|keep you|talk to you|be (?:there|here) for you|see you"
    r"|check (?:it|that) out|take a look|do my best)"
    r"|i(?:['\u2019]d| would) (?:really )?(?:love|like) to (?:see|hear)|i appreciate (?:it"
    r"|you|your|that|the (?:support|kind))|i can['\u2019]t wait to (?:see|hear)"
    r"|can['\u2019]t wait (?:to (?:see|hear)|for)|let me know|let['\u2019]s|tell me"
    r"|check (?:it|this|that) out|look at|here['\u2019]?s (?:a|the|one|some|my"
    r"|an)? ?(?:\w+ )?(?:pic|photo|picture|link|look)"
    r"|what (?:a|an)\b|how (?:nice|cool|sweet|lovely|are you|about)|that(?:['\u2019]s| is"
    r"| was| sounds| must)|it['\u2019]?s (?:so )?(?:great|good|nice) (?:to (?:hear|see"
    r"|know)|that you)"
    r"|i (?:really )?(?:love|like) (?:that|your|how you|it|this|the way you)\b|(?:love"
    r"|loving|like) (?:the|that|your|it|this|how)\b|looks? (?:like|so|great|amazing"
    r"|awesome)"
    r"|(?:your|you|you['\u2019]\w+|yours)\b|(?:please|pls|can|could|would) (?:you )?"
    r"|help me|show me|write|fix|explain|make (?:it|this|the)|give me|do it"
    r"|don['\u2019]t (?:worry|forget|give up)"
    r"|hope (?:you|your|it|that|to)|remind us|here(?:['\u2019]s| is| are)\b[^.]*:\.?$"
    r"|for (?:letting|being|the|your|all|having"
    r"|sharing|everything|always)\b|wish(?:ing)? you|i wish you|enjoy (?:your|the|it"
    r"|every)|long time no|what['\u2019]s (?:up|new)|how['\u2019]s|not much|of course"
    r"|(?:it['\u2019]?s |it has )?been (?:ages|a while|too long|forever)\b"
    r"|take a look|have a look|in the meantime,? let['\u2019]?s|(?:so|really|very) glad\b"
    r"|me too|me neither|i (?:do|did|am|have|will|can|don['\u2019]t know)[.! ]*$)",
    re.IGNORECASE,
)
_COMPLIMENT = re.compile(
    r"\b(?:your words|kind words|your support|your (?:help|advice|encouragement|kindness)"
    r"|means a lot|mean a lot|mean so much|means so much)\b",
    re.IGNORECASE,
)
_STATIVE = re.compile(
    r"\b(?:am|is|are|was|were|have|has|had|live|lives|work|works|prefer|prefers|love|loves"
    r"|like|likes|hate|hates|own|owns|use|uses|'m|\u2019m"
    r"|need|needs|want|wants|plan|plans|decided|started|moved|joined|bought|got|signed"
    r"|began|enjoy|enjoys|grew|learned|learnt|made|make|makes|believe|keep|keeps)\b"
    r"|['\u2019](?:m|ve)\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:went|sold|visited|attended|met|bought|moved|started|finished|joined|graduated"
    r"|married|adopted|won|lost|ran|painted|built|launched"
    r"|travell?ed|got|signed|took|hosted|celebrated|passed|failed|quit|left|made|saw|gave"
    r"|wrote|read|had|tried|organi[sz]ed|released|shipped)\b",
    re.IGNORECASE,
)
_GOAL = re.compile(
    r"\b(?:want(?:s|ed)? to|plan(?:s|ned|ning)? (?:to|on)|hop(?:e|es|ing) to|goal|dream"
    r"|would (?:love|like) to|going to|aim(?:s|ing)? to|looking forward"
    r"|saving (?:up )?for|intend|working (?:on|towards?)|gonna|(?:i|we) will|thinking (?:of|about)"
    r"|['\u2019]d (?:love|like) to|['\u2019]ll)\b",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"\b(?:i|we|and) (?:must|never|always|have to|can(?:no|['\u2019])t (?:eat|drink|use"
    r"|have|take|do|be|travel|work))\b"
    r"|\bmust(?:n['\u2019]t| not| never)\b|\ballerg\w+|\bintoleran\w+|\bnot allowed\b"
    r"|\bforbidden\b|\brequired\b|^(?:always|never)\b"
    r"|\bonly (?:use|uses|eat|eats|drink)\b",
    re.IGNORECASE,
)
_HIGH = re.compile(
    r"\ballerg\w+|\bintoleran\w+|\b(?:must|has to|have to) (?:never|not|always)\b"
    r"|\bmustn['\u2019]t\b|\bmust\b(?! (?:be|have|feel|say|admit|see|watch)\b)"
    r"|\bnever (?:use|eat|push|deploy|send|share|call|commit|merge|drink|take|give|run"
    r"|delete|store)s?\b|\b(?:epipen|anaphyla\w+|epilep\w+|diabet\w+|pacemaker)\b"
    r"|\b(?:not allowed|forbidden)\b",
    re.IGNORECASE,
)
_LESSON = re.compile(
    r"\b(?:learn(?:ed|t|s)?|realiz\w+|realis\w+|taught (?:me|them)|turns out|lesson"
    r"|figured out)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decided|decision|chose|agreed|settled on|picked|go with|going with|we use"
    r"|we['\u2019]ll use|switched to)\b",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:prefer\w*|loves?|likes?|enjoys?|hates?|dislikes?|favou?rite|fan of"
    r"|can['\u2019]t stand|into|rather)\b",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"(?:\bmy|\btheir|['\u2019]s) (?:\w+ )?(?:"
    + "|".join(sorted(words.PERSON_RELATIONS))
    + r")\b|\b(?:married|engaged|divorced|dating)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<![.!?]\s)(?<!^)\b(?!I\b|I['\u2019])[A-Z][\w'-]+|\b\d+\b|\"[^\"]+\""
    r"|\u201c[^\u201d]+\u201d"
)
_PROPER = re.compile(r"(?<![.!?]\s)(?<!^)\b(?!I\b|I['\u2019])[A-Z][\w'-]+")
_WORK_IN_HAND = re.compile(
    r"\b(?:make sure|trying to (?:understand|figure|solve|decide)|wondering|like to know"
    r"|any (?:suggestions|advice|ideas))\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(words.HEDGES, re.IGNORECASE)
_IT_START = re.compile(r"^(?:it|this|that|these|those|he|she|they|them)\b", re.IGNORECASE)
_EMPTY_OPINION = re.compile(
    r"^(?:it|this|that|they|these|those|he|she)(?:['\u2019]s|['\u2019]re| is| was| are"
    r"| were| has been| looks?| sounds?| feels?| felt)"
    r"(?: (?:\w+ly|so|such|a|an|really|very|quite|pretty|super|all|just|too|definitely"
    rf"|been))* (?:{'|'.join(sorted(words.OPINION_ADJECTIVES))})\b[^,;-]{{0,24}}$",
    re.IGNORECASE,
)
_PLATITUDE = re.compile(
    r"\b(?:we (?:can|all|should)|can (?:have|make|bring|really)|each other|one another"
    r"|makes? (?:us|you)|help(?:s|ing)? us"
    r"|(?:is|are) (?:so |really |super )?(?:key|important|essential|everything|crucial"
    r"|vital)|in life|life is)\b",
    re.IGNORECASE,
)
_FEELING = re.compile(
    r"\bi['\u2019 ]?a?m (?:(?:so|really|super|very|just|always|definitely) )*(?:glad|happy"
    r"|excited|sure|proud|grateful|thankful|thrilled|stoked|here)\b"
    r"|\bi (?:really )?(?:appreciate|feel|wish)\b",
    re.IGNORECASE,
)
_DENIAL_OPENER = re.compile(
    r"(?:haven|can|couldn|didn|won|wasn)['\u2019]?t (?!you\b|wait\b|go wrong)", re.IGNORECASE
)
_NEVER_NOUNS = frozenset("hoping wishing wondering thinking planning".split())
_WHAT_THINGS_DO = frozenset("made gave got left took kept".split())
_MAIN_VERB_AHEAD = re.compile(
    r"\b(?:is|are|was|were|has|have|helps?|makes?|made|feels?|felt|can|could|will|would"
    r"|must|should|may|might|gives?|gave|keeps?"
    r"|brings?|lets?|means?|takes?|allow\w*|really)\b|['\u2019]s\b"
)
_PROMISE = re.compile(
    r"\b(?:let you know|keep you (?:posted|updated)|always here (?:to|for)|got (?:your"
    r"|my) back|cheering (?:for )?you|hear (?:all )?about it)\b",
    re.IGNORECASE,
)
_DIRECTIVE = re.compile(
    r"^(?:from now on,? )?(?:please )?(?:always|never|do not ever"
    r"|don['\u2019]t ever) (?!mind|been|had|ending|the|a)[a-z]+\b(?! (?:i|we)\b)",
    re.IGNORECASE,
)
# "The kids loved it": whose kids needs no saying.
_OWN_PEOPLE = re.compile(
    r"^(?:the|both) (?:kids|children|family|wife|husband|dogs?|pups?|puppies|puppy|cats?|kitten"
    r"|boys|girls|twins|baby|parents|fam|team|guys|gang|crew|store|shop|studio|business)\b"
    r"(?! (?:that|who)\b)",
    re.IGNORECASE,
)
# "Fitting into the team was a challenge": in the past, it was the speaker who did.
_LIVED_THROUGH = re.compile(
    r"^(?!nothing|something|anything|everything|during|morning|evening"
    r"|being (?:ourselves|yourself))"
    r"[a-z]{2,}ing\b[^,;]{3,60}? (?:was|were|had been|has been|has helped|have been)\b",
    re.IGNORECASE,
)
_NO_STATEMENT = re.compile(r"^(?:```|[#*_=\-|{}<>\[\]()\s]+$)")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the words of one trimmed sentence look like.

    **Shape**: ``anchored`` = about the speaker or their world; ``continues`` = about whatever the
    sentence before was about.
    """

    anchored: bool
    continues: bool
    small_talk: bool
    content: int
    named: int
    has_attribute: bool = False


def read(sentence: str, *, has_attribute: bool = False) -> Reading:
    """Look at one trimmed English sentence for signs of something durable."""
    named = len(_NAMED.findall(sentence))
    content = len(content_words(sentence, "en"))
    first = bool(_FIRST.search(sentence))
    opener = (
        elliptic_opener(sentence)
        or is_directive(sentence)
        or bool(_OWN_PEOPLE.match(sentence) or _LIVED_THROUGH.match(sentence))
    )
    worldly = (
        (has_attribute or bool(_PROPER.search(sentence)))
        and bool(_STATIVE.search(sentence))
        and not _IT_START.match(sentence)
    )
    return Reading(
        anchored=first or opener or worldly,
        continues=bool(_IT_START.match(sentence)),
        small_talk=_is_small_talk(sentence, content),
        content=content,
        named=named,
        has_attribute=has_attribute,
    )


def elliptic_opener(sentence: str) -> bool:
    """Tell whether a sentence left out its "I": "Moved to Ulm last week."."""
    if _DENIAL_OPENER.match(sentence):
        return True
    found = re.match(
        r"(?:(?:just|also|still|finally|recently|currently|already|really|definitely) )*"
        r"([a-z]+)\b(.*)",
        sentence,
        re.IGNORECASE,
    )
    if not found:
        return False
    verb, rest = found[1].lower(), found[2]
    if re.match(r"\s+(?:me|us|my|our) ", rest) and verb in _WHAT_THINGS_DO:
        return False  # "Really made me think": it did, not I
    if verb in words.PARTICIPLE_OPENERS:
        # "Painting is fun" speaks of painting; "Painting a fence today" of the speaker.
        clause = re.split(r"[,;:]|\s[-\u2013\u2014]", rest[:60])[0]
        return verb in _NEVER_NOUNS or not _MAIN_VERB_AHEAD.search(clause)
    if verb in {"love", "enjoy", "like"}:
        return bool(re.match(r"\s+(?:to\b|\w+ing\b)", rest))
    is_going_to_be = verb == "gonna" and bool(
        re.match(r"\s+be (?:an?|so|really|great|fun|awesome)\b", rest)
    )
    return (verb in words.PAST_OPENERS or verb in words.PRESENT_OPENERS) and not is_going_to_be


def is_directive(sentence: str) -> bool:
    """Tell a standing order: "Always answer in French."."""
    return bool(_DIRECTIVE.match(sentence))


def _is_small_talk(sentence: str, content: int) -> bool:
    if _NO_STATEMENT.match(sentence) or _EMPTY_OPINION.match(sentence):
        return True
    if passing.is_said_in_passing(sentence):
        return True
    return bool(_SMALL_TALK.match(sentence)) or (
        bool(_COMPLIMENT.search(sentence) or _PROMISE.search(sentence)) and content < 8
    )


def is_durable(reading: Reading) -> bool:
    """Decide whether a sentence may become a statement at all."""
    if reading.small_talk or reading.content < 1:
        return False
    if reading.anchored:
        return reading.content >= 2 or reading.named > 0 or reading.has_attribute
    # "It was a long drive" says something only beside the sentence before it.
    return reading.continues and reading.content >= 2


def confidence(
    sentence: str, reading: Reading, *, modality: Modality, has_attribute: bool
) -> float:
    """Score how sure the words are that this is a fact worth keeping.

    **Units**: 0..1. It orders the queue; it does not claim to be a probability.
    """
    score = 0.42
    score += 0.12 if _FIRST_SUBJECT.search(sentence) else 0.0
    score += 0.08 if _STATIVE.search(sentence) else 0.0
    score += 0.06 if _EVENT.search(sentence) else 0.0
    score += 0.14 if has_attribute else 0.0
    score += min(0.12, 0.04 * reading.named)
    score += 0.06 if 4 <= reading.content <= 16 else -0.06 if reading.content < 3 else 0.0
    score -= 0.10 if reading.continues else 0.0
    score -= 0.10 if _HEDGE.search(sentence) else 0.0
    score -= 0.12 if _COMPLIMENT.search(sentence) else 0.0
    score -= 0.12 if _WORK_IN_HAND.search(sentence) else 0.0
    score -= 0.12 if _PLATITUDE.search(sentence) else 0.0
    score -= 0.06 if _FEELING.search(sentence) else 0.0
    score -= {
        "asserted": 0.0,
        "negated": 0.02,
        "hypothetical": 0.2,
        "question": 0.25,
        "quoted": 0.2,
    }[modality]
    return round(max(0.05, min(0.97, score)), 2)


def memory_type(sentence: str, *, suggested: str) -> str:
    """Say what sort of memory a sentence is, an attribute's own sort first."""
    if suggested:
        return suggested
    for name, pattern in _TYPES:
        if pattern.search(sentence):
            return name
    return "fact"


def criticality(sentence: str) -> str:
    """Mark what an agent must not get wrong: allergies, must and never."""
    is_ban = is_directive(sentence) and "never" in sentence.lower()
    return "high_priority" if is_ban or _HIGH.search(sentence) else "normal"


_TYPES = (
    ("lesson", _LESSON),
    ("decision", _DECISION),
    ("goal", _GOAL),
    ("constraint", _CONSTRAINT),
    ("preference", _PREFERENCE),
    ("event", _EVENT),
    ("relationship", _RELATION),
)
