"""What may not be learned again unnoticed, and allowing it again."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge.commands import tombstones as commands
from knowledge.errors import Conflict, InvalidInput, NotAllowed, NotFound
from knowledge.queries import tombstones as reads
from workbench import acts, keys_switch
from workbench.access import Seat, seat_in, seated
from workbench.http import HtmxHttpRequest, number_from, render_page, see_other
from workbench.pages.privacy import tombstone_view, tombstones_view
from workbench.privacy_access import check_may_see_privacy
from workbench.privacy_forms import LiftForm
from workbench.refusals import acting


@require_safe
@seated
def tombstones(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """List what stands, or what was lifted."""
    check_may_see_privacy(seat)
    page = tombstones_view(
        seat=seat,
        lifted=request.GET.get("lifted") == "1",
        after=number_from(request, "after"),
        keys_on=keys_switch.are_on(request),
    )
    return render_page(request, template="privacy/tombstones.html", page=page)


@require_safe
@seated
def tombstone(request: HtmxHttpRequest, seat: Seat, tombstone_id: int) -> HttpResponse:
    """Show one tombstone and all it stopped."""
    return _render(request, _seat_of(request, seat, tombstone_id), tombstone_id)


@require_POST
@seated
def lift(request: HtmxHttpRequest, seat: Seat, tombstone_id: int) -> HttpResponse:
    """Let it be learned again, for a reason in words."""
    seat = _seat_of(request, seat, tombstone_id)
    form = LiftForm(request.POST)
    note = form.data.get("note", "")
    if not form.is_valid():
        sentence = str(next(iter(form.errors.values()))[0])
        return _render(request, seat, tombstone_id, status=422, note=note, error=sentence)
    try:
        with acting(request):
            commands.lift(
                tombstone_id=tombstone_id,
                note=note,
                request_id=form.cleaned_data["request_id"],
                by=acts.actor(seat),
                now=timezone.now(),
            )
    except Conflict as error:
        return _render(request, seat, tombstone_id, status=409, lost=str(error))
    except InvalidInput as error:
        return _render(request, seat, tombstone_id, status=422, note=note, error=str(error))
    except NotAllowed as error:
        return _render(request, seat, tombstone_id, status=403, error=str(error))
    except NotFound as error:
        raise Http404(str(error)) from error
    messages.success(request, "Lifted. What it stopped can be brought to review again.")
    return see_other(reverse("tombstone", args=[tombstone_id]))


def _seat_of(request: HtmxHttpRequest, seat: Seat, tombstone_id: int) -> Seat:
    seat = seat_in(request, seat, reads.space_of_tombstone(tombstone_id))
    check_may_see_privacy(seat)
    return seat


def _render(
    request: HtmxHttpRequest, seat: Seat, tombstone_id: int, *, status: int = 200, **said: str
) -> HttpResponse:
    stone = reads.tombstone(tombstone_id, space_id=seat.space_id)
    if stone is None:
        raise Http404("There is no such tombstone.")
    page = tombstone_view(stone, seat=seat, keys_on=keys_switch.are_on(request), **said)
    return render_page(request, template="privacy/tombstone.html", page=page, status=status)
