"""A curator who knows the gold labels, and decides by nothing else.

How it decides, in this order:

1. A proposal none of whose words stand in a turn that some label names is **rejected**. Labels
   name the turns that questions need, that facts were noted from, or that hold an old or a new
   value. Where a data set marks only sessions, every turn of them counts as named.
2. Words from a turn that labels call an update, which carry the new value, are **changed**: they
   replace the statement that rests on the old turn. The new value is a number of the answer that
   stands in a new turn and in no old one; where there is none, most of the answer's words. Which
   statement of the old turn is meant, the labels do not say: the engine's suggestion if it rests
   on that turn, else the one that shares most words with question and proposal, two at least.
   Where the old had not begun when the new was said, it was **never so**.
3. What repeats a statement is a **confirmation**, as the engine suggested.
4. Everything else is **new**, and both true where the engine saw a change that no label names.

So it is neither a reviewer nor an upper bound: it rejects true and useful statements from turns
that no question needs, which makes retrieval easier than in a real memory, and it approves a
badly worded statement if it comes from the right turn.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from extraction.evaluation.approving import Rule, Ruling, as_suggested, target_of
from extraction.evaluation.datasets import Sample, Update
from extraction.evaluation.read_beam import numbers
from extraction.similarity import content_words
from knowledge.models import Proposal, Version
from knowledge.trust import WhatHappened

LEAST_SHARED = 2  # content words that the replaced statement shares with question and proposal
MOST_OF = 0.5
_REPLACING = frozenset({WhatHappened.CHANGED, WhatHappened.NEVER_SO})


@dataclass(frozen=True, slots=True)
class Oracle:
    """Decides about the proposals of one sample."""

    sample: Sample

    def rule(self, proposal: Proposal) -> Ruling:
        """Rule on one proposal by the labels of its turns."""
        turns = frozenset(proposal.evidence.values_list("message__external_id", flat=True))
        if not turns & self.sample.gold_turns:
            return Ruling(None)
        for update in self.sample.updates:
            if turns & update.new and carries_new_value(proposal.text, update):
                stale = _stale_statement(update, proposal=proposal)
                if stale is not None:
                    return _replacing(proposal, stale=stale)
        suggested = as_suggested(proposal)
        if suggested.happened in _REPLACING:
            return Ruling(WhatHappened.BOTH_TRUE)
        return suggested


def carries_new_value(text: str, update: Update) -> bool:
    """Say whether a statement holds the value that questions ask for after the change."""
    if update.values:
        return bool(update.values & numbers(text))
    wanted = set(content_words(update.answer))
    return bool(wanted) and len(wanted & set(content_words(text))) >= MOST_OF * len(wanted)


def _replacing(proposal: Proposal, *, stale: Version) -> Ruling:
    begins = stale.valid.lower
    had_begun = begins is None or begins <= proposal.valid_from
    return Ruling(WhatHappened.CHANGED if had_begun else WhatHappened.NEVER_SO, stale)


def _stale_statement(update: Update, *, proposal: Proposal) -> Version | None:
    """Find the current statement of the old turn that the new value replaces."""
    current = Version.objects.current().filter(
        space_id=proposal.space_id, subject_id=proposal.subject_id
    )
    old = current.filter(proposal__evidence__message__external_id__in=update.old)
    renewed = current.filter(proposal__evidence__message__external_id__in=update.new)
    candidates = list(old.exclude(pk__in=renewed.values("pk")).distinct().order_by("pk"))
    suggested = target_of(proposal)
    if suggested is not None and suggested in candidates:
        return suggested
    asked = set(content_words(f"{update.question} {proposal.text}"))
    best = max(candidates, key=lambda one: _shared(one.text, asked), default=None)
    return best if best is not None and _shared(best.text, asked) >= LEAST_SHARED else None


def _shared(text: str, words: Iterable[str]) -> int:
    return len(set(content_words(text)) & set(words))


def approving_everything(sample: Sample) -> Rule:
    """Give the rule that approves whatever is proposed, as it was suggested."""
    return as_suggested


def knowing_the_labels(sample: Sample) -> Rule:
    """Give the rule that decides by a sample's labels."""
    return Oracle(sample).rule


CURATORS = {"approve-all": approving_everything, "oracle": knowing_the_labels}
