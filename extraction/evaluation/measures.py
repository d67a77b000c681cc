"""The figures, from plain data: what was kept, what is found, and whether the stale stays out.

Nothing here reads a store, a clock or a file, so each definition can be tried by hand.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from extraction.evaluation.datasets import Contradiction, Question, Sample, Update

DEPTHS = (5, 10, 20)
DEEPEST = max(DEPTHS)
# A hit that cites everything proves nothing: only its first sources count.
SOURCES_COUNTED = 4
UPDATE_DEPTH = 5
POOL_DEPTH = 20
SESSION_DEPTHS = (1, 3, 5)
TOTAL = "all but adversarial"


@dataclass(frozen=True, slots=True)
class Held:
    """A statement that is or was believed, or was served: its text and the turns it rests on."""

    text: str
    sources: tuple[str, ...]
    statement_id: int = 0

    @property
    def counted(self) -> frozenset[str]:
        """The sources that count for it."""
        return frozenset(self.sources[:SOURCES_COUNTED])


Search = Callable[[str, int, datetime | None], Sequence[Held]]


def share(part: float, whole: float) -> float | None:
    """Divide and round to four places, or None where there is nothing to divide by."""
    return round(part / whole, 4) if whole else None


def mean(values: Sequence[float]) -> float | None:
    """Average and round to four places, or None of nothing."""
    return share(sum(values), len(values))


# --- what was kept --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kept:
    """Counts over samples, from which the shares of what was kept come."""

    counts: Counter[str]

    def figures(self) -> dict[str, float | int | None]:
        """Give precision and recall of turns, of needed turns, and the words kept."""
        n = self.counts
        has_facts = n["facts"] > 0
        return {
            "turn_precision": share(n["cited_facts"], n["cited"]) if has_facts else None,
            "turn_recall": share(n["cited_facts"], n["facts"]) if has_facts else None,
            "need_recall": share(n["needed_cited"], n["needed"]),
            "words_kept": share(n["words"], n["turn_words"]),
            "statements": n["statements"],
        }


def kept(sample: Sample, statements: Sequence[Held]) -> Kept:
    """Compare what was approved with what was said, worth keeping, and later needed."""
    known = {turn.id for turn in sample.turns}
    cited = {source for one in statements for source in one.sources if source in known}
    needed = needed_turns(sample)
    counts = Counter(
        words=sum(len(one.text.split()) for one in statements),
        turn_words=sum(len(turn.text.split()) for turn in sample.turns),
        statements=len(statements),
        needed=len(needed),
        needed_cited=sum(turn in cited for turn in needed),
    )
    if sample.facts is not None:
        counts.update(
            cited=len(cited), facts=len(sample.facts), cited_facts=len(cited & sample.facts)
        )
    return Kept(counts)


def needed_turns(sample: Sample) -> list[str]:
    """List the turns that counted questions need, as often as they are needed."""
    if sample.by_session:
        return []
    return [turn for q in sample.questions if q.counts for turn in q.gold]


# --- what is found --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """How well one question's turns were found. ``recall`` and ``whole`` go by depth."""

    category: str
    counts: bool
    recall: Mapping[int, float]
    whole: Mapping[int, bool]
    reciprocal_rank: float
    words: int


def finding(question: Question, hits: Sequence[Held]) -> Finding:
    """Measure the hits of one question against its turns, or its sessions where both name
    those.
    """
    gold = frozenset(question.gold)
    reached = {depth: _sources(hits[:depth]) for depth in DEPTHS}
    rank = next((place for place, hit in enumerate(hits, 1) if hit.counted & gold), 0)
    return Finding(
        category=question.category,
        counts=question.counts,
        recall={depth: len(gold & got) / len(gold) for depth, got in reached.items()},
        whole={depth: gold <= got for depth, got in reached.items()},
        reciprocal_rank=1 / rank if rank else 0.0,
        words=sum(len(hit.text.split()) for hit in hits[:DEEPEST]),
    )


def _sources(hits: Iterable[Held]) -> frozenset[str]:
    return frozenset().union(*(hit.counted for hit in hits))


def found(findings: Sequence[Finding]) -> dict[str, object]:
    """Average the findings, over all that count and by category."""
    by_category: dict[str, list[Finding]] = defaultdict(list)
    for one in findings:
        by_category[one.category].append(one)
    counted = [one for one in findings if one.counts]
    total = _averages(counted)
    return {
        **{f"recall_at_{depth}": total.get(f"recall_at_{depth}") for depth in DEPTHS},
        "mrr": total.get("mrr"),
        f"words_at_{DEEPEST}": total.get(f"words_at_{DEEPEST}"),
        "questions": len(counted),
        "by_category": {name: _averages(by_category[name]) for name in sorted(by_category)},
    }


def _averages(findings: Sequence[Finding]) -> dict[str, float | int | None]:
    if not findings:
        return {}
    return {
        "n": len(findings),
        **{f"recall_at_{k}": mean([one.recall[k] for one in findings]) for k in DEPTHS},
        **{f"all_at_{k}": mean([one.whole[k] for one in findings]) for k in DEPTHS},
        "mrr": mean([one.reciprocal_rank for one in findings]),
        f"words_at_{DEEPEST}": mean([one.words for one in findings]),
    }


def in_sessions(
    question: Question, hits: Sequence[Held], *, session_of: Mapping[str, str]
) -> tuple[Question, list[Held]]:
    """Name sessions instead of turns, in a question and in what was found for it."""
    gold = tuple(dict.fromkeys(session_of[turn] for turn in question.gold))
    return replace(question, gold=gold), [
        replace(hit, sources=tuple(session_of[turn] for turn in hit.sources[:SOURCES_COUNTED]))
        for hit in hits
    ]


def first_sessions(question: Question, hits: Sequence[Held]) -> dict[str, float]:
    """Measure which of a question's sessions come first, each session once.

    **Shape**: question and hits name sessions.
    """
    gold = frozenset(question.gold)
    order = list(dict.fromkeys(session for hit in hits for session in hit.sources))
    figures: dict[str, float] = {}
    for depth in SESSION_DEPTHS:
        got = gold & set(order[:depth])
        figures[f"session_recall_at_{depth}"] = len(got) / len(gold)
        figures[f"session_any_at_{depth}"] = float(bool(got))
    return figures


# --- whether the new is served and the stale is not -----------------------------------------


@dataclass(frozen=True, slots=True)
class Renewal:
    """What was served about a value that changed."""

    update: Update
    has_new: bool
    is_stale_out: bool
    is_new_first: bool
    brings_old_back: bool

    @property
    def is_right(self) -> bool:
        """Whether the new is served and the stale one is not."""
        return self.has_new and self.is_stale_out


def renewal(update: Update, search: Search, *, said_at: Mapping[str, datetime]) -> Renewal:
    """Ask for a changed value, now and as of just before it changed.

    A hit is fresh if a new turn is among its sources, and stale if an old one is and no new one.
    """
    hits = [hit.counted for hit in search(update.question, UPDATE_DEPTH, None)]
    fresh = [place for place, sources in enumerate(hits) if sources & update.new]
    stale = [
        place
        for place, sources in enumerate(hits)
        if sources & update.old and not sources & update.new
    ]
    cut = before_change(update, said_at=said_at)
    then = [hit.counted for hit in search(update.question, UPDATE_DEPTH, cut)]
    return Renewal(
        update=update,
        has_new=bool(fresh),
        is_stale_out=not stale,
        is_new_first=bool(fresh) and (not stale or fresh[0] < stale[0]),
        brings_old_back=any(sources & update.old for sources in then)
        and all(said_at[key] <= cut for sources in then for key in sources),
    )


def before_change(update: Update, *, said_at: Mapping[str, datetime]) -> datetime:
    """Give the second before the new value was first said."""
    return min(said_at[turn] for turn in update.new) - timedelta(seconds=1)


def renewed(renewals: Sequence[Renewal]) -> dict[str, float | int | None]:
    """Average over all labelled updates, and over those whose label checks out."""
    clean = [one for one in renewals if one.update.is_clean]
    fresh = [one for one in renewals if one.has_new]
    return {
        "updates": len(renewals),
        "update_new": mean([one.has_new for one in renewals]),
        "update_stale_out": mean([one.is_stale_out for one in renewals]),
        "update_both": mean([one.is_right for one in renewals]),
        "update_order": mean([one.is_new_first for one in fresh]),
        "as_of": mean([one.brings_old_back for one in renewals]),
        "updates_clean": len(clean),
        "new_clean@5": mean([one.has_new for one in clean]),
        "stale_out_clean@5": mean([one.is_stale_out for one in clean]),
        "correct_clean@5": mean([one.is_right for one in clean]),
    }


def sides_found(contradiction: Contradiction, search: Search, *, depth: int) -> bool:
    """Say whether both sides of a contradiction are among the first ``depth``."""
    got = _sources(search(contradiction.question, depth, None))
    return all(side & got for side in contradiction.sides)
