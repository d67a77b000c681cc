"""The tamper-evident log: rows are written only by the ``audit_append`` function."""

from django.db import models

from knowledge.models.decision import Decision
from knowledge.models.erasure_guards import payload_guard
from knowledge.models.guard_steps import append_only, keep_for_ever
from knowledge.models.scope import Ledger, Space


class Outcome(models.TextChoices):
    """How an act ended."""

    OK = "ok", "done"
    DENIED = "denied", "denied"
    FAILED = "failed", "failed"


class AuditPayload(models.Model):
    """Values and free text of an event: erasable, while the chain keeps their commitment."""

    id = models.UUIDField(primary_key=True)
    space = models.ForeignKey(Space, null=True, on_delete=models.PROTECT, related_name="+")
    salt = models.BinaryField(null=True)
    body = models.JSONField(null=True)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(erased_at__isnull=True, body__isnull=False, salt__isnull=False)
                | models.Q(erased_at__isnull=False, body__isnull=True, salt__isnull=True),
                name="payload_is_whole_or_erased",
            ),
        ]
        triggers = [*keep_for_ever("audit payload"), payload_guard()]

    def __str__(self) -> str:
        return f"payload {self.pk}"


class AuditEvent(models.Model):
    """One act, chained to the one before it by hash."""

    ledger = models.ForeignKey(Ledger, on_delete=models.PROTECT, related_name="events")
    seq = models.BigIntegerField()
    hash_version = models.PositiveSmallIntegerField()
    at = models.DateTimeField()
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=200)
    channel = models.CharField(max_length=32)
    action = models.CharField(max_length=64)
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    object_type = models.CharField(max_length=32)
    object_id = models.CharField(max_length=64)
    subject_id = models.BigIntegerField(null=True)
    decision = models.ForeignKey(
        Decision, null=True, on_delete=models.PROTECT, related_name="events", db_constraint=False
    )
    request_id = models.CharField(max_length=64)
    reason_code = models.CharField(max_length=64)
    payload = models.ForeignKey(AuditPayload, null=True, on_delete=models.PROTECT, related_name="+")
    commitment = models.BinaryField(null=True)
    prev_hash = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        ordering = ["ledger", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["ledger", "seq"], name="one_event_per_seq"),
            models.UniqueConstraint(fields=["ledger", "prev_hash"], name="the_chain_never_forks"),
        ]
        indexes = [
            models.Index(fields=["object_type", "object_id"], name="events_by_object"),
            models.Index(
                fields=["ledger", "at"],
                condition=models.Q(action="statements.retrieve"),
                name="events_of_retrievals",
            ),
        ]
        triggers = append_only("audit event")

    def __str__(self) -> str:
        return f"event {self.seq} of {self.ledger_id}"


class Anchor(models.Model):
    """Where the tail of a chain was written outside the database, and when.

    The copy out there is the proof; this row only says that it was made.
    """

    ledger = models.ForeignKey(Ledger, on_delete=models.PROTECT, related_name="anchors")
    seq = models.BigIntegerField()
    hash = models.BinaryField()
    place = models.CharField(max_length=500)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["ledger", "seq", "pk"]
        triggers = append_only("anchor")

    def __str__(self) -> str:
        return f"anchor of event {self.seq}"
