"""From what falls to every row that holds its words: by reference, then by what it says."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet

from knowledge.erasing.repeats import with_repeats
from knowledge.erasing.scope import Reach
from knowledge.models import (
    AuditEvent,
    Decision,
    Evidence,
    ExtractionRun,
    Message,
    PredictedStatement,
    Proposal,
    RunState,
    SearchEntry,
    ShadowCandidate,
    ShadowQuote,
    Version,
)


def spread(reach: Reach) -> Reach:
    """Complete a reach by everything that refers to, or repeats, what falls."""
    versions = dict(
        Version.objects.filter(proposal_id__in=reach.proposals, redacted_at=None).values_list(
            "pk", "statement_id"
        )
    )
    reach = replace(reach, versions=frozenset(versions), statements=frozenset(versions.values()))
    episodes = _ids(Message.objects.filter(pk__in=reach.touched, episode__isnull=False), "episode")
    runs = ExtractionRun.objects.filter(
        Q(episode_id__in=episodes)
        | Q(subject_id__in=reach.subjects)
        # What is under way with something of it in hand may not be written down any more.
        | Q(state=RunState.RUNNING, shown__has_any_keys=_refs(reach))
    )
    reach = replace(
        reach,
        episodes=episodes,
        runs=_ids(runs.filter(space_id=reach.scope.space_id), "pk"),
        quotes=_quotes(reach),
        neighbours=_neighbours(reach),
        predicted=_predicted(reach),
        shadows=_shadows(reach),
        reasons=_told(reach),
        decisions=_decisions(reach),
    )
    return with_repeats(replace(reach, payloads=_payloads(reach)))


def _ids(rows: QuerySet[Any], column: str) -> frozenset[int]:
    return frozenset(rows.values_list(column, flat=True))


def _refs(reach: Reach) -> list[str]:
    """Name what falls as predictions and runs name what they rest on."""
    statements = [f"statement:{key}" for key in sorted(reach.statements)]
    return statements + [f"proposal:{key}" for key in sorted(reach.proposals)]


def _quotes(reach: Reach) -> frozenset[int]:
    """Evidence of others whose words go, in whole or in part."""
    rows = Evidence.objects.filter(message_id__in=reach.touched).exclude(
        proposal_id__in=reach.proposals
    )
    return frozenset(
        pk
        for pk, *span in rows.values_list("pk", "message_id", "start", "end")
        if _loses_words(reach, span)
    )


def _loses_words(reach: Reach, span: Sequence[int]) -> bool:
    """Say whether a span of a touched message (its id, start, end) loses any of its words."""
    message_id, start, end = span
    return message_id in reach.messages or any(
        first < end and start < last for first, last in reach.masks[message_id]
    )


def _neighbours(reach: Reach) -> frozenset[int]:
    rows = SearchEntry.objects.filter(
        space_id=reach.scope.space_id, message_ids__overlap=sorted(reach.touched)
    )
    return _ids(rows.exclude(version_id__in=reach.versions), "version_id")


def _predicted(reach: Reach) -> frozenset[int]:
    rows = PredictedStatement.objects.filter(space_id=reach.scope.space_id).filter(
        Q(run__subject_id__in=reach.subjects)
        | Q(run__episode__conversation_id__in=reach.conversations)
        | Q(rests_on__has_any_keys=_refs(reach))
    )
    return _ids(rows.exclude(text=""), "pk")


def _shadows(reach: Reach) -> frozenset[int]:
    """Candidates of shadow runs that were made from, or point at, what falls."""
    quotes = ShadowQuote.objects.filter(message_id__in=reach.touched)
    spans = quotes.values_list("candidate_id", "message_id", "start", "end")
    quoting = {pk for pk, *span in spans if _loses_words(reach, span)}
    rows = ShadowCandidate.objects.filter(space_id=reach.scope.space_id).filter(
        Q(pk__in=quoting)
        | Q(run__subject_id__in=reach.subjects)
        | Q(run__episode__conversation_id__in=reach.conversations)
        | Q(target_id__in=reach.statements)
        | Q(repeats_id__in=reach.proposals)
    )
    return _ids(rows.exclude(text=""), "pk")


def _told(reach: Reach) -> frozenset[int]:
    """Proposals that stay, and whose reasons may repeat what falls."""
    rows = Proposal.objects.filter(space_id=reach.scope.space_id, redacted_at=None).filter(
        Q(target_id__in=reach.statements)
        | Q(waits_on_id__in=reach.proposals)
        | Q(joined_to_id__in=reach.proposals)
        | Q(rejected_as_id__in=reach.proposals)
    )
    return _ids(rows.exclude(pk__in=reach.proposals), "pk")


def _decisions(reach: Reach) -> frozenset[str]:
    """Decisions about what falls, that lifted its tombstones, or gave several the same note."""
    rows = Decision.objects.filter(space_id=reach.scope.space_id).exclude(note="", card_digest="")
    about = rows.filter(
        Q(proposal_id__in=reach.proposals)
        | Q(statement_id__in=reach.statements)
        | Q(lifted_tombstones__subject_id__in=reach.subjects)
    ).distinct()
    found = {str(pk) for pk in about.values_list("pk", flat=True)}
    noted = about.filter(batch__isnull=False).exclude(note="")
    for batch_id, note in set(noted.values_list("batch_id", "note")):
        beside = rows.filter(batch_id=batch_id, note=note)
        found |= {str(pk) for pk in beside.values_list("pk", flat=True)}
    return frozenset(found)


def _payloads(reach: Reach) -> frozenset[str]:
    about = {
        "proposal": reach.proposals,
        "statement": reach.statements,
        "conversation": reach.conversations,
        "run": reach.runs,
    }
    objects = Q(subject_id__in=reach.subjects) | Q(decision_id__in=reach.decisions)
    for kind, ids in about.items():
        objects |= Q(object_type=kind, object_id__in=[str(key) for key in ids])
    rows = AuditEvent.objects.filter(objects, ledger__space_id=reach.scope.space_id)
    whole = rows.filter(payload__erased_at__isnull=True, payload__isnull=False)
    return frozenset(str(pk) for pk in whole.values_list("payload_id", flat=True))
