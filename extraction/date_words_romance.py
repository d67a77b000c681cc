"""The date words of French, Spanish and Italian: see ``date_words`` for what each field means."""

from extraction.date_words import DateWords

FR = DateWords(
    months=tuple(
        r"""
        janvier|janv\.? février|févr?\.? mars avril|avr\.? mai juin juillet|juil\.?
        août|aout septembre|sept\.? octobre|oct\.? novembre|nov\.? décembre|déc\.?
        """.split()
    ),
    weekdays=tuple(
        r"""
        lundi mardi mercredi jeudi vendredi samedi dimanche
        """.split()
    ),
    units={
        "day": "jours?",
        "week": "semaines?",
        "weekend": "week-?ends?",
        "month": "mois",
        "quarter": "trimestres?",
        "year": "ans?|années?",
        "decade": "décennies?",
    },
    seasons={"spring": "printemps", "summer": "été", "autumn": "automne", "winter": "hiver"},
    numbers={
        "une?": 1,
        "deux": 2,
        "trois": 3,
        "quatre": 4,
        "cinq": 5,
        "six": 6,
        "sept": 7,
        "huit": 8,
        "neuf": 9,
        "dix": 10,
        "onze": 11,
        "douze": 12,
        "quinze": 15,
    },
    fuzzy="quelques|plusieurs",
    days={
        "avant-hier": -2,
        "après-demain": 2,
        "hier(?: soir)?|la nuit dernière|la veille": -1,
        "demain": 1,
        r"aujourd['\u2019]hui|ce matin|ce soir|cet après-midi": 0,
    },
    last="derni[eè]re?|passée?|précédente?",
    this="ce|cet|cette",
    next="prochaine?|suivante?|qui vient",
    ordinal="(?:er|e)",
    of=r"(?:de |d['\u2019])",
    ago=(r"il y a {n}",),
    ahead=(r"dans {n}",),
    since=r"depuis(?: le| l['\u2019]| la)?|dès(?: le)?|à partir d[ue](?: l['\u2019])?",
    after=r"après(?: le| la| l['\u2019])?",
    until=r"jusqu['\u2019](?:au|en|à|à la|ici)",
    before=r"avant(?: le| la| l['\u2019])?",
    on=r"le|en|au|à|pendant|durant|au cours de|la|l['\u2019]|au mois de|cet? |les",
    pair="à|au|et",
    parts={"early": r"début|au début de", "mid": "mi-?", "late": r"fin|à la fin de"},
    recurring=r"chaque|tous les|toutes les",
    unresolved=(
        r"récemment|l['\u2019]autre jour|il y a longtemps|autrefois|un jour|bientôt|"
        r"quand j['\u2019]étais (?:petite?|enfant|jeune)"
    ),
    future=r"vais|vas|va|allons|allez|vont|\w{3,}(?:rai|ras|rons|rez|ront)",
    past=r"ai|as|avons|avez|ont|était|étais|avait|avais|suis|est",
    holidays={"noël": (12, 25), r"nouvel an|jour de l['\u2019]an": (1, 1)},
    lasting="depuis",
    yearly="née?|naissance|anniversaire",
    opens="de|du|entre|entre le",
    before_last=r"avant-dernière? {u}",
    after_next=r"{u} d['\u2019]après",
)

ES = DateWords(
    months=tuple(
        r"""
        enero|ene\.? febrero|feb\.? marzo abril|abr\.? mayo junio|jun\.? julio|jul\.?
        agosto|ago\.? septiembre|setiembre|sept?\.? octubre|oct\.? noviembre|nov\.?
        diciembre|dic\.?
        """.split()
    ),
    weekdays=tuple(
        r"""
        lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo
        """.split()
    ),
    units={
        "day": "días?|dias?",
        "week": "semanas?",
        "weekend": "fin(?:es)? de semana",
        "month": "mes(?:es)?",
        "quarter": "trimestres?",
        "year": "años?",
        "decade": "décadas?",
    },
    seasons={"spring": "primavera", "summer": "verano", "autumn": "otoño", "winter": "invierno"},
    numbers={
        "una?|un": 1,
        "dos|un par de": 2,
        "tres": 3,
        "cuatro": 4,
        "cinco": 5,
        "seis": 6,
        "siete": 7,
        "ocho": 8,
        "nueve": 9,
        "diez": 10,
        "once": 11,
        "doce": 12,
        "quince": 15,
    },
    fuzzy="unos|unas|algunos|algunas|varios|varias",
    days={
        r"anteayer|antes de ayer|antier": -2,
        r"pasado mañana": 2,
        r"ayer|anoche": -1,
        r"(?<!la )(?<!esta )(?<!pasado )mañana": 1,
        r"hoy|esta (?:mañana|tarde|noche)": 0,
    },
    last="pasad[oa]s?|últim[oa]s?|anterior(?:es)?",
    this="est[ea]|este mismo",
    next="próxim[oa]s?|proxim[oa]s?|que viene|siguientes?|entrante",
    ordinal="[ºo]",
    of=r"(?:de |del )",
    ago=(r"hace {n}", r"{n} atrás"),
    ahead=(r"(?:en|dentro de) {n}", r"{n} a partir de (?:ahora|hoy)"),
    since=r"desde(?: el| la)?|a partir de(?:l| la)?",
    after=r"después de(?:l| la)?|tras(?: el)?",
    until=r"hasta(?: el| la)?|a más tardar(?: el)?|para(?: el)?",
    before=r"antes de(?:l| la)?",
    on=r"el|en(?: el| la)?|durante(?: el| la)?|la|los|las|al|a",
    pair="al?|hasta|y|hasta el|y el",
    parts={
        "early": r"(?:a )?principios de|comienzos de|inicios de",
        "mid": r"(?:a )?mediados de",
        "late": r"(?:a )?finales de|fines de",
    },
    recurring=r"cada|todos los|todas las",
    unresolved=(
        r"recientemente|el otro día|hace mucho(?: tiempo)?|hace (?:un )?tiempo|hace poco|"
        r"algún día|pronto|últimamente|cuando (?:era|éramos) (?:niñ[oa]s?|pequeñ[oa]s?|joven)"
    ),
    future=r"voy|vas|va|vamos|van|\w{3,}(?:ré|rás|rá|remos|rán)",
    past=(
        r"he|ha|han|hemos|fui|fue|fueron|era|estaba|estuve|tuve|hice|\w{2,}(?:é|ó|aron|ieron|aba|ía)"
    ),
    holidays={
        "navidad": (12, 25),
        "nochebuena": (12, 24),
        "nochevieja": (12, 31),
        "año nuevo": (1, 1),
    },
    lasting="desde hace",
    yearly="nació|nací|cumpleaños|aniversario",
    opens="de|del|desde|entre|entre el",
    before_last=r"(?:el |la )?{u} antepasad[oa]",
    after_next=r"(?:el |la )?{u} después del? próxim[oa]",
)

IT = DateWords(
    months=tuple(
        r"""
        gennaio|gen\.? febbraio|feb\.? marzo aprile|apr\.? maggio giugno|giu\.?
        luglio|lug\.? agosto|ago\.? settembre|sett?\.? ottobre|ott\.? novembre|nov\.?
        dicembre|dic\.?
        """.split()
    ),
    weekdays=tuple(
        r"""
        lunedì|lunedi martedì|martedi mercoledì|mercoledi giovedì|giovedi venerdì|venerdi
        sabato domenica
        """.split()
    ),
    units={
        "day": "giorn[oi]",
        "week": "settiman[ae]",
        "weekend": "week-?end|fine settimana",
        "month": "mes[ei]",
        "quarter": "trimestr[ei]",
        "year": "ann[oi]",
        "decade": "decenni[o]?",
    },
    seasons={"spring": "primavera", "summer": "estate", "autumn": "autunno", "winter": "inverno"},
    numbers={
        r"un[ao]?|un['\u2019]": 1,
        "due|un paio di": 2,
        "tre": 3,
        "quattro": 4,
        "cinque": 5,
        "sei": 6,
        "sette": 7,
        "otto": 8,
        "nove": 9,
        "dieci": 10,
        "undici": 11,
        "dodici": 12,
    },
    fuzzy="alcun[ie]|qualche|parecchi",
    days={
        r"l['\u2019]altro ieri|l['\u2019]altroieri|ieri l['\u2019]altro|altroieri": -2,
        r"dopodomani": 2,
        r"ieri(?: sera)?|la notte scorsa": -1,
        r"domani": 1,
        r"oggi|stamattina|stasera|stanotte|questa (?:mattina|sera)": 0,
    },
    last="scors[oaie]|passat[oaie]|ultim[oaie]|precedente",
    this="quest[oa]|quest['\u2019]",
    next="prossim[oaie]|seguente|che viene",
    ordinal="[º°]",
    of=r"(?:di |del )",
    ago=(r"{n} fa",),
    ahead=(r"(?:tra|fra) {n}", r"{n} da (?:oggi|ora)"),
    since=r"da(?:l|lla|ll['\u2019])?|a partire da(?:l|lla)?|sin da(?:l)?|fin da(?:l)?",
    after=r"dopo(?: il| la)?",
    until=r"fino a(?:l|lla|d)?|entro(?: il| la)?",
    before=r"prima de(?:l|lla)|prima di",
    on=r"il|in|nel|nella|nell['\u2019]|a|ad|durante(?: il| la)?|la|lo|l['\u2019]|di|nel mese di",
    pair="al|a|e|fino al",
    parts={
        "early": r"(?:all['\u2019])?inizio(?: di)?|inizi di",
        "mid": "metà(?: di)?",
        "late": r"(?:alla )?fine(?: di)?",
    },
    recurring=r"ogni|tutt[ie] (?:i|le|gli)",
    unresolved=(
        r"recentemente|l['\u2019]altro giorno|tempo fa|molto tempo fa|di recente|un giorno|"
        r"presto|quando er[ao] (?:piccol[oa]|bambin[oa]|giovane)"
    ),
    future=r"\w{3,}(?:rò|rai|rà|remo|rete|ranno)|sto per",
    past=r"ho|hai|ha|abbiamo|hanno|era|ero|erano|sono stat[oa]|\w{2,}(?:ato|uto|ito)",
    lasting="da",
    yearly="nat[oa]|compleanno|anniversario",
    opens="da|dal|tra|fra|tra il",
    holidays={"natale": (12, 25), r"capodanno": (1, 1)},
)
