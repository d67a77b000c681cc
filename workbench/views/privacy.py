"""Finding what is to be forgotten, the dry run, and asking for it."""

from collections.abc import Mapping
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge.commands import erasure
from knowledge.erasing.scope import ErasureScope
from knowledge.errors import Conflict, InvalidInput, NotAllowed, NotFound
from workbench import acts, keys_switch
from workbench.access import Seat, seated
from workbench.http import HtmxHttpRequest, render_page, see_other
from workbench.pages import privacy as pages
from workbench.pages.privacy_erasure import AskDraft, dry_run_view
from workbench.privacy_access import check_may_see_privacy
from workbench.privacy_forms import LONGEST_WORDS, AskForm, ScopeForm
from workbench.refusals import acting


@require_safe
@seated
def privacy(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Search for what is to be forgotten, under what waits for a second person."""
    check_may_see_privacy(seat)
    page = pages.privacy_view(
        seat=seat,
        what=request.GET.get("what", ""),
        words=request.GET.get("q", "").strip()[:LONGEST_WORDS],
        keys_on=keys_switch.are_on(request),
    )
    return render_page(request, template="privacy/search.html", page=page)


@require_safe
@seated
def erasures(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """List every erasure of the space."""
    check_may_see_privacy(seat)
    page = pages.erasures_view(
        seat=seat,
        after=uuid_from(request.GET.get("after", "")),
        keys_on=keys_switch.are_on(request),
    )
    return render_page(request, template="privacy/erasures.html", page=page)


@require_safe
@seated
def dry_run(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Say what erasing something would do, changing nothing."""
    check_may_see_privacy(seat)
    return _dry_run(request, seat, scope=_scope(request.GET, seat=seat))


@require_POST
@seated
def ask(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Ask for what the dry run showed to be erased; another person has to confirm it."""
    check_may_see_privacy(seat)
    scope = _scope(request.POST, seat=seat)
    form = AskForm(request.POST)
    if not form.is_valid():
        return _dry_run(request, seat, scope=scope, draft=_draft(form), status=422)
    given = form.cleaned_data
    try:
        with acting(request):
            key = erasure.ask(
                scope=scope,
                reason_code=given["reason"],
                seen_digest=given["digest"],
                request_id=given["request_id"],
                by=acts.actor(seat),
                now=timezone.now(),
                note=given["note"],
                blocks=given["blocks"],
            )
    except Conflict as error:
        draft = _draft(form)
        return _dry_run(request, seat, scope=scope, draft=draft, lost=str(error), status=409)
    except InvalidInput as error:
        draft = _draft(form, {error.field: str(error)})
        return _dry_run(request, seat, scope=scope, draft=draft, status=422)
    except NotAllowed as error:
        return _dry_run(request, seat, scope=scope, error=str(error), status=403)
    except NotFound as error:
        raise Http404(str(error)) from error
    messages.success(request, "Asked for. Nothing is erased before another person confirms it.")
    return see_other(reverse("erasure", args=[key]))


def uuid_from(text: str) -> UUID | None:
    """Read an id as an address holds it; anything else is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def _scope(given: Mapping[str, str], *, seat: Seat) -> ErasureScope:
    form = ScopeForm({**dict(given.items()), "words": given.get("words", "")[:LONGEST_WORDS]})
    if not form.is_valid():
        raise Http404("There is nothing like that to erase.")
    return ErasureScope(
        space_id=seat.space_id,
        kind=form.cleaned_data["kind"],
        target_id=form.cleaned_data["target"],
        words=form.cleaned_data["words"],
        whole_conversations=form.cleaned_data["whole"],
    )


def _draft(form: AskForm, errors: dict[str, str] | None = None) -> AskDraft:
    found = {name: str(lines[0]) for name, lines in form.errors.items()}
    return AskDraft(
        reason=form.data.get("reason", ""),
        note=form.data.get("note", ""),
        blocks="blocks" in form.data,
        errors=found | (errors or {}),
    )


def _dry_run(
    request: HtmxHttpRequest,
    seat: Seat,
    *,
    scope: ErasureScope,
    draft: AskDraft | None = None,
    lost: str = "",
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    try:
        page = dry_run_view(
            scope,
            seat=seat,
            keys_on=keys_switch.are_on(request),
            draft=draft,
            lost=lost,
            error=error,
        )
    except NotFound as gone:
        raise Http404(str(gone)) from gone
    if page.words_error:
        status = 422
    return render_page(request, template="privacy/dry_run.html", page=page, status=status)
