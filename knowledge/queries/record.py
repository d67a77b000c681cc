"""What became of what people kept from an engine: stood, edited, undone."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, F, OuterRef, Q
from django.db.models.fields.json import KeyTextTransform

from knowledge.models import Decision, DecisionKind, EndReason, Proposal, Version
from knowledge.trust import TrustState

WINDOW = timedelta(days=90)
_WRONG = (EndReason.RETRACTED, EndReason.REFUTED, EndReason.CORRECTED)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of decided proposals of one sort.

    **Shape**: ``kept`` were approved and are made up of ``unchanged``, ``edited`` (approved in
    other words), ``undone`` (taken back since, or found wrong); the rest was rejected.
    """

    decided: int
    kept: int
    unchanged: int
    edited: int
    undone: int

    @property
    def rejected(self) -> int:
        """Return how many were rejected."""
        return self.decided - self.kept


@dataclass(frozen=True, slots=True)
class Record:
    """The track record behind a card.

    **Shape**: ``like_this`` are proposals of the same engine, prompt and kind; ``from_source``
    those that came from the same kind of source, None where there is none.
    """

    engine: str
    prompt: str
    kind: str
    source: str
    like_this: Outcomes
    from_source: Outcomes | None


def track_record(proposal_id: int, *, space_id: int, now: datetime) -> Record | None:
    """Tell how proposals like this one fared of late; None for what came from no engine.

    **Units**: decided in the 90 days before ``now``. **Cost**: three queries.
    """
    proposal = (
        Proposal.objects.filter(pk=proposal_id, space_id=space_id, run__isnull=False)
        .select_related("run__episode__conversation")
        .first()
    )
    if proposal is None or proposal.run is None:
        return None
    run = proposal.run
    source = run.episode.conversation.source
    alike = Q(
        run__engine=run.engine,
        run__prompt_version=run.prompt_version,
        kind_suggested=proposal.kind_suggested,
    )
    same_source = Q(run__episode__conversation__source=source)
    return Record(
        engine=run.engine,
        prompt=run.prompt_version,
        kind=proposal.kind_suggested,
        source=source,
        like_this=_outcomes(alike, space_id=space_id, now=now),
        from_source=_outcomes(same_source, space_id=space_id, now=now) if source else None,
    )


def _outcomes(which: Q, *, space_id: int, now: datetime) -> Outcomes:
    """Count by the last approval or rejection of each: one that was undone is not decided now."""
    lately = Decision.objects.filter(
        space_id=space_id,
        kind__in=[DecisionKind.APPROVE, DecisionKind.CONFIRM, DecisionKind.REJECT],
        at__gte=now - WINDOW,
    )
    taken_back = lately.filter(
        proposal_id=OuterRef("pk"),
        kind__in=[DecisionKind.APPROVE, DecisionKind.CONFIRM],
        undone_by__isnull=False,
    )
    wrong = Version.objects.filter(
        proposal_id=OuterRef("pk"), derivation__isnull=True, end_reason__in=_WRONG
    )
    rows = Proposal.objects.filter(
        which,
        pk__in=lately.values("proposal_id"),
        space_id=space_id,
        redacted_at__isnull=True,
    ).annotate(
        was_undone=Exists(taken_back),
        was_wrong=Exists(wrong),
        came_as=KeyTextTransform("text", "original"),
    )
    approved = Q(state=TrustState.APPROVED)
    undone = Q(was_undone=True) | (approved & Q(was_wrong=True))
    counted = rows.aggregate(
        decided=Count("pk", filter=approved | Q(state=TrustState.REJECTED) | undone),
        kept=Count("pk", filter=approved | undone),
        undone=Count("pk", filter=undone),
        unchanged=Count("pk", filter=approved & ~undone & Q(came_as=F("text"))),
    )
    kept, gone, same = counted["kept"], counted["undone"], counted["unchanged"]
    return Outcomes(
        decided=counted["decided"],
        kept=kept,
        unchanged=same,
        edited=kept - gone - same,
        undone=gone,
    )
