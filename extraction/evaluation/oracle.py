"""A curator who knows the gold labels, and decides by nothing else.

Labels name turns, and a turn says several things. So this curator keeps of a named turn what
speaks to the label, and decides in this order:

1. A proposal none of whose words stand in a turn that some label names is **rejected**, and so is
   one that speaks to none of the labels that name its turn (``speaking``). Labels name the turns
   that questions need, that facts were noted from, or that hold an old or a new value. Where a
   data set marks only sessions, every turn of them counts as named.
2. Words from a turn that labels call an update, which carry the new value, are **changed**: they
   replace the statement that rests on the old turn. The new value is a number of the answer that
   stands in a new turn and in no old one; where there is none, most of the answer's words. Which
   statement of the old turn is meant, the labels do not say, and a curator can name only what the
   card shows: what the engine suggested or what holds the place, if it rests on the old turn;
   else the first of the nearest statements that does. Where the card shows none, both stand.
   Where the old had not begun when the new was said, it was **never so**.
3. What repeats a statement is a **confirmation**, as the engine suggested.
4. Everything else is **new**, and both true where the engine saw a change that no label names.

So it is neither a reviewer nor an upper bound: it rejects true and useful statements that no
question needs, which makes retrieval easier than in a real memory, and it approves a badly worded
statement that holds the right words.
"""

from dataclasses import dataclass

from extraction.evaluation.approving import Rule, Ruling, as_suggested
from extraction.evaluation.datasets import Sample, Update
from extraction.evaluation.speaking import carries_new_value, speaks, turns_of
from knowledge.models import Proposal, Version
from knowledge.queries.near import nearest_to
from knowledge.queries.targets import target_of
from knowledge.trust import WhatHappened

_REPLACING = frozenset({WhatHappened.CHANGED, WhatHappened.NEVER_SO})


@dataclass(frozen=True, slots=True)
class Oracle:
    """Decides about the proposals of one sample."""

    sample: Sample

    def rule(self, proposal: Proposal) -> Ruling:
        """Rule on one proposal by the labels of its turns."""
        if not speaks(proposal, sample=self.sample):
            return Ruling(None)
        turns = turns_of(proposal)
        for update in self.sample.updates:
            if turns & update.new and carries_new_value(proposal.text, update):
                stale = _stale_statement(update, proposal=proposal)
                if stale is not None:
                    return _replacing(proposal, stale=stale)
        suggested = as_suggested(proposal)
        if suggested.happened in _REPLACING:
            return Ruling(WhatHappened.BOTH_TRUE)
        return suggested


def _replacing(proposal: Proposal, *, stale: Version) -> Ruling:
    begins = stale.valid.lower
    had_begun = begins is None or begins <= proposal.valid_from
    return Ruling(WhatHappened.CHANGED if had_begun else WhatHappened.NEVER_SO, stale)


def _stale_statement(update: Update, *, proposal: Proposal) -> Version | None:
    """Find, among what the card shows, the statement of the old turn that still holds."""
    old = Version.objects.current().filter(
        space_id=proposal.space_id, proposal__evidence__message__external_id__in=update.old
    )
    renewed = old.filter(proposal__evidence__message__external_id__in=update.new)
    candidates = old.exclude(pk__in=renewed.values("pk"))
    holding = {
        version.pk: version
        for version in candidates
        if version.valid.upper is None or version.valid.upper > proposal.valid_from
    }
    return next((holding[pk] for pk in _shown(proposal) if pk in holding), None)


def _shown(proposal: Proposal) -> list[int]:
    """List the versions that the card names: what it would end, then the nearest."""
    target = target_of(proposal)
    nearest = nearest_to(
        proposal.text,
        space_id=proposal.space_id,
        subject_id=proposal.subject_id,
        besides=proposal.pk,
    )
    near = [one.version_id for one in nearest if one.version_id is not None]
    return ([target.version_id] if target else []) + near


def approving_everything(sample: Sample) -> Rule:
    """Give the rule that approves whatever is proposed, as it was suggested."""
    return as_suggested


def knowing_the_labels(sample: Sample) -> Rule:
    """Give the rule that decides by a sample's labels."""
    return Oracle(sample).rule


CURATORS = {"approve-all": approving_everything, "oracle": knowing_the_labels}
