"""What a shadow run would have proposed: kept for comparison, and read by nothing else."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from knowledge.models.erasure_guards import EMPTY, append_only_but_for_erasure
from knowledge.models.guard_steps import append_only
from knowledge.models.proposal import EvidenceRole, Modality, Proposal, ProposalKind
from knowledge.models.run import ExtractionRun, Span
from knowledge.models.scope import Space
from knowledge.models.shadow_guards import from_a_shadow_run


class ShadowCandidate(models.Model):
    """One statement a shadow run made, and what the gates would have done with it.

    **Shape**: ``aside_reason`` is empty where it would have waited for a person. ``target`` is
    the statement it would have ended or confirmed, ``repeats`` the proposal it would have joined.
    **Units**: ``confidence`` and ``surprise`` 0..1.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(
        ExtractionRun, on_delete=models.PROTECT, related_name="shadow_candidates"
    )
    ordinal = models.PositiveIntegerField()
    text = models.TextField()
    kind = models.CharField(max_length=16, choices=ProposalKind.choices)
    modality = models.CharField(max_length=16, choices=Modality.choices)
    target = models.ForeignKey(
        "knowledge.Statement", null=True, on_delete=models.PROTECT, related_name="+"
    )
    repeats = models.ForeignKey(Proposal, null=True, on_delete=models.PROTECT, related_name="+")
    aside_reason = models.CharField(max_length=32, blank=True)
    flags = ArrayField(models.CharField(max_length=64), default=list)
    confidence = models.FloatField()
    surprise = models.FloatField()

    class Meta:
        ordering = ["run", "ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["run", "ordinal"], name="one_candidate_per_ordinal"),
            models.UniqueConstraint(fields=["space", "id"], name="candidate_in_space"),
            models.CheckConstraint(
                condition=Q(confidence__range=(0, 1), surprise__range=(0, 1)),
                name="candidate_scores_between_0_and_1",
            ),
        ]
        triggers = [
            *append_only_but_for_erasure(
                "candidate",
                "id space_id run_id ordinal text kind modality target_id repeats_id aside_reason "
                "flags confidence surprise".split(),
                blanks={"text": EMPTY},
            ),
            from_a_shadow_run("candidate"),
        ]

    def __str__(self) -> str:
        return self.text


class ShadowQuote(Span):
    """Where the words stand that a candidate rests on; the words stay in their message."""

    candidate = models.ForeignKey(ShadowCandidate, on_delete=models.PROTECT, related_name="quotes")
    role = models.CharField(max_length=16, choices=EvidenceRole.choices)

    class Meta:
        ordering = ["candidate", "message", "start"]
        constraints = [
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="shadow_quote_not_empty"),
        ]
        triggers = append_only("quote of a candidate")
