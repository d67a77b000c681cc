"""Who calls: a key, and nothing in a request can widen what it opens."""

from axes.helpers import get_client_ip_address
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from knowledge.results import Actor
from workbench import auditing
from workbench.api.errors import KeyRefused
from workbench.auditing import log as log
from workbench.commands import keys
from workbench.middleware import request_id_of
from workbench.queries.keys import Grant, grant_of

_SENTENCES = {
    "expired": "This key has expired. Ask an administrator for a new one.",
    "revoked": "This key was revoked. Ask an administrator for a new one.",
}


class KeyAuth(HttpBearer):
    """Admits a usable key that has one scope; every refusal is in the audit log."""

    openapi_scheme = "bearer"
    openapi_bearerFormat = "mwk_<prefix>_<secret>"  # noqa: N815  # OpenAPI's own name

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> Grant:
        """Return what the key opens.

        **Raises**: KeyRefused; AuditUnavailable where the refusal cannot be logged.
        """
        now = timezone.now()
        grant = grant_of(token, now=now)
        if grant is None:
            prefix = _prefix_of(token)
            deny(request, grant=None, actor_id=prefix, reason="key_unknown")
            raise KeyRefused("There is no such key.", code="key_unknown")
        if grant.state != "active":
            reason = f"key_{grant.state}"
            deny(request, grant=grant, actor_id=grant.prefix, reason=reason)
            raise KeyRefused(_SENTENCES[grant.state], code=reason)
        if self.scope not in grant.scopes:
            deny(request, grant=grant, actor_id=grant.prefix, reason="scope_missing")
            raise KeyRefused(
                f"This key lacks the scope {self.scope}.", code="scope_missing", status=403
            )
        keys.note_use(key_id=grant.key_id, now=now)
        return grant


def actor_of(request: HttpRequest, grant: Grant) -> Actor:
    """Name the key as who acts."""
    return Actor(kind="key", id=grant.prefix, channel="api", request_id=request_id_of(request))


def deny(request: HttpRequest, *, grant: Grant | None, actor_id: str, reason: str) -> None:
    """Log a refused use of a key, an unknown one in the system's chain.

    Whoever tries key after key is listed a few times a minute, not each time.

    **Raises**: AuditUnavailable.
    """
    by = Actor(kind="key", id=actor_id, channel="api", request_id=request_id_of(request))
    auditing.log_stranger(
        address=get_client_ip_address(request) or "",
        space_id=grant.space_id if grant else None,
        by=by,
        action="key.use",
        outcome="denied",
        object_type="key",
        object_id=actor_id,
        reason_code=reason,
        payload={"path": request.path, "method": request.method},
    )


def _prefix_of(token: str) -> str:
    """The public part of what was sent, where it has one; the rest may be somebody's secret."""
    form = keys.TOKEN_FORM.fullmatch(token)
    return form["prefix"] if form else "malformed"
