"""Blind second reviews: what chance laid before a person, the card as it was, and agreement."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.dateparse import parse_datetime

from knowledge.models import BlindAnswer, BlindDraw, Proposal, Version
from knowledge.models.statement import VersionQuerySet
from knowledge.queries.near import nearest_then
from knowledge.queries.review import Expected, Rest, ReviewCard, card
from knowledge.queries.targets import target_of
from knowledge.trust import TrustState

SHOWN = 50
_WORDS = "text about memory_type criticality attribute value start_basis date_phrase".split()


@dataclass(frozen=True, slots=True)
class BlindRow:
    """A second review that waits for somebody, as the list shows it."""

    id: int
    kind: str
    text: str
    subject: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A first decision and the second reader's answer to the same card.

    **Shape**: verdicts are ``approve`` and ``reject``; reasons are words of ``WhatHappened`` or of
    a rejection. ``undone`` says that the first was taken back since.
    """

    draw_id: int
    proposal_id: int
    text: str
    flags: tuple[str, ...]
    first_by: str
    first_by_id: int | None
    first_verdict: str
    first_reason: str
    first_at: datetime | None
    second_by: str
    second_by_id: int
    second_verdict: str
    second_reason: str
    answered_at: datetime
    undone: bool

    @property
    def agrees(self) -> bool:
        """Tell whether both kept it, or both did not."""
        return self.first_verdict == self.second_verdict


@dataclass(frozen=True, slots=True)
class Tally:
    """How often two readers came to the same.

    **Shape**: ``both_kept`` and ``both_rejected`` agree; ``first_kept`` was rejected by the second,
    ``second_kept`` by the first. ``same_reason`` counts those of the same verdict that gave the
    same reason as well.
    """

    both_kept: int = 0
    both_rejected: int = 0
    first_kept: int = 0
    second_kept: int = 0
    same_reason: int = 0

    @property
    def answered(self) -> int:
        """Return how many cards two people read."""
        return self.both_kept + self.both_rejected + self.first_kept + self.second_kept

    @property
    def agreed(self) -> int:
        """Return how many of them ended the same way."""
        return self.both_kept + self.both_rejected


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement in a space over a time, in all, by kind of proposal and by first reason."""

    total: Tally
    by_kind: dict[str, Tally]
    by_reason: dict[str, Tally]
    waiting: int


def space_of_draw(draw_id: int) -> int | None:
    """Return which space a second review belongs to. One query."""
    return BlindDraw.objects.filter(pk=draw_id).values_list("space_id", flat=True).first()


def blind_count(*, space_id: int, user_id: int) -> int:
    """Count the second reviews that wait for this person among others. One query."""
    return _open_to(space_id=space_id, user_id=user_id).count()


def blind_rows(*, space_id: int, user_id: int) -> tuple[BlindRow, ...]:
    """List the second reviews that wait for this person, oldest first. One query.

    Never one of their own decisions, nor what they had a hand in.
    """
    rows = _open_to(space_id=space_id, user_id=user_id).select_related("proposal__subject")
    return tuple(
        BlindRow(
            id=row.pk,
            kind=row.proposal.kind_suggested,
            text=str(row.proposal.original["text"]),
            subject=row.proposal.subject.name,
            flags=tuple(row.proposal.flags),
        )
        for row in rows.order_by("pk")[:SHOWN]
    )


def blind_card(
    draw_id: int, *, space_id: int, user_id: int, before: int = 0, after: int = 0
) -> ReviewCard | None:
    """Read a card as the first reader met it: without what they decided, or anything after it.

    **Shape**: None where it does not wait for this person. **Cost**: at most 28 queries.
    """
    draw = (
        _open_to(space_id=space_id, user_id=user_id)
        .filter(pk=draw_id)
        .select_related("decision", "proposal__target_seen")
        .first()
    )
    if draw is None or draw.decision.at is None:
        return None
    found = card(draw.proposal_id, space_id=space_id, before=before, after=after)
    if found is None:
        return None
    as_it_came = _as_it_came(draw.proposal)
    believed = _believed_before(draw.decision.at, space_id=space_id)
    target = target_of(_unsaved(draw.proposal, as_it_came), believed=believed)
    return replace(
        found,
        **as_it_came,
        state=TrustState.PENDING.value,
        version=0,
        kind_decided="",
        aside_reason="",
        stale_reason="",
        deferred_until=None,
        target=target and replace(target, believed=True, moved=False),
        waits_on=None,
        expected=_expected_then(found.expected, believed=believed),
        nearest=nearest_then(
            as_it_came["text"], subject_id=draw.proposal.subject_id, believed=believed
        ),
        siblings=0,
        episode_id=None,
        conversation_id=None,
        decisions=(),
        first=None,
    )


def compared_on(*proposal_ids: int) -> tuple[Compared, ...]:
    """List what two readers said of proposals, newest first. One query."""
    return _compared(BlindAnswer.objects.filter(draw__proposal_id__in=proposal_ids))


def compared_of(*, user_id: int, space_id: int) -> tuple[Compared, ...]:
    """List the last comparisons a person took part in, as first or as second. One query."""
    either = Q(by_id=user_id) | Q(draw__decision__by_id=user_id)
    return _compared(BlindAnswer.objects.filter(either, space_id=space_id))


def agreement(*, space_id: int, since: datetime, until: datetime) -> Agreement:
    """Count how often two readers came to the same, of what was answered in a time.

    **Units**: ``since`` inclusive, ``until`` exclusive. **Cost**: two queries.
    """
    total, by_kind, by_reason = Tally(), dict[str, Tally](), dict[str, Tally]()
    rows = BlindAnswer.objects.filter(
        space_id=space_id, created_at__gte=since, created_at__lt=until
    )
    columns = (
        "draw__decision__kind",
        "draw__decision__reason_code",
        "verdict",
        "reason_code",
        "draw__proposal__kind_suggested",
    )
    for first, why, second, why_second, kind in rows.values_list(*columns):
        same = why == why_second
        total = _counted(total, first=first, second=second, same=same)
        by_kind[kind] = _counted(by_kind.get(kind, Tally()), first=first, second=second, same=same)
        by_reason[why] = _counted(
            by_reason.get(why, Tally()), first=first, second=second, same=same
        )
    waiting = BlindDraw.objects.filter(
        space_id=space_id, answer__isnull=True, decision__undone_by__isnull=True
    ).count()
    return Agreement(total=total, by_kind=by_kind, by_reason=by_reason, waiting=waiting)


def _counted(tally: Tally, *, first: str, second: str, same: bool) -> Tally:
    name = {
        ("approve", "approve"): "both_kept",
        ("reject", "reject"): "both_rejected",
        ("approve", "reject"): "first_kept",
        ("reject", "approve"): "second_kept",
    }[first, second]
    more = {name: getattr(tally, name) + 1}
    return replace(tally, **more, same_reason=tally.same_reason + (first == second and same))


def _open_to(*, space_id: int, user_id: int) -> QuerySet[BlindDraw]:
    return (
        BlindDraw.objects.filter(
            space_id=space_id,
            answer__isnull=True,
            decision__undone_by__isnull=True,
            proposal__redacted_at__isnull=True,
        )
        .exclude(decision__by_id=user_id)
        .exclude(proposal__contributors=user_id)
    )


def _believed_before(at: datetime, *, space_id: int) -> VersionQuerySet:
    """Keep what was believed just before a decision, which itself is stamped to the microsecond."""
    return Version.objects.filter(space_id=space_id).known_at(at - timedelta(microseconds=1))


def _as_it_came(proposal: Proposal) -> dict[str, Any]:
    """Return the extraction as it came, whatever anybody made of it since."""
    original = proposal.original
    end = original.get("valid_to")
    return {
        **{name: original.get(name, getattr(proposal, name)) for name in _WORDS},
        "original": original,
        "valid_from": parse_datetime(str(original["valid_from"])) or proposal.valid_from,
        "valid_to": parse_datetime(str(end)) if end else None,
    }


def _unsaved(proposal: Proposal, words: dict[str, Any]) -> Proposal:
    """Make a proposal to look things up by, which is never saved."""
    return Proposal(
        space_id=proposal.space_id,
        subject_id=proposal.subject_id,
        target_id=proposal.original.get("target"),
        target_seen=proposal.target_seen,
        waits_on_id=proposal.waits_on_id,
        **{name: words[name] for name in ("about", "attribute", "valid_from", "valid_to")},
    )


def _expected_then(
    expected: tuple[Expected, ...], *, believed: VersionQuerySet
) -> tuple[Expected, ...]:
    """Say what predictions rest on in the words believed then."""
    ids = {rest.id for one in expected for rest in one.rests_on if rest.what == "statement"}
    rows = believed.filter(statement_id__in=ids).order_by("pk")
    texts = dict(rows.values_list("statement_id", "text"))

    def then(rest: Rest) -> Rest:
        text = texts.get(rest.id, "") if rest.what == "statement" else rest.text
        return replace(rest, text=text, state="")

    return tuple(
        replace(one, rests_on=tuple(rest for rest in map(then, one.rests_on) if rest.text))
        for one in expected
    )


def _compared(rows: QuerySet[BlindAnswer]) -> tuple[Compared, ...]:
    beside = ("by", "draw__decision__by", "draw__decision__undone_by", "draw__proposal")
    return tuple(_pair(row) for row in rows.select_related(*beside).order_by("-pk")[:SHOWN])


def _pair(row: BlindAnswer) -> Compared:
    first, proposal = row.draw.decision, row.draw.proposal
    return Compared(
        draw_id=row.draw_id,
        proposal_id=proposal.pk,
        text=proposal.text,
        flags=tuple(proposal.flags),
        first_by=first.by.get_username() if first.by else first.policy,
        first_by_id=first.by_id,
        first_verdict=first.kind,
        first_reason=first.reason_code,
        first_at=first.at,
        second_by=row.by.get_username(),
        second_by_id=row.by_id,
        second_verdict=row.verdict,
        second_reason=row.reason_code,
        answered_at=row.created_at,
        undone=hasattr(first, "undone_by"),
    )
