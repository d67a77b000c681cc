"""One message in OpenAI's chat shape, turned into the messages it stands for.

An assistant's message may hold words and several tool calls; each becomes a message of its own,
so that a quote never reaches across what a person, a model or a tool said.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import get_args

from extraction.importers.base import MessageKind
from extraction.importers.drafts import NAMELESS_USER, Draft
from extraction.importers.wording import Unfit, bounded, instant, stable_id, storable

# The first is what the role means; the others may be asked for by an explicit "kind".
# Nobody may pass an assistant's words as the user's: that is why the role limits the kind.
_KINDS_OF_ROLE: dict[str, tuple[MessageKind, ...]] = {
    "user": ("user_message", "user_feedback"),
    "assistant": ("agent_message", "task_result"),
    "tool": ("tool_result", "task_result", "environment_observation"),
    "function": ("tool_result", "task_result", "environment_observation"),
    "system": ("system_message",),
    "developer": ("system_message",),
}
_SPEAKER_OF_ROLE = {"function": "tool", "developer": "system"}
_WORDS_OF_PART = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_PLACEHOLDER = {
    "image_url": "[image]",
    "input_image": "[image]",
    "image_file": "[image]",
    "input_audio": "[audio]",
    "file": "[file]",
    "input_file": "[file]",
}
_TIME_KEYS = ("created_at", "timestamp", "create_time")

Json = Mapping[str, object]


@dataclass(slots=True)
class Surroundings:
    """What the messages of one conversation share: its user, its time, its calls by id."""

    user: str = ""
    sent_at: datetime | None = None
    call_names: dict[str, str] = field(default_factory=dict)


def drafts_of(raw: object, around: Surroundings) -> list[Draft]:
    """Give the messages that one raw message stands for, maybe none.

    **Shape**: nothing where it has no words and no calls; calls are noted in ``around``.
    **Raises**: Unfit with what is wrong.
    """
    if not isinstance(raw, Mapping):
        raise Unfit(f"a message must be a JSON object, not {type(raw).__name__}")
    role = _role(raw)
    own_id = own_id_of(raw)
    speaker = _speaker(raw, role=role, around=around)
    sent_at = time_of(raw) or around.sent_at
    kind = _kind(raw, role=role)
    text = storable(_words(raw))
    found = [Draft(own_id, speaker, kind, text, sent_at)] if text.strip() else []
    for place, (name, arguments, call_id) in enumerate(_calls(raw)):
        around.call_names[call_id] = name
        call_text = storable(f"{name}({arguments})")
        call_own_id = stable_id(f"{own_id}/{call_id or place}") if own_id else ""
        found.append(Draft(call_own_id, speaker, "tool_call", call_text, sent_at))
    return found


def own_id_of(raw: Json, *, keys: tuple[str, ...] = ("id",)) -> str:
    """Give the first id among the keys, or an empty text.

    **Raises**: Unfit where an id is neither text nor a whole number.
    """
    for key in keys:
        value = raw.get(key)
        if value is None or value == "":
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Unfit(f'"{key}" must be text or a whole number')
        return stable_id(str(value))
    return ""


def time_of(raw: Json) -> datetime | None:
    """Give the time that a message or a conversation carries, or None.

    **Raises**: Unfit for a time without an offset, naming the key.
    """
    for key in _TIME_KEYS:
        if raw.get(key) is None:
            continue
        try:
            return instant(raw[key])
        except Unfit as error:
            raise Unfit(f'"{key}": {error}') from None
    return None


def _role(raw: Json) -> str:
    role = raw.get("role")
    if not isinstance(role, str) or role not in _KINDS_OF_ROLE:
        shown = "no role" if role is None else f"the role {str(role)[:40]!r}"
        raise Unfit(f"{shown}; known roles are {', '.join(_KINDS_OF_ROLE)}")
    return role


def _kind(raw: Json, *, role: str) -> MessageKind:
    """Give the kind asked for, within what the role may say."""
    allowed = _KINDS_OF_ROLE[role]
    asked = raw.get("kind")
    if asked is None:
        return allowed[0]
    for kind in allowed:
        if asked == kind:
            return kind
    known = asked in get_args(MessageKind) if isinstance(asked, str) else False
    why = f"may not come from the role {role!r}" if known else "is unknown"
    raise Unfit(f"the kind {str(asked)[:40]!r} {why}; possible here: {', '.join(allowed)}")


def _speaker(raw: Json, *, role: str, around: Surroundings) -> str:
    """Name who spoke: by name, by the call answered, else by role."""
    name = raw.get("name")
    if isinstance(name, str) and name.strip():
        return bounded(name)
    if role == "user":
        return around.user or NAMELESS_USER
    called = around.call_names.get(str(raw.get("tool_call_id"))) if role == "tool" else None
    return bounded(called) if called else _SPEAKER_OF_ROLE.get(role, role)


def _words(raw: Json) -> str:
    """Give what was said: the content, else a refusal or a transcript."""
    text = _content(raw.get("content"))
    if text.strip():
        return text
    refusal = raw.get("refusal")
    if isinstance(refusal, str):
        return refusal
    audio = raw.get("audio")
    transcript = audio.get("transcript") if isinstance(audio, Mapping) else None
    return transcript if isinstance(transcript, str) else ""


def _content(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise Unfit(f"content must be text or a list of parts, not {type(content).__name__}")
    return "\n".join(_part(part) for part in content if part is not None)


def _part(part: object) -> str:
    """Give a part's words, or a short mark for what is no text."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise Unfit(f"a content part must be a JSON object, not {type(part).__name__}")
    kind = str(part.get("type"))
    key = _WORDS_OF_PART.get(kind)
    if key is None:
        return _PLACEHOLDER.get(kind, f"[{bounded(kind, limit=40)}]")
    words = part.get(key)
    if not isinstance(words, str):
        raise Unfit(f'a content part of type "{kind}" must have text in "{key}"')
    return words


def _calls(raw: Json) -> list[tuple[str, str, str]]:
    """List the calls of a message as name, arguments as written, call id."""
    calls = raw.get("tool_calls")
    calls = [] if calls is None else calls
    if not isinstance(calls, list):
        raise Unfit(f"tool_calls must be a list, not {type(calls).__name__}")
    found = [_call(call) for call in calls]
    if raw.get("function_call") is not None:
        found.append(_call({"function": raw["function_call"]}))
    return found


def _call(call: object) -> tuple[str, str, str]:
    function = call.get("function") or call.get("custom") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        raise Unfit("a tool call must hold a function")
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        raise Unfit("a tool call must name its function")
    arguments = function.get("arguments", function.get("input"))
    call_id = call.get("id")
    return (
        bounded(name),
        arguments if isinstance(arguments, str) else "",
        call_id if isinstance(call_id, str) else "",
    )
