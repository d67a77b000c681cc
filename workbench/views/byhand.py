"""Proposing by hand from words of a conversation."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from knowledge.errors import InvalidInput
from knowledge.queries.words import ChosenWords, chosen_words, space_of_message
from workbench import acts, forms, keys_switch
from workbench.access import Seat, check_may_decide, seat_in, seated
from workbench.http import HtmxHttpRequest, number_from, render_page, see_other
from workbench.pages.byhand import by_hand_view
from workbench.refusals import acting


@require_http_methods(["GET", "POST"])
@seated
def propose_words(request: HtmxHttpRequest, seat: Seat, message_id: int) -> HttpResponse:
    """Show the form for the words of the address, or propose from them."""
    seat = seat_in(request, seat, space_of_message(message_id))
    check_may_decide(seat)
    words = chosen_words(
        message_id,
        space_id=seat.space_id,
        start=number_from(request, "start") or 0,
        end=number_from(request, "end") or 0,
    )
    if words is None or words.subject_id is None:
        raise Http404("There are no such words.")
    if request.method == "GET":
        return _show(request, seat, words)
    form = forms.StatementForm(request.POST)
    if not form.is_valid():
        errors = {name: [str(line) for line in lines] for name, lines in form.errors.items()}
        return _show(request, seat, words, status=422, values=request.POST.dict(), errors=errors)
    try:
        with acting(request):
            made = acts.propose_by_hand(
                form, words=words, subject_id=words.subject_id, seat=seat, now=timezone.now()
            )
    except InvalidInput as error:
        errors = {"text": [str(error)]}
        return _show(request, seat, words, status=422, values=request.POST.dict(), errors=errors)
    messages.success(request, "Proposed. It waits for a decision.")
    return see_other(reverse("review", args=[made]))


def _show(
    request: HtmxHttpRequest, seat: Seat, words: ChosenWords, *, status: int = 200, **said: Any
) -> HttpResponse:
    page = by_hand_view(words, seat=seat, keys_on=keys_switch.are_on(request), **said)
    return render_page(request, template="review/byhand.html", page=page, status=status)
