"""What an open card does beside deciding: keep a draft, say that it is open, hear what is new."""

from datetime import datetime

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone

from knowledge.errors import Conflict, InvalidInput, NotAllowed
from knowledge.queries import review as review_queries
from knowledge.queries import targets
from knowledge.trust import WAITING_STATES
from workbench import acts, forms
from workbench.access import Seat, check_may_decide, seat_in, seated
from workbench.commands import claims, drafts
from workbench.http import HtmxHttpRequest, render_page, see_other
from workbench.pages import beat as beat_pages
from workbench.pages import episode as episode_pages
from workbench.posting import posted_from_card
from workbench.queries.drafts import draft_of
from workbench.refusals import acting

STATE = "draft-state"


@posted_from_card
@seated
def keep(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Keep what is being written; answers with when, or with the card for a press of the button."""
    seat = _seat_of(request, seat, proposal_id)
    check_may_decide(seat)
    given = {name: str(request.POST[name]) for name in request.POST}
    version = given.get("version", "")
    saved_at = drafts.save(
        proposal_id=proposal_id,
        given=given,
        version=int(version) if version.isascii() and version.isdigit() else 0,
        by_id=seat.user_id,
        now=timezone.now(),
    )
    if request.htmx.target == STATE:
        page = {"saved_at": saved_at, "discard_url": reverse("discard_draft", args=[proposal_id])}
        return render_page(request, template="review/draft_state.html", page=page)
    if saved_at:
        messages.success(request, "Your draft is kept. It opens with the card.")
    else:
        messages.info(request, "Nothing was changed yet, so there is no draft to keep.")
    return see_other(_card(request, proposal_id))


@posted_from_card
@seated
def discard(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Throw a draft away, and go on where the form says so."""
    seat = _seat_of(request, seat, proposal_id)
    drafts.discard(proposal_id=proposal_id, by_id=seat.user_id)
    messages.success(request, "Your draft is gone.")
    following = request.POST.get("next", "")
    onward = int(following) if following.isascii() and following.isdigit() else proposal_id
    return see_other(_card(request, onward))


@posted_from_card
@seated
def propose_mine(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Propose a draft on the same words, against what somebody else let be believed meanwhile."""
    seat = _seat_of(request, seat, proposal_id)
    check_may_decide(seat)
    with drafts.one_at_a_time(proposal_id=proposal_id, by_id=seat.user_id):
        kept = draft_of(proposal_id=proposal_id, user_id=seat.user_id)
        if kept is None:
            messages.error(request, "There is no draft of yours over this proposal.")
            return see_other(_card(request, proposal_id))
        if kept.proposed_id is not None:  # the same press came twice
            return see_other(_card(request, kept.proposed_id))
        form = forms.DraftForm(dict(kept.fields))
        made = _propose(request, seat, proposal_id, form=form, now=timezone.now())
        if made is None:
            return see_other(_card(request, proposal_id))
        drafts.spend(proposal_id=proposal_id, by_id=seat.user_id, proposed_id=made)
    messages.success(request, "Proposed on the same words. It waits for a decision.")
    return see_other(_card(request, made))


@posted_from_card
@seated
def beat(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """Renew the claim of an open card; answer with the list beside it and what changed on it."""
    seat = _seat_of(request, seat, proposal_id)
    form = forms.BeatForm(request.POST)
    now = timezone.now()
    standing = targets.standing_of(proposal_id, space_id=seat.space_id)
    if standing is None or not form.is_valid():
        raise Http404("There is no such proposal.")
    if seat.may_decide and standing.state in WAITING_STATES:
        claims.claim(
            proposal_id=proposal_id,
            space_id=seat.space_id,
            by_id=seat.user_id,
            page=form.cleaned_data["page"],
            now=now,
        )
    reading = episode_pages.read(request.GET.dict(), seat=seat, now=now)
    page = beat_pages.beat_view(
        proposal_id,
        standing=standing,
        stamp=form.cleaned_data["stamp"],
        last_quote=form.cleaned_data["last_quote"] or 0,
        reading=reading,
        seat=seat,
        now=now,
    )
    return render_page(request, template="review/beat.html", page=page)


@posted_from_card
@seated
def leave(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> HttpResponse:
    """End the claim of a card that is open no more."""
    form = forms.BeatForm(request.POST)
    if form.is_valid():
        claims.release(proposal_id=proposal_id, by_id=seat.user_id, page=form.cleaned_data["page"])
    return HttpResponse(status=204)


def _propose(
    request: HtmxHttpRequest, seat: Seat, proposal_id: int, *, form: forms.DraftForm, now: datetime
) -> int | None:
    """Propose the draft; None, with a message, where it is not sound or not allowed."""
    basis = targets.basis_of(proposal_id, space_id=seat.space_id)
    if basis is None or not basis.evidence:
        messages.error(request, "Its words were erased. There is nothing left to rest on.")
        return None
    if not form.is_valid():
        messages.error(request, f"Your draft is not complete. {forms.first_error(form)}")
        return None
    try:
        with acting(request):
            return acts.propose_draft(
                form,
                basis=basis,
                target=targets.result_of(proposal_id, space_id=seat.space_id),
                seat=seat,
                now=now,
            )
    except (Conflict, InvalidInput, NotAllowed) as error:
        messages.error(request, str(error))
        return None


def _seat_of(request: HtmxHttpRequest, seat: Seat, proposal_id: int) -> Seat:
    return seat_in(request, seat, review_queries.space_of_proposal(proposal_id))


def _card(request: HtmxHttpRequest, proposal_id: int) -> str:
    tail = request.GET.urlencode()
    return reverse("review", args=[proposal_id]) + (f"?{tail}" if tail else "")
