"""Duplicate thresholds for a model nobody has measured yet: from a few pairs whose answer is known.

Cosines of two models mean different things: 0.90 is an ordinary pair for one and a twin for
another. So the model is asked for the vectors of these invented statements, once a process, and
its own scale gives the thresholds. Nothing is stored. A threshold only chooses what is compared
further: numbers, negation and named values must agree whatever the cosine says.
"""

import math
from collections.abc import Callable, Sequence
from statistics import median

from extraction.embeddings.base import DuplicateThresholds

Pairs = tuple[tuple[str, str], ...]

# The same fact said in other words.
SAME: Pairs = (
    ("Mara lives in Ghent.", "Mara has her home in Ghent."),
    ("Mara is a chemist at a paint factory.", "Mara works as a chemist in a paint factory."),
    ("Olu is allergic to shellfish.", "Olu has a shellfish allergy."),
    ("Olu prefers trains to planes.", "Olu likes trains better than planes."),
    ("The team meets every Monday.", "Every Monday the team has its meeting."),
    ("Mara has one son.", "Mara is the mother of one boy."),
    ("Olu is learning Portuguese.", "Olu studies the Portuguese language."),
    ("Mara never drinks wine.", "Mara does not drink wine."),
    ("Kestrel runs on two servers.", "There are two servers that Kestrel runs on."),
    ("Olu moved to Bristol in May 2023.", "In May 2023 Olu relocated to Bristol."),
    ("Mara hat zwei Katzen.", "Mara besitzt zwei Katzen."),
    ("A Olu le gusta bailar.", "Olu disfruta bailando."),
)
# One number, one negation, one name: never the same, and hardly another vector.
CHANGED: Pairs = (
    ("Mara has one son.", "Mara has four sons."),
    ("The budget is 12,000 euros.", "The budget is 18,000 euros."),
    ("Olu moved to Bristol in May 2023.", "Olu moved to Bristol in May 2021."),
    ("Mara eats fish.", "Mara does not eat fish."),
    ("Olu is allergic to shellfish.", "Olu is not allergic to shellfish."),
    ("The team deploys on Fridays.", "The team never deploys on Fridays."),
    ("Mara lives in Ghent.", "Mara lives in Bruges."),
    ("Olu plays the trumpet.", "Olu plays the clarinet."),
)
# Two facts of one topic.
TOPIC: Pairs = (
    ("Mara lives in Ghent.", "Mara was born in Ghent."),
    ("Mara has one son.", "Mara's son goes to a school by the river."),
    ("Olu plays the trumpet.", "Olu's trumpet teacher is called Mr Dunne."),
    ("Kestrel runs on two servers.", "Kestrel was started in 2019."),
    ("Olu is learning Portuguese.", "Olu failed his first Portuguese exam."),
    ("Mara is a chemist.", "Mara wants to become a teacher."),
    ("Olu likes strong tea.", "Olu bought a new tea pot."),
    ("The team meets every Monday.", "The team deploys every Monday."),
)
# Nothing in common.
APART: Pairs = (
    ("Mara lives in Ghent.", "Kestrel runs on two servers."),
    ("Olu plays the trumpet.", "The budget is 12,000 euros."),
    ("Mara never drinks wine.", "Olu moved to Bristol in May 2023."),
    ("The team meets every Monday.", "Olu is allergic to shellfish."),
)
# Where a model puts everything in one place, its vectors decide nothing.
_NOTHING_IS_NEAR = 0.999


def measured_thresholds(embed: Callable[[Sequence[str]], list[list[float]]]) -> DuplicateThresholds:
    """Measure a model's scale.

    ``near`` lies halfway between the middle rewording and the middle pair that only shares a
    topic, and above every pair with nothing in common; ``same`` at the most alike of those with
    another number, name or negation. **Cost**: some fifty short texts to embed.

    **Source**: of the bundled model it makes .940 and .970; measured by hand on other pairs, see
    ``LocalEmbedder``, these are .94 and .968.
    """
    pairs = [*SAME, *CHANGED, *TOPIC, *APART]
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vector_of = dict(zip(texts, embed(texts), strict=True))

    def cosines(of: Pairs) -> list[float]:
        return [_cosine(vector_of[left], vector_of[right]) for left, right in of]

    near = (median(cosines(SAME)) + median(cosines(TOPIC))) / 2
    if near <= max(cosines(APART)):
        near = _NOTHING_IS_NEAR
    return DuplicateThresholds(near=round(near, 3), same=round(max(near, *cosines(CHANGED)), 3))


def _cosine(left: Sequence[float], right: Sequence[float]) -> float:
    lengths = math.hypot(*left) * math.hypot(*right)
    return sum(a * b for a, b in zip(left, right, strict=True)) / lengths if lengths else 0.0
