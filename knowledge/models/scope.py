"""Whose memory it is, and who may look after it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from knowledge.models.erasure_guards import UNNAMED, WHEN, fixed_but_for_erasure
from knowledge.models.guard_steps import append_only, fixed_columns, keep_for_ever
from knowledge.models.guards import membership_guards

# The chain of what belongs to no space; no space may be called so.
SYSTEM_CHAIN = "system"


class Space(models.Model):
    """The isolation boundary: everything belongs to exactly one.

    ``zone`` is the IANA time zone in which whole days are meant.
    """

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    zone = models.CharField(max_length=64, default="UTC")
    evaluation = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        triggers = [
            *keep_for_ever("space"),
            fixed_columns("space", "id slug evaluation created_at".split()),
        ]

    def __str__(self) -> str:
        return self.slug


class Role(models.TextChoices):
    """What a person may do in a space."""

    CURATOR = "curator", "Curator"
    AUDITOR = "auditor", "Auditor"
    PRIVACY = "privacy", "Privacy officer"
    ADMIN = "admin", "Administrator"


class Membership(models.Model):
    """A person's role in a space, for a time."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships"
    )
    role = models.CharField(max_length=16, choices=Role.choices)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["space", "user", "role"],
                condition=Q(valid_to__isnull=True),
                name="one_open_membership_per_role",
            ),
            models.CheckConstraint(
                condition=Q(role__in=[role.value for role in Role]), name="membership_role_is_known"
            ),
        ]
        triggers = membership_guards()

    def __str__(self) -> str:
        return f"{self.user_id} as {self.role} in {self.space_id}"


class Ledger(models.Model):
    """The lock of a space's decisions and audit chain; without a space, the system's chain.

    The row is locked, never rewritten: the tail of decisions and events is read by key.
    """

    space = models.OneToOneField(Space, null=True, on_delete=models.PROTECT)
    genesis = models.BinaryField(max_length=32)
    opened_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["space"], nulls_distinct=False, name="one_ledger_per_space_and_one_system"
            )
        ]
        triggers = append_only("ledger")

    def __str__(self) -> str:
        return f"ledger of {self.space_id or 'system'}"


class SubjectKind(models.TextChoices):
    """What kind of thing a memory is of."""

    USER = "user", "User"
    PROJECT = "project", "Project"
    AGENT = "agent", "Agent"
    ORGANISATION = "organisation", "Organisation"


class Subject(models.Model):
    """Whose memory it is. Set by the conversation, never by review: it is the scope."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="subjects")
    kind = models.CharField(max_length=16, choices=SubjectKind.choices)
    external_id = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    redacted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["space", "kind", "external_id"], name="one_subject_per_external_id"
            ),
            models.UniqueConstraint(fields=["space", "id"], name="subject_in_space"),
        ]
        triggers = [
            *keep_for_ever("subject"),
            fixed_but_for_erasure(
                "subject",
                "id space_id kind external_id created_at redacted_at".split(),
                blanks={"external_id": UNNAMED, "redacted_at": WHEN},
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.external_id}"


class Attribute(models.Model):
    """What a space knows of an attribute: may a subject hold one value at a time, or many?"""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="attributes")
    key = models.SlugField(max_length=64)
    single_valued = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "key"], name="one_attribute_per_key"),
        ]

    def __str__(self) -> str:
        return self.key
