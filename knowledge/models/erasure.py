"""Forgetting for good: who asked, who confirmed, what went, and what may not be learned again."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from knowledge.models.decision import Decision
from knowledge.models.erasure_guards import request_guards, tombstone_guards
from knowledge.models.scope import Space, Subject
from knowledge.models.source import Conversation
from knowledge.models.statement import Statement


class TombstoneLevel(models.TextChoices):
    """What a tombstone's key is the fingerprint of."""

    VALUE = "value", "this value"
    SLOT = "slot", "anything about this attribute"
    SUBJECT = "subject", "this subject"
    CONVERSATION = "conversation", "this conversation"


class TombstoneCause(models.TextChoices):
    """Why something may not come back unnoticed."""

    REFUTED = "refuted", "refuted"
    ERASED = "erased", "erased"


class TombstoneEffect(models.TextChoices):
    """What happens to what matches."""

    BLOCK = "block", "set aside"
    FLAG = "flag", "flagged"


class Tombstone(models.Model):
    """A keyed fingerprint that stops a refuted or erased value from being learned unnoticed.

    **Shape**: ``value_key`` is the fingerprint under key ``key_version``; the words themselves are
    kept nowhere. ``evidence_until`` narrows a block to words said before that instant: later ones
    are flagged. ``decision`` planted it, ``lifted_by`` ended it.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="tombstones")
    subject = models.ForeignKey(
        Subject, null=True, on_delete=models.PROTECT, related_name="tombstones"
    )
    level = models.CharField(max_length=16, choices=TombstoneLevel.choices)
    key_version = models.PositiveIntegerField()
    value_key = models.CharField(max_length=80)
    cause = models.CharField(max_length=16, choices=TombstoneCause.choices)
    effect = models.CharField(max_length=8, choices=TombstoneEffect.choices)
    evidence_until = models.DateTimeField(null=True)
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="tombstones")
    lifted_by = models.ForeignKey(
        Decision, null=True, on_delete=models.PROTECT, related_name="lifted_tombstones"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["decision", "subject", "level", "value_key"],
                nulls_distinct=False,
                name="one_tombstone_per_decision_and_key",
            ),
            models.UniqueConstraint(fields=["space", "id"], name="tombstone_in_space"),
            models.CheckConstraint(
                condition=Q(level__in=["conversation", "subject"]) | Q(subject__isnull=False),
                name="a_value_is_a_subjects",
            ),
        ]
        indexes = [
            models.Index(
                fields=["space", "value_key"],
                condition=Q(lifted_by__isnull=True),
                name="tombstones_standing",
            )
        ]
        triggers = tombstone_guards()

    def __str__(self) -> str:
        return f"tombstone {self.pk}"


class ErasureKind(models.TextChoices):
    """How much is forgotten."""

    VALUE = "value", "a value"
    STATEMENT = "statement", "a statement"
    CONVERSATION = "conversation", "a conversation"
    SUBJECT = "subject", "a subject"


class ErasureState(models.TextChoices):
    """How far an erasure came."""

    ASKED = "asked", "Asked for"
    CONFIRMED = "confirmed", "Confirmed"
    DONE = "done", "Done"
    WITHDRAWN = "withdrawn", "Withdrawn"


class ErasureReason(models.TextChoices):
    """On whose account."""

    ASKED_BY_SUBJECT = "asked_by_subject", "The person asked for it"
    CONTRACT_ENDED = "contract_ended", "The contract ended"
    SHOULD_NOT_BE_KEPT = "should_not_be_kept", "It should never have been kept"
    COURT_ORDER = "court_order", "A court or an authority ordered it"
    OTHER = "other", "Another reason, said in words"


class ErasureRequest(models.Model):
    """One erasure: asked by one person, confirmed by another, carried out once.

    **Shape**: ``words`` (the value to forget) and ``note`` are cleared when it is done or
    withdrawn. ``manifest`` holds counts and identifiers, never words; ``digest`` is its SHA-256,
    so that what is confirmed is what was seen. ``certificate`` says what went.
    ``replayed`` erasures come from the ledger outside the database, after a restore.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="erasures")
    kind = models.CharField(max_length=16, choices=ErasureKind.choices)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.PROTECT, related_name="+")
    statement = models.ForeignKey(Statement, null=True, on_delete=models.PROTECT, related_name="+")
    conversation = models.ForeignKey(
        Conversation, null=True, on_delete=models.PROTECT, related_name="+"
    )
    words = models.CharField(max_length=500, blank=True)
    blocks = models.BooleanField(default=True)
    whole_conversations = models.BooleanField(default=False)
    reason_code = models.CharField(max_length=32, choices=ErasureReason.choices)
    note = models.TextField(blank=True)
    state = models.CharField(
        max_length=16, choices=ErasureState.choices, default=ErasureState.ASKED
    )
    manifest = models.JSONField(default=dict)
    digest = models.CharField(max_length=64, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    requested_at = models.DateTimeField()
    request_id = models.UUIDField()
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    confirmed_at = models.DateTimeField(null=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    closed_at = models.DateTimeField(null=True)
    decision = models.OneToOneField(
        Decision, null=True, on_delete=models.PROTECT, related_name="erasure"
    )
    certificate = models.JSONField(null=True)
    replayed = models.BooleanField(default=False)

    class Meta:
        ordering = ["-requested_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["space", "request_id"], name="one_erasure_per_request"),
            models.UniqueConstraint(fields=["space", "id"], name="erasure_in_space"),
            models.CheckConstraint(
                condition=Q(replayed=True) | Q(requested_by__isnull=False),
                name="someone_asked_for_an_erasure",
            ),
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True)
                | Q(replayed=True)
                | ~Q(confirmed_by=F("requested_by")),
                name="an_erasure_takes_two",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["confirmed", "done"])
                | Q(replayed=True)
                | Q(confirmed_by__isnull=False),
                name="an_erasure_is_confirmed_first",
            ),
            models.CheckConstraint(
                condition=Q(state="done", decision__isnull=False, certificate__isnull=False)
                | (~Q(state="done") & Q(decision__isnull=True)),
                name="a_done_erasure_has_its_decision",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["done", "withdrawn"]) | Q(words="", note=""),
                name="a_closed_erasure_keeps_no_words",
            ),
        ]
        triggers = request_guards()

    def __str__(self) -> str:
        return f"erasure {self.pk}"
