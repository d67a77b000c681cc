"""What waits, and what one decided."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from workbench import keys_switch
from workbench.access import Seat, seated
from workbench.http import HtmxHttpRequest, render_page, see_other
from workbench.pages import mine
from workbench.pages.queue import queue_view, read


@require_safe
def home(request: HtmxHttpRequest) -> HttpResponse:
    """Lead to the queue: the work starts there."""
    return redirect("queue")


@require_safe
@seated
def queue(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Show one page of what waits."""
    reading = read(request.GET.dict(), seat=seat, now=timezone.now())
    page = queue_view(reading, seat=seat, keys_on=keys_switch.are_on(request))
    return render_page(request, template="queue/list.html", page=page)


@require_safe
@seated
def my_decisions(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Show a person's last decisions, each with its undo where it has one."""
    page = mine.mine_view(seat=seat, now=timezone.now(), keys_on=keys_switch.are_on(request))
    return render_page(request, template="queue/mine.html", page=page)


@require_safe
@seated
def shortcuts(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Show the sheet of keys as a page."""
    page = mine.shortcuts_view(seat=seat, keys_on=keys_switch.are_on(request))
    return render_page(request, template="queue/shortcuts.html", page=page)


@require_POST
@seated
def switch_keys(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Switch single keys on or off for this person."""
    keys_switch.switch(request, on=request.POST.get("keys") == "on")
    return see_other("/shortcuts/")
