"""Conversations as people read them."""

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from knowledge.queries import conversations as reads
from workbench import keys_switch
from workbench.access import Seat, seat_in, seated
from workbench.http import HtmxHttpRequest, number_from, render_page
from workbench.pages.conversations import conversation_view, conversations_view


@require_safe
@seated
def conversations(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """List the conversations of the space."""
    page = conversations_view(
        seat=seat, after=number_from(request, "after"), keys_on=keys_switch.are_on(request)
    )
    return render_page(request, template="conversations/list.html", page=page)


@require_safe
@seated
def conversation(request: HtmxHttpRequest, seat: Seat, conversation_id: int) -> HttpResponse:
    """Show a conversation with every span that something was made of."""
    seat = seat_in(request, seat, reads.space_of_conversation(conversation_id))
    found = reads.conversation(
        conversation_id, space_id=seat.space_id, first=number_from(request, "from") or 0
    )
    if found is None:
        raise Http404("There is no such conversation.")
    page = conversation_view(found, seat=seat, keys_on=keys_switch.are_on(request))
    return render_page(request, template="conversations/conversation.html", page=page)
