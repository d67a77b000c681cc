"""What waits for a person: one page of it, its counts and its filters."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q, QuerySet

from knowledge.models import (
    Decision,
    DecisionKind,
    Evidence,
    Proposal,
    ProposalGap,
)
from knowledge.queries.kept import Confidence, Kept, kept_of
from knowledge.queries.queue_order import EVERY_NTH_IS_OLDEST, Cursor, page_of
from knowledge.trust import WAITING_STATES, TrustState

PAGE_ROWS = 50
TABS: dict[str, tuple[TrustState, ...]] = {
    "pending": (TrustState.PENDING,),
    "deferred": (TrustState.DEFERRED,),
    "second": (TrustState.AWAITING_SECOND,),
    "aside": (TrustState.SET_ASIDE,),
}
AGES = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}
DECIDING = (
    DecisionKind.APPROVE,
    DecisionKind.CONFIRM,
    DecisionKind.SEND_BACK,
    DecisionKind.EDIT,
    DecisionKind.SPLIT,
    DecisionKind.REJECT,
    DecisionKind.DEFER,
    DecisionKind.WITHDRAW,
)


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """What the list shows. **Shape**: words from the address; empty means all."""

    tab: str = "pending"
    kind: str = ""
    band: str = ""
    flag: str = ""
    subject: int | None = None
    attribute: str = ""
    age: str = ""
    file: int | None = None
    sort: str = "risk"

    @property
    def narrows(self) -> bool:
        """Tell whether anything but tab and order was chosen."""
        words = (self.kind, self.band, self.flag, self.attribute, self.age)
        return any(words) or bool(self.subject or self.file)


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One waiting proposal as the list shows it.

    **Shape**: ``evidences`` counts messages; ``waits`` says that what it ``replaces`` is itself
    not approved yet; ``first_by`` approved what awaits a second person; ``episode_id`` is where
    its words were read, None for what a person or an agent proposed.
    """

    id: int
    kind: str
    text: str
    subject: str
    about: str
    replaces: str
    waits: bool
    gaps: int
    evidences: int
    confidence: Confidence
    flags: tuple[str, ...]
    aside_reason: str
    created_at: datetime
    deferred_until: datetime | None
    first_by: str = ""
    episode_id: int | None = None


@dataclass(frozen=True, slots=True)
class Facets:
    """How many of the tab's proposals each choice would keep."""

    kinds: Mapping[str, int] = field(default_factory=dict)
    flags: Mapping[str, int] = field(default_factory=dict)
    flagged: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the queue.

    **Shape**: ``following`` is the first proposal of the next page; ``kept`` what the words of
    confidence were told by.
    """

    rows: tuple[QueueRow, ...]
    following: int | None
    next: Cursor | None
    matching: int
    facets: Facets
    tabs: Mapping[str, int]
    decided_today: int
    kept: Kept

    def neighbours(
        self, proposal_id: int, *, passing: Container[int] = ()
    ) -> tuple[int | None, int | None]:
        """Return what stands before and after a proposal on this page.

        One that is not on the page is followed by its first. What comes after passes over the ids
        ``passing``, unless nothing else follows on this page.
        """
        ids = [row.id for row in self.rows]
        if proposal_id not in ids:
            return None, _first_besides([pk for pk in ids if pk != proposal_id], passing)
        place = ids.index(proposal_id)
        further = [pk for pk in (*ids, self.following)[place + 1 :] if pk is not None]
        return (ids[place - 1] if place else None), _first_besides(further, passing)


def _first_besides(ids: list[int], passing: Container[int]) -> int | None:
    free = next((pk for pk in ids if pk not in passing), None)
    return free if free is not None else next(iter(ids), None)


def queue_page(
    *,
    space_id: int,
    user_id: int,
    chosen: QueueFilter,
    cursor: Cursor | None,
    now: datetime,
    today: datetime,
    within: "QuerySet[Any, int] | None" = None,
) -> QueuePage:
    """Return one page of waiting proposals, in order, with every count.

    ``within`` selects the ids of conversations; what was made of others is left out.

    **Units**: ``today`` is when the person's day began. **Cost**: nine queries, however many rows.
    """
    kept = kept_of(space_id)
    decided = decided_since(user_id=user_id, space_id=space_id, since=today)
    rows = _matching(space_id=space_id, chosen=chosen, kept=kept, now=now)
    if within is not None:
        rows = rows.filter(run__episode__conversation_id__in=within)
    cursor = cursor or Cursor(key=None, phase=decided % EVERY_NTH_IS_OLDEST)
    ids, end = page_of(rows, sort=chosen.sort, cursor=cursor, limit=PAGE_ROWS)
    shown = ids[:PAGE_ROWS]
    facets, tabs = _counts(space_id, chosen)
    return QueuePage(
        rows=_rows(shown, kept),
        following=ids[PAGE_ROWS] if len(ids) > PAGE_ROWS else None,
        next=end,
        matching=rows.count() if chosen.narrows else facets.total,
        facets=facets,
        tabs=tabs,
        decided_today=decided,
        kept=kept,
    )


def pending_count(space_id: int) -> int:
    """Count what waits in a space."""
    return Proposal.objects.filter(space_id=space_id, state=TrustState.PENDING).count()


def still_waits(proposal_id: int, *, space_id: int, tab: str) -> bool:
    """Tell whether a proposal is still in a tab. One query."""
    return Proposal.objects.filter(
        pk=proposal_id, space_id=space_id, state__in=TABS[tab], redacted_at__isnull=True
    ).exists()


def has_any_proposal(space_id: int) -> bool:
    """Tell whether anything was ever proposed in a space."""
    return Proposal.objects.filter(space_id=space_id).exists()


def decided_since(*, user_id: int, space_id: int, since: datetime) -> int:
    """Count a person's decisions that stand, since an instant."""
    return Decision.objects.filter(
        space_id=space_id,
        by_id=user_id,
        at__gte=since,
        kind__in=DECIDING,
        undone_by__isnull=True,
    ).count()


def _matching(
    *, space_id: int, chosen: QueueFilter, kept: Kept, now: datetime
) -> QuerySet[Proposal]:
    rows = Proposal.objects.filter(
        space_id=space_id, state__in=TABS[chosen.tab], redacted_at__isnull=True
    )
    wanted = Q()
    if chosen.kind:
        wanted &= Q(kind_suggested=chosen.kind)
    if chosen.flag:
        wanted &= ~Q(flags=[]) if chosen.flag == "any" else Q(flags__contains=[chosen.flag])
    if chosen.subject:
        wanted &= Q(subject_id=chosen.subject)
    if chosen.attribute:
        wanted &= Q(attribute=chosen.attribute)
    if chosen.age in AGES:
        wanted &= Q(created_at__lte=now - AGES[chosen.age])
    if chosen.band:
        wanted &= kept.matching(chosen.band)
    return rows.filter(wanted)


def _rows(ids: list[int], kept: Kept) -> tuple[QueueRow, ...]:
    beside = ("subject", "run", "target_seen", "waits_on", "first_approver")
    found = Proposal.objects.select_related(*beside).in_bulk(ids)
    gaps = _per_proposal(
        ProposalGap.objects.filter(proposal__in=ids).values_list("proposal").annotate(Count("pk"))
    )
    messages = _per_proposal(
        Evidence.objects.filter(proposal__in=ids)
        .order_by()
        .values_list("proposal")
        .annotate(Count("message", distinct=True))
    )
    return tuple(
        _row(found[pk], gaps=gaps.get(pk, 0), evidences=messages.get(pk, 0), kept=kept)
        for pk in ids
    )


def _per_proposal(rows: "QuerySet[Any, tuple[int, int]]") -> dict[int, int]:
    return dict(rows)


def _row(proposal: Proposal, *, gaps: int, evidences: int, kept: Kept) -> QueueRow:
    old = proposal.target_seen or proposal.waits_on
    first = proposal.first_approver
    return QueueRow(
        id=proposal.pk,
        kind=proposal.kind_suggested,
        text=proposal.text,
        subject=proposal.subject.name,
        about="" if proposal.about == proposal.subject.name else proposal.about,
        replaces=old.text if old else "",
        waits=isinstance(old, Proposal) and old.state in WAITING_STATES,
        gaps=gaps,
        evidences=evidences,
        confidence=confidence_of(proposal, kept),
        flags=tuple(proposal.flags),
        aside_reason=proposal.aside_reason,
        created_at=proposal.created_at,
        deferred_until=proposal.deferred_until,
        first_by=first.get_username() if first else "",
        episode_id=proposal.run.episode_id if proposal.run else None,
    )


def confidence_of(proposal: Proposal, kept: Kept) -> Confidence:
    """Return the word for a proposal's confidence."""
    run = proposal.run
    return kept.confidence(
        engine=run.engine if run else "",
        prompt=run.prompt_version if run else "",
        score=proposal.confidence,
    )


def _counts(space_id: int, chosen: QueueFilter) -> tuple[Facets, dict[str, int]]:
    """Count the tab's choices, and every tab, in one reading."""
    kinds: dict[str, int] = {}
    flags: dict[str, int] = {}
    states: dict[str, int] = {}
    flagged = 0
    waiting = [state for tab in TABS.values() for state in tab]
    rows = Proposal.objects.filter(space_id=space_id, state__in=waiting, redacted_at__isnull=True)
    counted = rows.values_list("state", "kind_suggested", "flags").annotate(Count("pk")).order_by()
    for state, kind, names, number in counted:
        states[state] = states.get(state, 0) + number
        if state not in TABS[chosen.tab]:
            continue
        kinds[kind] = kinds.get(kind, 0) + number
        flagged += number if names else 0
        for name in names:
            flags[name] = flags.get(name, 0) + number
    facets = Facets(kinds=kinds, flags=flags, flagged=flagged, total=sum(kinds.values()))
    return facets, {tab: sum(states.get(s, 0) for s in held) for tab, held in TABS.items()}
