"""Small word lists per language, and a guess at which language a text is in.

The lists hold function words only: what they leave is what a statement is about.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_EN = """a about after all also am an and any are as at be because been before being both but by
can could did do does doing down during each few for from further get gets getting got had has
have having he her here hers herself him himself his how i i'd i'll i'm i've if in into is it
it's its itself just let's me more most my myself of off on once only or other our ours ourselves
out over own really s same since she should so some such t than that that's the their theirs them
themselves then there these they they're they've this those through to too under until up us very
was we we're we've were what when where which while who whom why will with would you you're
you've your yours yourself lot much well yeah yes oh ok okay hey hi thing things one ones no not
cannot"""
_DE = """aber alle allem allen aller alles als also am an auch auf aus bei bin bis bist da damit
dann das dass dein deine dem den der des dich die dies diese diesem diesen dieser dieses dir doch
dort du durch ein eine einem einen einer eines er es euer eure für gegen gewesen hab habe haben
hast hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist
ja jede jedem jeden jeder jedes jene jetzt kann kannst können könnte mal man mehr mein meine
meinem meinen meiner mich mir mit muss müssen nach noch nun nur ob oder schon sehr sein seine
seinem seinen seiner seit selbst sich sie sind so soll sollte sondern über um und uns unser
unsere unter vom von vor war waren warst was weil welche wenn werde werden wie wieder will wir
wird wirst wo wurde würde zu zum zur zwischen gerade nicht kein keine keinen keinem keiner"""
_FR = """a ai aie ait as au aux avait avec avez avons ayant c ce ces cet cette ceux comme d dans
de des donc du elle elles en es est et étaient étais était été être eu eux fait il ils j je l la
le les leur leurs lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où par pas pour
plus qu quand que qui quoi s sa se sera ses si son sont suis sur t ta te tes toi ton très tu un
une va vais vos votre vous y aussi bien encore y'a"""
_ES = """a al algo ante así aunque bien cada como con cual cuando de del desde donde e el él
ella ellas ellos en entre era eran es esa esas ese eso esos está están estar este esta esto estos
estas estoy fue fueron ha había han has hasta hay he la las le les lo los más me mi mis mí mucho
muy nos nosotros nuestra nuestro o os otra otro para pero por porque que qué quien se sea ser si
sí sido sobre soy son su sus también te tengo tiene tú tu tus un una uno unos va voy y ya yo no"""
_IT = """a ad agli ai al alla alle allo anche c che chi ci come con cui da dagli dai dal dalla
dalle de degli dei del della delle dello di e è ed era erano essere fa gli ha hai hanno ho i il
in io la le lei li lo loro lui ma mi mia mie miei mio molto ne nei nel nella nelle noi nostra
nostro o per perché però più qual quale quando quella quelle quelli quello questa queste questi
questo qui se sei si sia siamo sono sta sto stata stato su sua sue sui sul sulla suo suoi tra tu
tua tuo un una uno va vi voi non"""


def fold(text: str) -> str:
    """Make case, width and Latin accents equal, and leave every other script.

    **Shape**: NFC; dakuten and Hangul survive, only combining marks U+0300–U+036F go.
    """
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    bare = "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", bare).replace("\u2019", "'")


def _words(block: str) -> frozenset[str]:
    return frozenset(fold(w) for w in block.split())


STOP_WORDS: Mapping[str, frozenset[str]] = {
    "en": _words(_EN),
    "de": _words(_DE),
    "fr": _words(_FR),
    "es": _words(_ES),
    "it": _words(_IT),
}

# Asked in this order; Japanese mixes scripts, so kana decides before Han.
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")),
    ("ko", re.compile(r"[\uac00-\ud7a3\u1100-\u11ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
)
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")


def _script_language(text: str) -> str:
    """Name the language of a script that holds a fair share of the letters."""
    letters = len(_LETTER.findall(text))
    for language, pattern in _SCRIPTS:
        # One CJK character carries about a word, so a quarter of the letters is already most of it.
        if letters and len(pattern.findall(text)) * 4 >= letters:
            return language
    return ""


@lru_cache(maxsize=4096)
def guess_language(text: str) -> str:
    """Guess a text's language from its script and its function words.

    **Shape**: an ISO 639-1 code; ``en`` where nothing speaks for another.
    """
    by_script = _script_language(text)
    if by_script:
        return by_script
    words = [fold(w) for w in _WORD.findall(text)]
    counts = {language: sum(w in stop for w in words) for language, stop in STOP_WORDS.items()}
    best = max(counts.values(), default=0)
    return next((lang for lang, n in counts.items() if n == best and n), "en")
