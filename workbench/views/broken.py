"""When nothing else could answer: a fault of ours, or a store that is away."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error

from workbench.auditing import AuditUnavailable

RETRY_AFTER_S = 5


def broken(request: HttpRequest) -> HttpResponse:
    """Answer 503 where the database or the log cannot be reached, and 500 for anything else.

    The page asks the database for nothing.
    """
    if not isinstance(sys.exception(), (OperationalError, InterfaceError, AuditUnavailable)):
        return server_error(request)
    return unavailable()


def unavailable() -> HttpResponse:
    """Answer that the store is away, and when to come back."""
    response = HttpResponse(render_to_string("503.html"), status=503)
    response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return response
