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
from knowledge.errors import Conflict, InvalidInput, NotAllowed, NotFound, UndoTooLate
from knowledge.queries import review as review_queries
from knowledge.queries import targets
from knowledge.queries.decisions import UNDOABLE, space_of_decision
from knowledge.queries.queue import pending_count, still_waits
from knowledge.queries.targets import Brief
from knowledge.results import Decided
from workbench import acts, forms, keys_switch, marking, masking, vocabulary
from workbench.access import Seat, check_may_decide, seat_in, seated
from workbench.commands import claims, drafts
from workbench.http import HtmxHttpRequest, render_page, see_other
from workbench.pages import episode as episode_pages
from workbench.pages import queue as queue_pages
from workbench.pages.address import read_filter
from workbench.pages.editing import Draft
from workbench.pages.gone import gone_view
from workbench.pages.lost import Lost
from workbench.pages.queue import Reading
from workbench.pages.review import Asked, ReviewView, read_asked, review_view
from workbench.posting import posted_from_card
from workbench.queries.claims import held_by_others
from workbench.refusals import acting

F = TypeVar("F", bound=forms.ActForm)
TOAST_TEXT = 90
AHEAD = "X-Ahead"
"""Sent with a card that is fetched before it is wanted, as ``1``, and with the decision before it.

A browser repeats it where it is sent on, so the value tells which of the two it is. With a
decision it names the card the browser has, and what that shows: ``17 3.204`` is proposal 17 in
version 3 against version 204. The answer repeats the number where that still is so.
"""
KEEPS_DRAFT = frozenset({"defer", "wake", "reconsider"})


@require_safe
@seated
def card(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Show a review card, with the list it was opened from beside it.

    Whoever may decide has it open from now on; a card fetched ahead of time is nobody's yet. One
    that is decided in its episode is shown there.
    """
    seat = _seat_of(request, seat, proposal_id)
    inside = episode_pages.inside_url(request.GET.dict(), proposal_id=proposal_id)
    if inside:
        return see_other(inside)
    ahead = _is_ahead(request)
    asked = read_asked(request.GET.dict())
    return render_card(request, seat, proposal_id, asked=asked, opens=not ahead, ahead=ahead)


@posted_from_card
@seated
def approve(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Approve a proposal as it stands."""
    form = forms.ApproveForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.approve)


@posted_from_card
@seated
def edit(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Approve a proposal with what the person mended in it."""
    form = forms.EditForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.approve)


@posted_from_card
@seated
def same(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Take a proposal as further evidence for what is believed."""
    form = forms.SameForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.confirm)


@posted_from_card
@seated
def same_waiting(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Let a proposal lend its words to another one that waits."""
    form = forms.SameWaitingForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.same_as_waiting)


@posted_from_card
@seated
def split(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Replace a proposal by its parts, and go on with the first of them."""
    form = forms.SplitForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.split)


@posted_from_card
@seated
def send_back(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Return what awaits a second person to the queue."""
    form = forms.SendBackForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.send_back)


@posted_from_card
@seated
def reject(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Reject a proposal with a reason."""
    form = forms.RejectForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.reject)


@posted_from_card
@seated
def defer(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Put a proposal off."""
    form = forms.DeferForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.defer)


@posted_from_card
@seated
def wake(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Bring a deferred proposal back now."""
    form = forms.ActForm(request.POST)
    return _decide(request, seat, proposal_id, form=form, act=acts.wake)


@posted_from_card
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
    except UndoTooLate as error:
        messages.error(request, str(error))
        return see_other(_way_on(**error.details))
    except (Conflict, NotAllowed) as error:
        messages.error(request, str(error))
        return see_other(reverse("my_decisions"))
    if done.proposal_id:
        messages.success(request, "Undone. It waits again.")
        return see_other(_card_url(request, done.proposal_id))
    messages.success(request, "Undone. What is believed is as it was before.")
    return see_other(reverse("statement", args=[done.statement_id]))


@posted_from_card
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
        lost = Lost(
            sentence=str(error),
            code=error.code,
            seen_version=form.cleaned_data["version"],
            seen_quote=form.cleaned_data["last_quote"] or 0,
            seen_target=form.cleaned_data["target_seen"],
        )
        return _again(request, seat, proposal_id, form=form, status=409, lost=lost)
    except InvalidInput as error:
        return _again(request, seat, proposal_id, form=form, status=422, error=str(error))
    except NotAllowed as error:
        return _again(request, seat, proposal_id, form=form, status=403, error=str(error))
    except NotFound as error:
        raise Http404(str(error)) from error
    _clear_desk(done, proposal_id=proposal_id, seat=seat)
    _toast(request, done, brief=brief)
    part = targets.first_part(proposal_id, space_id=seat.space_id) if done.kind == "split" else None
    return _go_on(request, seat, after=part or form.cleaned_data["next"])


def _clear_desk(done: Decided, *, proposal_id: int, seat: Seat) -> None:
    """Take away what a person had lying there for a card: it is decided.

    What was put off waits with its draft.
    """
    claims.release(proposal_id=proposal_id, by_id=seat.user_id)
    if done.kind not in KEEPS_DRAFT:
        drafts.discard(proposal_id=proposal_id, by_id=seat.user_id)


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
    given = {name: str(form.data[name]) for name in form.data}
    if isinstance(form, forms.EditForm):
        # What was written outlives this page, whatever becomes of it.
        saved_at = drafts.save(
            proposal_id=proposal_id,
            given=given,
            version=form.cleaned_data.get("version") or 0,
            by_id=seat.user_id,
            now=timezone.now(),
        )
        errors = {name: [str(line) for line in lines] for name, lines in form.errors.items()}
        said["draft"] = Draft(values=given, errors=errors, saved_at=saved_at)
    if isinstance(form, forms.SplitForm):
        said["parts"] = tuple(given.get(name, "") for name in forms.PARTS)
    said["error"] = error or ("" if form.is_valid() else forms.first_error(form))
    return render_card(
        request, seat, proposal_id, asked=Asked(), status=status, opens=True, given=given, **said
    )


def render_card(
    request: HtmxHttpRequest,
    seat: Seat,
    proposal_id: int,
    *,
    asked: Asked,
    opens: bool,
    status: int = 200,
    reading: Reading | None = None,
    **said: Any,
) -> HttpResponse:
    """Answer with a card in what it stands in: the list, or the episode the address names."""
    now = timezone.now()
    reading = reading or episode_pages.read(request.GET.dict(), seat=seat, now=now)
    found = review_queries.card(
        proposal_id,
        space_id=seat.space_id,
        before=asked.before,
        after=asked.after,
        kept=reading.found.kept,
    )
    if found is None:
        return _gone(request, seat, proposal_id)
    found = episode_pages.as_read_here(found, reading)
    keys_on = keys_switch.are_on(request)
    page = review_view(found, reading=reading, seat=seat, asked=asked, keys_on=keys_on, **said)
    if opens and found.is_open and seat.may_decide and request.method != "HEAD":
        _open(page, seat=seat)
    if isinstance(reading, episode_pages.EpisodeReading):
        page = episode_pages.episode_view(page, reading=reading)
        return render_page(request, template="episodes/episode.html", page=page, status=status)
    return render_page(request, template="review/card.html", page=page, status=status)


def _gone(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Answer 410 for a card whose words were erased, 404 for one that never was."""
    page = gone_view(proposal_id, seat=seat, keys_on=keys_switch.are_on(request))
    if page is None:
        raise Http404("There is no such proposal.")
    if request.htmx:  # which would not put a failed answer on the page
        return HttpResponseClientRedirect(reverse("review", args=[proposal_id]))
    return render_page(request, template="review/gone.html", page=page, status=410)


def _way_on(*, statement_id: int | None, proposal_id: int | None) -> str:
    """Lead to where what can be undone no more is ended, or brought back, with a reason."""
    if statement_id is not None:
        return reverse("statement", args=[statement_id])
    return reverse("review", args=[proposal_id]) if proposal_id else reverse("my_decisions")


def _card_url(request: HtmxHttpRequest, proposal_id: int) -> str:
    tail = request.GET.urlencode()
    return reverse("review", args=[proposal_id]) + (f"?{tail}" if tail else "")


def _seat_of(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> Seat:
    return seat_in(request, seat, review_queries.space_of_proposal(proposal_id))


def _open(page: ReviewView, *, seat: Seat) -> None:
    claims.claim(
        proposal_id=page.card.id,
        space_id=seat.space_id,
        by_id=seat.user_id,
        page=page.token,
        now=page.opened_at,
    )


def _go_on(request: HtmxHttpRequest, seat: Seat, *, after: int | None) -> HttpResponse:
    """Lead to the next card, or let the browser show the one it has fetched ahead of time."""
    if episode_pages.asked_in(request.GET.dict()):
        return see_other(episode_pages.onward(request.GET.dict(), seat=seat, after=after))
    pk, url = _onward(request, seat, after=after)
    if pk is None or not request.htmx or AHEAD not in request.headers:
        return see_other(url)
    standing = targets.standing_of(pk, space_id=seat.space_id)
    if standing is None or request.headers[AHEAD] != f"{pk} {standing.stamp}":
        return see_other(url)
    page = {"waiting": pending_count(seat.space_id)}
    response = render_page(request, template="review/ahead.html", page=page, fragment="ahead")
    response.headers["HX-Push-Url"] = url
    response.headers[AHEAD] = str(pk)
    return response


def _onward(request: HtmxHttpRequest, seat: Seat, *, after: int | None) -> tuple[int | None, str]:
    """The card that followed in the reader's order, else the first that waits, else the list.

    What others have opened meanwhile is left to them while anything else waits.
    """
    given = request.GET.dict()
    tab, now = read_filter(given).tab, timezone.now()
    if after is not None and still_waits(after, space_id=seat.space_id, tab=tab):
        held = held_by_others(space_id=seat.space_id, user_id=seat.user_id, now=now)
        if after not in held:
            return after, _card_url(request, after)
    reading = queue_pages.read(given, seat=seat, now=now)
    first = next((row.id for row in reading.found.rows if row.id not in reading.held), None)
    return first, reading.card_url(first) or reverse("queue") + reading.query


def _is_ahead(request: HtmxHttpRequest) -> bool:
    return request.headers.get(AHEAD) == "1" or "prefetch" in request.headers.get("Sec-Purpose", "")


def _toast(request: HtmxHttpRequest, done: Decided, *, brief: Brief) -> None:
    text = masking.masked_if(brief.text, flags=brief.flags)
    what = vocabulary.FIRST_OF_TWO if done.awaits_second else vocabulary.DECIDED[done.kind]
    words = f"{what}: {marking.excerpt(text, limit=TOAST_TEXT)}"
    undoable = done.kind in UNDOABLE
    messages.success(request, words, extra_tags=str(done.decision_id) if undoable else "")
