"""The words five languages use for dates, as regular expressions over lower-case text.

Every field is a pattern or a table of patterns; an accent is written as it is. Chinese and
Japanese, which need no word boundaries and no grammar of their own, are in ``date_forms_cjk``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class DateWords:
    """One language's date words.

    **Shape**: tables map a meaning to a pattern; ``ago`` and ``ahead`` hold ``{n}`` (a number and
    a unit); ``last``, ``this``, ``next`` may stand before or after their noun; ``lasting`` makes
    "3 years" mean "since 3 years ago"; ``run`` leads from one year to another;
    beside a word of ``yearly`` a date without a year recurs.
    """

    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    units: Mapping[str, str]
    seasons: Mapping[str, str]
    numbers: Mapping[str, int]
    fuzzy: str
    days: Mapping[str, int]
    last: str
    this: str
    next: str
    ordinal: str
    of: str
    ago: tuple[str, ...]
    ahead: tuple[str, ...]
    since: str
    after: str
    until: str
    before: str
    on: str
    pair: str
    parts: Mapping[str, str]
    recurring: str
    unresolved: str
    future: str
    past: str
    holidays: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    opens: str = r"(?!)"
    lasting: str = r"(?!)"
    yearly: str = r"(?!)"
    ordinals: Mapping[str, int] = field(default_factory=dict)
    before_last: str = r"(?!)"
    after_next: str = r"(?!)"
    run: str = r"(?!)"
    day_part: str = r"(?!)"


_ORDINALS = r"""first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
twenty[-\s]?first twenty[-\s]?second twenty[-\s]?third twenty[-\s]?fourth twenty[-\s]?fifth
twenty[-\s]?sixth twenty[-\s]?seventh twenty[-\s]?eighth twenty[-\s]?ninth thirtieth
thirty[-\s]?first"""

EN = DateWords(
    months=tuple(
        r"""
        january|jan\.? february|feb\.? march|mar\.? april|apr\.? may june|jun\.? july|jul\.?
        august|aug\.? september|sept?\.? october|oct\.? november|nov\.? december|dec\.?
        """.split()
    ),
    weekdays=tuple(
        r"""
        monday|mon\.? tuesday|tues?\.? wednesday|wed\.? thursday|thur?s?\.? friday|fri\.?
        saturday|sat\.? sunday|sun\.?
        """.split()
    ),
    units={
        "day": "days?",
        "week": "weeks?|wks?",
        "weekend": "weekends?",
        "month": "months?",
        "quarter": "quarters?",
        "year": "years?|yrs?",
        "decade": "decades?",
    },
    seasons={"spring": "spring", "summer": "summer", "autumn": "autumn|fall", "winter": "winter"},
    numbers={
        "an?": 1,
        "one": 1,
        "two": 2,
        r"a couple(?: of)?": 2,
        "three": 3,
        "four": 4,
        "five": 5,
        "six": 6,
        "seven": 7,
        "eight": 8,
        "nine": 9,
        "ten": 10,
        "eleven": 11,
        "twelve": 12,
        "fifteen": 15,
        "twenty": 20,
        "thirty": 30,
        "forty": 40,
        "fifty": 50,
        "sixty": 60,
        "ninety": 90,
    },
    fuzzy=r"a few|few|several|some|many",
    days={
        r"(?:the )?day before yesterday": -2,
        r"(?:the )?day after tomorrow": 2,
        r"yesterday|last night|the other night|the previous day": -1,
        r"tomorrow|tmrw": 1,
        r"today|tonight|this (?:morning|afternoon|evening)|earlier today|later today": 0,
    },
    last="last|past|previous|the last|the past|the previous",
    this="this|the current|this very",
    next="next|the next|(?:the |this )?coming|upcoming|the following",
    ordinal="(?:st|nd|rd|th)",
    of=r"(?:of |in )",
    ago=(r"{n} (?:ago|earlier|back)", r"{n} before (?:now|today)"),
    ahead=(
        r"in {n}(?: from now|['\u2019]s? time)?(?! (?:of|or|to)\b)",
        r"{n} (?:from now|from today|hence)",
    ),
    since=r"ever since|since|starting(?: from| on| in| with)?|beginning(?: on| in)?|as of",
    after="after|following",
    until=r"until|till|'til|through|by|up to|up until|not? later than",
    before="before|prior to",
    on=r"on|in|during|around|about|at|over|within|throughout",
    pair=r"to|until|till|through|and|thru",
    parts={
        "early": r"early|(?:the )?(?:beginning|start) of",
        "mid": r"mid-?|(?:the )?middle of",
        "late": r"late|(?:the )?end of",
    },
    recurring=(
        r"(?:every|each|any|most|on alternate)"
        r"(?: (?:other|single|second|\d+|two|three|few))?(?: of the)?"
    ),
    unresolved=(
        r"a while (?:ago|back)|some time ago|the other day|recently|lately|not long ago|"
        r"a long time ago|ages ago|long ago|someday|some day|one day soon|sometime soon|"
        r"in the (?:near )?future|back then|in the past|(?:years|months|weeks|days) ago|"
        r"when (?:i|we|he|she|they) (?:was|were) (?:a |an? )?"
        r"(?:kid|child|little|young|younger|student|teenager)s?"
    ),
    future=(
        r"will|won['\u2019]t|shall|let['\u2019]s|going to|gonna|plan(?:s|ning)? to|hope to|meeting|"
        r"upcoming|\w+['\u2019]ll|is due|are due|scheduled"
    ),
    past=(
        r"was|were|did|didn['\u2019]t|had|been|went|got|met|saw|said|came|began|bought|left|made|"
        r"took|ran|told|found|felt|(?!need|speed|feed|indeed|seed|exceed|agreed)\w{2,}ed"
    ),
    holidays={
        r"christmas eve": (12, 24),
        r"christmas(?! eve)(?: day)?|xmas": (12, 25),
        r"new year['\u2019]?s eve": (12, 31),
        r"new year['\u2019]?s(?: day)?": (1, 1),
        r"halloween": (10, 31),
        r"valentine['\u2019]?s(?: day)?": (2, 14),
    },
    ordinals={word: place for place, word in enumerate(_ORDINALS.split(), 1)},
    lasting=r"for(?: about| over| almost| nearly| more than| around)?(?: the (?:last|past))?",
    yearly="born|birthday|birthdays|anniversary",
    opens="from|between",
    run="to|until|till|through|thru",
    day_part="(?:morning|afternoon|evening|night)",
    before_last=r"(?:the )?{u} before last",
    after_next=r"(?:the )?{u} after next",
)

DE = DateWords(
    months=tuple(
        r"""
        januar|jänner|jan\.? februar|feb\.? märz|mär\.? april|apr\.? mai juni|jun\.?
        juli|jul\.? august|aug\.? september|sept?\.? oktober|okt\.? november|nov\.?
        dezember|dez\.?
        """.split()
    ),
    weekdays=tuple(
        r"""
        montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag
        """.split()
    ),
    units={
        "day": "tage?n?",
        "week": "wochen?",
        "weekend": "wochenenden?",
        "month": "monate?n?|monats",
        "quarter": "quartale?n?",
        "year": "jahre?n?|jahres",
        "decade": "jahrzehnte?n?",
    },
    seasons={
        "spring": "frühling|frühjahr",
        "summer": "sommer",
        "autumn": "herbst",
        "winter": "winter",
    },
    numbers={
        "einem|einer|eine|ein|einen": 1,
        "zwei": 2,
        "drei": 3,
        "vier": 4,
        "fünf": 5,
        "sechs": 6,
        "sieben": 7,
        "acht": 8,
        "neun": 9,
        "zehn": 10,
        "elf": 11,
        "zwölf": 12,
    },
    fuzzy="ein paar|einigen|mehreren|vielen|wenigen",
    days={
        "vorgestern": -2,
        "übermorgen": 2,
        "gestern(?: abend)?|letzte nacht": -1,
        r"morgen(?! früh\b)(?<!guten morgen)(?<!am morgen)(?<!jeden morgen)": 1,
        "heute|heute abend": 0,
    },
    last="letzte[nrms]?|vergangene[nrms]?|vorige[nrms]?",
    this="diese[nrms]?",
    next="nächste[nrms]?|kommende[nrms]?|folgende[nrms]?",
    ordinal=r"\.",
    of="",
    ago=(r"vor {n}",),
    ahead=(r"in {n}(?! lang)",),
    since=r"seit(?: dem| der)?|ab(?: dem)?",
    after=r"nach(?: dem| der)?",
    until=r"bis(?: zum| zur| ende)?|spätestens(?: am)?",
    before=r"vor(?: dem| der)",
    on=r"am|im|in(?: der| dem| den)?|um|an|während(?: der| des)?|zu|im jahre?",
    pair="bis|und|bis zum",
    parts={"early": "anfang", "mid": "mitte", "late": "ende"},
    recurring=r"jede[nrms]?(?: zweite[nr]?)?|alle(?: \d+| zwei| drei)?",
    unresolved=(
        "neulich|kürzlich|vor kurzem|vor langem|vor langer zeit|irgendwann|demnächst|"
        "damals|früher einmal|als ich (?:ein )?kind war|letztens"
    ),
    future="werden?|wird|wirst|werdet|plan(?:e|t|en)|vor ?haben?",
    past=r"war(?:en)?|hatten?|wurden?|habe?n?|hat|bin|ist|ge\w{3,}(?:t|en)",
    holidays={
        "weihnachten": (12, 25),
        "heiligabend": (12, 24),
        "silvester": (12, 31),
        "neujahr": (1, 1),
    },
    lasting="seit",
    yearly="geboren|geburtstag|jahrestag",
    opens="vom|von|zwischen|zwischen dem",
    before_last=r"vorletzte[nrms]? {u}",
    after_next=r"übernächste[nrms]? {u}",
)
