"""From what falls to every row that holds its words: by reference, then word for word."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

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
    Version,
)

# Shorter texts stand in too many others to be looked for letter by letter.
SHORTEST_TEXT = 4
# (what holds it, its table, the column): where one text may repeat another.
_REPEATING = (
    ("episodes", "knowledge_episode", "title"),
    ("episodes", "knowledge_episode", "narrative"),
    ("predicted", "knowledge_predictedstatement", "text"),
    ("reasons", "knowledge_proposal", "reason"),
    ("reasons", "knowledge_proposal", "stale_reason"),
    ("reasons", "knowledge_proposal", "original"),
    ("decisions", "knowledge_decision", "note"),
    ("runs", "knowledge_extractionrun", "error"),
    ("payloads", "knowledge_auditpayload", "body"),
)
_JSON_COLUMNS = frozenset({"original", "body"})


def spread(reach: Reach) -> Reach:
    """Complete a reach by everything that refers to, or repeats, what falls."""
    versions = dict(
        Version.objects.filter(proposal_id__in=reach.proposals).values_list("pk", "statement_id")
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
        runs=_ids(runs, "pk"),
        quotes=_quotes(reach),
        neighbours=_neighbours(reach),
        predicted=_predicted(reach),
        reasons=_told(reach),
        decisions=_decisions(reach),
    )
    reach = replace(reach, payloads=_payloads(reach))
    return _with_repeats(reach)


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
        for pk, message_id, start, end in rows.values_list("pk", "message_id", "start", "end")
        if message_id in reach.messages
        or any(first < end and start < last for first, last in reach.masks[message_id])
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


def _told(reach: Reach) -> frozenset[int]:
    """Proposals that stay, and whose reasons may repeat what falls."""
    rows = Proposal.objects.filter(space_id=reach.scope.space_id).filter(
        Q(target_id__in=reach.statements)
        | Q(waits_on_id__in=reach.proposals)
        | Q(joined_to_id__in=reach.proposals)
        | Q(rejected_as_id__in=reach.proposals)
    )
    return _ids(rows.exclude(pk__in=reach.proposals), "pk")


def _decisions(reach: Reach) -> frozenset[str]:
    rows = Decision.objects.filter(space_id=reach.scope.space_id).filter(
        Q(proposal_id__in=reach.proposals) | Q(statement_id__in=reach.statements)
    )
    return frozenset(str(pk) for pk in rows.values_list("pk", flat=True))


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


def _with_repeats(reach: Reach) -> Reach:
    """Add what repeats a text that goes, letter by letter, anywhere in the space."""
    texts = sorted({text for text in reach.texts if len(text) >= SHORTEST_TEXT})
    if not texts:
        return reach
    found: dict[str, set[Any]] = {}
    for holder, table, column in _REPEATING:
        held = _holding(table, column, texts=texts, space_id=reach.scope.space_id)
        found.setdefault(holder, set()).update(held)
    return replace(
        reach,
        episodes=reach.episodes | found["episodes"],
        predicted=reach.predicted | found["predicted"],
        runs=reach.runs | found["runs"],
        reasons=reach.reasons | (found["reasons"] - reach.proposals),
        decisions=reach.decisions | {str(pk) for pk in found["decisions"]},
        payloads=reach.payloads | {str(pk) for pk in found["payloads"]},
    )


def _holding(table: str, column: str, *, texts: Iterable[str], space_id: int) -> set[Any]:
    """Rows of the space, or of the system's chain, whose column holds one of the texts."""
    needles = [
        json.dumps(text, ensure_ascii=False)[1:-1] if column in _JSON_COLUMNS else text
        for text in texts
    ]
    own = "t.space_id = %s"
    if table == "knowledge_auditpayload":
        own = "(t.space_id = %s OR t.space_id IS NULL) AND t.erased_at IS NULL"
    statement = (
        f"SELECT t.id FROM {table} t WHERE {own} AND EXISTS ("  # names of our own
        f"SELECT 1 FROM unnest(%s::text[]) AS n (text) WHERE strpos(t.{column}::text, n.text) > 0)"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [space_id, needles])
        return {row[0] for row in cursor.fetchall()}
