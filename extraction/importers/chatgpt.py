"""ChatGPT's export: a list of conversations, each a tree of messages.

Where a question was changed or an answer asked for anew, the tree forks. What the person last saw
is the way from ``current_node`` up to the root; the rest is counted and left out. A message's
content is read in ``chatgpt_content``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportProblem,
    LeftOut,
    read_each_value,
)
from extraction.importers.chatgpt_content import Json, as_object, draft_or_reason, time_of
from extraction.importers.drafts import Draft, opening_of, participants_of, settled, unforged
from extraction.importers.json_items import Item
from extraction.importers.opening import Fit, Opening
from extraction.importers.source import Source
from extraction.importers.wording import Unfit, bounded, stable_id

NAME = "chatgpt"


class ChatGpt:
    """The importer of ChatGPT's ``conversations.json``, alone or in its zip or folder."""

    name = NAME
    expects = 'a JSON list of conversations with "mapping" and "current_node", or its zip or folder'
    members = re.compile(r"(^|/)conversations?([-_. ]?\d+)?\.json$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether one of the first conversations is a tree of messages."""
        return Fit.SURE if any(map(_is_tree, opening.values)) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield each conversation, and what was wrong with it or its messages."""
        yield from read_each_value(source, self.members, _conversation)


def _is_tree(value: object) -> bool:
    mapping = value.get("mapping") if isinstance(value, Mapping) else None
    return isinstance(mapping, Mapping) and all(
        isinstance(node, Mapping) and "message" in node for node in mapping.values()
    )


@dataclass(slots=True)
class _Found:
    """What one conversation gave so far."""

    drafts: list[Draft] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def _conversation(item: Item) -> Iterator[Imported]:
    """Read one conversation of the list."""
    raw = as_object(item.value)
    title = raw.get("title")
    title = bounded(title) if isinstance(title, str) else ""
    place = f"Conversation {item.number}" + (f", “{title}”" if title else "")
    mapping = as_object(raw.get("mapping"))
    if not mapping:
        yield ImportProblem(0, f'{place}: it has no tree of messages in "mapping".')
        return
    found = _gather(mapping, current=raw.get("current_node"))
    for problem in found.problems:
        yield ImportProblem(0, f"{place}, {problem}.")
    if not found.drafts:
        yield ImportProblem(0, f"{place}: it holds no message with words.")
        return
    own_id = _own_id(raw)
    messages = settled(found.drafts)
    yield ImportedConversation(
        external_id=own_id or opening_of(found.drafts),
        title=title,
        source=NAME,
        messages=unforged(messages),
        participants=participants_of(messages),
        without_words=sum(one.why == "without_words" for one in found.left_out),
        bytes_read=item.ends_at,
        left_out=tuple(found.left_out),
    )


def _own_id(raw: Json) -> str:
    """Give the conversation's own id, or an empty text."""
    for key in ("conversation_id", "id"):
        value = raw.get(key)
        if isinstance(value, str) and value.strip():
            return stable_id(value)
    return ""


def _gather(mapping: Json, *, current: object) -> _Found:
    """Read the messages on the way to the current one, and count the others."""
    nodes = {key: as_object(node) for key, node in mapping.items()}
    way = _way_to(_current(nodes, named=current), nodes)
    found = _Found()
    for key in way:
        _take(nodes[key].get("message"), key=key, found=found)
    on_way = set(way)
    found.left_out += [
        LeftOut(_id_of(node.get("message"), key=key), "other_branch")
        for key, node in nodes.items()
        if key not in on_way and node.get("message") is not None
    ]
    return found


def _take(message: object, *, key: str, found: _Found) -> None:
    """Read one message: a draft, a reason to leave it out, or a problem."""
    if message is None:
        return
    raw = as_object(message)
    own_id = _id_of(message, key=key)
    try:
        draft = draft_or_reason(raw, own_id=own_id)
    except Unfit as error:
        found.problems.append(f"message {bounded(own_id, limit=60)}: {error}")
        return
    if not isinstance(draft, Draft):
        found.left_out.append(LeftOut(own_id, draft))
        return
    found.drafts.append(draft)
    try:
        time_of(raw.get("create_time"))
    except Unfit as error:
        shown = bounded(own_id, limit=60)
        found.problems.append(f"message {shown} is kept without its time: {error}")


def _id_of(message: object, *, key: str) -> str:
    own = as_object(message).get("id")
    return stable_id(own) if isinstance(own, str) and own.strip() else stable_id(key)


def _current(nodes: Mapping[str, Json], *, named: object) -> str:
    """Give the node last seen: the one named or, where there is none such, the newest leaf."""
    if isinstance(named, str) and named in nodes:
        return named
    parents = {str(parent) for key in nodes if (parent := _parent(key, nodes)) is not None}
    leaves = [key for key in nodes if key not in parents] or list(nodes)
    order = {key: place for place, key in enumerate(nodes)}
    return max(leaves, key=lambda key: (_seconds(nodes[key]), order[key]))


def _seconds(node: Json) -> float:
    """Give when a node's message was written, for comparing leaves."""
    try:
        sent_at = time_of(as_object(node.get("message")).get("create_time"))
    except Unfit:
        sent_at = None
    return sent_at.timestamp() if sent_at else -1.0


def _way_to(last: str, nodes: Mapping[str, Json]) -> list[str]:
    """List the nodes from the root to the last; a ring in a damaged file ends the way."""
    way: list[str] = []
    seen: set[str] = set()
    here: str | None = last
    while here is not None and here not in seen:
        seen.add(here)
        way.append(here)
        here = _parent(here, nodes)
    return way[::-1]


def _parent(key: str, nodes: Mapping[str, Json]) -> str | None:
    parent = nodes[key].get("parent")
    return parent if isinstance(parent, str) and parent in nodes else None


IMPORTER = ChatGpt()
