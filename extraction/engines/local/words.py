"""The word lists the local engine reads English with."""

ADVERBS = frozenset(
    "really also just always never usually often still recently currently finally actually kinda "
    "sometimes totally both even now once only especially already first definitely truly mostly "
    "mainly generally typically rarely hardly almost nearly soon then personally honestly sorta "
    "constantly regularly normally absolutely completely fully simply certainly probably maybe "
    "perhaps basically literally eventually immediately suddenly lately long so very too much "
    "barely seriously secretly somehow deeply highly particularly occasionally frequently ever "
    "later myself quite pretty all strongly sincerely genuinely quickly slowly".split()
)

# Past forms that do not end in -ed; a verb in this list needs no ending in the third person.
IRREGULAR_PAST = frozenset(
    "was were had did went got came took made saw knew thought found gave told felt became left "
    "put kept let began began brought bought built met ran paid sat stood lost won wrote spoke "
    "heard spent grew drew broke chose drove ate fell flew forgot held hit hurt led meant rode "
    "rang rose sang sent set shot shut slept sold stole swam taught threw understood woke wore "
    "caught dug fought forgave froze hid hung lent lit quit read rid shook slid stuck struck "
    "swore tore upset withdrew cut cost bet burst cast fed bred fled learnt dreamt dealt bent "
    "blew bit overcame undertook outgrew rebuilt redid undid sprang shone sewed sowed wept swept "
    "knelt crept laid lay bled wound withstood misread misunderstood overheard overslept been done "
    "gone seen taken said says has".split()
)
ENDS_IN_ED_YET_PRESENT = frozenset(
    "need feed proceed exceed succeed embed shed speed breed bleed heed".split()
)

MODALS = frozenset(
    "can could will would shall should may might must cannot ought wanna gonna".split()
)

# Base forms that, after "and" or "but", continue a verb phrase begun in the present.
COORDINATED_VERBS = frozenset(
    "live enjoy have am do go want need like love hate prefer use own run keep try make take feel "
    "think know believe hope eat drink sleep read write teach study learn speak play sing commute "
    "travel spend save pay earn manage lead build maintain write find get give bring "
    "help volunteer "
    "avoid miss follow watch listen collect grow cook bake paint draw practise practice ride drive "
    "train meet visit call wear buy sell".split()
)

STATE_VERBS = frozenset("want need have know think feel love like prefer hope".split())

# Sentence openers without a subject whose subject is the speaker.
PARTICIPLE_OPENERS = frozenset(
    "researching looking working trying planning going thinking studying learning living moving "
    "training starting getting feeling taking having making doing writing reading building "
    "organising organizing hoping saving considering preparing raising volunteering teaching "
    "spending using currently dreaming missing focusing visiting hosting celebrating watching "
    "playing travelling traveling waiting enjoying adding heading creating sharing giving wishing "
    "organizing practicing practising finishing joining leaving buying selling attending "
    "wondering".split()
)
PAST_OPENERS = frozenset(
    "started finished moved went got bought joined left made took found saw tried met quit "
    "signed adopted visited spent decided switched began became lost won ended played learned "
    "created launched completed booked had been hung painted baked cooked ran received applied "
    "attended volunteered graduated passed".split()
)
PRESENT_OPENERS = frozenset(
    "gonna gotta wanna want need hope prefer plan hate love enjoy like wish".split()
)

PERSON_RELATIONS = frozenset(
    "brother sister mother father mom mum mommy dad daddy parents parent son daughter kids kid "
    "child children baby wife husband partner boyfriend girlfriend fiance fiancé fiancee fiancée "
    "friend friends buddy pal boss manager colleague colleagues coworker coworkers co-worker "
    "roommate roommates flatmate neighbour neighbor neighbours neighbors uncle aunt cousin cousins "
    "nephew niece grandma grandmother grandpa grandfather grandparents gran granny team teammate "
    "teammates family folks ex mentor mentors teacher coach client clients customer customers "
    "landlord doctor therapist stepfather stepmother twin sibling siblings classmate classmates "
    "dog dogs cat cats puppy kitten pet pets fam bestie mentee assistant lead cto ceo".split()
)

HEDGES = (
    r"\bi think\b|\bi guess\b|\bi suppose\b|\bprobably\b|\bkind of\b|\bkinda\b|\bsort of\b"
    r"|\bi feel like\b|\bnot sure\b|\bi believe\b|\bi'd say\b|\bseems?\b|\bthinking (?:of|about)\b"
)

OPINION_ADJECTIVES = frozenset(
    "great awesome amazing cool nice good fun lovely wonderful fantastic incredible beautiful "
    "powerful important special sweet true tough hard easy exciting inspiring interesting right "
    "wrong okay ok crazy funny perfect brilliant stunning gorgeous".split()
)

# Words that carry no topic: for titles and for ranking, beside the content-word rules.
TOPICLESS = frozenset(
    "thing things time today yesterday tomorrow really going want make made like just lot lots "
    "good great nice know think feel well way much many day days week year years month people "
    "something anything everything been being here there back get got take took now new first "
    "last next also even still always never ever help thanks thank hey hello sure okay yeah "
    "love look looking looks sounds totally absolutely definitely awesome amazing wow cool glad "
    "happy keep let need use used using actually bit since soon see seen try come came went work "
    "works working could would should will might may must have has had did does done about "
    "picture photo image share shared shares sharing said say tell told talk means mean hope "
    "guess maybe please thought started start getting give gave part best hard super pretty".split()
)
