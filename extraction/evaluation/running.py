"""One evaluation from end to end: every sample in a scratch space of its own, then the figures."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from extraction.engines.metering import MICRO
from extraction.evaluation import causes, measures, stored
from extraction.evaluation.arms import ARMS
from extraction.evaluation.datasets import Dataset, Sample, Turn
from extraction.evaluation.measures import DEEPEST, POOL_DEPTH, UPDATE_DEPTH, share
from extraction.evaluation.oracle import CURATORS
from extraction.evaluation.scratch import Asking, Scratch, asking, open_scratch
from extraction.pipeline import Tools

SESSION_POOL = 50  # hits whose sessions are ranked

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: the tools as they are set up, the arm that changes them, the curator.

    **Shape**: ``predict_model`` is named where one was chosen for the run.
    """

    tools: Tools
    arm: str = "predict"
    curator: str = "approve-all"
    predict_model: str = ""


@dataclass
class Seconds:
    """Time by what it went into, from a monotonic clock."""

    extracting: float = 0.0
    embedding: float = 0.0
    asking: float = 0.0


@dataclass(frozen=True, slots=True)
class Taken:
    """A sample that was taken in and can be asked; ``left`` counts undecided ones by reason."""

    sample: Sample
    asking: Asking
    left: Counter[str]


@dataclass
class Outcome:
    """Everything that was measured, sample by sample."""

    kept: Counter[str] = field(default_factory=Counter)
    extracted: Counter[str] = field(default_factory=Counter)
    aside: Counter[str] = field(default_factory=Counter)
    needed: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    regretted: int = 0
    skipped: int = 0
    findings: list[measures.Finding] = field(default_factory=list)
    renewals: list[measures.Renewal] = field(default_factory=list)
    averaged: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    missed: list[causes.Missed] = field(default_factory=list)
    seconds: Seconds = field(default_factory=Seconds)


def run(dataset: Dataset, *, plan: Plan, say: Say) -> dict[str, Any]:
    """Take in every sample, ask what is asked of it, and give all figures by name.

    **Cost**: minutes for each conversation. **Raises**: EngineError, KnowledgeError.
    """
    outcome = Outcome()
    for place, sample in enumerate(dataset.samples, 1):
        where = f"{sample.id} · {place} of {len(dataset.samples)} · "
        taken = take_in(sample, plan=plan, seconds=outcome.seconds, say=say, where=where)
        say(f"{where}asking")
        measure(taken, outcome=outcome)
    return figures(outcome)


def take_in(sample: Sample, *, plan: Plan, seconds: Seconds, say: Say, where: str = "") -> Taken:
    """Run a sample through capture, pipeline, decisions and embedding in a space of its own."""
    scratch = open_scratch(tools=ARMS[plan.arm](plan.tools), rule=CURATORS[plan.curator](sample))
    began = time.monotonic()
    left: Counter[str] = Counter()
    sessions = sessions_of(sample.turns)
    for number, session in enumerate(sessions, 1):
        say(f"{where}session {number} of {len(sessions)}")
        left.update(scratch.take_in(session).left)
    extracted_at = time.monotonic()
    say(f"{where}embedding")
    scratch.embed()
    seconds.extracting += extracted_at - began
    seconds.embedding += time.monotonic() - extracted_at
    return Taken(sample, asking_of(sample, scratch=scratch), left)


def sessions_of(turns: Sequence[Turn]) -> list[list[Turn]]:
    """Cut turns into their sessions, in order."""
    return [list(said) for _, said in groupby(turns, key=lambda turn: turn.session)]


def asking_of(sample: Sample, *, scratch: Scratch) -> Asking:
    """Make a sample ready to be asked, at the end of what was said."""
    ends_at = max(turn.said_at for turn in sample.turns)
    return asking(scratch, looks_back=sample.asked_back, ends_at=ends_at)


def measure(taken: Taken, *, outcome: Outcome) -> None:
    """Add one sample's figures to the outcome."""
    began = time.monotonic()
    sample, space_id = taken.sample, taken.asking.scratch.space_id
    what = stored.extracted(space_id)
    outcome.extracted += what.counts
    outcome.aside += what.aside
    outcome.left += taken.left
    outcome.skipped += sample.skipped
    outcome.kept += measures.kept(sample, stored.statements_of(space_id)).counts
    outcome.regretted += causes.regretted(sample, what.fates)
    _ask_questions(taken, fates=what.fates, outcome=outcome)
    _ask_changes(taken, fates=what.fates, outcome=outcome)
    outcome.seconds.asking += time.monotonic() - began


def _ask_questions(taken: Taken, *, fates: Mapping[str, str], outcome: Outcome) -> None:
    sample = taken.sample
    session_of = {turn.id: turn.session for turn in sample.turns}
    for asked in sample.questions:
        if sample.by_session:
            far = taken.asking.search(asked.text, SESSION_POOL, None)
            question, hits = measures.in_sessions(asked, far, session_of=session_of)
            for name, value in measures.first_sessions(question, hits).items():
                outcome.averaged[name].append(value)
        else:
            question, hits = asked, list(taken.asking.search(asked.text, DEEPEST, None))
            if question.counts:
                outcome.needed += causes.fate_of_needed(question, hits, fates=fates)
        outcome.findings.append(measures.finding(question, hits[:DEEPEST]))


def _ask_changes(taken: Taken, *, fates: Mapping[str, str], outcome: Outcome) -> None:
    search = taken.asking.search
    said_at = {turn.id: turn.said_at for turn in taken.sample.turns}
    for update in taken.sample.updates:
        one = measures.renewal(update, search, said_at=said_at)
        outcome.renewals.append(one)
        why = causes.missed(one, taken.asking, sample=taken.sample.id, fates=fates)
        if why is not None:
            outcome.missed.append(why)
    for contradiction in taken.sample.contradictions:
        for depth in (UPDATE_DEPTH, POOL_DEPTH):
            both = measures.sides_found(contradiction, search, depth=depth)
            outcome.averaged[f"pair@{depth}"].append(float(both))


def figures(outcome: Outcome) -> dict[str, Any]:
    """Give every figure by its name; what the data cannot tell is None."""
    n, seconds = outcome.extracted, outcome.seconds
    total_s = seconds.extracting + seconds.embedding + seconds.asking
    rates = [share(n[f"yielded {part}"], n[f"own {part}"]) for part in range(stored.PARTS)]
    return {
        **measures.Kept(outcome.kept).figures(),
        "extraction_rate": share(n["yielded"], n["own"]),
        "extraction_rate_by_tenth": rates,
        "proposals": n["proposals"],
        "approved": n["state approved"],
        "rejected": n["state rejected"],
        "left_pending": dict(outcome.left),
        "covered": n["covered"],
        "set_aside": n["set_aside"],
        "set_aside_by_reason": dict(outcome.aside.most_common()),
        "joined": n["joined"],
        "regret": share(outcome.regretted, outcome.kept["needed"]),
        **measures.found(outcome.findings),
        "questions_skipped": outcome.skipped,
        "needed_turns": dict(outcome.needed.most_common()),
        **measures.renewed(outcome.renewals),
        **{name: measures.mean(values) for name, values in outcome.averaged.items()},
        "misses": [one.as_json() for one in outcome.missed],
        "calls": n["calls"],
        "input_tokens": n["input_tokens"],
        "output_tokens": n["output_tokens"],
        "cost": n["cost_micro"] / MICRO if n["calls"] and not n["uncosted"] else None,
        "messages": n["messages"],
        "runs": n["runs"],
        "seconds": round(total_s, 1),
        "seconds_extracting": round(seconds.extracting, 1),
        "seconds_embedding": round(seconds.embedding, 1),
        "seconds_asking": round(seconds.asking, 1),
        "messages_per_s": share(n["messages"], seconds.extracting),
    }
