"""One message of ChatGPT's export: who speaks, in which kind, with which words."""

from collections.abc import Mapping
from datetime import datetime

from extraction.importers.base import MessageKind, Why
from extraction.importers.drafts import NAMELESS_USER, Draft
from extraction.importers.wording import Unfit, bounded, instant, storable, word

Json = Mapping[str, object]

_KIND_OF_ROLE: dict[str, MessageKind] = {
    "user": "user_message",
    "assistant": "agent_message",
    "tool": "tool_result",
    "system": "system_message",
}
_CONTEXT = frozenset({"user_editable_context", "model_editable_context"})
_REASONING = frozenset({"thoughts", "reasoning_recap"})
_EVERYONE = frozenset({"", "all"})  # to whom a message goes that is no call
_MARK_OF_PART = {
    "image_asset_pointer": "[image]",
    "audio_asset_pointer": "[audio]",
    "video_container_asset_pointer": "[video]",
    "real_time_user_audio_video_asset_pointer": "[audio]",
}
_WORDS_BESIDE_PARTS = ("text", "result", "content", "summary")


def draft_or_reason(raw: Json, *, own_id: str) -> Draft | Why:
    """Read a message, or say why it is not taken in.

    **Shape**: a time that cannot be read is left out; the caller asks ``time_of`` for the reason.
    **Raises**: Unfit with what is wrong.
    """
    author = as_object(raw.get("author"))
    role = author.get("role")
    if not isinstance(role, str) or role not in _KIND_OF_ROLE:
        known = ", ".join(_KIND_OF_ROLE)
        raise Unfit(f"its author has the role {str(role)[:40]!r}; known roles are {known}")
    content = as_object(raw.get("content"))
    if (reason := _hidden(raw, content=content, role=role)) is not None:
        return reason
    words = storable(_words(content, attached=as_object(raw.get("metadata"))))
    if not words.strip():
        return "without_words"
    kind, speaker = _KIND_OF_ROLE[role], _speaker(author, role=role)
    recipient = word(raw.get("recipient"))
    if role == "assistant" and recipient not in _EVERYONE:
        kind, words = "tool_call", f"{bounded(recipient)}({words})"
    return Draft(own_id, speaker, kind, words, _time_or_none(raw.get("create_time")))


def time_of(value: object) -> datetime | None:
    """Read seconds since 1970, as a number or in quotes; None where there is no time.

    **Raises**: Unfit.
    """
    if value is None or value == 0:
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return instant(value)
    return instant(value)


def as_object(value: object) -> Json:
    """Give a JSON object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def _time_or_none(value: object) -> datetime | None:
    try:
        return time_of(value)
    except Unfit:
        return None


def _hidden(raw: Json, *, content: Json, role: str) -> Why | None:
    """Say why the person never saw this as a message, or None where they did."""
    kind = word(content.get("content_type"))
    is_hidden = as_object(raw.get("metadata")).get("is_visually_hidden_from_conversation")
    if is_hidden is True or kind in _CONTEXT:
        return "hidden"
    is_thought = role == "assistant" and raw.get("channel") == "analysis"
    return "reasoning" if kind in _REASONING or is_thought else None


def _speaker(author: Json, *, role: str) -> str:
    name = author.get("name")
    if role == "tool" and isinstance(name, str) and name.strip():
        return bounded(name)
    return NAMELESS_USER if role == "user" else role


def _words(content: Json, *, attached: Json) -> str:
    """Give what a content says, with a mark for each thing that is no text."""
    words = _of_parts(content) if "parts" in content else _beside_parts(content)
    files = attached.get("attachments")
    names = [as_object(one) for one in files] if isinstance(files, list) else []
    marks = [
        f"[file: {bounded(name, limit=80)}]"
        for one in names
        if isinstance(name := one.get("name"), str) and name.strip()
        if not str(one.get("mime_type", one.get("mimeType", ""))).startswith("image/")
    ]
    return "\n".join([piece for piece in words if piece.strip()] + marks)


def _of_parts(content: Json) -> list[str]:
    parts = content["parts"]
    if parts is None:
        return []
    if not isinstance(parts, list):
        raise Unfit(f'"parts" must be a list, not {type(parts).__name__}')
    return [_part(part) for part in parts if part is not None]


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise Unfit(f"a part must be text or a JSON object, not {type(part).__name__}")
    text = part.get("text")
    if isinstance(text, str):
        return text
    kind = part.get("content_type")
    return _MARK_OF_PART.get(str(kind), f"[{bounded(str(kind), limit=40)}]" if kind else "")


def _beside_parts(content: Json) -> list[str]:
    """Give the words of code, of what ran, of a page that was read."""
    for key in _WORDS_BESIDE_PARTS:
        words = content.get(key)
        if isinstance(words, str) and words.strip():
            return [words]
    return []
