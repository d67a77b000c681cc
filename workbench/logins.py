"""Logins in the log: who came, who was turned away, who left. They are acts of no space."""

from typing import Any

from axes.helpers import get_client_ip_address, get_failure_limit
from axes.signals import user_locked_out
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.http import HttpRequest

from knowledge.results import Actor
from workbench import auditing
from workbench.access import name_tried
from workbench.middleware import REQUEST_ID


def connect() -> None:
    """Listen to Django's own word of each login; nothing else sees all of them."""
    user_logged_in.connect(log_login, dispatch_uid="log_login")
    user_logged_out.connect(log_logout, dispatch_uid="log_logout")
    user_login_failed.connect(log_failure, dispatch_uid="log_failure")
    user_locked_out.connect(log_lock_out, dispatch_uid="log_lock_out")


def log_login(*, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Log that a person came; without that they do not get in.

    **Raises**: AuditUnavailable.
    """
    _log(request, user, action="login", payload={"address": _address(request)})


def log_logout(*, request: HttpRequest, user: User | None, **kwargs: Any) -> None:
    """Log that a person left. **Raises**: AuditUnavailable."""
    if user is not None:
        _log(request, user, action="logout")


def log_failure(
    *, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
) -> None:
    """Log that a name and a password did not belong together.

    The failure that locks is logged as that. What follows it is no further attempt: nobody looks
    at the password any more. axes has been told before, since its module was loaded before.

    **Raises**: AuditUnavailable.
    """
    if request is not None and not getattr(request, "axes_locked_out", False):
        _log_stranger(request, name_tried(request, credentials), reason="wrong_password")


def log_lock_out(*, request: HttpRequest, username: str | None = None, **kwargs: Any) -> None:
    """Log that a name is locked from an address, once and not for all who come against the lock.

    **Raises**: AuditUnavailable.
    """
    failures = getattr(request, "axes_failures_since_start", None)
    if failures == get_failure_limit(request, {"username": username}):
        _log_stranger(request, username or "", reason="locked_out")


def _log(
    request: HttpRequest, user: User, *, action: str, payload: dict[str, Any] | None = None
) -> None:
    auditing.log(
        space_id=None,
        by=Actor(
            kind="user",
            id=user.get_username(),
            channel="web",
            user_id=user.pk,
            request_id=_request_id(request),
        ),
        action=action,
        object_type="user",
        object_id=str(user.pk),
        payload=payload,
    )


def _log_stranger(request: HttpRequest, name: str, *, reason: str) -> None:
    """A name that is nobody's may be a password typed in the wrong place: it can be erased."""
    user = User.objects.filter(username=name).first()
    auditing.log_stranger(
        address=_address(request),
        space_id=None,
        by=Actor(
            kind="user",
            id=user.get_username() if user else "",
            channel="web",
            request_id=_request_id(request),
        ),
        action="login",
        outcome="denied",
        object_type="user",
        object_id=str(user.pk) if user else "",
        reason_code=reason,
        payload={"username": name},
    )


def _address(request: HttpRequest) -> str:
    return get_client_ip_address(request) or ""


def _request_id(request: HttpRequest) -> str:
    """Outside of a served request, as in a test's login, there is none."""
    return str(request.META.get(REQUEST_ID, ""))
