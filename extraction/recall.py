"""Which of what is known the prediction may rest on: the most telling for these words."""

import math
from collections import Counter
from collections.abc import Sequence

from extraction.similarity import content_words
from knowledge.queries.known import Known

MAX_STATEMENTS = 10
MAX_WAITING = 30
ATTRIBUTE_WEIGHT = 0.5


def choose(known: Sequence[Known], *, words: str) -> list[Known]:
    """Pick up to ten statements and thirty waiting proposals for an episode.

    Rare words shared with the episode count most; an attribute that may hold one value counts a
    little, since such values are what changes. Where nothing is shared the newest come first.
    """
    bags = [frozenset(content_words(item.text)) for item in known]
    spread = Counter(word for bag in bags for word in bag)
    spoken = frozenset(content_words(words))

    def weight(place: int) -> float:
        shared = sum(math.log(1 + len(bags) / spread[word]) for word in bags[place] & spoken)
        return shared + (ATTRIBUTE_WEIGHT if known[place].attribute else 0.0)

    ranked = sorted(range(len(known)), key=lambda place: (-weight(place), place))
    statements = [known[place] for place in ranked if not known[place].waiting]
    waiting = [known[place] for place in ranked if known[place].waiting]
    return statements[:MAX_STATEMENTS] + waiting[:MAX_WAITING]
