"""Approved belief on two time axes: lineages of immutable versions."""

from datetime import datetime
from typing import Any

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, RangeOperators
from django.db import models
from django.db.models import F, Func, Q

from knowledge.models.decision import Decision
from knowledge.models.guard_steps import append_only, once_decided
from knowledge.models.guards import version_guards
from knowledge.models.proposal import Criticality, MemoryType, Proposal, StartBasis
from knowledge.models.scope import Space, Subject


class Statement(models.Model):
    """The lineage: its id is what URLs and the API call ``statement_id``."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="statements")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="statements")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "id"], name="statement_in_space"),
        ]
        triggers = append_only("statement")

    def __str__(self) -> str:
        return f"statement {self.pk}"


class EndReason(models.TextChoices):
    """Why a belief ended. The first three have a successor."""

    SUPERSEDED = "superseded", "superseded"
    CORRECTED = "corrected", "corrected"
    MERGED = "merged", "merged"
    REFUTED = "refuted", "refuted"
    RETRACTED = "retracted", "retracted"
    EXPIRED = "expired", "expired"
    ERASED = "erased", "erased"


WITH_SUCCESSOR = (EndReason.SUPERSEDED, EndReason.CORRECTED, EndReason.MERGED)


class Derivation(models.TextChoices):
    """How a version came from another without new words."""

    REMNANT = "remnant", "kept for the rest of its time"
    RESTORES = "restores", "restored"


class VersionQuerySet(models.QuerySet["Version"]):
    """The as-of predicates, shared by every reader."""

    def known_at(self, instant: datetime) -> "VersionQuerySet":
        """Keep what was believed at the instant (half-open)."""
        return self.filter(Q(tx_to__isnull=True) | Q(tx_to__gt=instant), tx_from__lte=instant)

    def valid_at(self, instant: datetime) -> "VersionQuerySet":
        """Keep what was true in the world at the instant (half-open)."""
        return self.filter(valid__contains=instant)

    def current(self) -> "VersionQuerySet":
        """Keep what is believed now."""
        return self.filter(tx_to__isnull=True)


class _BeliefRange(Func):
    function = "tstzrange"
    output_field: Any = DateTimeRangeField()


class Version(models.Model):
    """One row of belief: small and truly immutable.

    **Shape**: ``valid`` when it is true in the world, half-open, UTC, the start never unknown;
    ``[tx_from, tx_to)`` when the store believed it, stamped by the database. ``slot_key`` is set
    where the subject may hold one value at a time.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="versions")
    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="versions")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="versions")
    about = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    memory_type = models.CharField(max_length=16, choices=MemoryType.choices)
    criticality = models.CharField(max_length=16, choices=Criticality.choices)
    attribute = models.CharField(max_length=64, blank=True)
    value = models.CharField(max_length=500, blank=True)
    slot_key = models.CharField(max_length=300, null=True)
    value_key = models.CharField(max_length=80)
    language = models.CharField(max_length=16, default="en")
    valid = DateTimeRangeField()
    start_basis = models.CharField(max_length=8, choices=StartBasis.choices)
    observed_at = models.DateTimeField()
    tx_from = models.DateTimeField(null=True)
    tx_to = models.DateTimeField(null=True)
    opened_by = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="opened")
    closed_by = models.ForeignKey(
        Decision, null=True, on_delete=models.PROTECT, related_name="closed"
    )
    end_reason = models.CharField(max_length=16, choices=EndReason.choices, null=True)
    successor = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="predecessors"
    )
    derived_from = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="derived"
    )
    derivation = models.CharField(max_length=16, choices=Derivation.choices, null=True)
    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="versions")
    redacted_at = models.DateTimeField(null=True)

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ["statement", "tx_from", "id"]
        constraints = [
            models.UniqueConstraint(fields=["space", "id"], name="version_in_space"),
            models.CheckConstraint(
                condition=Q(valid__isempty=False)
                & Q(valid__startswith__isnull=False)
                & Q(valid__lower_inc=True)
                & Q(valid__upper_inc=False),
                name="valid_period_is_half_open_with_a_start",
            ),
            models.CheckConstraint(
                condition=Q(tx_to__isnull=True) | Q(tx_to__gt=F("tx_from")),
                name="belief_ends_after_it_begins",
            ),
            models.CheckConstraint(condition=Q(tx_from__isnull=False), name="belief_is_stamped"),
            models.CheckConstraint(
                condition=Q(tx_to__isnull=True, end_reason__isnull=True, closed_by__isnull=True)
                | Q(tx_to__isnull=False, end_reason__isnull=False, closed_by__isnull=False),
                name="an_end_has_reason_and_decision",
            ),
            models.CheckConstraint(
                condition=Q(end_reason__in=WITH_SUCCESSOR, successor__isnull=False)
                | Q(
                    Q(end_reason__isnull=True) | ~Q(end_reason__in=WITH_SUCCESSOR),
                    successor__isnull=True,
                ),
                name="successor_exactly_where_replaced",
            ),
            models.CheckConstraint(
                condition=Q(derived_from__isnull=True, derivation__isnull=True)
                | Q(derived_from__isnull=False, derivation__isnull=False),
                name="derivation_names_its_origin",
            ),
            models.CheckConstraint(
                condition=Q(redacted_at__isnull=True)
                | Q(text="", value="", about="", attribute="", slot_key=None, tx_to__isnull=False),
                name="redacted_means_empty_and_ended",
            ),
            ExclusionConstraint(
                name="one_truth_per_slot",
                expressions=[
                    ("space", RangeOperators.EQUAL),
                    ("subject", RangeOperators.EQUAL),
                    ("slot_key", RangeOperators.EQUAL),
                    ("valid", RangeOperators.OVERLAPS),
                    (_BeliefRange("tx_from", "tx_to"), RangeOperators.OVERLAPS),
                ],
                condition=Q(slot_key__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["space", "subject"],
                condition=Q(tx_to__isnull=True),
                name="versions_current",
            ),
            models.Index(fields=["space", "subject", "tx_from"], name="versions_by_belief"),
        ]
        triggers = version_guards()

    def __str__(self) -> str:
        return self.text


class Confirmation(models.Model):
    """More evidence for what is believed already; counts from its decision on."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="confirmations")
    confirms = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="confirmations")
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="confirmations")
    undone_by = models.ForeignKey(Decision, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["proposal"],
                condition=Q(undone_by__isnull=True),
                name="one_open_confirmation_per_proposal",
            ),
        ]
        triggers = once_decided(
            "confirmation",
            opened="d.id = NEW.decision_id AND (d.kind = 'merge' OR "
            "d.kind IN ('approve', 'confirm') AND d.proposal_id = NEW.proposal_id)",
            closed_column="undone_by_id",
            closed="d.id = NEW.undone_by_id AND d.undoes_id = OLD.decision_id",
            columns="id space_id proposal_id confirms_id decision_id".split(),
        )

    def __str__(self) -> str:
        return f"{self.proposal_id} confirms {self.confirms_id}"


class Contest(models.Model):
    """Two versions that cannot both be right, and nobody could tell which."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    version_a = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="contests_as_a")
    version_b = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="contests_as_b")
    opened_by = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="+")
    resolved_by = models.ForeignKey(Decision, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(version_a=F("version_b")), name="a_contest_has_two_sides"
            ),
        ]
        triggers = once_decided(
            "contest",
            opened="d.id = NEW.opened_by_id",
            closed_column="resolved_by_id",
            closed="d.id = NEW.resolved_by_id",
            columns="id space_id version_a_id version_b_id opened_by_id".split(),
        )

    def __str__(self) -> str:
        return f"{self.version_a_id} against {self.version_b_id}"
