"""Addresses that are there to be posted to, and what a person finds who comes with a GET."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.http import HttpResponse, HttpResponseNotAllowed
from django.urls import reverse

from workbench.http import HtmxHttpRequest, see_other

Act = Callable[Concatenate[HtmxHttpRequest, ...], HttpResponse]


def posted_from_card(view: Act) -> Callable[[HtmxHttpRequest, int], HttpResponse]:
    """Let a view be posted to alone; a GET leads to the card the act is about.

    So come people who reload in the address bar, and those who log in again after the session
    ended under a form: the login remembers the address, not what was posted to it.
    """

    @wraps(view)
    def answer(request: HtmxHttpRequest, proposal_id: int) -> HttpResponse:
        if request.method == "POST":
            return view(request, proposal_id)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["POST"])
        tail = request.GET.urlencode()
        return see_other(reverse("review", args=[proposal_id]) + (f"?{tail}" if tail else ""))

    return answer
