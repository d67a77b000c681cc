"""What the machine, an agent or a person proposes, and the words it rests on."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from knowledge.models.erasure_guards import EMPTY, NO_JSON, WHEN, fixed_but_for_erasure
from knowledge.models.guard_steps import append_only, keep_for_ever
from knowledge.models.guards import quote_guards, trust_guards
from knowledge.models.run import ExtractionRun, Gap, Span
from knowledge.models.scope import Space, Subject
from knowledge.models.shadow_guards import never_from_a_shadow_run
from knowledge.trust import TrustState, WhatHappened


class ProposalKind(models.TextChoices):
    """What a proposal would do to belief."""

    NEW = "new", "New"
    UPDATE = "update", "Update"
    CONTRADICTION = "contradiction", "Contradiction"
    CONFIRMATION = "confirmation", "Confirmation"


class MemoryType(models.TextChoices):
    """What kind of thing a statement is."""

    PREFERENCE = "preference", "Preference"
    FACT = "fact", "Fact"
    DECISION = "decision", "Decision"
    CONSTRAINT = "constraint", "Constraint"
    GOAL = "goal", "Goal"
    LESSON = "lesson", "Lesson"
    RELATIONSHIP = "relationship", "Relationship"
    EVENT = "event", "Event"


class Criticality(models.TextChoices):
    """How much it matters that an agent sees it."""

    NORMAL = "normal", "Normal"
    HIGH_PRIORITY = "high_priority", "High priority"
    MUST_INCLUDE = "must_include", "Must include"


class StartBasis(models.TextChoices):
    """Where the start of a valid period comes from."""

    STATED = "stated", "stated"
    SAID = "said", "at least since it was said"


class Modality(models.TextChoices):
    """How the words put it."""

    ASSERTED = "asserted", "asserted"
    NEGATED = "negated", "negated"
    HYPOTHETICAL = "hypothetical", "hypothetical"
    QUESTION = "question", "a question"
    QUOTED = "quoted", "quoted"


class Proposal(models.Model):
    """An extracted or submitted statement with its trust state.

    **Shape**: ``original`` is the extraction as it came and never changes; the other columns
    are what would be approved. ``unexpected`` are the words the prediction did not hold.
    **Units**: ``confidence`` and ``surprise`` 0..1; ``version`` grows with every change.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="proposals")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="proposals")
    run = models.ForeignKey(
        ExtractionRun, null=True, on_delete=models.PROTECT, related_name="proposals"
    )
    ordinal = models.PositiveIntegerField(null=True)
    state = models.CharField(max_length=16, choices=TrustState.choices, default=TrustState.PENDING)
    version = models.PositiveIntegerField(default=1)
    original = models.JSONField()
    about = models.CharField(max_length=200)
    text = models.TextField()
    memory_type = models.CharField(max_length=16, choices=MemoryType.choices)
    criticality = models.CharField(max_length=16, choices=Criticality.choices)
    attribute = models.CharField(max_length=64, blank=True)
    value = models.CharField(max_length=500, blank=True)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True)
    start_basis = models.CharField(max_length=8, choices=StartBasis.choices)
    date_phrase = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=16, default="en")
    modality = models.CharField(max_length=16, choices=Modality.choices)
    kind_suggested = models.CharField(max_length=16, choices=ProposalKind.choices)
    kind_decided = models.CharField(max_length=16, choices=WhatHappened.choices, blank=True)
    target = models.ForeignKey(
        "knowledge.Statement", null=True, on_delete=models.PROTECT, related_name="challengers"
    )
    target_seen = models.ForeignKey(
        "knowledge.Version", null=True, on_delete=models.PROTECT, related_name="+"
    )
    # What this would replace still waits itself: it becomes the target once it is approved.
    waits_on = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="followers"
    )
    reason = models.TextField(blank=True)
    confidence = models.FloatField()
    surprise = models.FloatField()
    unexpected = ArrayField(models.CharField(max_length=200), default=list)
    flags = ArrayField(models.CharField(max_length=64), default=list)
    aside_reason = models.CharField(max_length=32, blank=True)
    stale_reason = models.TextField(blank=True)
    joined_to = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="joined"
    )
    rejected_as = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    stopped_by = models.ForeignKey(
        "knowledge.Tombstone", null=True, on_delete=models.PROTECT, related_name="stopped"
    )
    deferred_until = models.DateTimeField(null=True)
    first_approver = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    split_from = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    contributors = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    fingerprint = models.CharField(max_length=80)
    created_at = models.DateTimeField()
    redacted_at = models.DateTimeField(null=True)
    gaps = models.ManyToManyField(Gap, through="ProposalGap", related_name="proposals")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "ordinal"], name="one_proposal_per_run_ordinal"),
            models.UniqueConstraint(fields=["space", "id"], name="proposal_in_space"),
            models.CheckConstraint(
                condition=Q(confidence__range=(0, 1), surprise__range=(0, 1)),
                name="proposal_scores_between_0_and_1",
            ),
            models.CheckConstraint(
                condition=Q(valid_to__isnull=True) | Q(valid_to__gt=F("valid_from")),
                name="proposal_period_is_not_empty",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in TrustState]),
                name="proposal_state_is_known",
            ),
            models.CheckConstraint(
                condition=Q(redacted_at__isnull=True)
                | Q(text="", value="", about="", attribute="", original={}),
                name="redacted_proposal_is_empty",
            ),
        ]
        indexes = [
            models.Index(fields=["space", "state", "created_at"], name="proposals_by_state"),
            models.Index(fields=["space", "subject", "fingerprint"], name="proposals_by_value"),
        ]
        triggers = [
            *keep_for_ever("proposal"),
            fixed_but_for_erasure(
                "proposal",
                "id space_id subject_id run_id ordinal original created_at kind_suggested "
                "confidence surprise unexpected flags modality date_phrase reason aside_reason "
                "rejected_as_id waits_on_id stopped_by_id redacted_at".split(),
                blanks={
                    "original": f'{NO_JSON}, OLD.original || \'{{"reason": ""}}\'::jsonb',
                    "unexpected": "'{}'",
                    "date_phrase": EMPTY,
                    "reason": EMPTY,
                    "redacted_at": WHEN,
                },
            ),
            *trust_guards(),
            never_from_a_shadow_run("proposal"),
        ]

    def __str__(self) -> str:
        return self.text


class Contributor(Proposal.contributors.through):  # type: ignore[misc, name-defined]  # made by Django
    """The link to whoever had a hand in a proposal, and so may not be its second reviewer."""

    class Meta:
        proxy = True
        triggers = append_only("contributor")


class ProposalGap(models.Model):
    """A gap a proposal was made from."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT)
    gap = models.ForeignKey(Gap, on_delete=models.PROTECT)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["proposal", "gap"], name="one_link_per_gap"),
        ]
        triggers = [*append_only("gap link"), never_from_a_shadow_run("gap link", via_gap=True)]

    def __str__(self) -> str:
        return f"gap {self.gap_id} of proposal {self.proposal_id}"


class EvidenceRole(models.TextChoices):
    """What a quote does for its proposal."""

    SUPPORTS = "supports", "supports"
    CONTRADICTS = "contradicts", "contradicts"
    DATES = "dates", "dates"


class Evidence(Span):
    """Words a proposal rests on. ``run`` names the run that found them (a later one, if joined)."""

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="evidence")
    run = models.ForeignKey(ExtractionRun, null=True, on_delete=models.PROTECT, related_name="+")
    quote = models.TextField()
    role = models.CharField(max_length=16, choices=EvidenceRole.choices)

    class Meta:
        ordering = ["message", "start"]
        constraints = [
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="evidence_is_not_empty"),
            models.UniqueConstraint(
                fields=["proposal", "message", "start", "end", "role"],
                name="one_evidence_per_span",
            ),
        ]
        triggers = [*quote_guards(), never_from_a_shadow_run("evidence")]
