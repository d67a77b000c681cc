"""What became of what people kept from an engine: stood, edited, undone."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, F, OuterRef, Q
from django.db.models.fields.json import KeyTextTransform

from knowledge.models import Decision, DecisionKind, EndReason, Proposal, Version
from knowledge.trust import TrustState

WINDOW = timedelta(days=90)
LOOKED_AT = 500
"""The latest decisions of a space that are looked at: a card waits for this, so it is bounded."""

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

    **Units**: among the last ``LOOKED_AT`` decisions of the space, in the 90 days before ``now``.
    **Cost**: two queries.
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
    outcomes = _outcomes({"like": alike, "from": same_source}, space_id=space_id, now=now)
    return Record(
        engine=run.engine,
        prompt=run.prompt_version,
        kind=proposal.kind_suggested,
        source=source,
        like_this=outcomes["like"],
        from_source=outcomes["from"] if source else None,
    )


def _outcomes(sorts: Mapping[str, Q], *, space_id: int, now: datetime) -> dict[str, Outcomes]:
    """Count by the last approval or rejection of each: one that was undone is not decided now."""
    decided = Decision.objects.filter(
        space_id=space_id,
        kind__in=[DecisionKind.APPROVE, DecisionKind.CONFIRM, DecisionKind.REJECT],
    )
    lately = decided.filter(at__gte=now - WINDOW).order_by("-seq")[:LOOKED_AT]
    taken_back = Decision.objects.filter(
        proposal_id=OuterRef("pk"),
        kind__in=[DecisionKind.APPROVE, DecisionKind.CONFIRM],
        at__gte=now - WINDOW,
        undone_by__isnull=False,
    )
    wrong = Version.objects.filter(
        proposal_id=OuterRef("pk"), derivation__isnull=True, end_reason__in=_WRONG
    )
    rows = Proposal.objects.filter(
        pk__in=lately.values("proposal_id"), space_id=space_id, redacted_at__isnull=True
    ).annotate(
        was_undone=Exists(taken_back),
        was_wrong=Exists(wrong),
        came_as=KeyTextTransform("text", "original"),
    )
    approved = Q(state=TrustState.APPROVED)
    undone = Q(was_undone=True) | (approved & Q(was_wrong=True))
    figures = {
        "decided": approved | Q(state=TrustState.REJECTED) | undone,
        "kept": approved | undone,
        "undone": undone,
        "unchanged": approved & ~undone & Q(came_as=F("text")),
    }
    counted = rows.aggregate(
        **{
            f"{sort}_{name}": Count("pk", filter=which & figure)
            for sort, which in sorts.items()
            for name, figure in figures.items()
        }
    )
    return {sort: _outcome({name: counted[f"{sort}_{name}"] for name in figures}) for sort in sorts}


def _outcome(counted: Mapping[str, int]) -> Outcomes:
    kept, gone, same = counted["kept"], counted["undone"], counted["unchanged"]
    return Outcomes(
        decided=counted["decided"],
        kept=kept,
        unchanged=same,
        edited=kept - gone - same,
        undone=gone,
    )
