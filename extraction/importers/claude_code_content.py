"""One line of a Claude Code session: what the user or the model said, called and was answered."""

import re
from collections.abc import Mapping
from datetime import datetime

from extraction.importers.base import MessageKind, Why
from extraction.importers.drafts import NAMELESS_USER, Draft
from extraction.importers.wording import Unfit, bounded, compact, stable_id, storable, word

Json = Mapping[str, object]

_REASONING = frozenset({"thinking", "redacted_thinking"})
_MARKS = {"image": "[image]", "document": "[file]"}
# What the program writes into the user's messages. Each stops at the next tag of its name, so that
# a text of nothing but opening tags costs no more than its length.
_PUT_IN = re.compile(
    r"<(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat"
    r"|command-name|command-message|command-args|command-contents|bash-stdout|bash-stderr"
    r"|task-notification|ide_opened_file|ide_selection)>(?:(?!</?\1>).)*+</\1>",
    re.DOTALL,
)
_PROGRAMS_OWN = re.compile(r"\s*(\[Request interrupted by user|Caveat: The messages below were)")


def drafts_of(
    raw: Json, *, own_id: str, sent_at: datetime | None, call_names: dict[str, str]
) -> tuple[list[Draft], list[Why]]:
    """Read a line's message: what it holds, and why parts of it are left out.

    **Shape**: the words first, under the line's own id, then calls and results under ids made from
    it; ``call_names`` remembers calls for their results. **Raises**: Unfit.
    """
    message = raw.get("message")
    if not isinstance(message, Mapping):
        raise Unfit('the line has no "message"')
    is_user = raw.get("type") == "user"
    blocks = _blocks(message.get("content"))
    said = "\n\n".join(text for block in blocks if (text := _words(block)).strip())
    words, was_cut = _own_words(said) if is_user else (said, False)
    speaker = NAMELESS_USER if is_user else "assistant"
    drafts: list[Draft] = []
    if words.strip():
        kind: MessageKind = "user_message" if is_user else "agent_message"
        drafts.append(Draft(own_id, speaker, kind, storable(words), sent_at))
    reasons: list[Why] = ["hidden"] if was_cut else []
    if any(word(block.get("type")) in _REASONING for block in blocks):
        reasons.append("reasoning")
    for place, block in enumerate(blocks, start=1):
        drafts += _traffic(block, own_id=own_id, place=place, call_names=call_names)
    drafts = [draft if draft.sent_at else _at(draft, sent_at) for draft in drafts]
    return drafts, reasons if drafts or reasons else ["without_words"]


def _at(draft: Draft, sent_at: datetime | None) -> Draft:
    return Draft(draft.own_id, draft.speaker, draft.kind, draft.text, sent_at)


def _blocks(content: object) -> list[Json]:
    if content is None:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise Unfit(f"content must be text or a list of blocks, not {type(content).__name__}")
    return [
        {"type": "text", "text": block} if isinstance(block, str) else block
        for block in content
        if isinstance(block, str | Mapping)
    ]


def _words(block: Json) -> str:
    kind = word(block.get("type"))
    if kind == "text":
        text = block.get("text")
        if not isinstance(text, str | None):
            raise Unfit(f'a block of words must have text in "text", not {type(text).__name__}')
        return text or ""
    if kind in _REASONING or kind in {"tool_use", "tool_result"}:
        return ""
    return _MARKS.get(kind, f"[{bounded(kind or 'unknown', limit=40)}]")


def _own_words(said: str) -> tuple[str, bool]:
    """Take out of the user's message what the program put in, and say whether there was any."""
    if _PROGRAMS_OWN.match(said):
        return "", True
    words = _PUT_IN.sub("", said)
    return (words.strip(), True) if words != said else (said, False)


def _traffic(block: Json, *, own_id: str, place: int, call_names: dict[str, str]) -> list[Draft]:
    """Give the call or the result that a block is, if it is one."""
    if block.get("type") == "tool_use":
        given = block.get("name")
        name = bounded(given) if isinstance(given, str) and given.strip() else "tool"
        call_id = block.get("id")
        if isinstance(call_id, str):
            call_names[call_id] = name
        made = stable_id(f"{own_id}/{call_id or place}") if own_id else ""
        text = storable(f"{name}({compact(block.get('input'))})")
        return [Draft(made, "assistant", "tool_call", text, None)]
    if block.get("type") == "tool_result":
        call_id = block.get("tool_use_id")
        text = storable(_result(block.get("content")))
        made = stable_id(f"{own_id}/{call_id or place}") if own_id else ""
        name = call_names.pop(call_id, "tool") if isinstance(call_id, str) else "tool"
        return [Draft(made, name, "tool_result", text, None)] if text.strip() else []
    return []


def _result(content: object) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return compact(content)
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))
