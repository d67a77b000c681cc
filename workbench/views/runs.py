"""Extraction runs: what the machine was shown, expected and found."""

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from knowledge.queries import runs as reads
from workbench import keys_switch
from workbench.access import Seat, seat_in, seated
from workbench.http import HtmxHttpRequest, number_from, render_page
from workbench.pages.conversations import run_view, runs_view


@require_safe
@seated
def runs(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """List the runs of the space."""
    page = runs_view(
        seat=seat, after=number_from(request, "after"), keys_on=keys_switch.are_on(request)
    )
    return render_page(request, template="runs/list.html", page=page)


@require_safe
@seated
def run(request: HtmxHttpRequest, seat: Seat, run_id: int) -> HttpResponse:
    """Show one run."""
    seat = seat_in(request, seat, reads.space_of_run(run_id))
    found = reads.run(run_id, space_id=seat.space_id)
    if found is None:
        raise Http404("There is no such run.")
    page = run_view(found, seat=seat, keys_on=keys_switch.are_on(request))
    return render_page(request, template="runs/run.html", page=page)
