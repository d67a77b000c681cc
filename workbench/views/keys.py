"""Keys for agents: list, make, revoke."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge import policies
from knowledge.errors import Conflict, InvalidInput, NotAllowed, NotFound
from workbench import acts, keys_switch
from workbench.access import Seat, seated
from workbench.commands import keys as commands
from workbench.http import HtmxHttpRequest, render_page, see_other
from workbench.key_forms import NewKeyForm
from workbench.pages.keys import Draft, keys_view
from workbench.refusals import acting


@require_safe
@seated
def keys(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """List the space's keys, revoked ones too."""
    return _page(request, seat)


@require_POST
@seated
def create(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Make a key and show it, once: the same form again shows the list."""
    form = NewKeyForm(
        request.POST,
        ticked=request.POST.getlist("subject"),
        scopes=request.POST.getlist("scope"),
    )
    if not form.is_valid():
        return _page(request, seat, draft=_draft(form), status=422)
    try:
        with acting(request):
            made = commands.create_key(
                space_slug=seat.slug,
                name=form.cleaned_data["name"],
                subjects=form.refs(),
                scopes=form.wanted_scopes,
                by=acts.actor(seat),
                now=timezone.now(),
                days=form.cleaned_data["days"],
                form_id=form.cleaned_data["form_id"],
            )
    except Conflict as error:
        messages.info(request, str(error))
        return see_other(reverse("keys"))
    except NotAllowed as error:
        return _page(request, seat, error=str(error), status=403)
    except InvalidInput as error:
        return _page(request, seat, draft=_draft(form), error=str(error), status=422)
    return _page(request, seat, made=made)


@require_POST
@seated
def revoke(request: HtmxHttpRequest, seat: Seat, key_id: int) -> HttpResponse:
    """Revoke a key whose prefix was typed, so that it is no slip."""
    typed = request.POST.get("prefix", "").strip()
    try:
        with acting(request):
            commands.revoke_key(
                key_id=key_id,
                space_id=seat.space_id,
                typed_prefix=typed,
                by=acts.actor(seat),
                now=timezone.now(),
            )
    except NotAllowed as error:
        return _page(request, seat, error=str(error), status=403)
    except NotFound as error:
        return _page(request, seat, error=str(error), status=404)
    except Conflict as error:
        return _page(request, seat, error=str(error), status=409)
    except InvalidInput as error:
        return _page(request, seat, error=str(error), status=422)
    messages.success(request, f"The key {typed} is revoked.")
    return see_other(reverse("keys"))


def _page(
    request: HtmxHttpRequest,
    seat: Seat,
    *,
    status: int = 200,
    draft: Draft | None = None,
    made: commands.NewKey | None = None,
    error: str = "",
) -> HttpResponse:
    now = timezone.now()
    page = keys_view(
        seat=seat,
        now=now,
        keys_on=keys_switch.are_on(request),
        may_manage=policies.can_manage_keys(user_id=seat.user_id, space_id=seat.space_id, now=now),
        draft=draft,
        made=made,
        error=error,
    )
    return render_page(request, template="keys/list.html", page=page, status=status)


def _draft(form: NewKeyForm) -> Draft:
    given = form.data
    return Draft(
        name=given.get("name", ""),
        days=given.get("days", ""),
        typed=given.get("subjects", ""),
        ticked=tuple(form.ticked),
        scopes=tuple(form.wanted_scopes),
        errors={name: str(found[0]) for name, found in form.errors.items()},
    )
