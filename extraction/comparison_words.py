"""Word lists that tell two texts apart where their vectors do not. All folded (see ``fold``)."""

from collections.abc import Mapping

_NEGATIONS = {
    "en": """no not never neither nor none nobody nothing nowhere without cannot cant dont doesnt
        didnt isnt wasnt wont hardly""",
    "de": "nicht kein keine keinen keinem keiner nie niemals nichts niemand ohne weder",
    "fr": "ne n pas jamais rien aucun aucune personne sans ni",
    "es": "no nunca jamas nada nadie ningun ninguno ninguna sin ni tampoco",
    "it": "non mai niente nessun nessuno nessuna senza neanche nemmeno",
}
NEGATIONS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _NEGATIONS.items()
}

_NUMBER_VALUES = (0, *range(2, 21), *range(30, 101, 10), 1000)
# Without "one", which is an article or a pronoun in each of these languages.
_NUMBER_WORDS = {
    "en": """zero two three four five six seven eight nine ten eleven twelve thirteen fourteen
        fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
        ninety hundred thousand""",
    "de": """null zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn
        funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreissig vierzig funfzig sechzig
        siebzig achtzig neunzig hundert tausend""",
    "fr": """zero deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze
        seize dix-sept dix-huit dix-neuf vingt trente quarante cinquante soixante soixante-dix
        quatre-vingts quatre-vingt-dix cent mille""",
    "es": """cero dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince
        dieciseis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta
        ochenta noventa cien mil""",
    "it": """zero due tre quattro cinque sei sette otto nove dieci undici dodici tredici
        quattordici quindici sedici diciassette diciotto diciannove venti trenta quaranta cinquanta
        sessanta settanta ottanta novanta cento mille""",
}
NUMBER_WORDS: Mapping[str, Mapping[str, int]] = {
    language: dict(zip(words.split(), _NUMBER_VALUES, strict=True))
    for language, words in _NUMBER_WORDS.items()
}

PEOPLE = frozenset(
    """brother sister mother father mom mum dad parent parents wife husband spouse partner
    girlfriend boyfriend fiance fiancee son daughter child children kid kids friend friends
    colleague coworker boss manager neighbor neighbour cousin uncle aunt nephew niece grandmother
    grandfather grandma grandpa roommate flatmate client team company ex-wife ex-husband
    bruder schwester mutter vater mann frau freund freundin sohn tochter kind kollege kollegin chef
    frere soeur mere pere mari femme ami amie fils fille enfant collegue
    hermano hermana madre padre marido esposa amigo amiga hijo hija nino companero jefe
    fratello sorella marito moglie amico amica figlio figlia bambino collega""".split()
)

# Words that change what is claimed: wanting, planning, doubting, having stopped.
FRAMES = frozenset(
    """want wants wanted hope hopes plan plans planned planning consider considering considered
    might may maybe perhaps possibly would could should if unless think thinks thought wish try
    tries tried trying used formerly former previously ex almost nearly stop stopped stops quit
    finished will going intends intended refuse refuses refused forgot always sometimes rarely
    usually often only pretend
    mochte wurde konnte sollte vielleicht fruher ehemals aufgehort immer manchmal selten
    plant veut voudrait espere peut-etre autrefois arrete toujours parfois
    quiere querria espera quizas antes dejo siempre
    vuole vorrebbe spera forse prima smesso sempre""".split()
)

CALENDAR = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december spring summer autumn fall winter morning
    evening night afternoon weekday weekend
    montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar marz mai juni juli
    oktober dezember
    lundi mardi mercredi jeudi vendredi samedi dimanche janvier fevrier mars avril juin juillet aout
    septembre octobre novembre decembre
    lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo junio julio
    agosto septiembre octubre noviembre diciembre
    lunedi martedi mercoledi giovedi venerdi domenica gennaio febbraio aprile maggio giugno luglio
    settembre ottobre dicembre""".split()
)

_OPPOSITE_PAIRS = """love:hate like:dislike like:hate love:dislike enjoy:hate allow:forbid
allow:deny start:stop start:end begin:end open:close opened:closed enable:disable enabled:disabled
increase:decrease more:less before:after with:without always:never accept:reject accept:decline
agree:disagree agree:refuse approve:reject win:lose buy:sell bought:sold hire:fire hired:fired
join:leave married:divorced single:married light:dark left:right first:last early:late
morning:evening high:low hot:cold big:small old:new true:false safe:unsafe happy:unhappy able:unable
required:optional public:private remote:onsite above:below over:under up:down day:night
employed:unemployed gain:lose import:export add:remove trust:distrust vegetarian:omnivore
likes:dislikes loves:hates prefers:avoids prefer:avoid
liebt:hasst mag:hasst vor:nach mehr:weniger mit:ohne
aime:deteste avant:apres plus:moins avec:sans
ama:odia gusta:odia antes:despues mas:menos con:sin
ama:odia prima:dopo piu:meno con:senza"""
OPPOSITES: frozenset[tuple[str, str]] = frozenset(
    (left, right)
    for pair in _OPPOSITE_PAIRS.split()
    for a, b in [pair.split(":")]
    for left, right in ((a, b), (b, a))
)

# Rewordings that do not change the claim; the first word stands for the group.
_SYNONYM_GROUPS = """move relocate|work employ job|live reside|buy purchase acquire|begin start
commence|child kid|like enjoy|film movie|bike bicycle|phone cellphone smartphone|big
large|doctor physician|car automobile|photo picture|holiday vacation|flat apartment|use
utilize|mother mom mum|father dad|grandmother grandma|grandfather grandpa|company firm
employer|repository repo|database db|application app|prefer favour favor|favorite
favourite|color colour|allergic allergy|day daily|week weekly|month monthly|year yearly annual
annually|love adore|fond like|start launch|own possess|hobby pastime|dislike detest|wife spouse"""
SYNONYMS: Mapping[str, str] = {
    word: group.split()[0] for group in _SYNONYM_GROUPS.split("|") for word in group.split()
}
# Words that may be added to a statement without adding to what it claims.
LIGHT = frozenset(
    "year time day current currently now really still already definitely well today "
    "actually nowadays please kind sort person".split()
)

IRREGULAR: Mapping[str, Mapping[str, str]] = {
    "en": {
        form: base
        for base, forms in {
            "go": "went gone goes",
            "buy": "bought",
            "see": "saw seen",
            "eat": "ate eaten",
            "run": "ran",
            "drive": "drove driven",
            "write": "wrote written",
            "speak": "spoke spoken",
            "take": "took taken",
            "give": "gave given",
            "come": "came",
            "make": "made",
            "begin": "began begun",
            "choose": "chose chosen",
            "find": "found",
            "know": "knew known",
            "leave": "left leaves",
            "lose": "lost",
            "meet": "met",
            "sell": "sold",
            "teach": "taught",
            "tell": "told",
            "think": "thought",
            "win": "won",
            "grow": "grew grown",
            "keep": "kept",
            "build": "built",
            "feel": "felt",
            "hold": "held",
            "pay": "paid",
            "say": "said",
            "send": "sent",
            "spend": "spent",
            "swim": "swam",
            "wear": "wore worn",
            "quit": "quits",
            "use": "used using",
            "child": "children",
            "person": "people",
            "wife": "wives",
            "life": "lives-noun",
        }.items()
        for form in forms.split()
    },
}
