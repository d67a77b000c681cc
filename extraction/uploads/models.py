"""What is known of a file somebody brought, from its upload to what came of it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from knowledge.models import Conversation, Job, Space


class ImportState(models.TextChoices):
    """Where a file stands. What is closed has no file any more."""

    READING = "reading", "Being read"
    READY = "ready", "Waits for your word"
    UNREADABLE = "unreadable", "Cannot be read"
    IMPORTING = "importing", "Being imported"
    DONE = "done", "Imported"
    FAILED = "failed", "Failed"
    DISCARDED = "discarded", "Discarded"


OPEN_STATES = frozenset(
    {ImportState.READING, ImportState.READY, ImportState.UNREADABLE, ImportState.IMPORTING}
)


class FileImport(models.Model):
    """One file, from its upload to what came of it.

    **Shape**: ``folder`` names where the file lies below the uploads, empty once it is deleted;
    ``has_rows`` says that rows which failed lie there still. ``choices`` say how it is read and
    whose memory it feeds, ``choices_no`` counts how often they changed: a reading of older ones
    is not kept. ``preview`` is what a person sees before they confirm, ``tally`` what came of
    it so far, ``problems`` the first few of them. ``form_id`` makes one form one upload.
    **Units**: ``size`` bytes; ``sha256`` hexadecimal.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    uploaded_at = models.DateTimeField()
    form_id = models.UUIDField(unique=True)
    name = models.CharField(max_length=200, blank=True)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    folder = models.CharField(max_length=64, blank=True)
    has_rows = models.BooleanField(default=False)
    state = models.CharField(max_length=16, choices=ImportState.choices)
    choices = models.JSONField(default=dict)
    choices_no = models.PositiveIntegerField(default=1)
    preview = models.JSONField(default=dict)
    tally = models.JSONField(default=dict)
    problems = models.JSONField(default=list)
    error = models.TextField(blank=True)
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    confirmed_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["space", "-id"], name="imports_of_a_space")]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in ImportState]),
                name="import_state_is_known",
            ),
            models.CheckConstraint(
                condition=Q(state__in=sorted(OPEN_STATES), finished_at=None)
                | Q(finished_at__isnull=False),
                name="closed_import_says_when",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["importing", "done"]) | Q(confirmed_at__isnull=False),
                name="import_was_confirmed",
            ),
        ]

    def __str__(self) -> str:
        return f"import {self.pk} ({self.state})"


class ImportedInto(models.Model):
    """A conversation that a file added messages to."""

    file_import = models.ForeignKey(FileImport, on_delete=models.CASCADE, related_name="reached")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["file_import", "conversation"], name="one_link_per_import"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.file_import} added to {self.conversation}"
