"""Middleware of our own: the id that ties a request to its log lines and audit events."""

import re
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

REQUEST_ID_HEADER = "X-Request-ID"
REQUEST_ID = "workbench.request_id"
# Where the space stands in which a person acts, for what looks at a request from outside.
SPACE_ID = "workbench.space_id"
SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestIdMiddleware:
    """Gives every request an id, binds it to the logs and returns it in the answer.

    An id sent by a caller is kept when it is short and plain, so that a trace can be followed
    across systems; anything else could be used to forge log lines and is replaced.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Handle one request under its id."""
        request_id = choose_request_id(request.headers.get(REQUEST_ID_HEADER, ""))
        request.META[REQUEST_ID] = request_id
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response.headers[REQUEST_ID_HEADER] = request_id
        return response


def choose_request_id(sent: str) -> str:
    """Return the caller's id when it is safe to log, else a new one."""
    return sent if SAFE_REQUEST_ID.fullmatch(sent) else str(uuid.uuid4())


def request_id_of(request: HttpRequest) -> str:
    """Return the id that the middleware gave to ``request``."""
    return str(request.META[REQUEST_ID])
