"""One erasure: its second person, its way, its certificate."""

import json
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge.commands import audit
from knowledge.commands import erasure as commands
from knowledge.errors import Conflict, NotAllowed, NotFound
from knowledge.queries import erasures
from knowledge.queries.erasures import ErasureRow
from workbench import acts, keys_switch
from workbench.access import Seat, seat_in, seated
from workbench.http import HtmxHttpRequest, render_page, see_other, wants_fragment
from workbench.pages.privacy_erasure import ErasureView, erasure_view
from workbench.privacy_access import check_may_see_privacy
from workbench.privacy_forms import ConfirmForm
from workbench.refusals import acting

NOT_COMPLETE = "That form was not complete. Try again."
NOT_THE_NUMBER = "Type how many lose their words, so that it is no slip."


@require_safe
@seated
def erasure(request: HtmxHttpRequest, seat: Seat, erasure_id: UUID) -> HttpResponse:
    """Show an erasure: what it will do, that it is being done, or what it did."""
    seat, row = _find(request, seat, erasure_id)
    response = _render(request, seat, row)
    if wants_fragment(request, "progress") and not row.is_under_way:
        response.headers["HX-Refresh"] = "true"
    return response


@require_POST
@seated
def confirm(request: HtmxHttpRequest, seat: Seat, erasure_id: UUID) -> HttpResponse:
    """Give the word of a second person, for exactly what was seen."""
    seat, row = _find(request, seat, erasure_id)
    form = ConfirmForm(request.POST)
    number = _page(request, seat, row).number_to_type
    if not form.is_valid():
        return _render(request, seat, row, status=422, confirm_error=NOT_COMPLETE)
    if number and not form.says(number):
        said = {"confirm_error": NOT_THE_NUMBER, "typed": form.cleaned_data["typed"]}
        return _render(request, seat, row, status=422, **said)
    try:
        with acting(request):
            commands.confirm(
                erasure_id=erasure_id,
                seen_digest=form.cleaned_data["digest"],
                by=acts.actor(seat),
                now=timezone.now(),
            )
    except Conflict as error:
        return _late(request, seat, erasure_id, sentence=str(error), did="confirm")
    except NotAllowed as error:
        return _render(request, seat, row, status=403, error=str(error))
    except NotFound as error:
        raise Http404(str(error)) from error
    messages.success(request, "Confirmed. It is being erased.")
    return see_other(reverse("erasure", args=[erasure_id]))


@require_POST
@seated
def withdraw(request: HtmxHttpRequest, seat: Seat, erasure_id: UUID) -> HttpResponse:
    """Take back one's own request, or refuse another's."""
    seat, row = _find(request, seat, erasure_id)
    try:
        with acting(request):
            commands.withdraw(erasure_id=erasure_id, by=acts.actor(seat), now=timezone.now())
    except Conflict as error:
        return _late(request, seat, erasure_id, sentence=str(error), did="withdraw")
    except NotAllowed as error:
        return _render(request, seat, row, status=403, error=str(error))
    except NotFound as error:
        raise Http404(str(error)) from error
    messages.success(request, "Nothing was erased. The request is closed.")
    return see_other(reverse("erasure", args=[erasure_id]))


@require_safe
@seated
def certificate(request: HtmxHttpRequest, seat: Seat, erasure_id: UUID) -> HttpResponse:
    """Hand out the certificate as a file; the log says to whom."""
    seat, row = _find(request, seat, erasure_id)
    if row.certificate is None:
        raise Http404("There is no certificate before it is done.")
    audit.record(
        space_id=seat.space_id,
        by=acts.actor(seat),
        action="erasure.export",
        object_type="erasure",
        object_id=str(erasure_id),
    )
    body = json.dumps(row.certificate, indent=2, sort_keys=True, ensure_ascii=False)
    return HttpResponse(
        body + "\n",
        content_type="application/json",
        headers={
            "Content-Disposition": f'attachment; filename="erasure-{erasure_id}.json"',
            "Cache-Control": "no-store, private",
        },
    )


def _find(request: HtmxHttpRequest, seat: Seat, erasure_id: UUID) -> tuple[Seat, ErasureRow]:
    seat = seat_in(request, seat, erasures.space_of_erasure(erasure_id))
    check_may_see_privacy(seat)
    row = erasures.erasure(erasure_id, space_id=seat.space_id)
    if row is None:
        raise Http404("There is no such erasure.")
    return seat, row


def _late(
    request: HtmxHttpRequest, seat: Seat, erasure_id: UUID, *, sentence: str, did: str
) -> HttpResponse:
    """Answer who came late; the same form of the same person once more is no conflict."""
    seat, row = _find(request, seat, erasure_id)
    by_me = {"confirm": row.confirmed_by, "withdraw": row.closed_by}[did] == seat.username
    if by_me:
        return see_other(reverse("erasure", args=[erasure_id]))
    return _render(request, seat, row, status=409, lost=sentence)


def _page(request: HtmxHttpRequest, seat: Seat, row: ErasureRow, **said: str) -> ErasureView:
    return erasure_view(
        row, seat=seat, now=timezone.now(), keys_on=keys_switch.are_on(request), **said
    )


def _render(
    request: HtmxHttpRequest, seat: Seat, row: ErasureRow, *, status: int = 200, **said: str
) -> HttpResponse:
    page = _page(request, seat, row, **said)
    fragment = "progress" if wants_fragment(request, "progress") else "work"
    return render_page(
        request, template="privacy/erasure.html", page=page, status=status, fragment=fragment
    )
