"""The rules a space decides by, version after version: nothing about the past is rewritten."""

import uuid

from django.conf import settings
from django.db import models

from knowledge.blindness import DEFAULT_SHARE
from knowledge.models.guard_steps import append_only
from knowledge.models.scope import Space


class FourEyes(models.TextChoices):
    """When a second person must agree before a proposal is believed."""

    NEVER = "never", "Never"
    SENSITIVE = "sensitive", "Flagged, must include, or replacing something"
    ALWAYS = "always", "Always"


class PolicyVersion(models.Model):
    """What a space asks of its decisions, from ``created_at`` on.

    **Units**: ``expire_after_days`` counts from the end of a valid period; NULL means never.
    ``blind_share`` is the per cent of decisions that a second person looks at without seeing them.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="policies")
    four_eyes = models.CharField(max_length=16, choices=FourEyes.choices, default=FourEyes.NEVER)
    expire_after_days = models.PositiveIntegerField(null=True, blank=True)
    blind_share = models.PositiveSmallIntegerField(default=DEFAULT_SHARE)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    request_id = models.UUIDField(default=uuid.uuid4)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["space", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["space", "request_id"], name="one_policy_per_request"),
            models.UniqueConstraint(fields=["space", "id"], name="policy_in_space"),
            models.CheckConstraint(
                condition=models.Q(blind_share__range=(0, 100)), name="blind_share_is_per_cent"
            ),
        ]
        triggers = append_only("policy")

    def __str__(self) -> str:
        return f"policy {self.pk}"


class GuidelineVersion(models.Model):
    """What a space asks of its curators, in Markdown, from ``created_at`` on."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="guidelines")
    markdown = models.TextField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    request_id = models.UUIDField(default=uuid.uuid4)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["space", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["space", "request_id"], name="one_guideline_per_request"
            ),
            models.UniqueConstraint(fields=["space", "id"], name="guideline_in_space"),
        ]
        triggers = append_only("guideline")

    def __str__(self) -> str:
        return f"guideline {self.pk}"
