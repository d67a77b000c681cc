"""One act of one person, or of a named policy, that changed trust or belief."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from knowledge.models.guard_steps import append_only
from knowledge.models.guards import decision_guards
from knowledge.models.policy import GuidelineVersion, PolicyVersion
from knowledge.models.scope import Space


class DecisionKind(models.TextChoices):
    """What was decided."""

    APPROVE = "approve", "approved"
    EDIT = "edit", "edited"
    REJECT = "reject", "rejected"
    DEFER = "defer", "deferred"
    WAKE = "wake", "woken"
    WITHDRAW = "withdraw", "withdrawn"
    RECONSIDER = "reconsider", "brought to review"
    SEND_BACK = "send_back", "sent back"
    CONFIRM = "confirm", "approved by a second person"
    SPLIT = "split", "split"
    RETRACT = "retract", "retracted"
    REFUTE = "refute", "refuted"
    EXPIRE = "expire", "expired"
    RESTORE = "restore", "restored"
    MERGE = "merge", "merged"
    RESOLVE = "resolve", "resolved"
    UNDO = "undo", "undone"
    ERASE = "erase", "erased"
    LIFT_TOMBSTONE = "lift_tombstone", "allowed again"


class Batch(models.Model):
    """Several decisions by one act, each with a stamp of its own."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="batches")
    kind = models.CharField(max_length=16, choices=DecisionKind.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField()
    size = models.PositiveIntegerField()
    undoes = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="undone_by"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "request_id"], name="one_batch_per_request"),
            models.UniqueConstraint(fields=["space", "id"], name="batch_in_space"),
        ]
        triggers = append_only("batch")

    def __str__(self) -> str:
        return f"batch of {self.size}"


class Decision(models.Model):
    """Who decided what, when, on which item, having seen what.

    **Shape**: ``seq`` and ``at`` are stamped by the database from the space's ledger, strictly
    increasing; ``xact`` is the transaction, so that guards can tell a decision of their own.
    ``request_id`` makes a replayed form answer with the first result. ``card_digest``, when the
    card was opened, and the guideline and policy then in force tell what the person had before
    their eyes.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="decisions")
    seq = models.BigIntegerField(default=0)
    at = models.DateTimeField(null=True)
    xact = models.BigIntegerField(default=0)
    kind = models.CharField(max_length=16, choices=DecisionKind.choices)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="decisions"
    )
    policy = models.CharField(max_length=64, blank=True)
    channel = models.CharField(max_length=32)
    reason_code = models.CharField(max_length=32, blank=True)
    note = models.TextField(blank=True)
    request_id = models.UUIDField()
    proposal = models.ForeignKey(
        "knowledge.Proposal", null=True, on_delete=models.PROTECT, related_name="decisions"
    )
    statement = models.ForeignKey(
        "knowledge.Statement", null=True, on_delete=models.PROTECT, related_name="decisions"
    )
    undoes = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="undone_by"
    )
    batch = models.ForeignKey(Batch, null=True, on_delete=models.PROTECT, related_name="decisions")
    state_before = models.CharField(max_length=16, blank=True)
    state_after = models.CharField(max_length=16, blank=True, db_default="")
    opened_at = models.DateTimeField(null=True)
    evidence_opened = models.BooleanField(default=False)
    card_digest = models.CharField(max_length=64, blank=True, db_default="")
    guideline = models.ForeignKey(
        GuidelineVersion, null=True, on_delete=models.PROTECT, related_name="+"
    )
    policy_version = models.ForeignKey(
        PolicyVersion, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["space", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["space", "seq"], name="one_decision_per_seq"),
            models.UniqueConstraint(
                fields=["space", "request_id"], name="one_decision_per_request"
            ),
            models.UniqueConstraint(fields=["space", "id"], name="decision_in_space"),
            models.CheckConstraint(
                condition=Q(by__isnull=False) | ~Q(policy=""), name="someone_decided"
            ),
            models.CheckConstraint(
                condition=Q(kind="undo", undoes__isnull=False)
                | (~Q(kind="undo") & Q(undoes__isnull=True)),
                name="undo_names_what_it_undoes",
            ),
            models.CheckConstraint(condition=Q(at__isnull=False), name="decision_is_stamped"),
            models.CheckConstraint(
                condition=~Q(kind__in=["approve", "confirm"])
                | Q(by__isnull=False, proposal__isnull=False),
                name="only_people_approve",
            ),
        ]
        triggers = decision_guards()

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
