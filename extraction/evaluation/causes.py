"""Why something that was needed was not served, one cause for each miss."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extraction.evaluation.datasets import Question, Sample
from extraction.evaluation.measures import DEEPEST, UPDATE_DEPTH, Held, Renewal, needed_turns
from extraction.evaluation.scratch import Asking
from extraction.evaluation.speaking import carries_new_value
from extraction.evaluation.stored import APPROVED, COVERED, SET_ASIDE
from knowledge.models import Decision, Version
from knowledge.trust import WhatHappened

FOUND = f"found among {DEEPEST}"
NOT_RETRIEVED = f"approved, not among {DEEPEST}"
FAR = 100


def fate_of_needed(
    question: Question, hits: Sequence[Held], *, fates: Mapping[str, str]
) -> Counter[str]:
    """Count what became of each turn that a question needs."""
    got = frozenset().union(*(hit.counted for hit in hits[:DEEPEST]))
    return Counter(_needed(turn, got=got, fate=fates.get(turn, "")) for turn in question.gold)


def _needed(turn: str, *, got: frozenset[str], fate: str) -> str:
    if turn in got:
        return FOUND
    return NOT_RETRIEVED if fate == APPROVED else fate


def regretted(sample: Sample, fates: Mapping[str, str]) -> int:
    """Count the needed turns whose words were only set aside or covered."""
    lost = (SET_ASIDE, COVERED)
    return sum(fates.get(turn, "").startswith(lost) for turn in needed_turns(sample))


@dataclass(frozen=True, slots=True)
class Missed:
    """An update that was not served right, with the cause on either side; "" is none."""

    sample: str
    question: str
    answer: str
    is_clean: bool
    new: str
    stale: str
    as_of: str
    served: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Give the fields by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def missed(one: Renewal, asking: Asking, *, sample: str, fates: Mapping[str, str]) -> Missed | None:
    """Say why an update was not served right, or None where it was, then as now."""
    if one.is_right and one.brings_old_back:
        return None
    update = one.update
    hits = asking.search(update.question, UPDATE_DEPTH, None)
    return Missed(
        sample=sample,
        question=update.question,
        answer=update.answer,
        is_clean=update.is_clean,
        new="" if one.has_new else _why_no_new(one, asking, fates=fates),
        stale="" if one.is_stale_out else _why_stale(one, hits, asking=asking),
        as_of="" if one.brings_old_back else _why_no_old(one, fates=fates),
        served=tuple(f"[{', '.join(hit.sources)}] {hit.text[:160]}" for hit in hits),
    )


def _why_no_new(one: Renewal, asking: Asking, *, fates: Mapping[str, str]) -> str:
    update = one.update
    best = min((fates.get(turn, "") for turn in update.new), key=lambda f: (f != APPROVED, f))
    if best != APPROVED:
        return f"new value not approved: {best}"
    versions = Version.objects.filter(
        space_id=asking.scratch.space_id, proposal__evidence__message__external_id__in=update.new
    )
    texts = [version.text for version in versions.distinct()]
    if not any(carries_new_value(text, update) for text in texts):
        return "new value not in any statement of its turn"
    far = asking.search(update.question, FAR, None)
    rank = next((i for i, hit in enumerate(far, 1) if hit.counted & update.new), None)
    if rank is None:
        return "new value approved, not held at the time asked or not found"
    return f"new value retrieved only at {rank}"


def _why_stale(one: Renewal, hits: Sequence[Held], *, asking: Asking) -> str:
    update = one.update
    stale = [hit for hit in hits if hit.counted & update.old and not hit.counted & update.new]
    changed = Decision.objects.filter(
        space_id=asking.scratch.space_id,
        proposal__evidence__message__external_id__in=update.new,
        reason_code__in=[WhatHappened.CHANGED, WhatHappened.NEVER_SO],
    )
    if not changed.exists():
        return f"{len(stale)} of the old turn served; nothing of the new turn was said to change it"
    opened = Version.objects.filter(opened_by__in=changed.values("pk"))
    renewed = set(opened.values_list("statement_id", flat=True))
    if any(hit.statement_id in renewed for hit in stale):
        return f"{len(stale)} of the old turn served; it was changed, yet holds at the time asked"
    return f"{len(stale)} of the old turn served beside the one that was changed"


def _why_no_old(one: Renewal, *, fates: Mapping[str, str]) -> str:
    best = min((fates.get(turn, "") for turn in one.update.old), key=lambda f: (f != APPROVED, f))
    if best != APPROVED:
        return f"old value not approved: {best}"
    return "old value approved, not among the first as of then"
