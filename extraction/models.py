"""What workers remember of model endpoints: what each can do, and whether it answers.

And, from their own module, the files that people brought.
"""

from django.db import models
from django.db.models import Q

from extraction.uploads.models import FileImport, ImportedInto

__all__ = ["EndpointRole", "FileImport", "ImportedInto", "ModelEndpoint", "StructuredOutput"]


class EndpointRole(models.TextChoices):
    """What an endpoint is asked for."""

    CHAT = "chat", "Chat"
    EMBEDDING = "embedding", "Embedding"


class StructuredOutput(models.TextChoices):
    """How an endpoint is made to answer in JSON; empty until it was learned."""

    JSON_SCHEMA = "json_schema", "held to a JSON schema"
    JSON_OBJECT = "json_object", "held to JSON, the schema told in words"
    PROMPT = "prompt", "asked for JSON in words alone"


class ModelEndpoint(models.Model):
    """One model behind one address, shared by all workers.

    Never a key, never words of a conversation: ``last_error`` is a sentence of this program
    about a status or a time-out, and ``base_url`` carries no user, password or query.
    **Shape**: ``refused_parameters`` lists names of request parameters the server does not take.
    ``open_until`` is when an endpoint that kept failing is asked again.
    """

    role = models.CharField(max_length=16, choices=EndpointRole.choices)
    base_url = models.CharField(max_length=500)
    model = models.CharField(max_length=200)
    structured_output = models.CharField(
        max_length=16, choices=StructuredOutput.choices, blank=True
    )
    refused_parameters = models.JSONField(default=list)
    dimensions = models.PositiveIntegerField(null=True)
    failures = models.PositiveIntegerField(default=0)
    open_until = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=300, blank=True)
    last_ok_at = models.DateTimeField(null=True)
    learned_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["role", "base_url", "model"], name="one_memory_per_endpoint_and_model"
            ),
            models.CheckConstraint(
                condition=Q(role__in=[role.value for role in EndpointRole]),
                name="endpoint_role_is_known",
            ),
            models.CheckConstraint(
                condition=Q(structured_output__in=["", *(m.value for m in StructuredOutput)]),
                name="structured_output_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} at {self.base_url}"
