"""One message of Claude's export: its words, its calls and their results, what it leaves out."""

from collections.abc import Mapping
from datetime import datetime

from extraction.importers.base import LeftOut, MessageKind
from extraction.importers.drafts import NAMELESS_USER, Draft
from extraction.importers.wording import Unfit, bounded, compact, instant, stable_id, storable, word

Json = Mapping[str, object]

_KIND_OF_SENDER: dict[str, MessageKind] = {"human": "user_message", "assistant": "agent_message"}
_WORDS = frozenset({"text", "voice_note"})
_REASONING = frozenset({"thinking", "redacted_thinking"})
_SILENT = frozenset({"token_budget", "flag"})  # blocks that are notes of the program itself


def drafts_of(raw: Json) -> tuple[list[Draft], list[LeftOut], list[str]]:
    """Read a message: what it holds, what of it is left out, and what is wrong with its time.

    **Shape**: the words first, under the message's own id, then attached texts, calls and results,
    under ids made from it. **Raises**: Unfit where it cannot be read at all.
    """
    sender = raw.get("sender")
    if not isinstance(sender, str) or sender not in _KIND_OF_SENDER:
        known = ", ".join(_KIND_OF_SENDER)
        raise Unfit(f"its sender is {str(sender)[:40]!r}; known senders are {known}")
    own_id = id_of(raw)
    sent_at, problems = _time(raw.get("created_at"))
    blocks = _blocks(raw)
    speaker = NAMELESS_USER if sender == "human" else sender
    words = storable(_words(raw, blocks=blocks))
    kind = _KIND_OF_SENDER[sender]
    drafts = [Draft(own_id, speaker, kind, words, sent_at)] if words.strip() else []
    drafts += _attached(raw, own_id=own_id, sent_at=sent_at)
    drafts += _traffic(blocks, own_id=own_id, sent_at=sent_at)
    left_out = [LeftOut(own_id, "reasoning")] if any(map(_is_reasoning, blocks)) else []
    if not drafts and not left_out:
        left_out = [LeftOut(own_id, "without_words")]
    return drafts, left_out, problems


def id_of(raw: Json) -> str:
    """Give the message's own id, or an empty text."""
    own = raw.get("uuid")
    return stable_id(own) if isinstance(own, str) and own.strip() else ""


def _time(value: object) -> tuple[datetime | None, list[str]]:
    if value is None:
        return None, []
    try:
        return instant(value), []
    except Unfit as error:
        return None, [f"is kept without its time: {error}"]


def _blocks(raw: Json) -> list[Json]:
    content = raw.get("content")
    if content is None:
        return []
    if not isinstance(content, list):
        raise Unfit(f'"content" must be a list of blocks, not {type(content).__name__}')
    return [block for block in content if isinstance(block, Mapping)]


def _is_reasoning(block: Json) -> bool:
    return word(block.get("type")) in _REASONING


def _words(raw: Json, *, blocks: list[Json]) -> str:
    """Give the words of the blocks; ``text`` only where they have none, for it holds excuses.

    There the export puts sentences of its own in place of what it could not show.
    """
    pieces = [text for block in blocks if (text := _words_of(block)).strip()]
    if not pieces and not any(map(_is_reasoning, blocks)) and not _has_calls(blocks):
        fallback = raw.get("text")
        pieces = [fallback] if isinstance(fallback, str) and fallback.strip() else []
    return "\n\n".join([*pieces, *_file_marks(raw)])


def _has_calls(blocks: list[Json]) -> bool:
    return any(word(block.get("type")) in {"tool_use", "tool_result"} for block in blocks)


def _words_of(block: Json) -> str:
    kind = word(block.get("type"))
    if kind in _WORDS:
        text = block.get("text")
        if not isinstance(text, str | None):
            raise Unfit(f'a block of words must have text in "text", not {type(text).__name__}')
        return text or ""
    if kind in _REASONING | _SILENT | {"tool_use", "tool_result"}:
        return ""
    return f"[{bounded(kind or 'unknown', limit=40)}]"


def _file_marks(raw: Json) -> list[str]:
    """Mark each file that came with the message, once."""
    found: dict[str, None] = {}
    for key in ("attachments", "files"):
        rows = raw.get(key)
        for row in rows if isinstance(rows, list) else []:
            name = row.get("file_name") if isinstance(row, Mapping) else None
            if isinstance(name, str) and name.strip():
                found[f"[file: {bounded(name, limit=80)}]"] = None
    return list(found)


def _attached(raw: Json, *, own_id: str, sent_at: datetime | None) -> list[Draft]:
    """Give the texts of attached files: something the person showed, not something they said."""
    rows = raw.get("attachments")
    drafts: list[Draft] = []
    for place, row in enumerate(rows if isinstance(rows, list) else [], start=1):
        text = row.get("extracted_content") if isinstance(row, Mapping) else None
        if not isinstance(text, str) or not text.strip():
            continue
        name = row.get("file_name")
        speaker = bounded(name) if isinstance(name, str) and name.strip() else "file"
        made = stable_id(f"{own_id}/file-{place}") if own_id else ""
        kind: MessageKind = "environment_observation"
        drafts.append(Draft(made, speaker, kind, storable(text), sent_at))
    return drafts


def _traffic(blocks: list[Json], *, own_id: str, sent_at: datetime | None) -> list[Draft]:
    """Give the calls of tools and what they answered, in their order."""
    drafts: list[Draft] = []
    for place, block in enumerate(blocks, start=1):
        kind = word(block.get("type"))
        if kind not in {"tool_use", "tool_result"}:
            continue
        given = block.get("name")
        name = bounded(given) if isinstance(given, str) and given.strip() else "tool"
        call = block.get("id") or block.get("tool_use_id") or place
        made = stable_id(f"{own_id}/{call}") if own_id else ""
        if kind == "tool_use":
            text = storable(f"{name}({compact(block.get('input'))})")
            drafts.append(Draft(made, "assistant", "tool_call", text, sent_at))
            continue
        text = storable(_result(block.get("content")))
        if text.strip():
            result_id = stable_id(f"{made}/result") if made else ""
            drafts.append(Draft(result_id, name, "tool_result", text, sent_at))
    return drafts


def _result(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return compact(content) if content else ""
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))
