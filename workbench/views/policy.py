"""The rules a space decides by: look, and set anew."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge import policies
from knowledge.commands import governing
from knowledge.errors import Conflict, InvalidInput, NotAllowed
from workbench import acts, keys_switch
from workbench.access import Seat, seated
from workbench.http import HtmxHttpRequest, render_page, see_other
from workbench.pages.policy import Draft, policy_view
from workbench.policy_forms import GuidelineForm, PolicyForm, RuleForm
from workbench.refusals import acting


@require_safe
@seated
def policy(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Show what is in force and what was."""
    return _page(request, seat)


@require_POST
@seated
def set_policy(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Put a new policy in force."""
    form = PolicyForm(request.POST)
    return _set(request, seat, form=form, command=governing.set_policy, told="The policy is set.")


@require_POST
@seated
def set_guideline(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Put a new guideline before the curators."""
    form = GuidelineForm(request.POST)
    told = "The guideline is set; cards show it from now on."
    return _set(request, seat, form=form, command=governing.set_guideline, told=told)


def _set(
    request: HtmxHttpRequest,
    seat: Seat,
    *,
    form: RuleForm,
    command: Callable[..., Any],
    told: str,
) -> HttpResponse:
    if not form.is_valid():
        errors = {name: str(lines[0]) for name, lines in form.errors.items()}
        return _page(request, seat, draft=_draft(form, errors), status=422)
    given = form.cleaned_data
    try:
        with acting(request):
            command(space_id=seat.space_id, by=acts.actor(seat), now=timezone.now(), **given)
    except Conflict as error:
        messages.info(request, str(error))
        return see_other(reverse("policy"))
    except NotAllowed as error:
        return _page(request, seat, error=str(error), status=403)
    except InvalidInput as error:
        errors = {error.field: str(error)}
        return _page(request, seat, draft=_draft(form, errors), status=422)
    messages.success(request, told)
    return see_other(reverse("policy"))


def _page(
    request: HtmxHttpRequest,
    seat: Seat,
    *,
    status: int = 200,
    draft: Draft | None = None,
    error: str = "",
) -> HttpResponse:
    page = policy_view(
        seat=seat,
        keys_on=keys_switch.are_on(request),
        may_govern=policies.can_govern(
            user_id=seat.user_id, space_id=seat.space_id, now=timezone.now()
        ),
        draft=draft,
        error=error,
    )
    return render_page(request, template="policy/policy.html", page=page, status=status)


def _draft(form: RuleForm, errors: dict[str, str]) -> Draft:
    return Draft(
        four_eyes=form.data.get("four_eyes", ""),
        expire_after_days=form.data.get("expire_after_days", ""),
        blind_share=form.data.get("blind_share", ""),
        markdown=form.data.get("markdown"),
        errors=errors,
    )
