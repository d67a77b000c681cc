"""Who sits at the screen, in which space, with which role: load it, or 404, or refuse."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils import timezone

from knowledge.models import Membership, Role
from workbench.http import HtmxHttpRequest, to_login
from workbench.middleware import SPACE_ID, request_id_of

SPACE_KEY = "space"
LONGEST_NAME = 150
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Seat:
    """A person in a space.

    **Shape**: ``others`` are (slug, name) of their further spaces; ``is_staff`` opens the admin;
    ``request_id`` ties what is done to the request it was asked in.
    """

    user_id: int
    username: str
    space_id: int
    slug: str
    name: str
    zone: str
    roles: frozenset[str]
    is_staff: bool = False
    request_id: str = ""
    others: tuple[tuple[str, str], ...] = ()

    @property
    def may_decide(self) -> bool:
        """Tell whether the person may change what is believed here."""
        return Role.CURATOR in self.roles

    @property
    def role(self) -> str:
        """Return the roles in words."""
        return ", ".join(sorted(Role(role).label.lower() for role in self.roles))

    def today(self, now: datetime) -> datetime:
        """Return when the space's day began."""
        local = now.astimezone(ZoneInfo(self.zone))
        return local.replace(hour=0, minute=0, second=0, microsecond=0)


def seats_of(user: User, *, now: datetime) -> list[Seat]:
    """Return a person's seats, one for each space. **Cost**: one query."""
    rows = (
        Membership.objects.filter(Q(valid_to__isnull=True) | Q(valid_to__gt=now))
        .filter(user=user, valid_from__lte=now)
        .select_related("space")
        .order_by("space__name", "space_id")
    )
    spaces = {row.space_id: row.space for row in rows}
    roles: dict[int, set[str]] = {}
    for row in rows:
        roles.setdefault(row.space_id, set()).add(row.role)
    return [
        Seat(
            user_id=user.pk,
            username=user.get_username(),
            space_id=pk,
            slug=space.slug,
            name=space.name,
            zone=space.zone,
            roles=frozenset(roles[pk]),
            is_staff=user.is_staff,
            others=tuple((other.slug, other.name) for other in spaces.values() if other.pk != pk),
        )
        for pk, space in spaces.items()
    ]


def seated(
    view: Callable[Concatenate[HtmxHttpRequest, Seat, P], HttpResponse],
) -> Callable[Concatenate[HtmxHttpRequest, P], HttpResponse]:
    """Give a view the seat of whoever asks, in the space of the address.

    Dates in the answer are written in the space's zone. **Raises**: PermissionDenied for a
    person without any space; Http404 for a space that is not theirs; BadRequest for an address
    with a NUL, which the database could not look for.
    """

    @wraps(view)
    def answer(request: HtmxHttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return to_login(request, resolve_url(settings.LOGIN_URL))
        if any("\x00" in text for pair in request.GET.items() for text in pair):
            raise BadRequest("No text holds a NUL.")
        seat = replace(_chosen(request), request_id=request_id_of(request))
        request.META[SPACE_ID] = seat.space_id
        with timezone.override(ZoneInfo(seat.zone)):
            return view(request, seat, *args, **kwargs)

    return answer


def seat_in(request: HtmxHttpRequest, seat: Seat, space_id: int | None) -> Seat:
    """Move to the space an item belongs to, where the person has a seat.

    The person stays there afterwards, as if they had chosen it.

    **Raises**: Http404, so that items of other spaces cannot be told from none.
    """
    if space_id == seat.space_id:
        return seat
    for other in seats_of(_user(request), now=timezone.now()):
        if other.space_id == space_id:
            timezone.activate(ZoneInfo(other.zone))
            request.session[SPACE_KEY] = other.slug
            request.META[SPACE_ID] = other.space_id
            return replace(other, request_id=seat.request_id)
    raise Http404("There is no such thing here.")


def check_may_decide(seat: Seat) -> None:
    """Refuse who may only read. **Raises**: PermissionDenied."""
    if not seat.may_decide:
        raise PermissionDenied(
            f"You are {seat.role} in {seat.name}. Only curators decide what is believed."
        )


def _chosen(request: HtmxHttpRequest) -> Seat:
    seats = seats_of(_user(request), now=timezone.now())
    if not seats:
        raise PermissionDenied("You do not belong to any space yet. Ask an administrator.")
    asked = request.GET.get(SPACE_KEY)
    if asked:
        seat = next((seat for seat in seats if seat.slug == asked), None)
        if seat is None:
            raise Http404("There is no such space.")
        request.session[SPACE_KEY] = seat.slug
        return seat
    kept = request.session.get(SPACE_KEY)
    return next((seat for seat in seats if seat.slug == kept), seats[0])


def _user(request: HtmxHttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied("Log in first.")
    return request.user


def name_tried(request: HttpRequest, credentials: Mapping[str, Any] | None) -> str:
    """Return the name a login was tried with, as far as a name can go.

    The record of failed logins holds no more, and beyond it no name is anybody's.
    """
    given = credentials if credentials is not None else request.POST
    return str(given.get("username") or "")[:LONGEST_NAME].replace("\x00", "")
