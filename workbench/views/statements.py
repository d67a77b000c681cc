"""What is believed: the list, one statement with its lineage, and what can be decided about it."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge.errors import Conflict, InvalidInput, NotAllowed, NotFound
from knowledge.queries import contests, lineage
from knowledge.queries.decisions import UNDOABLE
from knowledge.queries.targets import Brief
from knowledge.results import Decided
from workbench import keys_switch, marking, masking, statement_acts, statement_forms, vocabulary
from workbench.access import Seat, check_may_decide, seat_in, seated
from workbench.forms import first_error
from workbench.http import HtmxHttpRequest, number_from, render_page, see_other
from workbench.pages.statements import Said, statement_view, statements_view
from workbench.refusals import acting

F = TypeVar("F", bound=statement_forms.StatementActForm)
TOAST_TEXT = 90


@require_safe
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


@require_safe
@seated
def statement(request: HtmxHttpRequest, seat: Seat, statement_id: int) -> HttpResponse:
    """Show a statement: lineage, words, both times, why, decisions."""
    return _render(request, _seat_of(request, seat, statement_id), statement_id)


@require_POST
@seated
def retract(request: HtmxHttpRequest, seat: Seat, statement_id: int) -> HttpResponse:
    """Withdraw a belief without calling it wrong."""
    form = statement_forms.RetractForm(request.POST)
    return _decide(request, seat, statement_id, form=form, act=statement_acts.retract)


@require_POST
@seated
def refute(request: HtmxHttpRequest, seat: Seat, statement_id: int) -> HttpResponse:
    """End a belief because it was wrong."""
    form = statement_forms.RefuteForm(request.POST)
    return _decide(request, seat, statement_id, form=form, act=statement_acts.refute)


@require_POST
@seated
def restore(request: HtmxHttpRequest, seat: Seat, statement_id: int) -> HttpResponse:
    """Believe again what was retracted, refuted or expired."""
    form = statement_forms.StatementActForm(request.POST)
    return _decide(request, seat, statement_id, form=form, act=statement_acts.restore)


@require_POST
@seated
def merge(request: HtmxHttpRequest, seat: Seat, statement_id: int) -> HttpResponse:
    """Say that a statement is the same as another, and go on with the other."""
    form = statement_forms.MergeForm(request.POST)
    return _decide(request, seat, statement_id, form=form, act=statement_acts.merge)


@require_POST
@seated
def settle(
    request: HtmxHttpRequest, seat: Seat, statement_id: int, contest_id: int
) -> HttpResponse:
    """Say which side of a contest was right, or that both may stand."""
    form = statement_forms.SettleForm(request.POST)
    side = form.cleaned_data["version_id"] if form.is_valid() else None
    if side is not None and not contests.is_about(contest_id, version_id=side):
        raise Http404("There is no such contest of this statement.")
    act = partial(statement_acts.settle, contest_id=contest_id)
    return _decide(request, seat, statement_id, form=form, act=act)


def _decide(
    request: HtmxHttpRequest,
    seat: Seat,
    statement_id: int,
    *,
    form: F,
    act: Callable[..., Decided],
) -> HttpResponse:
    """One path for every press: sound form, one command, named failures, the page again."""
    seat = _seat_of(request, seat, statement_id)
    check_may_decide(seat)
    if not form.is_valid():
        return _render(request, seat, statement_id, said=Said(error=first_error(form)), status=422)
    brief = lineage.brief_version(
        form.cleaned_data["version_id"], statement_id=statement_id, space_id=seat.space_id
    )
    if brief is None:
        raise Http404("There is no such version of this statement.")
    try:
        with acting(request):
            done = act(form, seat=seat, now=timezone.now())
    except Conflict as error:
        return _render(request, seat, statement_id, said=Said(lost=str(error)), status=409)
    except InvalidInput as error:
        return _render(request, seat, statement_id, said=Said(error=str(error)), status=422)
    except NotAllowed as error:
        return _render(request, seat, statement_id, said=Said(error=str(error)), status=403)
    except NotFound as error:
        raise Http404(str(error)) from error
    _toast(request, done, brief=brief)
    onward = done.statement_id if done.kind == "merge" else statement_id
    return see_other(reverse("statement", args=[onward]))


def _render(
    request: HtmxHttpRequest,
    seat: Seat,
    statement_id: int,
    *,
    said: Said | None = None,
    status: int = 200,
) -> HttpResponse:
    now = timezone.now()
    found = lineage.lineage(statement_id, space_id=seat.space_id, now=now)
    if found is None:
        raise Http404("There is no such statement.")
    page = statement_view(
        found,
        seat=seat,
        now=now,
        keys_on=keys_switch.are_on(request),
        version_id=number_from(request, "version"),
        said=said or Said(),
    )
    return render_page(request, template="statements/statement.html", page=page, status=status)


def _seat_of(request: HtmxHttpRequest, seat: Seat, statement_id: int) -> Seat:
    return seat_in(request, seat, lineage.space_of_statement(statement_id))


def _toast(request: HtmxHttpRequest, done: Decided, *, brief: Brief) -> None:
    text = masking.masked_if(brief.text, flags=brief.flags)
    words = f"{vocabulary.DECIDED[done.kind]}: {marking.excerpt(text, limit=TOAST_TEXT)}"
    undoable = done.kind in UNDOABLE
    messages.success(request, words, extra_tags=str(done.decision_id) if undoable else "")
