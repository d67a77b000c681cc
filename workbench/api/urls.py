"""Addresses of the API, each answering in JSON whatever happens."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.utils.cache import patch_cache_control
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI, Swagger

from workbench.api import errors, retrieval, statements
from workbench.api.rendering import ExactTimes

# The documentation page draws its own icons from data addresses; nothing else may.
_docs_policy = csp_update({"img-src": ["data:"]})

api = NinjaAPI(
    title="Memory Workbench",
    version="1",
    description=(
        "What people approved about a subject, on two time axes. A key binds one space and a "
        "fixed list of subjects; nothing in a request can widen that. Errors are problem+json "
        "(RFC 9457). Instants are RFC 3339 with an offset."
    ),
    urls_namespace="api-v1",
    renderer=ExactTimes(),
    docs=Swagger(settings={"validatorUrl": None}),
    docs_decorator=_docs_policy,
)
errors.install(api)
api.add_router("", retrieval.router)
api.add_router("", statements.router)

View = Callable[..., HttpResponse]


def guarded(view: View, *, parameters: frozenset[str] | None) -> View:
    """Make a view answer every failure as a problem, and never be cached.

    ``parameters`` are the names an address may carry; None admits any.
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        unknown = sorted(set(request.GET) - parameters) if parameters is not None else []
        if unknown:
            return errors.unknown_parameters(request, unknown)
        try:
            response = view(request, *args, **kwargs)
        except Http404:
            return errors.not_found(request)
        except Exception as error:  # noqa: BLE001  # the last place that can answer in JSON
            return errors.of_anything(request, error)
        patch_cache_control(response, no_store=True)
        return errors.as_problem(request, response)

    return answer


def _parameters(pattern: URLPattern) -> frozenset[str] | None:
    """The names the operations behind an address take in its query."""
    schema = api.get_openapi_schema(path_prefix="/")["paths"]
    route = "/" + str(pattern.pattern).replace("<int:", "{").replace("<", "{").replace(">", "}")
    operations = schema.get(route)
    if operations is None:
        return frozenset()
    return frozenset(
        parameter["name"]
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query"
    )


def _guarded_urls() -> tuple[list[URLPattern | URLResolver], str, str]:
    patterns, app_name, namespace = api.urls
    kept: list[URLPattern | URLResolver] = [
        URLPattern(
            found.pattern,
            guarded(found.callback, parameters=_parameters(found)),
            found.default_args,
            found.name,
        )
        for found in patterns
        if isinstance(found, URLPattern)
    ]
    return kept, app_name, namespace


_patterns, _app_name, _namespace = _guarded_urls()
urlpatterns = [
    path("v1/", include((_patterns, _app_name), namespace=_namespace)),
    re_path(r"", csrf_exempt(errors.not_found)),
]
