"""LangChain's messages in the shapes they are written in, as those of OpenAI are read.

- ``{"type": "human", "data": {"content": …}}``, of ``messages_to_dict``;
- ``{"lc": 1, "type": "constructor", "id": […, "HumanMessage"], "kwargs": {…}}``, of ``dumpd``;
- ``{"type": "human", "content": …}``, of ``model_dump`` and of LangGraph's server.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from extraction.importers.base import LeftOut
from extraction.importers.drafts import Draft
from extraction.importers.openai_messages import Json, Surroundings, drafts_of
from extraction.importers.wording import Unfit, bounded, compact, stable_id, word

_ROLE_OF_TYPE = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "developer": "developer",
}
_REMOVE = "remove"
_ALL_MESSAGES = "__remove_all__"
_NOT_WORDS = frozenset({"tool_use", "tool_call", "function_call", "input_json_delta"})
_KEYS_OF_OTHERS = frozenset({"role", "uuid", "sessionId"})  # with a "type" and "content" as well
_REASONING = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_content"})


@dataclass(slots=True)
class Chat:
    """What a list of messages gives. ``problems`` name the message by its place."""

    drafts: list[Draft] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def is_message(value: object) -> bool:
    """Tell whether a value is a message in one of the shapes."""
    if not isinstance(value, Mapping):
        return False
    if "lc" in value:
        return _class_of(value).endswith(("Message", "MessageChunk"))
    if word(value.get("type")) not in {*_ROLE_OF_TYPE, "chat", _REMOVE}:
        return False
    data = value.get("data")
    if isinstance(data, Mapping):
        return "content" in data
    return "content" in value and not _KEYS_OF_OTHERS & value.keys()


def read_chat(rows: Sequence[object]) -> Chat:
    """Read the messages of a chat; one that removes an earlier one takes it away."""
    chat = Chat()
    around = Surroundings()
    for place, row in enumerate(rows, start=1):
        try:
            kind, fields = _opened(row)
            if kind == _REMOVE:
                _remove(chat, fields.get("id"))
                continue
            drafts = drafts_of(_in_openai_shape(kind, fields), around)
        except Unfit as error:
            chat.problems.append(f"message {place}: {error}")
            continue
        own_id = _id(fields)
        if _has_thoughts(fields):
            chat.left_out.append(LeftOut(own_id, "reasoning"))
        elif not drafts:
            chat.left_out.append(LeftOut(own_id, "without_words"))
        chat.drafts += drafts
    return chat


def _remove(chat: Chat, named: object) -> None:
    """Take an earlier message away, with its calls, or all of them."""
    gone = [draft for draft in chat.drafts if named == _ALL_MESSAGES or _is_of(draft, named)]
    chat.drafts = [draft for draft in chat.drafts if draft not in gone]
    chat.left_out += [LeftOut(draft.own_id, "removed") for draft in gone]
    if not gone and isinstance(named, str):
        chat.left_out.append(LeftOut(stable_id(named), "removed"))


def _is_of(draft: Draft, named: object) -> bool:
    if not isinstance(named, str) or not named:
        return False
    own = stable_id(named)
    return draft.own_id == own or draft.own_id.startswith(f"{own}/")


def _opened(row: object) -> tuple[str, Json]:
    """Give a message's type and its fields, whichever shape it has. **Raises**: Unfit."""
    if not isinstance(row, Mapping):
        raise Unfit(f"a message must be a JSON object, not {type(row).__name__}")
    if "lc" in row:
        return _constructed(row)
    data = row.get("data")
    fields = data if isinstance(data, Mapping) else row
    kind = row.get("type") or fields.get("type")
    return _known(kind, fields=fields), fields


def _constructed(row: Json) -> tuple[str, Json]:
    """Open what ``dumpd`` wrote: a constructor's name and arguments."""
    if row.get("type") != "constructor":
        shown = bounded(str(row.get("repr") or row.get("type")), limit=60)
        raise Unfit(f"LangChain could not write this one down, only that it was {shown}")
    fields = row.get("kwargs")
    if not isinstance(fields, Mapping):
        raise Unfit('a constructor must hold its arguments in "kwargs"')
    name = _class_of(row).removesuffix("Chunk").removesuffix("Message").lower()
    return _known(fields.get("type") or name, fields=fields), fields


def _class_of(row: Json) -> str:
    path = row.get("id")
    last = path[-1] if isinstance(path, list) and path else ""
    return last if isinstance(last, str) else ""


def _known(kind: object, *, fields: Json) -> str:
    """Give the type without the endings of pieces; a chat message's is its role."""
    name = kind if isinstance(kind, str) else ""
    name = name.removesuffix("MessageChunk").removesuffix("Chunk").lower()
    if name == "chat":
        role = fields.get("role")
        name = {"user": "human", "assistant": "ai"}.get(str(role), str(role))
    if name not in _ROLE_OF_TYPE and name != _REMOVE:
        known = ", ".join([*_ROLE_OF_TYPE, _REMOVE])
        raise Unfit(f"the type {bounded(str(kind), limit=40)!r} is unknown; known are {known}")
    return name


def _in_openai_shape(kind: str, fields: Json) -> Json:
    """Write a message as OpenAI's are, with its calls; without its kind of its own making."""
    calls = fields.get("tool_calls")
    more = fields.get("additional_kwargs")
    raw: dict[str, object] = {
        "role": _ROLE_OF_TYPE[kind],
        "content": _content(fields.get("content")),
        "id": fields.get("id"),
        "name": fields.get("name"),
        "tool_call_id": fields.get("tool_call_id"),
    }
    if isinstance(calls, list) and calls:
        raw["tool_calls"] = [_call(call) for call in calls]
    elif isinstance(more, Mapping):  # as older versions wrote calls: in OpenAI's own words
        raw["tool_calls"] = more.get("tool_calls")
        raw["function_call"] = more.get("function_call")
    return raw


def _call(call: object) -> Json:
    if not isinstance(call, Mapping):
        raise Unfit(f"a tool call must be a JSON object, not {type(call).__name__}")
    function = {"name": call.get("name"), "arguments": compact(call.get("args"))}
    return {"id": call.get("id"), "function": function}


def _content(content: object) -> object:
    """Leave out of a list of parts what is no words: calls stand elsewhere, thoughts nowhere."""
    if not isinstance(content, list):
        return content
    return [part for part in content if _kind_of(part) not in _NOT_WORDS | _REASONING]


def _has_thoughts(fields: Json) -> bool:
    content = fields.get("content")
    return isinstance(content, list) and any(_kind_of(part) in _REASONING for part in content)


def _kind_of(part: object) -> str:
    return str(part.get("type")) if isinstance(part, Mapping) else ""


def _id(fields: Json) -> str:
    own = fields.get("id")
    return stable_id(own) if isinstance(own, str) else ""
