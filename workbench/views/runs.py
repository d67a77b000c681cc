"""Extraction runs: what the machine was shown, expected and found, and how another would do."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from extraction import shadowing
from extraction.errors import BadInput
from knowledge import policies
from knowledge.commands import shadows
from knowledge.errors import Conflict, InvalidInput, NotAllowed
from knowledge.queries import runs as reads
from workbench import acts, keys_switch
from workbench.access import Seat, seat_in, seated
from workbench.http import HtmxHttpRequest, number_from, render_page, see_other, wants_fragment
from workbench.pages.runs import Again, comparison_view, run_view, runs_view
from workbench.refusals import acting
from workbench.run_forms import ON, AgainForm

STATE = "run-state"


@require_safe
@seated
def runs(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """List the runs of the space."""
    page = runs_view(
        seat=seat,
        after=number_from(request, "after"),
        keys_on=keys_switch.are_on(request),
        file=number_from(request, "file"),
    )
    return render_page(request, template="runs/list.html", page=page)


@require_safe
@seated
def run(request: HtmxHttpRequest, seat: Seat, run_id: int) -> HttpResponse:
    """Show one run; while it is worked out, the page asks for its state now and then."""
    seat = seat_in(request, seat, reads.space_of_run(run_id))
    found = _read(run_id, seat)
    response = _page(request, seat, found)
    if wants_fragment(request, STATE) and not found.is_open:
        response.headers["HX-Refresh"] = "true"
    return response


@require_safe
@seated
def compare(request: HtmxHttpRequest, seat: Seat, run_id: int, other_id: int) -> HttpResponse:
    """Show two runs over the same words side by side."""
    seat = seat_in(request, seat, reads.space_of_run(run_id))
    left, right = _read(run_id, seat), _read(other_id, seat)
    if (left.episode_id, left.subject_id) != (right.episode_id, right.subject_id):
        raise Http404("These runs read different words.")
    page = comparison_view(left, right, seat=seat, keys_on=keys_switch.are_on(request))
    return render_page(request, template="runs/compare.html", page=page)


@require_POST
@seated
def run_again(request: HtmxHttpRequest, seat: Seat, run_id: int) -> HttpResponse:
    """Ask for the same words to be read again, for comparison alone."""
    seat = seat_in(request, seat, reads.space_of_run(run_id))
    found = _read(run_id, seat)
    form = AgainForm(request.POST)
    if not form.is_valid():
        errors = {name: str(lines[0]) for name, lines in form.errors.items()}
        return _page(request, seat, found, again=_kept(form, errors=errors), status=422)
    given = form.cleaned_data
    try:
        with acting(request):
            arm = shadowing.arm_of(
                given["engine"],
                expects=given["prediction"] == ON,
                predict_model=given["predict_model"],
            )
            asked = shadows.request_shadow(
                space_id=seat.space_id,
                run_id=found.id,
                arm=arm,
                by=acts.actor(seat),
                now=timezone.now(),
            )
    except (BadInput, InvalidInput) as error:
        return _page(request, seat, found, again=_kept(form, refused=str(error)), status=422)
    except NotAllowed as error:
        return _page(request, seat, found, again=_kept(form, refused=str(error)), status=403)
    except Conflict as error:
        return _page(request, seat, found, again=_kept(form, refused=str(error)), status=409)
    messages.success(request, "Asked for. It is for comparison: nothing it finds is proposed.")
    return see_other(reverse("run", args=[asked]))


def _page(
    request: HtmxHttpRequest,
    seat: Seat,
    found: reads.ReadRun,
    *,
    again: Again | None = None,
    status: int = 200,
) -> HttpResponse:
    page = run_view(
        found,
        seat=seat,
        keys_on=keys_switch.are_on(request),
        may_ask=policies.can_ask_shadow(
            user_id=seat.user_id, space_id=seat.space_id, now=timezone.now()
        ),
        again=again,
    )
    fragment = STATE if wants_fragment(request, STATE) else "work"
    return render_page(
        request, template="runs/run.html", page=page, status=status, fragment=fragment
    )


def _read(run_id: int, seat: Seat) -> reads.ReadRun:
    found = reads.run(run_id, space_id=seat.space_id)
    if found is None:
        raise Http404("There is no such run.")
    return found


def _kept(form: AgainForm, *, errors: dict[str, str] | None = None, refused: str = "") -> Again:
    return Again(
        engine=str(form.data.get("engine", "")),
        prediction=str(form.data.get("prediction", "")),
        predict_model=str(form.data.get("predict_model", "")),
        errors=errors or {},
        refused=refused,
    )
