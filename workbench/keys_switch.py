"""Whether single keys act: some people's hands or software press keys they do not mean."""

from django.http import HttpRequest

_OFF = "keys_off"


def are_on(request: HttpRequest) -> bool:
    """Tell whether the person lets single keys act."""
    return not request.session.get(_OFF, False)


def switch(request: HttpRequest, *, on: bool) -> None:
    """Remember the choice, on the server."""
    request.session[_OFF] = not on
