"""Claude's export: a list of conversations, each a list of messages with a ``sender``.

A message's ``content`` holds blocks: words, thoughts, calls of tools and their results. Newer
exports name each message's parent; where a message was changed, two have the same one, and the
way to the last message is what the person last saw.
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
from extraction.importers.claude_content import Json, drafts_of, id_of
from extraction.importers.drafts import Draft, opening_of, participants_of, settled, unforged
from extraction.importers.json_items import Item
from extraction.importers.opening import Fit, Opening
from extraction.importers.source import Source
from extraction.importers.wording import Unfit, bounded, stable_id

NAME = "claude"
_ROOT = "00000000-0000-4000-8000-000000000000"


class Claude:
    """The importer of Claude's ``conversations.json``, alone or in its zip or folder."""

    name = NAME
    expects = 'a JSON list of conversations with "chat_messages", or its zip or folder'
    members = re.compile(r"(^|/)conversations?([-_. ]?\d+)?\.json$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether one of the first conversations has messages with senders."""
        return Fit.SURE if any(map(_has_messages, opening.values)) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield each conversation, and what was wrong with it or its messages."""
        yield from read_each_value(source, self.members, _conversation)


def _has_messages(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("chat_messages"), list)


@dataclass(slots=True)
class _Found:
    """What one conversation gave so far."""

    drafts: list[Draft] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def _conversation(item: Item) -> Iterator[Imported]:
    """Read one conversation of the list."""
    raw = item.value if isinstance(item.value, Mapping) else {}
    name = raw.get("name")
    title = bounded(name) if isinstance(name, str) else ""
    place = f"Conversation {item.number}" + (f", “{title}”" if title else "")
    rows = raw.get("chat_messages")
    if not isinstance(rows, list):
        yield ImportProblem(0, f'{place}: it has no list of messages in "chat_messages".')
        return
    found = _gather(rows)
    for problem in found.problems:
        yield ImportProblem(0, f"{place}, {problem}.")
    if not found.drafts:
        yield ImportProblem(0, f"{place}: it holds no message with words.")
        return
    own_id = raw.get("uuid")
    messages = settled(found.drafts)
    yield ImportedConversation(
        external_id=stable_id(own_id)
        if isinstance(own_id, str) and own_id.strip()
        else opening_of(found.drafts),
        title=title,
        source=NAME,
        messages=unforged(messages),
        participants=participants_of(messages),
        without_words=sum(one.why == "without_words" for one in found.left_out),
        bytes_read=item.ends_at,
        left_out=tuple(found.left_out),
    )


def _gather(rows: list[object]) -> _Found:
    """Read all messages, then keep those on the way to the last that says something."""
    found = _Found()
    read: list[tuple[Json, list[Draft]]] = []
    for place, row in enumerate(rows, start=1):
        raw = row if isinstance(row, Mapping) else {}
        try:
            drafts, left_out, problems = drafts_of(raw)
        except Unfit as error:
            shown = bounded(id_of(raw), limit=60) or str(place)
            found.problems.append(f"message {shown}: {error}")
            continue
        found.problems += [f"message {place} {problem}" for problem in problems]
        found.left_out += left_out
        read.append((raw, drafts))
    way = _on_the_way(read)
    for place, (raw, drafts) in enumerate(read):
        if place in way:
            found.drafts += drafts
        elif drafts:
            found.left_out.append(LeftOut(id_of(raw), "other_branch"))
    return found


def _on_the_way(read: list[tuple[Json, list[Draft]]]) -> set[int]:
    """Give the places of the messages from the first to the last one with words.

    Older exports name no parents: then every message is on the way, in its order.
    """
    parents = [raw.get("parent_message_uuid") for raw, _ in read]
    last = max((place for place, (_, drafts) in enumerate(read) if drafts), default=-1)
    if last < 0 or not all(isinstance(parent, str) and parent for parent in parents):
        return set(range(len(read)))
    place_of = {id_of(raw): place for place, (raw, _) in enumerate(read)}
    way: set[int] = set()
    here = last
    while here >= 0 and here not in way:
        way.add(here)
        parent = str(parents[here])
        # A parent that is not in the file, say for a message that could not be read: the one
        # before in the file stands for it, so that the beginning is not lost.
        here = -1 if parent == _ROOT else place_of.get(stable_id(parent), here - 1)
    return way


IMPORTER = Claude()
