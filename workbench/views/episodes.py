"""An episode: one conversation read once, each of its proposals decided beside it."""

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from knowledge.queries.siblings import space_of_episode
from workbench import keys_switch
from workbench.access import Seat, seat_in, seated
from workbench.http import HtmxHttpRequest, number_from, render_page
from workbench.pages import episode as episode_pages
from workbench.pages.review import read_asked
from workbench.views.review import render_card


@require_safe
@seated
def episode(request: HtmxHttpRequest, seat: Seat, episode_id: int) -> HttpResponse:
    """Show an episode with one of its proposals open; 410 where none of its words are left."""
    seat = seat_in(request, seat, space_of_episode(episode_id))
    given = request.GET.dict()
    reading = episode_pages.read_episode(episode_id, given=given, seat=seat, now=timezone.now())
    if reading is None:
        raise Http404("There is no such episode.")
    current = episode_pages.current_in(reading, at=number_from(request, "at"))
    if current is None:
        page = episode_pages.quiet_view(reading, seat=seat, keys_on=keys_switch.are_on(request))
        status = 410 if page.is_erased else 200
        return render_page(request, template="episodes/quiet.html", page=page, status=status)
    return render_card(request, seat, current, asked=read_asked(given), opens=True, reading=reading)
