"""Words too common to find anything by, per language.

Short on purpose: BM25 already weighs a common word near nothing; what stands here only costs
index and time. Negations stay out of the lists, since "not" and "no" change a statement.
"""

from collections.abc import Mapping

_ENGLISH = """
a about all also am an and any are as at be because been being but by can could did do does doing
for from had has have having he her here hers him his how i if in into is it its itself just me my
myself of on or other our ours she should so some such than that the their theirs them then there
these they this those to too us was we were what when where which while who whom whose why will
with would you your yours
"""
_GERMAN = """
aber als am an auch auf aus bei bin bist da das dass dem den der des dich die dies diese dieser
dieses dir doch du durch ein eine einem einen einer eines er es euch für hab habe haben hat hatte
ich ihm ihn ihr ihre im in ist kann man mein meine mich mir mit nach noch nur oder sein seine sich
sie sind so um und uns unser vom von war waren was wenn wer wie wird wo zu zum zur
"""
_FRENCH = """
ai as au aux avait avec c ce ces cet cette d dans de des du elle elles en est et eu il ils j je l la
le les leur leurs lui m ma mais me mes mon n nos notre nous on ont ou où par pour qu que qui s sa se
ses si son sont sur t ta te tes toi ton tu un une vos votre vous y
"""
_SPANISH = """
al como con cual cuando de del donde el ella ellas ellos en era es esa ese eso esta este esto fue ha
han hay la las le les lo los me mi mis nos o para pero por que quien se son su sus te tu tus un una
uno y yo
"""
_ITALIAN = """
ad al alla alle anche c che chi ci come con cui da dal dalla de dei del della delle di d e è era gli
ha ho i il in io l la le lei lo loro lui ma mi mia mio ne nel nella o per più qual quando quella
questo s se si sono su sua suo sul tra tu un una uno vi voi
"""

FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(_GERMAN.split()),
    "fr": frozenset(_FRENCH.split()),
    "es": frozenset(_SPANISH.split()),
    "it": frozenset(_ITALIAN.split()),
}
