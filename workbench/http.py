"""How every screen answers: one view gives the whole page, or only the part htmx asked for."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.cache import patch_cache_control, patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

HTMX_CONFIG: dict[str, Any] = {
    "historyCacheSize": 0,
    "refreshOnHistoryMiss": True,
    "includeIndicatorStyles": False,
    "allowEval": False,
    "selfRequestsOnly": True,
    "reportValidityOfForms": True,
    "scrollIntoViewOnBoost": False,
    "responseHandling": [
        {"code": "204", "swap": False},
        {"code": "[23]..", "swap": True},
        {"code": "(409|422)", "swap": True, "error": False},
        {"code": "[45]..", "swap": False, "error": True},
    ],
}
"""Why: by default htmx keeps page text in sessionStorage, drops 409 answers and breaks the CSP."""


class HtmxHttpRequest(HttpRequest):
    """A request that went through django-htmx's middleware."""

    htmx: HtmxDetails


def htmx_config() -> str:
    """Return htmx's settings as the page's meta element holds them."""
    return json.dumps(HTMX_CONFIG, separators=(",", ":"))


def wants_fragment(request: HtmxHttpRequest, fragment: str) -> bool:
    """Tell whether htmx asked for this part alone."""
    asked = bool(request.htmx) and not request.htmx.history_restore_request
    return asked and request.htmx.target == fragment


def render_page(
    request: HtmxHttpRequest,
    *,
    template: str,
    page: object,
    status: int = 200,
    fragment: str = "work",
) -> HttpResponse:
    """Answer with the page, or with its ``fragment`` where htmx swaps it in.

    Nothing is stored by caches; a failed request never becomes an address in the history. A page
    without such a part takes the place of the whole page before it.
    """
    asked = wants_fragment(request, fragment)
    partial = asked and _has_part(template, fragment)
    name = f"{template}#{fragment}" if partial else template
    response = render(request, name, {"page": page, "partial": partial}, status=status)
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    patch_cache_control(response, no_store=True, private=True)
    if status >= 400:
        response.headers["HX-Push-Url"] = "false"
    if asked and not partial:
        response.headers["HX-Retarget"] = "body"
        response.headers["HX-Reswap"] = "innerHTML"
    return response


def _has_part(template: str, fragment: str) -> bool:
    try:
        get_template(f"{template}#{fragment}")
    except TemplateDoesNotExist:
        return False
    return True


def see_other(url: str) -> HttpResponseRedirect:
    """Send the browser on with a GET, so that a reload decides nothing."""
    return HttpResponseRedirect(url, status=303)


def to_login(request: HtmxHttpRequest, login_url: str) -> HttpResponse:
    """Send a person without a session to the login page.

    htmx is told to leave the page, so that a login form never appears inside a fragment.
    """
    if not request.htmx:
        return HttpResponseRedirect(f"{login_url}?{_next(request.get_full_path())}")
    here = urlsplit(request.htmx.current_url_abs_path or "/")
    back = f"{here.path}?{here.query}" if here.query else here.path
    return HttpResponseClientRedirect(f"{login_url}?{_next(back)}")


def _next(path: str) -> str:
    from_path = QueryDict(mutable=True)
    from_path["next"] = path
    return from_path.urlencode(safe="/")


def number_from(request: HttpRequest, name: str) -> int | None:
    """Read a whole number from the address; anything else is none."""
    return whole_number(request.GET.get(name, ""))


def whole_number(text: str) -> int | None:
    """Read a whole number as an address holds it, in plain digits; anything else is none."""
    # "²" is a digit to `isdigit` and no number to `int`.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None
