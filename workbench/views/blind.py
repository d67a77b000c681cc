"""A blind second review: look at a card as it was, say what one would have decided."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge.errors import Conflict, InvalidInput, NotAllowed
from knowledge.queries import blind as reads
from workbench import acts, forms, keys_switch
from workbench.access import Seat, check_may_decide, seat_in, seated
from workbench.http import HtmxHttpRequest, render_page, see_other
from workbench.pages import blind as blind_pages
from workbench.pages import compared
from workbench.pages import queue as queue_pages
from workbench.pages.review import read_asked
from workbench.refusals import acting


@require_safe
@seated
def blind(request: HtmxHttpRequest, seat: Seat, draw_id: int) -> HttpResponse:
    """Show a card as the first reader met it."""
    seat = seat_in(request, seat, reads.space_of_draw(draw_id))
    check_may_decide(seat)
    return _render(request, seat, draw_id)


@require_POST
@seated
def answer(request: HtmxHttpRequest, seat: Seat, draw_id: int) -> HttpResponse:
    """Record what the second reader would have decided, then go on with the next."""
    seat = seat_in(request, seat, reads.space_of_draw(draw_id))
    check_may_decide(seat)
    form = forms.BlindForm(request.POST)
    if not form.is_valid():
        return _render(request, seat, draw_id, error=forms.first_error(form), status=422)
    try:
        with acting(request):
            proposal_id = acts.answer_blind(form, draw_id=draw_id, seat=seat, now=timezone.now())
    except (InvalidInput, NotAllowed) as error:
        return _render(request, seat, draw_id, error=str(error), status=422)
    except Conflict as error:
        messages.error(request, str(error))
        return see_other(blind_pages.second_url())
    for row in reads.compared_on(proposal_id):
        if row.draw_id == draw_id:
            messages.success(request, compared.told(row))
    waiting = reads.blind_rows(space_id=seat.space_id, user_id=seat.user_id)
    following = next((row.id for row in waiting), None)
    return see_other(reverse("blind", args=[following]) if following else blind_pages.second_url())


def _render(
    request: HtmxHttpRequest, seat: Seat, draw_id: int, *, error: str = "", status: int = 200
) -> HttpResponse:
    asked = read_asked(request.GET.dict())
    found = reads.blind_card(
        draw_id,
        space_id=seat.space_id,
        user_id=seat.user_id,
        before=asked.before,
        after=asked.after,
    )
    if found is None:
        raise Http404("There is no such second review for you.")
    page = blind_pages.blind_view(
        found,
        draw_id=draw_id,
        reading=queue_pages.read({"tab": "second"}, seat=seat, now=timezone.now()),
        seat=seat,
        asked=asked,
        keys_on=keys_switch.are_on(request),
        error=error,
        given=request.POST.dict(),
    )
    return render_page(request, template="blind/card.html", page=page, status=status)
