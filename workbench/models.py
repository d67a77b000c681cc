"""What only the workbench owns: the keys agents come with, and the state of people's screens."""

from datetime import datetime

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from knowledge.models import Proposal, Space, Subject


class Scope(models.TextChoices):
    """What a key may do. There is none for deciding: only people decide."""

    RETRIEVE = "retrieve", "Retrieve"
    CAPTURE = "capture", "Capture"
    PROPOSE = "propose", "Propose"
    FEEDBACK = "feedback", "Feedback"
    EXPORT = "export", "Export"


class ApiKey(models.Model):
    """One caller's way in: a space, a fixed list of subjects, and what it may do with them.

    **Shape**: ``digest`` is the SHA-256 of the secret, which has 256 random bits and so needs no
    slow hash; the secret itself is shown once and kept nowhere. ``last_used_at`` is coarse.
    ``form_id`` is the form a person made it with: the same form makes one key.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=8, unique=True)
    digest = models.BinaryField(max_length=32)
    scopes = ArrayField(models.CharField(max_length=16))
    subjects = models.ManyToManyField(Subject, through="ApiKeySubject", related_name="+")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    form_id = models.UUIDField(null=True, unique=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="key_expires_after_it_begins"
            ),
            models.CheckConstraint(
                condition=Q(scopes__len__gt=0, scopes__contained_by=Scope.values),
                name="key_scopes_are_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"

    def is_usable(self, *, now: datetime) -> bool:
        """Say whether the key is neither revoked nor expired."""
        return self.revoked_at is None and self.expires_at > now


class ApiKeySubject(models.Model):
    """A subject a key is bound to."""

    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="bindings")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "subject"], name="one_binding_per_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.key_id} reads {self.subject_id}"


class Draft(models.Model):
    """What a person has written over a proposal and not decided yet.

    **Shape**: ``fields`` is the edit form as it stood, each value as text; ``version`` is the
    proposal's when it was saved. ``proposed`` is what the person made of it where somebody else
    decided first: then the draft is spent.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    proposal = models.ForeignKey(Proposal, on_delete=models.CASCADE, related_name="+")
    version = models.PositiveIntegerField()
    fields = models.JSONField()
    saved_at = models.DateTimeField()
    proposed = models.ForeignKey(
        Proposal, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "proposal"], name="one_draft_per_card"),
        ]

    def __str__(self) -> str:
        return f"draft of {self.user_id} over {self.proposal_id}"


class Claim(models.Model):
    """A person who has a card open. It informs others and forbids nothing.

    **Shape**: ``page`` is the page that shows the card, so that leaving an older one does not
    end the claim of a newer one.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    proposal = models.ForeignKey(Proposal, on_delete=models.CASCADE, related_name="+")
    page = models.UUIDField()
    since = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "proposal"], name="one_claim_per_card"),
            models.CheckConstraint(
                condition=Q(until__gt=F("since")), name="claim_ends_after_it_begins"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} has {self.proposal_id} open"
