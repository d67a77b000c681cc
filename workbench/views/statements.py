"""What is believed: the list, and one statement with its lineage."""

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from knowledge.queries import lineage
from workbench import keys_switch
from workbench.access import Seat, seat_in, seated
from workbench.http import HtmxHttpRequest, number_from, render_page
from workbench.pages.statements import statement_view, statements_view


@require_GET
@seated
def statements(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """List what is believed now, narrowed by words."""
    page = statements_view(
        seat=seat,
        words=request.GET.get("q", "").strip()[:200],
        subject=number_from(request, "subject"),
        after=number_from(request, "after"),
        keys_on=keys_switch.are_on(request),
    )
    return render_page(request, template="statements/list.html", page=page)


@require_GET
@seated
def statement(request: HtmxHttpRequest, seat: Seat, statement_id: int) -> HttpResponse:
    """Show a statement: lineage, words, both times, decisions."""
    seat = seat_in(request, seat, lineage.space_of_statement(statement_id))
    now = timezone.now()
    found = lineage.lineage(statement_id, space_id=seat.space_id, now=now)
    if found is None:
        raise Http404("There is no such statement.")
    page = statement_view(found, seat=seat, now=now, keys_on=keys_switch.are_on(request))
    return render_page(request, template="statements/statement.html", page=page)
