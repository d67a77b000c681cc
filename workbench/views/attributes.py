"""The attributes of a space: look, add, switch."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge import policies
from knowledge.commands import attributes as commands
from knowledge.errors import InvalidInput, NotAllowed
from workbench import acts, keys_switch
from workbench.access import Seat, seated
from workbench.attribute_forms import AttributeForm
from workbench.http import HtmxHttpRequest, render_page, see_other
from workbench.pages.attributes import Draft, attributes_view
from workbench.refusals import acting


@require_safe
@seated
def attributes(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """List what the space knows of its attributes."""
    return _page(request, seat)


@require_POST
@seated
def set_attribute(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Add an attribute, or switch one that is there."""
    form = AttributeForm(request.POST)
    if not form.is_valid():
        return _page(request, seat, draft=_draft(form), status=422)
    try:
        with acting(request):
            done = commands.set_attribute(
                space_id=seat.space_id,
                key=form.cleaned_data["key"],
                single_valued=form.single_valued,
                by=acts.actor(seat),
                now=timezone.now(),
            )
    except NotAllowed as error:
        return _page(request, seat, error=str(error), status=403)
    except InvalidInput as error:
        return _page(request, seat, draft=_draft(form, key=str(error)), status=422)
    messages.success(request, _told(done))
    return see_other(reverse("attributes"))


def _told(done: commands.AttributeSet) -> str:
    holds = "one value at a time" if done.single_valued else "many values"
    if not done.is_changed:
        return f"{done.key} holds {holds} already. Nothing was changed."
    if done.was is None:
        return f"{done.key} is added and holds {holds} from now on."
    return f"{done.key} holds {holds} from now on. What is believed stays as it is."


def _page(
    request: HtmxHttpRequest,
    seat: Seat,
    *,
    status: int = 200,
    draft: Draft | None = None,
    error: str = "",
) -> HttpResponse:
    page = attributes_view(
        seat=seat,
        keys_on=keys_switch.are_on(request),
        may_manage=policies.can_manage_attributes(
            user_id=seat.user_id, space_id=seat.space_id, now=timezone.now()
        ),
        draft=draft,
        error=error,
    )
    return render_page(request, template="attributes/list.html", page=page, status=status)


def _draft(form: AttributeForm, **errors: str) -> Draft:
    found = {name: str(lines[0]) for name, lines in form.errors.items()}
    return Draft(
        key=form.data.get("key", ""), holds=form.data.get("holds", ""), errors=found | errors
    )
