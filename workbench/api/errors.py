"""Every failure of the API as one kind of answer: problem+json (RFC 9457).

The one place where errors of the core become status codes.
"""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from knowledge.errors import (
    Conflict,
    InvalidInput,
    KnowledgeError,
    NotAllowed,
    NotFound,
)
from knowledge.results import Actor
from workbench import auditing
from workbench.auditing import AuditUnavailable
from workbench.middleware import request_id_of
from workbench.queries.keys import Grant

CONTENT_TYPE = "application/problem+json"
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="memory-workbench"'}
_RETRY_SOON = {"Retry-After": "5"}

# What every view calls its body or parameters.
_ARGUMENT = "wanted"

logger = logging.getLogger(__name__)


class KeyRefused(Exception):
    """A key that opens nothing here. **Shape**: ``status`` 401, or 403 for a missing scope."""

    def __init__(self, sentence: str, *, code: str, status: int = 401) -> None:
        super().__init__(sentence)
        self.code = code
        self.status = status


def problem(
    request: HttpRequest,
    *,
    status: int,
    code: str,
    detail: str,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> HttpResponse:
    """Write one problem: a sentence for people and a code for machines."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "instance": request.path,
        "request_id": request_id_of(request),
        **{name: value for name, value in more.items() if value},
    }
    text = json.dumps(body, ensure_ascii=False)
    response = HttpResponse(text, status=status, content_type=CONTENT_TYPE)
    for name, value in (headers or {}).items():
        response.headers[name] = value
    return response


def of_knowledge(request: HttpRequest, error: KnowledgeError) -> HttpResponse:
    """Answer with an error of the core, once it is in the log what the key tried."""
    try:
        _log(request, error)
    except AuditUnavailable as unwritten:
        return of_unavailable(request, unwritten)
    status = 400
    for kind, mapped in ((NotAllowed, 403), (NotFound, 404), (InvalidInput, 422), (Conflict, 409)):
        if isinstance(error, kind):
            status = mapped
    field = error.field if isinstance(error, InvalidInput) else ""
    return problem(request, status=status, code=error.code, detail=str(error), field=field)


def of_validation(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Name every field that is wrong, the first one in the sentence."""
    errors = [_field_error(item) for item in error.errors]
    first = errors[0]
    return problem(
        request,
        status=422,
        code="unknown_field"
        if any(e["code"] == "unknown_field" for e in errors)
        else "invalid_input",
        detail=first["detail"],
        field=first["field"],
        errors=errors,
    )


def unknown_parameters(request: HttpRequest, names: list[str]) -> HttpResponse:
    """Refuse parameters of the address that the call does not have."""
    errors = [_unknown(name) for name in names]
    return problem(
        request,
        status=422,
        code="unknown_field",
        detail=errors[0]["detail"],
        field=names[0],
        errors=errors,
    )


def of_unavailable(request: HttpRequest, error: Exception) -> HttpResponse:
    """Say that the store cannot answer: which is not “no memories”."""
    logger.error("store_unavailable", exc_info=error)
    return problem(
        request,
        status=503,
        code="unavailable",
        detail="The store cannot answer right now, so this says nothing about what it holds. "
        "Try again.",
        headers=_RETRY_SOON,
    )


def of_anything(request: HttpRequest, error: Exception) -> HttpResponse:
    """Answer for a fault of ours without telling its inside."""
    logger.error("api_fault", exc_info=error)
    return problem(
        request,
        status=500,
        code="internal_error",
        detail="Something went wrong on our side. Quote the request id when you report it.",
    )


def as_problem(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Turn a plain error answer, such as 405, into a problem."""
    if response.status_code < 400 or response.headers.get("Content-Type") == CONTENT_TYPE:
        return response
    status = HTTPStatus(response.status_code)
    allowed = response.headers.get("Allow", "")
    detail = f"This address takes {allowed} only." if allowed else f"{status.phrase}."
    return problem(
        request,
        status=status,
        code=status.name.lower(),
        detail=detail,
        headers={"Allow": allowed} if allowed else None,
    )


def install(api: NinjaAPI) -> None:
    """Give the API its handlers; the most specific one answers."""

    def handle(kind: type[Exception], answer: Any) -> None:
        api.add_exception_handler(kind, answer)

    handle(KnowledgeError, of_knowledge)
    handle(ValidationError, of_validation)
    handle(KeyRefused, _of_key)
    handle(AuthenticationError, _of_no_key)
    handle(HttpError, _of_http)
    handle(Http404, not_found)
    for broken in (OperationalError, InterfaceError, AuditUnavailable):
        handle(broken, of_unavailable)
    handle(RequestDataTooBig, _of_too_big)
    handle(BadRequest, _of_bad_request)
    handle(Exception, of_anything)


def not_found(request: HttpRequest, error: Exception | None = None) -> HttpResponse:
    """Answer for an address the API does not have."""
    return problem(
        request, status=404, code="not_found", detail="There is nothing at this address."
    )


def _log(request: HttpRequest, error: KnowledgeError) -> None:
    """Of what the core is asked for in the API, all is asked by a key."""
    grant = getattr(request, "auth", None)
    match = request.resolver_match
    if not isinstance(grant, Grant) or match is None:
        return
    name, value = next(iter(match.kwargs.items()), ("", ""))
    auditing.log(
        space_id=grant.space_id,
        by=Actor(kind="key", id=grant.prefix, channel="api", request_id=request_id_of(request)),
        action=match.url_name or "unknown",
        outcome=auditing.outcome_of(error),
        object_type=name.removesuffix("_id"),
        object_id=str(value),
        reason_code=error.code,
    )


def _of_key(request: HttpRequest, error: KeyRefused) -> HttpResponse:
    challenge = 'error="insufficient_scope"' if error.status == 403 else 'error="invalid_token"'
    return problem(
        request,
        status=error.status,
        code=error.code,
        detail=str(error),
        headers={"WWW-Authenticate": f"{_CHALLENGE['WWW-Authenticate']}, {challenge}"},
    )


def _of_no_key(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return problem(
        request,
        status=401,
        code="key_missing",
        detail="Send a key: Authorization: Bearer mwk_…",
        headers=_CHALLENGE,
    )


def _of_http(request: HttpRequest, error: HttpError) -> HttpResponse:
    detail = error.message if error.status_code != 400 else "The body is not valid JSON."
    code = HTTPStatus(error.status_code).name.lower()
    return problem(request, status=error.status_code, code=code, detail=detail)


def _of_too_big(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    return problem(request, status=413, code="too_large", detail="The body is too large.")


def _of_bad_request(request: HttpRequest, error: BadRequest) -> HttpResponse:
    return problem(request, status=400, code="bad_request", detail="The request cannot be read.")


def _field_error(item: Mapping[str, Any]) -> dict[str, str]:
    # ("body", "wanted", "valid_at"): where it came from and our name for it help nobody.
    path = [str(part) for part in item["loc"][1:]]
    path = path[1:] if path[:1] == [_ARGUMENT] else path
    name = ".".join(path)
    if item["type"] == "extra_forbidden":
        return _unknown(name)
    return {"field": name, "code": "invalid_input", "detail": f"{name or 'body'}: {item['msg']}."}


def _unknown(name: str) -> dict[str, str]:
    detail = f"There is no field called {name} here."
    if name in {"subject", "subject_id", "space", "space_id", "user", "user_id", "scope"}:
        detail += " Whose memory is read comes from the key alone."
    return {"field": name, "code": "unknown_field", "detail": detail}
