"""Which labels the words of a proposal speak to: a turn that a label names says several things.

- Of a turn from which facts were noted, everything does; so it does where labels name sessions.
- To a question, or a contradiction, speaks what shares two content words with it and its answer,
  or else the proposal of the turn that shares most.
- To an update speaks, of a new turn, what carries the new value; of the old turns, the one
  proposal that shares most words with the question. The labels do not say the old value: where the
  new one is a number the old holds one, too, and of the same kind if it is an amount of money, a
  percentage, a date, a time, or on a scale such as ms. So nothing is kept of an old turn that does
  not tell the old value at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.engines.local import quantities
from extraction.evaluation.datasets import Sample, Update
from extraction.evaluation.read_beam import numbers
from extraction.similarity import content_words
from knowledge.models import Proposal
from knowledge.trust import TrustState

LEAST_SHARED = 2  # content words
MOST_OF = 0.5


@dataclass(frozen=True, slots=True)
class Label:
    """What some turns are named for. **Shape**: ``words`` are content words."""

    turns: frozenset[str]
    words: frozenset[str]


def speaks(proposal: Proposal, *, sample: Sample) -> bool:
    """Say whether a proposal speaks to any label of its turns."""
    turns = turns_of(proposal)
    if not turns & sample.gold_turns:
        return False
    if turns & (sample.facts or frozenset()) or (sample.by_session and turns & sample.gold_turns):
        return True
    if any(
        label.turns & turns and _speaks_to(label, proposal, turns=label.turns & turns)
        for label in _labels(sample)
    ):
        return True
    return any(
        (turns & one.new and carries_new_value(proposal.text, one))
        or (turns & one.old and _is_the_old_value(one, proposal))
        for one in sample.updates
    )


def turns_of(proposal: Proposal) -> frozenset[str]:
    """Name the turns that a proposal rests on."""
    return frozenset(proposal.evidence.values_list("message__external_id", flat=True))


def carries_new_value(text: str, update: Update) -> bool:
    """Say whether a statement holds the value that questions ask for after the change."""
    if update.values:
        return bool(update.values & numbers(text))
    wanted = set(content_words(update.answer))
    return bool(wanted) and len(wanted & set(content_words(text))) >= MOST_OF * len(wanted)


def _labels(sample: Sample) -> Iterator[Label]:
    """Every question and contradiction; a question about an update is judged as that."""
    updates = {update.question for update in sample.updates}
    for asked in sample.questions:
        if asked.counts and asked.text not in updates:
            yield Label(frozenset(asked.gold), _words(f"{asked.text} {asked.answer}"))
    for one in sample.contradictions:
        yield Label(frozenset().union(*one.sides), _words(one.question))


def _speaks_to(label: Label, proposal: Proposal, *, turns: frozenset[str]) -> bool:
    shared = _shared(proposal, label.words)
    rivals = _others(proposal, turns=turns)
    return shared >= LEAST_SHARED or _is_first(proposal, rivals, words=label.words)


def _is_the_old_value(update: Update, proposal: Proposal) -> bool:
    rivals = [
        one
        for one in _others(proposal, turns=update.old)
        if _may_be_the_old_value(one.text, update)
    ]
    may_be = _may_be_the_old_value(proposal.text, update)
    return may_be and _is_first(proposal, rivals, words=_words(update.question))


def _may_be_the_old_value(text: str, update: Update) -> bool:
    if not update.values:
        return True
    asked = quantities.kinds(update.answer, of=update.values)
    return bool(asked & quantities.kinds(text) if asked else numbers(text))


def _others(proposal: Proposal, *, turns: frozenset[str]) -> list[Proposal]:
    """List the other proposals of turns, without what was set aside."""
    return list(
        Proposal.objects.filter(
            space_id=proposal.space_id, evidence__message__external_id__in=turns
        )
        .exclude(pk=proposal.pk)
        .exclude(state=TrustState.SET_ASIDE)
        .distinct()
    )


def _is_first(proposal: Proposal, rivals: Sequence[Proposal], *, words: frozenset[str]) -> bool:
    """Tell whether no rival shares more of the words; of equals the earliest is first."""
    shared = _shared(proposal, words)
    return shared > 0 and all(
        (_shared(one, words), -one.pk) < (shared, -proposal.pk) for one in rivals
    )


def _shared(proposal: Proposal, words: frozenset[str]) -> int:
    return len(_words(proposal.text) & words)


def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text))
