"""What a Slack message says, in plain words: mentions by name, links and escapes undone."""

import re
from collections.abc import Callable, Iterator, Mapping

from extraction.importers.wording import bounded

Json = Mapping[str, object]

_MARKUP = re.compile(r"<((?:[@#!]|[a-z][a-z+.-]{1,20}:)[^<>\n]{1,4000})>")
_ESCAPE = re.compile(r"&(lt|gt|amp);")
_ESCAPED = {"lt": "<", "gt": ">", "amp": "&"}
_INLINE = {
    "user": ("user_id", "<@{0}>"),
    "channel": ("channel_id", "<#{0}>"),
    "emoji": ("name", ":{0}:"),
    "broadcast": ("range", "@{0}"),
    "link": ("url", "<{0}|{1}>"),
}
_DEEPEST = 12  # lists within quotes within blocks
_MOST_PIECES = 2_000


def plain(text: str, *, name_of: Callable[[str], str], channel_of: Callable[[str], str]) -> str:
    """Make Slack's markup words: "<@U2>" becomes "@osk", "<https://x|doc>" "doc (https://x)"."""

    def shown(match: re.Match[str]) -> str:
        return _shown(match[1], name_of=name_of, channel_of=channel_of)

    return _ESCAPE.sub(lambda match: _ESCAPED[match[1]], _MARKUP.sub(shown, text))


def words_of(raw: Json) -> str:
    """Give what a message says, still in Slack's markup.

    Its text; where it has none, its blocks; where it has none either, what is attached. Previews
    of links are not its words.
    """
    text = raw.get("text")
    if isinstance(text, str) and text.strip():
        return text
    blocks = raw.get("blocks")
    found = "".join(_pieces(blocks, depth=0)).strip() if isinstance(blocks, list) else ""
    return found or "\n".join(_attached(raw))


def files_of(raw: Json) -> list[str]:
    """Name the files of a message, each on a line in brackets."""
    files = raw.get("files")
    found: list[str] = []
    for file in files if isinstance(files, list) else []:
        if not isinstance(file, Mapping):
            continue
        if file.get("mode") == "tombstone":
            found.append("[file: deleted]")
            continue
        names = (file.get(key) for key in ("title", "name", "id"))
        name = next((one for one in names if isinstance(one, str) and one.strip()), "unnamed")
        found.append(f"[file: {bounded(name)}]")
    return found


def _shown(inner: str, *, name_of: Callable[[str], str], channel_of: Callable[[str], str]) -> str:
    target, _, label = inner.partition("|")
    if target.startswith("@"):
        return f"@{label or name_of(target[1:])}"
    if target.startswith("#"):
        return f"#{label or channel_of(target[1:])}"
    if target.startswith("!"):
        # Such as "!here", or with a label: "!subteam^S1|@team".
        return label or f"@{target[1:].partition('^')[0]}"
    address = target.removeprefix("mailto:").removeprefix("tel:")
    return f"{label} ({address})" if label and label not in {address, target} else address


def _attached(raw: Json) -> Iterator[str]:
    attachments = raw.get("attachments")
    for one in attachments if isinstance(attachments, list) else []:
        if not isinstance(one, Mapping):
            continue
        texts = (one.get(key) for key in ("fallback", "text", "title", "pretext"))
        found = next((text for text in texts if isinstance(text, str) and text.strip()), "")
        if found:
            yield found


def _pieces(value: object, *, depth: int) -> Iterator[str]:
    """Yield the texts of blocks in their order, with the markup that "text" would have had."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for one in value[:_MOST_PIECES]:
            yield from _pieces(one, depth=depth + 1)
        return
    if not isinstance(value, Mapping):
        return
    found = _inline(value)
    if found is not None:
        yield found
        return
    for key in ("text", "elements", "fields"):
        yield from _pieces(value.get(key), depth=depth + 1)
    if str(value.get("type")) in {"rich_text_section", "section", "header"}:
        yield "\n"


def _inline(value: Json) -> str | None:
    """Give a piece of a block as markup, or None for what only holds pieces."""
    text = value.get("text")
    words = text if isinstance(text, str) else ""
    key, shape = _INLINE.get(str(value.get("type")), ("", ""))
    target = value.get(key) if key else None
    if not isinstance(target, str):
        return words or None
    return shape.format(target, words or target)
