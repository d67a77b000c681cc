"""The review card and what can be pressed on it: each press is one command, then the next card."""

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from knowledge.commands.review import NEEDS_REASON
from knowledge.errors import Conflict, InvalidInput, NotAllowed, NotFound
from knowledge.queries import review as review_queries
from knowledge.queries import targets
from knowledge.queries.decisions import UNDOABLE, space_of_decision
from knowledge.queries.queue import still_waits
from knowledge.queries.targets import Brief
from knowledge.results import Decided
from workbench import acts, forms, keys_switch, marking, masking, vocabulary
from workbench.access import Seat, check_may_decide, seat_in, seated
from workbench.http import HtmxHttpRequest, render_page, see_other
from workbench.pages import queue as queue_pages
from workbench.pages.address import read_filter
from workbench.pages.gone import gone_view
from workbench.pages.review import Asked, Draft, Lost, read_asked, review_view
from workbench.refusals import acting

F = TypeVar("F", bound=forms.ActForm)
TOAST_TEXT = 90


@require_safe
@seated
def card(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Show a review card, with the list it was opened from beside it."""
    seat = _seat_of(request, seat, proposal_id)
    return _render(request, seat, proposal_id, asked=read_asked(request.GET.dict()))


@require_POST
@seated
def approve(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Approve a proposal as it stands."""
    form = forms.ApproveForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.approve)


@require_POST
@seated
def edit(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Approve a proposal with what the person mended in it."""
    form = forms.EditForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.approve)


@require_POST
@seated
def same(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Take a proposal as further evidence for what is believed."""
    form = forms.SameForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.confirm)


@require_POST
@seated
def same_waiting(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Let a proposal lend its words to another one that waits."""
    form = forms.SameWaitingForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.same_as_waiting)


@require_POST
@seated
def split(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Replace a proposal by its parts, and go on with the first of them."""
    form = forms.SplitForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.split)


@require_POST
@seated
def send_back(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Return what awaits a second person to the queue."""
    form = forms.SendBackForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.send_back)


@require_POST
@seated
def reject(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Reject a proposal with a reason."""
    form = forms.RejectForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.reject)


@require_POST
@seated
def defer(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Put a proposal off."""
    form = forms.DeferForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.defer)


@require_POST
@seated
def wake(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Bring a deferred proposal back now."""
    form = forms.ActForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.wake)


@require_POST
@seated
def propose(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Bring to review what was set aside."""
    form = forms.ActForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.propose_anyway)


@require_POST
@seated
def undo(request: HtmxHttpRequest, seat: Seat, decision_id: UUID) -> HttpResponse:
    """Take one's decision back and return to its card, or to the statement it was about."""
    seat = seat_in(request, seat, space_of_decision(decision_id))
    check_may_decide(seat)
    form = forms.UndoForm(request.POST)
    if not form.is_valid():
        messages.error(request, "That form was not complete. Try again.")
        return see_other(reverse("my_decisions"))
    try:
        with acting(request):
            done = acts.undo(
                decision_id=decision_id,
                request_id=form.cleaned_data["request_id"],
                seat=seat,
                now=timezone.now(),
            )
    except (Conflict, NotAllowed) as error:
        messages.error(request, str(error))
        return see_other(reverse("my_decisions"))
    if done.proposal_id:
        messages.success(request, "Undone. It waits again.")
        return see_other(reverse("review", args=[done.proposal_id]))
    messages.success(request, "Undone. What is believed is as it was before.")
    return see_other(reverse("statement", args=[done.statement_id]))


@require_POST
@seated
def compare(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Show how the words being written differ from what is believed."""
    seat = _seat_of(request, seat, proposal_id)
    found = targets.comparison(proposal_id, space_id=seat.space_id)
    if found is None:
        raise Http404("There is no such proposal.")
    page = {"before": found, "after": request.POST.get("text", "")[: forms.LONGEST_STATEMENT]}
    return render_page(request, template="review/compare.html", page=page, fragment="difference")


def _decide(
    request: HtmxHttpRequest,
    seat: Seat,
    proposal_id: int,
    *,
    form: F,
    act: Callable[..., Decided],
) -> HttpResponse:
    """One path for every press: sound form, one command, named failures, the next card."""
    seat = _seat_of(request, seat, proposal_id)
    check_may_decide(seat)
    brief = targets.brief(proposal_id, space_id=seat.space_id)
    if brief is None:
        raise Http404("There is no such proposal.")
    if isinstance(form, forms.ApproveForm):
        form.needs_reason = bool(NEEDS_REASON.intersection(brief.flags))
    if not form.is_valid():
        return _again(request, seat, proposal_id, form=form, status=422)
    try:
        with acting(request):
            done = act(form, proposal_id=proposal_id, seat=seat, now=timezone.now())
    except Conflict as error:
        lost = Lost(sentence=str(error), code=error.code)
        return _again(request, seat, proposal_id, form=form, status=409, lost=lost)
    except InvalidInput as error:
        return _again(request, seat, proposal_id, form=form, status=422, error=str(error))
    except NotAllowed as error:
        return _again(request, seat, proposal_id, form=form, status=403, error=str(error))
    except NotFound as error:
        raise Http404(str(error)) from error
    _toast(request, done, brief=brief)
    part = targets.first_part(proposal_id, space_id=seat.space_id) if done.kind == "split" else None
    return see_other(_onward(request, seat, after=part or form.cleaned_data["next"]))


def _again(
    request: HtmxHttpRequest,
    seat: Seat,
    proposal_id: int,
    *,
    form: forms.ActForm,
    status: int,
    lost: Lost | None = None,
    error: str = "",
) -> HttpResponse:
    said: dict[str, Any] = {"lost": lost, "unanswered": "change" in form.errors}
    if isinstance(form, forms.EditForm):
        errors = {name: [str(line) for line in lines] for name, lines in form.errors.items()}
        said["draft"] = Draft(
            values={name: str(form.data[name]) for name in form.data}, errors=errors
        )
    if isinstance(form, forms.SplitForm):
        said["parts"] = tuple(str(form.data.get(name, "")) for name in forms.PARTS)
    said["error"] = error or ("" if form.is_valid() else forms.first_error(form))
    return _render(request, seat, proposal_id, asked=Asked(), status=status, **said)


def _render(
    request: HtmxHttpRequest,
    seat: Seat,
    proposal_id: int,
    *,
    asked: Asked,
    status: int = 200,
    **said: Any,
) -> HttpResponse:
    found = review_queries.card(
        proposal_id, space_id=seat.space_id, before=asked.before, after=asked.after
    )
    if found is None:
        return _gone(request, seat, proposal_id)
    reading = queue_pages.read(request.GET.dict(), seat=seat, now=timezone.now())
    keys_on = keys_switch.are_on(request)
    page = review_view(found, reading=reading, seat=seat, asked=asked, keys_on=keys_on, **said)
    return render_page(request, template="review/card.html", page=page, status=status)


def _gone(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Answer 410 for a card whose words were erased, 404 for one that never was."""
    page = gone_view(proposal_id, seat=seat, keys_on=keys_switch.are_on(request))
    if page is None:
        raise Http404("There is no such proposal.")
    if request.htmx:  # which would not put a failed answer on the page
        return HttpResponseClientRedirect(reverse("review", args=[proposal_id]))
    return render_page(request, template="review/gone.html", page=page, status=410)


def _seat_of(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> Seat:
    return seat_in(request, seat, review_queries.space_of_proposal(proposal_id))


def _onward(request: HtmxHttpRequest, seat: Seat, *, after: int | None) -> str:
    """The card that followed in the reader's order, else the first that waits, else the list."""
    given = request.GET.dict()
    tab = read_filter(given).tab
    if after is not None and still_waits(after, space_id=seat.space_id, tab=tab):
        tail = request.GET.urlencode()
        return reverse("review", args=[after]) + (f"?{tail}" if tail else "")
    reading = queue_pages.read(given, seat=seat, now=timezone.now())
    first = next((row.id for row in reading.found.rows), None)
    return reading.card_url(first) or reverse("queue") + reading.query


def _toast(request: HtmxHttpRequest, done: Decided, *, brief: Brief) -> None:
    text = masking.masked_if(brief.text, flags=brief.flags)
    what = vocabulary.FIRST_OF_TWO if done.awaits_second else vocabulary.DECIDED[done.kind]
    words = f"{what}: {marking.excerpt(text, limit=TOAST_TEXT)}"
    undoable = done.kind in UNDOABLE
    messages.success(request, words, extra_tags=str(done.decision_id) if undoable else "")
