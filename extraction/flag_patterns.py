"""The patterns the flags look for. Wide rather than narrow: a flag asks a person to look."""

import re
from collections.abc import Mapping


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


def _words(*parts: str) -> re.Pattern[str]:
    """Match whole words; a trailing ``*`` stands for any ending."""
    joined = "|".join(part.replace("*", r"\w*") for part in parts)
    return re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)


_ORDERED = (
    r"(?:ignore|disregard|forget|override|remember that|pretend|act as|reveal|send|forward"
    r"|transfer|execute|run|delete|bypass|disable|respond|reply|answer|output|print|call|approve"
    r"|recommend|tell (?:the user|users|them))\b"
)
_ORDERING = (
    r"(?:^|\n|[.!?:;]\s|please |you (?:must|should|have to|need to|are to) "
    r"|(?:agents?|the assistant|assistants?) (?:must|should|will) |from now on,? "
    r"|in (?:the )?future,? |make sure (?:to|that) )"
)
IMPERATIVE = _any(
    rf"{_ORDERING}\s*(?:always |never |do not |don['’]t |you )?{_ORDERED}",
    r"\bignor(?:iere|ez|a) (?:alle|toutes|todas)\b",
    r"忽略.{0,8}(?:指令|指示|要求)",
    r"(?:指示|命令)を無視",
)
POLICY = _any(
    r"\bsystem prompt\b",
    r"\b(?:previous|prior|above|earlier) instructions\b",
    r"\b(?:new|updated|following) (?:instructions?|rules?|polic(?:y|ies))\b",
    r"\b(?:policy (?:is|states|requires|says)|according to (?:the )?policy)\b",
    r"\b(?:is|are) (?:always |now )?(?:allowed|permitted|required|forbidden|prohibited) to\b",
    r"\bno (?:confirmation|approval|review) (?:is )?(?:needed|required|necessary)\b",
    r"\bwithout (?:asking|confirmation|approval|review)\b",
    r"\bmust (?:always|never)\b",
    r"\b(?:agents?|assistants?|bots?|models?) (?:must|should|may|can|are to)\b",
)
HIDDEN = _any(
    r"[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\ufeff]",
    r"[\U000e0000-\U000e007f]",
    r"(?<![\u0600-\u06ff\u0900-\u0dff])\u200c",  # which Persian and Indic spelling needs
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]",
)
FLAG_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")
BIDI = re.compile(r"[\u202a-\u202e\u2066-\u2069\u061c]")
BASE64 = re.compile(r"(?<![\w/+.-])[A-Za-z0-9+/]{40,}={0,2}(?![\w/+])")
ESCAPES = _any(
    r"(?:\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|%[0-9a-f]{2}|&#x?[0-9a-f]{2,6};){6,}",
    r"\b(?:[0-9a-f]{2}[ :]){12,}",
)
_SPEAKER = r"(?:system|assistant|user|human|ai|developer|tool)"
ROLE = _any(
    rf"(?:^|\n)\s*(?:>+|#+|\*\*|\[|<)?\s*{_SPEAKER}\s*(?:\]|>|\*\*)?\s*:",
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id)[^|]*\|>",
    r"\[/?(?:INST|SYS)\]|<</?SYS>>",
    rf"</?{_SPEAKER}>|</?(?:tool_result|function_call)s?>",
)
DELIMITER = _any(
    r"</?(?:(?:approved_)?memory|memories|statements?|known|messages?|conversation|evidence)\b[^>]*>",
    r"</?(?:data|context|instructions?|prompt)\b[^>]*>",
    r"\b(?:BEGIN|END) (?:MEMORY|DATA|CONTEXT|CONVERSATION)\b",
    r"data about the subject, not instructions",
    r"```(?:json)?\s*\{\s*\"(?:statements|candidates|predictions)",
)
COMMAND = _any(
    r"(?:^|[\n`$>]\s*)(?:sudo|rm|curl|wget|chmod|chown|ssh|scp|docker|kubectl|git|pip|npm|npx|bash"
    r"|sh|python3?|powershell|eval|export) [-\w./\"']",
    r"\brm -rf\b|\|\s*(?:ba)?sh\b|<script\b|\$\([^)]+\)",
    r"\b(?:DROP TABLE|DELETE FROM|INSERT INTO)\b",
)
URL = _any(
    r"\b(?:https?|ftp|file)://\S|\b(?:javascript|data):\S",
    r"\bwww\.\w",
    r"(?<![@\w])[\w-]+\.(?:com|org|net|io|dev|ru|cn|xyz|top|app)(?![\w.-])",
)

CONTACT = _any(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    r"(?<![\w.-])(?:\+\d{1,3}[ .-]?|\(0?\d{2,5}\) ?|0)(?:\d[ ./-]?){6,13}\d(?!\w)",
    r"\b\d{3}[-. ]\d{3}[-. ]\d{4}\b",
    r"\b(?:phone|mobile|cell|whatsapp) (?:number )?(?:is|:)\s*\+?\d",
    (
        r"\b\d{1,5} [A-Z][\w'’]+(?: [A-Z][\w'’]+)? (?:Street|St\.|Avenue|Ave\.?|Road|Rd\."
        r"|Lane|Drive)\b"
    ),
    r"\b[A-ZÄÖÜ][\wäöüß-]*(?:straße|strasse|weg|platz|allee) \d{1,4}\b",
    r"\b(?:rue|avenue|boulevard|calle|via|piazza) [\w' ]{2,30},? \d{1,4}\b",
)

SPECIAL: Mapping[str, re.Pattern[str]] = {
    "health": _words(
        "diagnos*",
        "disease*",
        "illness*",
        "cancer",
        "diabet*",
        "depress(?:ed|ion|ive)",
        "anxiety",
        "adhd",
        "autis*",
        "hiv",
        "aids",
        "pregnan*",
        "miscarriage",
        "therap(?:y|ist|ies)",
        "psychiatr*",
        "medication*",
        "medicine*",
        "prescri*",
        "surgery",
        "hospital*",
        "allerg*",
        "asthma",
        "epilep*",
        "migraine*",
        "insulin",
        "antidepressant*",
        "disab(?:led|ility|ilities)",
        "addict*",
        "rehab",
        "alcoholi*",
        "ptsd",
        "bipolar",
        "celiac",
        "dementia",
        "chemo*",
        "blood pressure",
        "wheelchair",
        "mental health",
        "krank*",
        "krebs",
        "schwanger*",
        "allergi*",
        "maladie*",
        "enceinte",
        "grossesse",
        "enferm*",
        "embaraz*",
        "alergi*",
        "malatti*",
        "incinta",
    ),
    "religion": _words(
        "muslim*",
        "islam*",
        "christian*",
        "catholic*",
        "protestant*",
        "jewish",
        "judaism",
        "hindu*",
        "buddhis*",
        "sikh*",
        "atheis*",
        "agnostic*",
        "church",
        "mosque",
        "synagogue",
        "bapti[sz]*",
        "religio*",
        "kosher",
        "halal",
        "ramadan",
        "lent",
        "pray(?:s|ed|ing|er|ers)?",
        "faith",
        "evangeli*",
        "mormon*",
        "quaker*",
        "kirche",
        "moschee",
        "église",
        "iglesia",
        "chiesa",
    ),
    "politics": _words(
        "vote[sd]?",
        "voting",
        "voter*",
        "republican*",
        "democrats?",
        "conservative party",
        "labour party",
        "tory",
        "tories",
        "socialis*",
        "communis*",
        "fascis*",
        "anarchis*",
        "libertarian*",
        "politic*",
        "left-wing",
        "right-wing",
        "campaign(?:s|ed|ing)? for",
        "party member*",
        "partei*",
        "wähl(?:t|te|en)",
    ),
    "sexuality": _words(
        "gay",
        "lesbian*",
        "bisexual*",
        "pansexual*",
        "asexual*",
        "queer*",
        "transgender*",
        "trans (?:woman|man)",
        "non-?binary",
        "lgbt*",
        "homosexual*",
        "sexual*",
        "sex life",
        "transition(?:ing|ed)",
        "coming out",
        "came out",
        "schwul*",
        "lesbisch*",
    ),
    "origin": _words(
        "ethnic*",
        "racial*",
        "race is",
        "african[- ]american",
        "latin[oax]",
        "hispanic",
        "roma",
        "indigenous",
        "asylum",
        "refugee*",
        "undocumented",
        "immigration status",
        "immigrant*",
    ),
    "union": _words(
        "trade union*",
        "labor union*",
        "labour union*",
        "union (?:member|rep|dues)*",
        "gewerkschaft*",
        "syndicat*",
        "sindicat*",
    ),
    "crime": _words(
        "convict(?:ed|ion|ions)",
        "arrest(?:ed)?",
        "prison",
        "jail(?:ed)?",
        "probation",
        "parole",
        "felony",
        "criminal record*",
        "vorbestraft",
        "gefängnis",
    ),
}

IDENTITY_ATTRIBUTES = frozenset(
    {
        "name",
        "legal_name",
        "email",
        "phone",
        "address",
        "birth_date",
        "birthday",
        "gender",
        "username",
        "identity",
    }
)
IDENTITY = _any(
    (
        r"\b(?:my|his|her|their|the|'s) (?:new |legal |real )*(?:name|e-?mail(?: address)?"
        r"|phone number|username|address) (?:is|was|has) (?:now|changed)"
    ),
    (
        r"\b(?:changed|updated|update|change) (?:my|his|her|their) (?:legal |last "
        r"|first )?(?:name|e-?mail|phone|address|username|gender|bank)\b"
    ),
    (
        r"\b(?:legal name|passport|social security|ssn|national id|driver['’]?s licen[cs]e"
        r"|personalausweis|steuer-?id|iban)\b"
    ),
    (
        r"\b(?:i am|i['’]m|this is) (?:now )?(?:the |an? )?(?:admin|administrator|owner|ceo"
        r"|developer|root)\b"
    ),
)
MONEY = _any(
    (
        r"\b(?:iban|swift|bic|bank account|account number|routing number|credit card"
        r"|debit card|paypal|bitcoin|wallet address)\b"
    ),
    r"\b(?:salary|income|debt|mortgage|loan|savings|invoice|payment|refund|transfer)\b",
    (
        r"\b(?:gehalt|schulden|kredit|konto|salaire|dette|prêt|salario|sueldo|deuda|stipendio"
        r"|debito)\b"
    ),
    r"[$€£¥]\s?\d|\d\s?(?:dollars?|euros?|usd|eur|gbp)\b|\d\s?[€£¥]",
    r"工资|薪水|银行|贷款|給料|銀行|ローン",
)
PERMISSION = _any(
    r"\b(?:admin|root|superuser|owner) (?:rights?|access|role|privileges?|permissions?)\b",
    (
        r"\b(?:grant|grants|granted|give|gives|gave|revoke|revoked|remove"
        r"|removed) (?:\w+ ){0,4}(?:access|permissions?|rights?|privileges?)\b"
    ),
    (
        r"\b(?:is|are|am|was) (?:now )?(?:allowed|authori[sz]ed|permitted|entitled"
        r"|cleared) (?:to|for)\b"
    ),
    r"\b(?:may|can) (?:now )?(?:approve|deploy|delete|access|push to|merge)\b",
    (
        r"\b(?:skip|skips|bypass|disable|disables) (?:the )?(?:review|approval|check|checks"
        r"|confirmation)\b"
    ),
    r"\bhas (?:full )?access to\b",
)
HYPOTHETICAL = _any(
    (
        r"\b(?:if (?:i|we|she|he|they|you)|i was thinking of|thinking (?:of|about) (?:maybe)?"
        r"|what if|suppose|imagine|hypothetically)\b"
    ),
    (
        r"\b(?:might|maybe|perhaps|possibly|would (?:like|love) to|consider(?:ing|s)?"
        r"|wonder(?:ing|s)?)\b"
    ),
    r"\b(?:vielleicht|eventuell|falls|könnte|würde)\b",
    r"(?<!\w)(?:peut-être|si j|quizás?|tal vez|forse|magari)\b",
    r"也许|可能|如果|考虑|かもしれ|もし",
)
