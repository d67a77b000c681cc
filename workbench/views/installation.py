"""How the installation is set up to propose and to find, and trying it."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge.errors import Conflict
from workbench import acts, keys_switch
from workbench.access import Seat, seated
from workbench.commands import trials
from workbench.http import HtmxHttpRequest, render_page
from workbench.pages.installation import Tried, settings_view
from workbench.refusals import acting
from workbench.settings_access import check_may_see_settings


@require_safe
@seated
def settings(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Show how models are set up, and how far their vectors have come. No model is asked."""
    check_may_see_settings(seat)
    return _page(request, seat)


@require_POST
@seated
def try_models(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Ask the models that propose something harmless, and say what they can."""
    check_may_see_settings(seat)
    try:
        with acting(request):
            found = trials.try_models(space_id=seat.space_id, by=acts.actor(seat))
    except Conflict as error:
        return _page(request, seat, refused=str(error), status=409)
    return _page(request, seat, tried=Tried("chat", engine=found))


@require_POST
@seated
def try_embedder(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Ask the embedder for vectors of invented sentences, and say what it can."""
    check_may_see_settings(seat)
    try:
        with acting(request):
            found = trials.try_embedder(space_id=seat.space_id, by=acts.actor(seat))
    except Conflict as error:
        return _page(request, seat, refused=str(error), status=409)
    return _page(request, seat, tried=Tried("embedding", embedder=found))


def _page(
    request: HtmxHttpRequest,
    seat: Seat,
    *,
    tried: Tried | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    page = settings_view(
        seat=seat,
        now=timezone.now(),
        keys_on=keys_switch.are_on(request),
        tried=tried,
        refused=refused,
    )
    return render_page(request, template="settings/settings.html", page=page, status=status)
