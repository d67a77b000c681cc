"""How answers are written: JSON with times exact to the microsecond."""

import json
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from ninja.renderers import BaseRenderer


class ExactTimes(BaseRenderer):
    """JSON in UTF-8. Times keep their microseconds: replaying ``known_at`` needs every one."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> str:
        """Write an answer."""
        return json.dumps(data, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    raise TypeError(f"{type(value).__name__} has no form in JSON")
