"""Writing down what a run found: steps of the commands that record runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import OuterRef, Subquery

from knowledge.commands import jobs, sources
from knowledge.errors import Conflict
from knowledge.models import (
    Conversation,
    Covered,
    ExtractionRun,
    Gap,
    Message,
    PredictedStatement,
    Proposal,
    RunState,
    Statement,
    Subject,
    Version,
)
from knowledge.results import Lease, RunOutcome
from knowledge.texts import keepable


def check_still_there(subject_id: int, *, read: Mapping[int, str], shown: Sequence[str]) -> None:
    """Refuse to work on with words that were erased after they were read.

    What is erased from here on marks the run, which then cannot be recorded.
    **Raises**: Conflict.
    """
    erased = Subject.objects.filter(pk=subject_id, redacted_at__isnull=False).exists()
    texts = Message.objects.filter(pk__in=read, redacted_at__isnull=False)
    erased |= any(read[pk] != text for pk, text in texts.values_list("pk", "text"))
    ids: dict[str, list[int]] = {"statement": [], "proposal": []}
    for ref in shown:
        kind, _, key = ref.partition(":")
        ids[kind].append(int(key))
    erased |= Proposal.objects.filter(pk__in=ids["proposal"], redacted_at__isnull=False).exists()
    last = Version.objects.filter(statement_id=OuterRef("pk")).order_by("-pk")
    statements = Statement.objects.filter(pk__in=ids["statement"])
    gone = statements.annotate(gone=Subquery(last.values("redacted_at")[:1]))
    if erased or gone.filter(gone__isnull=False).exists():
        raise Conflict("What was read for this run was erased meanwhile.")


def lock_run(run_id: int, *, held: Lease | None) -> ExtractionRun:
    """Lock a run after its conversation, so that nothing is erased while it is written.

    **Raises**: Conflict when its words were erased meanwhile, or another worker took over.
    """
    sources.lock_conversations(Conversation.objects.filter(episodes__runs=run_id))
    jobs.check_held(held)
    run = ExtractionRun.objects.select_for_update(no_key=True).get(pk=run_id)
    if run.redacted_at is not None and run.state != RunState.DONE:
        raise Conflict("The words of this episode were erased meanwhile.")
    return run


def write_predictions(run: ExtractionRun, *, outcome: RunOutcome) -> dict[int, PredictedStatement]:
    """Write what the run expected, by place."""
    rows = [
        PredictedStatement(
            space_id=run.space_id,
            run=run,
            ordinal=ordinal,
            text=item.text,
            rests_on=list(item.rests_on),
            outcome=item.outcome,
        )
        for ordinal, item in enumerate(outcome.predictions)
    ]
    return dict(enumerate(PredictedStatement.objects.bulk_create(rows)))


def write_gaps(
    run: ExtractionRun, *, outcome: RunOutcome, predicted: dict[int, PredictedStatement]
) -> list[Gap]:
    """Write gaps and covered words; a gap for each of the outcome's, the same one for one place."""
    gaps: list[Gap] = []
    known: dict[tuple[int, int, int], Gap] = {}
    for span in outcome.gaps:
        place = (span.message_id, span.start, span.end)
        if place not in known:
            known[place] = Gap.objects.create(
                space_id=run.space_id,
                run=run,
                message_id=span.message_id,
                start=span.start,
                end=span.end,
                kind=span.kind,
                predicted=None if span.predicted is None else predicted[span.predicted],
            )
        gaps.append(known[place])
    Covered.objects.bulk_create(
        Covered(
            space_id=run.space_id,
            run=run,
            message_id=span.message_id,
            start=span.start,
            end=span.end,
            predicted=predicted[span.predicted],
        )
        for span in outcome.covered
        if span.predicted is not None
    )
    return gaps


def finish(run: ExtractionRun, *, outcome: RunOutcome) -> None:
    """Mark a run as done, with what it took."""
    run.state = RunState.DONE
    run.usage = with_earlier(run.usage, outcome.usage)
    run.duration_ms = outcome.duration_ms
    run.embedder = outcome.embedder
    run.save(update_fields=["state", "usage", "duration_ms", "embedder"])


def fail(run: ExtractionRun, *, error: str, usage: Mapping[str, Any], duration_ms: int) -> None:
    """Mark a run as failed with a readable reason, and with what it took so far."""
    run.state = RunState.FAILED
    run.error = keepable(error)
    run.usage = with_earlier(run.usage, usage)
    run.duration_ms = duration_ms
    run.save(update_fields=["state", "error", "usage", "duration_ms"])


def with_earlier(stored: Mapping[str, Any], usage: Mapping[str, Any]) -> dict[str, Any]:
    """Keep, beside what an attempt took, what the attempts before it did: they cost as well.

    **Shape**: ``earlier`` holds their sums and their number; it is missing where nothing was
    spent before.
    """
    spent = [dict(one) for one in (stored.get("earlier"), stored) if one]
    sums: dict[str, Any] = {
        name: sum(one.get(name) or 0 for one in spent) for name in ("input_tokens", "output_tokens")
    }
    if not any(sums.values()):
        return dict(usage)
    costs = [one.get("cost_micro") for one in spent]
    sums["cost_micro"] = None if None in costs else sum(filter(None, costs))
    sums["attempts"] = 1 + int((stored.get("earlier") or {}).get("attempts", 0))
    return {**usage, "earlier": sums}
