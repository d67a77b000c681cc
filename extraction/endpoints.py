"""What is remembered of a model endpoint, and when it is left alone for a while.

Shared by all workers through the database: what one learned, or suffered, the others know.
Nothing here holds a key or words of a conversation.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit, urlunsplit

from django.db.models import F

from extraction.errors import EngineAway
from extraction.models import ModelEndpoint, StructuredOutput

# What was learned is tried anew after this time: a server may have been brought up to date.
RELEARN_AFTER = timedelta(days=7)
# How long the one that asks an endpoint again has, before another may.
HALF_OPEN = timedelta(minutes=2)
# A server that asks for more patience than this is asked again all the same: what waits for it
# is tried every ten minutes.
LONGEST_REST = timedelta(minutes=10)
_SEEN_OFTEN_ENOUGH = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model behind one address. **Shape**: ``role`` is chat or embedding."""

    role: str
    base_url: str
    model: str


@dataclass(frozen=True, slots=True)
class Breaker:
    """After how many failures in a row an endpoint is left alone, and for how long."""

    failures: int = 5
    rest: timedelta = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is known of an endpoint without asking it.

    **Shape**: ``answers`` says in words how it is made to answer in JSON, empty until learned.
    """

    role: str
    base_url: str
    model: str
    answers: str
    refused_parameters: tuple[str, ...]
    dimensions: int | None
    failures: int
    open_until: datetime | None
    last_error: str
    last_ok_at: datetime | None
    learned_at: datetime | None


def remembered() -> tuple[Remembered, ...]:
    """List what is known of every endpoint ever asked, the one that answered last first."""
    rows = ModelEndpoint.objects.order_by(F("last_ok_at").desc(nulls_last=True), "pk")
    return tuple(
        Remembered(
            role=row.role,
            base_url=row.base_url,
            model=row.model,
            answers=StructuredOutput(row.structured_output).label if row.structured_output else "",
            refused_parameters=tuple(row.refused_parameters),
            dimensions=row.dimensions,
            failures=row.failures,
            open_until=row.open_until,
            last_error=row.last_error,
            last_ok_at=row.last_ok_at,
            learned_at=row.learned_at,
        )
        for row in rows
    )


def public_address(url: str) -> str:
    """Give an address without user, password, query or fragment: fit to be stored and shown."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return "(no address)"
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))[:500]


def recall(endpoint: Endpoint) -> ModelEndpoint:
    """Give what is remembered of an endpoint; empty for one never asked."""
    row, _ = ModelEndpoint.objects.get_or_create(
        role=endpoint.role,
        base_url=public_address(endpoint.base_url),
        model=endpoint.model[:200],
    )
    return row


def check_rested(row: ModelEndpoint, *, now: datetime) -> None:
    """Refuse to ask an endpoint that keeps failing; once its rest is over, let one ask.

    **Raises**: EngineAway, naming when it is asked again.
    """
    if row.open_until is None:
        return
    if row.open_until <= now:
        mine = ModelEndpoint.objects.filter(pk=row.pk, open_until=row.open_until)
        if mine.update(open_until=now + HALF_OPEN):
            return
    until = max(row.open_until, now)
    raise EngineAway(
        f"The model endpoint {row.base_url} is left alone until {until:%H:%M:%S} UTC"
        f" because it kept failing. The last time: {row.last_error}"
    )


def note_answer(row: ModelEndpoint, *, now: datetime) -> None:
    """Note that an endpoint answered: it is whole again."""
    fresh = row.last_ok_at is not None and now - row.last_ok_at < _SEEN_OFTEN_ENOUGH
    if fresh and not row.failures and row.open_until is None:
        return
    row.failures, row.open_until, row.last_ok_at = 0, None, now
    row.last_error = ""
    row.save(update_fields=["failures", "open_until", "last_ok_at", "last_error"])


def note_failure(row: ModelEndpoint, *, sentence: str, breaker: Breaker, now: datetime) -> None:
    """Count a failure; too many in a row open the breaker.

    ``sentence`` is this program's own, never a server's words.
    """
    note_trouble(row, sentence=sentence)
    rows = ModelEndpoint.objects.filter(pk=row.pk)
    rows.filter(failures__gte=breaker.failures).update(open_until=now + breaker.rest)


def note_trouble(row: ModelEndpoint, *, sentence: str) -> None:
    """Count a failure of an endpoint whose rest is decided elsewhere. ``sentence`` as above."""
    rows = ModelEndpoint.objects.filter(pk=row.pk)
    rows.update(failures=F("failures") + 1, last_error=sentence[:300])


def note_rest(row: ModelEndpoint, *, sentence: str, seconds: float, now: datetime) -> None:
    """Leave an endpoint alone for as long as it asks to be."""
    rest = min(timedelta(seconds=max(0.0, seconds)), LONGEST_REST)
    ModelEndpoint.objects.filter(pk=row.pk).update(open_until=now + rest, last_error=sentence[:300])


def learn(
    row: ModelEndpoint, *, structured_output: str, refused_parameters: list[str], now: datetime
) -> None:
    """Remember how an endpoint is made to answer in JSON, and what it does not take."""
    same = row.structured_output == structured_output
    if same and row.refused_parameters == refused_parameters and not is_stale(row, now=now):
        return
    row.structured_output, row.refused_parameters = structured_output, refused_parameters
    row.learned_at = now
    row.save(update_fields=["structured_output", "refused_parameters", "learned_at"])


def is_stale(row: ModelEndpoint, *, now: datetime) -> bool:
    """Say whether what was learned is too old to be relied on."""
    return row.learned_at is None or now - row.learned_at > RELEARN_AFTER
