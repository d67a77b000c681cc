"""Second looks at a random share of decisions, by somebody who does not see the first."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from knowledge.models.blind_guards import answer_guards, draw_guards
from knowledge.models.decision import Decision
from knowledge.models.proposal import Proposal
from knowledge.models.scope import Space
from knowledge.trust import REJECT_REASONS, WhatHappened


class BlindVerdict(models.TextChoices):
    """What the second reader would have done."""

    APPROVE = "approve", "approved"
    REJECT = "reject", "rejected"


class BlindDraw(models.Model):
    """A decision that chance laid before a second reader.

    **Shape**: chance is a keyed hash of the proposal's id against ``share``, so that anybody with
    the key can draw again and nobody can choose. **Units**: ``share`` in per cent.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    decision = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="blind_draw")
    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="blind_draws")
    share = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["space", "id"], name="blind_draw_in_space"),
            models.CheckConstraint(condition=Q(share__range=(1, 100)), name="blind_draw_share"),
        ]
        triggers = draw_guards()

    def __str__(self) -> str:
        return f"blind draw {self.pk}"


class BlindAnswer(models.Model):
    """What the second reader said: it counts for agreement and changes nothing that is believed.

    **Shape**: codes alone, no words: ``reason_code`` is what happened for an approval, why for a
    rejection. ``target`` is the version they took it to change or to repeat.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    draw = models.OneToOneField(BlindDraw, on_delete=models.PROTECT, related_name="answer")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="blind_answers"
    )
    verdict = models.CharField(max_length=16, choices=BlindVerdict.choices)
    reason_code = models.CharField(max_length=32)
    target = models.ForeignKey(
        "knowledge.Version", null=True, on_delete=models.PROTECT, related_name="+"
    )
    request_id = models.UUIDField()
    opened_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["space", "request_id"], name="one_blind_answer_per_request"
            ),
            models.CheckConstraint(
                condition=Q(verdict="approve", reason_code__in=WhatHappened.values)
                | Q(verdict="reject", reason_code__in=REJECT_REASONS),
                name="blind_answer_says_why",
            ),
        ]
        triggers = answer_guards()

    def __str__(self) -> str:
        return f"blind answer {self.pk}: {self.verdict}"
