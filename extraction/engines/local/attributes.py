"""A compact table: which attribute a third-person statement sets, and to what value."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from extraction.engines.local import words

# A value runs to the first word that starts something else.
_VALUE = r"(?P<v>[^,;.!?()\n]+?)"
_END = (
    r"(?=\s+(?:and|but|or|since|because|so|which|who|that|when|while|now|then|these days"
    r"|at the moment|for|after|before|until|from|"
    r"with|in|on|at|as|to|though|although|instead|anymore|any more|last|this|next"
    r"|right now|currently|again|not|if|every|during)\b"
    r"|\s+[-–—]|\s*[,;.!?()\n]|\s*$)"
)
_JOBS = (
    r"engineer|developer|designer|manager|analyst|scientist|teacher|nurse|doctor|lawyer"
    r"|accountant|architect|artist|writer|author"
    r"|chef|cook|baker|barista|student|professor|researcher|consultant|director|editor"
    r"|journalist|photographer|musician|dancer"
    r"|actor|actress|carpenter|plumber|electrician|mechanic|pilot|driver|librarian"
    r"|counsell?or|therapist|psychologist|dentist"
    r"|pharmacist|vet|veterinarian|paramedic|firefighter|officer|administrator|freelancer"
    r"|programmer|translator|sales\w+|barber"
    r"|waiter|waitress|farmer|gardener|coach|trainer|founder|ceo|cto|owner|assistant"
    r"|technician|surgeon|midwife|banker|broker"
)
# Names of places keep their capitals, though the words around them may not.
_PLACE = r"(?-i:[A-Z][\w'-]*(?:[ -][A-Z][\w'-]*)*)"
_TOOLS = r"npm|pnpm|yarn|bun|pip|uv|poetry|conda|cargo|homebrew|brew|maven|gradle|pdm|pipenv"
_ABOUT = r"(?:(?:about|around|approximately|roughly|nearly|over) )?"
_SUM = r"[$\u20ac\u00a3]\d[\d,.]*\d(?:k\b)?(?: (?-i:[A-Z]{3})\b)?"
_DIETS = (
    r"vegan|vegetarian|pescatarian|pescetarian|flexitarian|gluten[- ]free|keto|halal"
    r"|kosher|lactose[- ]free|dairy[- ]free"
)


@dataclass(frozen=True, slots=True)
class Setting:
    """An attribute and its value, as far as the words give them."""

    attribute: str = ""
    value: str = ""
    memory_type: str = ""
    ended: bool = False  # the words say it no longer holds


def _rule(
    attribute: str, pattern: str, memory_type: str = "fact"
) -> tuple[str, re.Pattern[str], str]:
    return attribute, re.compile(pattern, re.IGNORECASE), memory_type


_RULES = (
    _rule(
        "name",
        r"^(?:(?:\S+ ){0,3}\S+['\u2019]s?|their) (?:full |first |last |real )?name (?:is|isn't"
        rf"|is not) {_VALUE}{_END}",
    ),
    _rule(
        "employer",
        r"\b(?:works?|(?:is|are|been|now|still|currently) (?:\w+ )?working"
        r"|employed) (?:mainly |mostly |now |still |also )?(?:at"
        rf"|for) (?:a company called )?{_VALUE}{_END}",
    ),
    _rule(
        "employer",
        r"\b(?:joined|joins|started at|starts at|starting at|got hired (?:at|by)|employer is"
        rf"|(?:new )?job at) {_VALUE}{_END}",
    ),
    _rule(
        "job_title",
        r"\b(?:(?:works?|working|got (?:a|the) job|started|hired|retrained) as"
        rf"|promoted to) (?:an? |the )?{_VALUE}{_END}",
    ),
    _rule(
        "job_title",
        r"\b(?:is|became|is now|is still|isn't|is not|is currently) (?:now |not |still "
        rf"|currently )?(?:an? |the )(?P<v>(?:[\w/-]+ ){{0,3}}?(?:{_JOBS}))\b",
    ),
    _rule(
        "job_title",
        r"\bworks? (?:at|for) [^,;.!?]+? as (?:an? "
        r"|the )?(?P<v>(?:[\w/-]+ ){0,3}?[\w/-]+)(?=\s*[,;.!?]|$| and\b| since\b)",
    ),
    _rule(
        "job_title",
        r"\b(?:job(?: title)?|profession|occupation|role) (?:is|is now) (?:an? "
        rf"|the )?{_VALUE}{_END}",
    ),
    _rule(
        "home_city",
        r"\b(?:lives?|living|resides?|is based|settled) (?:\w+ly |now |still |here "
        r"|together )?(?:in|near) (?:the |downtown "
        rf"|central )?(?P<v>{_PLACE})",
    ),
    _rule(
        "home_city",
        r"\b(?:moved|relocated|moving"
        rf"|relocating) (?:\w+ )?(?:back )?to (?P<v>{_PLACE})",
    ),
    _rule(
        "home_country",
        rf"^\S+(?: \S+)? (?:is|comes|came) (?:originally )?from (?P<v>{_PLACE})",
    ),
    _rule("allergy", rf"\ballerg(?:ic|y|ies) to {_VALUE}{_END}", "constraint"),
    _rule(
        "allergy",
        r"\b(?P<v>nut|peanut|gluten|lactose|dairy|shellfish|pollen|penicillin"
        r"|latex)[- ](?:allergy|intolerance|intolerant|allergic)",
        "constraint",
    ),
    _rule(
        "diet",
        r"\b(?:is|isn't|is not|became|turned|went|going|goes|been|stays?|eats|diet is) (?:now "
        rf"|a |an |strictly |mostly |fully |not |still |no longer )*(?P<v>{_DIETS})\b",
        "preference",
    ),
    _rule(
        "diet",
        r"\b(?:doesn't|does not|never|no longer|stopped) eats? (?:any )?(?P<v>meat|fish|pork"
        r"|beef|dairy|gluten|sugar|eggs)\b",
        "constraint",
    ),
    _rule(
        "partner",
        r"\b(?:wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?)(?:'s name)?,? (?:is "
        r"|is called )?(?P<v>(?-i:[A-Z])[\w'-]+)\b",
        "relationship",
    ),
    _rule(
        "marital_status",
        r"\b(?:is|got|been) (?:now |recently )?(?P<v>married|divorced|engaged|single|separated"
        r"|widowed)\b",
        "relationship",
    ),
    _rule(
        "package_manager",
        r"\b(?:use|uses|using|switched to|moved to|prefers?|go with|install with|manager is"
        rf"|on) (?:to use )?(?P<v>{_TOOLS})\b",
        "decision",
    ),
    _rule(
        "deadline",
        r"\b(?:deadline|due date|launch|launch date|release|release date|go-live)(?: (?:for"
        r"|of) [\w' -]+?)?"
        r" (?:is|was|has been|moved|slipped|got|has)(?: (?:now|planned|set|scheduled|moved|due"
        r"|postponed|pushed))*"
        r"(?: to| on| for| by| until)? (?P<v>[^,;.!?()\n]+)",
    ),
    _rule(
        "birthday", rf"\bbirthday is (?:on )?{_VALUE}{_END}|\bwas born (?:on|in) (?P<w>[^,;.!?]+)"
    ),
    _rule(
        "age",
        r"^(?:\S+ ){1,4}?(?:is|turned|just turned|is turning|turns) (?P<v>\d{1,3})"
        r"(?: years old| this year| today| now|$|[.,;])",
    ),
    _rule(
        "salary",
        rf"\b(?:earn(?:s|ed|ing)?|makes?|making|paid) {_ABOUT}(?P<v>{_SUM})"
        r"(?= (?:annually|yearly|monthly|hourly|(?:an?|per) (?:year|month|hour|annum))\b)",
    ),
    _rule(
        "salary",
        r"\b(?:salary|yearly income|annual income|pay) (?:is|was|has|went|rose)"
        r"(?: (?:now|been|currently|just|raised|increased|risen|grown|up|gone))*"
        rf" (?:to )?{_ABOUT}(?P<v>{_SUM})",
    ),
    _rule(
        "salary",
        r"\b(?:an?|the|their|recent|new|pay|salary|\w+['\u2019]s) (?:(?:recent|pay|salary) )?"
        rf"(?:raise|salary|salary increase) (?:up )?(?:to|of) {_ABOUT}(?P<v>{_SUM})",
    ),
    _rule("phone", r"\bphone (?:number )?is (?P<v>\+?[\d ()/-]{6,})"),
    _rule("email", r"\be-?mail(?: address)? is (?P<v>[\w.+-]+@[\w.-]+\w)"),
    _rule(
        "database",
        r"\b(?:use|uses|using|runs? on|stores? (?:\w+ ){1,3}in|migrated to|switched to"
        r"|moved to) (?P<v>postgres(?:ql)?(?: \d+)?|mysql|sqlite|mariadb|mongodb|redis"
        r"|oracle)\b",
        "decision",
    ),
    _rule(
        "editor",
        r"\b(?:use|uses|using|switched to|prefers?) (?P<v>vim|neovim|emacs|vs ?code|pycharm"
        r"|intellij|zed|sublime)\b",
        "preference",
    ),
    _rule(
        "pet",
        r"\b(?:has|have|got|adopted|own|owns) (?:an? |two |three "
        r"|another )(?:\w+ ){0,2}?(?P<v>dog|cat|puppy|kitten|dogs|cats|parrot|rabbit|hamster"
        r"|turtles?|guinea pigs?)\b",
    ),
    _rule(
        "deploy_day",
        r"\bdeploys? (?:\w+ )?on (?P<v>(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
        "decision",
    ),
    _rule("native_language", r"\b(?:native language|mother tongue|first language) is (?P<v>\w+)"),
)
_FAVOURITE = re.compile(
    r"(?:['\u2019]s|\btheir|\bmy|\bour) (?:favou?rite|fave) (?P<what>[\w-]+(?: (?!is|was"
    r"|are)[\w-]+)?)(?:'s)? (?:is|are|was"
    rf"|has (?:got )?to be|is now) {_VALUE}{_END}",
    re.IGNORECASE,
)
_FAVOURITE_TURNED = re.compile(
    r"^(?P<v>[^,;.!?]+?) (?:is|are) (?:\w+['\u2019]s?|their|my) (?:favou?rite"
    r"|fave) (?P<what>[\w-]+)",
    re.IGNORECASE,
)
_LIKES = re.compile(
    r"(?:\b(?P<verb>loves|likes|enjoys|adores|prefers|hates|dislikes|can't stand"
    r"|cannot stand|detests|is (?:really |so |very )?into"
    r"|is (?:a )?(?:big |huge )?fan of|doesn't (?:really )?(?:like|enjoy))"
    r"|\bthey (?:really |also |just )?(?P<plural>love|like|enjoy|prefer|hate|dislike"
    r"|don't (?:like|enjoy)))\s+(?P<v>[^,;.!?()\n]+?)" + _END,
    re.IGNORECASE,
)
_DISLIKE = re.compile(r"hate|dislike|stand|detest|n't", re.IGNORECASE)
_FORMER = re.compile(
    r"\bused to\b|\bformerly\b|\bback then\b|\bas a (?:kid|child|teenager)\b|\bwhen (?:i"
    r"|they) (?:was|were)\b|(?<!has )(?<!have )\b(?:worked|lived)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\bno longer\b|\bany ?more\b|\bstopped\b|\bquit\b|\bleft\b|\blost\b|\bgave up\b|\b(?:is|are"
    r"|was|do|does|did)(?:n't| not)\b|\bnever\b",
    re.IGNORECASE,
)
_WEAK_VALUES = frozenset(
    "it this that them him her me there here home these those you what a the doing being".split()
)
_WEAK_START = re.compile(
    r"^(?:how|when|that|what|is|are|was|it|this|so|very|usually|not|to|being|seeing"
    rf"|{'|'.join(sorted(words.OPINION_ADJECTIVES))})\b",
    re.IGNORECASE,
)
# "That picture is from Ghent" and "Picking a name was hard" set nothing about a person.
_IMPERSONAL = re.compile(
    r"^(?:that|this|it|these|those|there|the|he|she|her|his)\b"
    r"|^[a-z]{3,}ing (?:an?|the|my|their|this|for|to|with|in|on|at|out|up|new|\w+ing)\b",
    re.IGNORECASE,
)
_OF_PROJECTS = frozenset({"deadline", "database", "package_manager", "editor", "deploy_day"})
_WORKPLACES = frozenset(
    "startup company bank hospital school university agency firm clinic bakery library shop "
    "museum lab studio government council".split()
)
_GATHERINGS = re.compile(
    r"\b(?:group|club|gym|forum|class|team|band|choir|church|league|course|community|party)\b",
    re.IGNORECASE,
)

SINGLE_VALUED = frozenset(
    "name employer job_title home_city home_country diet partner marital_status "
    "package_manager deadline birthday age phone email "
    "database editor native_language deploy_day salary".split()
)


def find(statement: str) -> Setting:
    """Read the first attribute a third-person statement sets.

    **Shape**: an empty setting where the table knows none; a liking is an attribute of its own
    with its object as value, so that "loves tea" and "hates tea" meet in one place.
    """
    return next(iter(find_all(statement)), Setting())


@lru_cache(maxsize=4096)
def find_all(statement: str) -> tuple[Setting, ...]:
    """Read every attribute a statement sets, the strongest first."""
    if _FORMER.search(statement):
        return ()
    found = (_favourite(statement), *_by_rules(statement), _liking(statement))
    kept: dict[str, Setting] = {}
    for setting in found:
        if setting is not None:
            kept.setdefault(setting.attribute, setting)
    return tuple(kept.values())


def is_single_valued(attribute: str) -> bool:
    """Tell whether another value of this attribute speaks against the first."""
    return attribute in SINGLE_VALUED or attribute.startswith("favourite_")


def _favourite(statement: str) -> Setting | None:
    match = _FAVOURITE.search(statement) or _FAVOURITE_TURNED.search(statement)
    if not match or not _clean(match["v"]):
        return None
    what = re.sub(r"\W+", "_", match["what"].lower())
    return _made(f"favourite_{what}", match["v"], "preference", statement=statement)


def _by_rules(statement: str) -> Iterator[Setting]:
    is_impersonal = bool(_IMPERSONAL.match(statement))
    for attribute, pattern, memory_type in _RULES:
        match = pattern.search(statement)
        if not match or (is_impersonal and attribute not in _OF_PROJECTS):
            continue
        groups = match.groupdict()
        value = groups.get("v") or groups.get("w") or ""
        fits = _FITS.get(attribute)
        if _clean(value) and (fits is None or fits(value)):
            yield _made(attribute, value, memory_type, statement=statement)


def _liking(statement: str) -> Setting | None:
    match = _LIKES.search(statement)
    if not match or not _clean(match["v"]) or len(match["v"].split()) > 6:
        return None
    verb = match["verb"] or match["plural"]
    attribute = "dislikes" if _DISLIKE.search(verb) else "likes"
    return Setting(attribute, _clean(match["v"]), "preference")


def _made(attribute: str, value: str, memory_type: str, *, statement: str) -> Setting:
    return Setting(attribute, _clean(value), memory_type, ended=bool(_ENDS.search(statement)))


def _clean(value: str) -> str:
    text = re.sub(
        r"^(?:a|an|the|their|my|to be|now|really|on|at)\s+", "", value.strip(), flags=re.IGNORECASE
    )
    is_weak = text.lower() in _WEAK_VALUES or _WEAK_START.match(text)
    return "" if is_weak else text.strip(" '\"")


def _could_be_employer(value: str) -> bool:
    head = _clean(value).split()
    if not head or _GATHERINGS.search(value) or head[0].lower() in words.ADVERBS:
        return False
    return any(word[:1].isupper() for word in head) or head[-1] in _WORKPLACES


def _could_be_date(value: str) -> bool:
    return bool(_DATELIKE.search(value))


_DATELIKE = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:jan|feb|mar|apr|may|jun|jul"
    r"|aug|sep|oct|nov|dec)"
    r"|\b(?:week|month|quarter|year|tomorrow|today)\b",
    re.IGNORECASE,
)
_FITS: dict[str, Callable[[str], bool]] = {
    "employer": _could_be_employer,
    "deadline": _could_be_date,
    "birthday": _could_be_date,
}
