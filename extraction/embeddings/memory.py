"""What all processes remember of an embedding endpoint: its dimensions, and whether it answered.

Whether it is asked at all, each process decides for itself; this is for people who look.
"""

from collections.abc import Sequence

from django.utils import timezone

from extraction import endpoints
from extraction.embeddings.openai.endpoint import Endpoint
from extraction.models import EndpointRole, ModelEndpoint


def note_vectors(endpoint: Endpoint, *, dimensions: int, left_out: Sequence[str] = ()) -> None:
    """Note that an endpoint gave vectors, how long they are, and what it does not take."""
    row, now = _row(endpoint), timezone.now()
    if row.dimensions != dimensions or row.refused_parameters != list(left_out):
        row.dimensions, row.refused_parameters, row.learned_at = dimensions, list(left_out), now
        row.save(update_fields=["dimensions", "refused_parameters", "learned_at"])
    endpoints.note_answer(row, now=now)


def note_trouble(endpoint: Endpoint, *, sentence: str) -> None:
    """Note that an endpoint gave none, and why."""
    endpoints.note_trouble(_row(endpoint), sentence=sentence)


def dimensions_of(endpoint: Endpoint) -> int | None:
    """Say how many numbers its vectors have, without asking it; None where nobody knows yet."""
    found = ModelEndpoint.objects.filter(**_key(endpoint)).values_list("dimensions", flat=True)
    return endpoint.dimensions or found.first()


def _row(endpoint: Endpoint) -> ModelEndpoint:
    key = _key(endpoint)
    return endpoints.recall(
        endpoints.Endpoint(EndpointRole.EMBEDDING, key["base_url"], key["model"])
    )


def _key(endpoint: Endpoint) -> dict[str, str]:
    return {
        "role": EndpointRole.EMBEDDING.value,
        "base_url": endpoints.public_address(endpoint.base_url),
        "model": endpoint.model[:200],
    }
