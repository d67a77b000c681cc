"""One message of a Letta agent, turned into what was said."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo

from extraction.importers.base import LeftOut, Why
from extraction.importers.drafts import NAMELESS_USER, Draft
from extraction.importers.source import Source
from extraction.importers.wording import Unfit, bounded, instant, stable_id, storable

Json = Mapping[str, object]

_PACKED_BY_APP: dict[str, Why] = {"heartbeat": "event", "login": "event", "system_alert": "hidden"}
_SAYS = "send_message"
_ROLES = ("system", "user", "assistant", "tool", "approval", "summary")


@dataclass(slots=True)
class Found:
    """What one message stands for; ``problem`` where a part of it could not be read."""

    drafts: list[Draft] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    problem: str = ""


@dataclass(slots=True)
class Chat:
    """What must be remembered from message to message: which calls the results answer."""

    agent: str
    kind: str
    source: Source
    call_names: dict[str, str] = field(default_factory=dict)

    def take(self, raw: object) -> Found:
        """Read one message. **Raises**: Unfit with what is wrong."""
        if not isinstance(raw, Mapping):
            raise Unfit(f"a message must be a JSON object, not {type(raw).__name__}")
        role = raw.get("role")
        if role not in _ROLES:
            raise Unfit(f"the role {str(role)[:40]!r} is unknown")
        own_id = raw.get("id")
        own_id = stable_id(own_id) if isinstance(own_id, str) and own_id.strip() else ""
        sent_at, problem = time_in(raw.get("created_at"), zone=self.source.options.zone)
        found = Found(problem=problem)
        if role == "user":
            self._user(raw, Draft(own_id, "", "user_message", "", sent_at), found=found)
        elif role == "assistant":
            self._assistant(
                raw, Draft(own_id, self.agent, "agent_message", "", sent_at), found=found
            )
        elif role == "tool":
            self._tool(raw, Draft(own_id, "", "tool_result", "", sent_at), found=found)
        else:
            found.left_out.append(LeftOut(own_id, "hidden"))
        return found

    def _user(self, raw: Json, empty: Draft, *, found: Found) -> None:
        """Read what a person wrote, or what the program said in their place."""
        text = words_in(raw.get("content", raw.get("text")))
        packed = _unpacked(text)
        kind = packed.get("type")
        if isinstance(kind, str) and kind in _PACKED_BY_APP:
            found.left_out.append(LeftOut(empty.own_id, _PACKED_BY_APP[kind]))
            return
        inner = packed.get("message")
        name = raw.get("name") or packed.get("name")
        speaker = bounded(name) if isinstance(name, str) and name.strip() else NAMELESS_USER
        is_packed = kind == "user_message" and isinstance(inner, str)
        self._say(str(inner) if is_packed else text, empty, speaker=speaker, found=found)

    def _assistant(self, raw: Json, empty: Draft, *, found: Found) -> None:
        """Read what the agent said, thought and called."""
        calls = raw.get("tool_calls")
        calls = calls if isinstance(calls, list) else []
        text = words_in(raw.get("content", raw.get("text")))
        is_thought = bool(calls) and self.kind.startswith("memgpt")
        if text.strip() and is_thought:
            found.left_out.append(LeftOut(empty.own_id, "reasoning"))
        elif text.strip():
            self._say(text, empty, speaker=self.agent, found=found)
        for place, call in enumerate(calls):
            self._call(call, empty, place=place, found=found)
        if not found.drafts and not found.left_out:
            found.left_out.append(LeftOut(empty.own_id, "without_words"))

    def _call(self, call: object, empty: Draft, *, place: int, found: Found) -> None:
        function = call.get("function") if isinstance(call, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if not isinstance(call, Mapping) or not isinstance(name, str) or not name.strip():
            found.problem = "a tool call must name its function"
            return
        call_id = call.get("id")
        if isinstance(call_id, str):
            self.call_names[call_id] = bounded(name)
        arguments = function.get("arguments") if isinstance(function, Mapping) else None
        written = arguments if isinstance(arguments, str) else ""
        told = _unpacked(written).get("message") if name == _SAYS else None
        if isinstance(told, str):
            self._say(told, empty, speaker=self.agent, found=found)
            return
        text = storable(f"{bounded(name)}({written})")
        own_id = stable_id(f"{empty.own_id}/{call_id or place}") if empty.own_id else ""
        found.drafts.append(Draft(own_id, self.agent, "tool_call", text, empty.sent_at))

    def _tool(self, raw: Json, empty: Draft, *, found: Found) -> None:
        """Read what a tool gave back; that a message was sent is no news."""
        name = self.call_names.get(str(raw.get("tool_call_id"))) or raw.get("name")
        if name == _SAYS:
            found.left_out.append(LeftOut(empty.own_id, "without_words"))
            return
        text = words_in(raw.get("content", raw.get("text")))
        inner = _unpacked(text).get("message")
        speaker = bounded(name) if isinstance(name, str) and name.strip() else "tool"
        self._say(inner if isinstance(inner, str) else text, empty, speaker=speaker, found=found)

    def _say(self, text: str, empty: Draft, *, speaker: str, found: Found) -> None:
        words = storable(text)
        if not words.strip():
            found.left_out.append(LeftOut(empty.own_id, "without_words"))
            return
        # A second piece of one message cannot bear the same id.
        own_id = empty.own_id
        if own_id and any(draft.own_id == own_id for draft in found.drafts):
            own_id = stable_id(f"{own_id}/{len(found.drafts)}")
        found.drafts.append(Draft(own_id, speaker, empty.kind, words, empty.sent_at))


def words_in(content: object) -> str:
    """Give the text of a content: text itself, or a list of parts. Others are marked or left."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    found: list[str] = []
    for part in content:
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            found.append(str(part["text"]))
        elif isinstance(part, Mapping) and part.get("type") == "image":
            found.append("[image]")
    return "\n".join(found)


def time_in(value: object, *, zone: tzinfo | None) -> tuple[datetime | None, str]:
    """Read a time, and say what is wrong with it. One without an offset is in the zone, if any."""
    if value is None:
        return None, ""
    try:
        return instant(value), ""
    except Unfit as error:
        naive = _naive(value) if zone is not None else None
        if naive is None or zone is None:
            return None, f'its time was left out ("created_at": {error})'
        return naive.replace(tzinfo=zone).astimezone(UTC), ""


def _naive(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found is not None and 1970 < found.year < 2200 else None


def _unpacked(text: str) -> Json:
    """Give the JSON object that a text is, or an empty one."""
    if not text.lstrip().startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
