"""Acts of people in the browser that were refused or failed: one event each, in one place.

The middleware looks at every answer. Views say what went wrong with ``acting`` around their
command, and then answer as they like; what was refused before any command shows in the answer.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import ResolverMatch

from knowledge.errors import KnowledgeError
from knowledge.results import Actor
from workbench import auditing
from workbench.middleware import SPACE_ID, request_id_of
from workbench.views.broken import unavailable

REFUSED = "workbench.refused"
API = "/api/"

# What an answer to a decisive request means where no error of the core was noted.
OF_ANSWERS = {
    403: ("denied", "forbidden"),
    404: ("failed", "not_found"),
    409: ("failed", "conflict"),
    500: ("failed", "internal_error"),
}


@dataclass(frozen=True, slots=True)
class Refused:
    """How an act ended that did not succeed. ``reason`` is a code, never words of a person."""

    outcome: str
    reason: str


@contextmanager
def acting(request: HttpRequest) -> Iterator[None]:
    """Note what the core refuses or cannot do, for the middleware to log, and pass it on."""
    try:
        yield
    except KnowledgeError as error:
        request.META[REFUSED] = Refused(auditing.outcome_of(error), error.code)
        raise


class RefusalMiddleware:
    """Logs what a person was refused or failed to do, after all of it was rolled back.

    Without that event there is no answer but 503. Stands inside the authentication, so that it
    knows who asks.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and log where that answer is a refusal."""
        response = self.get_response(request)
        refused = refused_in(request, response)
        if refused is None:
            return response
        try:
            _log(request, refused)
        except auditing.AuditUnavailable:
            return unavailable()
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> None:
        """Note the reason of an error that no view answered."""
        if isinstance(error, KnowledgeError):
            request.META[REFUSED] = Refused(auditing.outcome_of(error), error.code)
        elif isinstance(error, PermissionDenied):
            request.META[REFUSED] = Refused("denied", "not_allowed")
        elif isinstance(error, Http404) and request.method == "POST":
            request.META.setdefault(REFUSED, Refused("failed", "not_found"))


def refused_in(request: HttpRequest, response: HttpResponse) -> Refused | None:
    """Say how a person's act ended, or None where it succeeded or was none.

    Reading is an act only where it is forbidden; a form that was not filled in well is none.
    """
    if request.path.startswith(API) or response.status_code == 503 or not request.resolver_match:
        return None
    noted = request.META.get(REFUSED)
    if not isinstance(noted, Refused):
        noted = None
        if request.method == "POST" or response.status_code == 403:
            answered = OF_ANSWERS.get(response.status_code)
            noted = Refused(*answered) if answered else None
        if noted is None and _turned_away_from_admin(request, response):
            noted = Refused("denied", "not_staff")
    return noted if noted is not None and request.user.is_authenticated else None


def _turned_away_from_admin(request: HttpRequest, response: HttpResponse) -> bool:
    """The admin sends whoever may not enter to its login page, also those who are logged in."""
    match = request.resolver_match
    inside = match is not None and match.app_name == "admin" and match.url_name != "login"
    return inside and response.status_code == 302 and "/login/" in response.headers["Location"]


def _log(request: HttpRequest, refused: Refused) -> None:
    match = request.resolver_match
    named, payload = _object_of(match)
    auditing.log(
        space_id=request.META.get(SPACE_ID),
        by=Actor(
            kind="user",
            id=request.user.get_username(),
            channel="web",
            user_id=request.user.pk,
            request_id=request_id_of(request),
        ),
        action=(match.view_name if match else "") or "unknown",
        outcome=refused.outcome,
        object_type=named[0],
        object_id=named[1],
        reason_code=refused.reason,
        payload=payload,
    )


def _object_of(match: ResolverMatch | None) -> tuple[tuple[str, str], dict[str, Any] | None]:
    """What the address names first, and the rest of what it names."""
    kwargs: dict[str, Any] = dict(match.kwargs) if match else {}
    if not kwargs:
        return ("", ""), None
    first = next(iter(kwargs))
    value = str(kwargs.pop(first))
    rest = {name: str(other)[:64] for name, other in kwargs.items()}
    return (first.removesuffix("_id"), value), rest or None
