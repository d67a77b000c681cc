"""Letta's agent files (.af): an agent with what it was told, and the memory blocks it keeps.

What the person wrote comes packed in JSON, what the agent answered is in its calls of
``send_message``, and its own text beside such a call is a thought. A memory block holds facts
without the words they came from: each line waits for approval, resting on the block.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportedMessage,
    ImportedStatement,
    ImportProblem,
    LeftOut,
    Participant,
    as_problem,
    read_each,
)
from extraction.importers.drafts import (
    NAMELESS_USER,
    Draft,
    opening_of,
    participants_of,
    settled,
    unforged,
)
from extraction.importers.errors import AtLine
from extraction.importers.json_items import Item, read_values
from extraction.importers.letta_messages import Chat, Json, time_in, words_in
from extraction.importers.opening import Fit, Opening
from extraction.importers.source import Member, Source
from extraction.importers.wording import Unfit, bounded, digest, stable_id, storable

NAME = "letta"
_ABOUT_ITSELF = frozenset({"persona", "system", "system/persona"})
_BULLET = re.compile(r"^(?:[-*•‣▪]|\d{1,3}[.)])\s+")
_MOST_FACTS = 500  # lines of one block that wait for approval each


class Letta:
    """The importer of Letta's agent files, of the first kind and of the second."""

    name = NAME
    expects = 'a Letta agent file (.af): a JSON document with "agents" or "core_memory"'
    members = re.compile(r"\.(af|json)$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether the document is an agent, or holds agents."""
        return Fit.SURE if any(map(_agents, opening.values)) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield what each agent talked about, then what it remembers."""

        def document(member: Member) -> Iterator[Imported]:
            for item in read_values(member):
                if isinstance(item, AtLine):
                    yield as_problem(item, member=member)
                    continue
                agents = _agents(item.value)
                if not agents:
                    words = 'Expected a JSON document with "agents" or "core_memory".'
                    yield ImportProblem(0, words)
                for agent in agents:
                    yield from _Agent(agent, item, source).read()

        yield from read_each(source, self.members, document)


def _agents(value: object) -> list[Json]:
    """List the agents of a document: of the second kind, or the one that one of the first is."""
    if not isinstance(value, Mapping):
        return []
    agents = value.get("agents")
    if isinstance(agents, list) and isinstance(value.get("blocks"), list):
        return [one for one in agents if isinstance(one, Mapping) and "messages" in one]
    is_first_kind = isinstance(value.get("core_memory"), list) and "agent_type" in value
    return [value] if is_first_kind and "messages" in value else []


@dataclass(slots=True)
class _Agent:
    """One agent being read."""

    raw: Json
    item: Item
    source: Source
    drafts: list[Draft] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Call the agent by its name."""
        name = self.raw.get("name")
        return bounded(name) if isinstance(name, str) and name.strip() else "agent"

    def read(self) -> Iterator[Imported]:
        """Yield the conversation, the blocks, and what was wrong with either."""
        yield from self._gather()
        told = opening_of(self.drafts) if self.drafts else digest("blocks", self.name)
        external_id = f"letta-{told}"
        if self.drafts:
            messages = settled(self.drafts)
            yield ImportedConversation(
                external_id=external_id,
                title=self.name,
                source=NAME,
                messages=unforged(messages),
                participants=participants_of(messages),
                without_words=sum(one.why == "without_words" for one in self.left_out),
                bytes_read=self.item.ends_at,
                left_out=tuple(self.left_out),
            )
        blocks = self._blocks()
        if blocks:
            yield self._remembered(blocks, external_id=f"{external_id}/blocks")
        if not blocks and not self.drafts:
            yield ImportProblem(0, f"The agent {self.name} said and remembers nothing.")

    def _gather(self) -> Iterator[ImportProblem]:
        rows = self.raw.get("messages")
        if not isinstance(rows, list):
            yield ImportProblem(0, f'The agent {self.name} has no list of messages in "messages".')
            return
        chat = Chat(agent=self.name, kind=str(self.raw.get("agent_type")), source=self.source)
        for place, row in enumerate(rows, start=1):
            try:
                found = chat.take(row)
            except Unfit as error:
                yield ImportProblem(0, f"{self.name}, message {place}: {error}.")
                continue
            self.drafts += found.drafts
            self.left_out += found.left_out
            if found.problem:
                yield ImportProblem(0, f"{self.name}, message {place}: {found.problem}.")

    def _blocks(self) -> list[tuple[str, str, str]]:
        """List the agent's memory blocks as id, label, words."""
        document = self.item.value if isinstance(self.item.value, Mapping) else {}
        mine = self.raw.get("block_ids")
        rows = self.raw.get("core_memory") or document.get("blocks")
        found: list[tuple[str, str, str]] = []
        for place, row in enumerate(rows if isinstance(rows, list) else []):
            if not isinstance(row, Mapping):
                continue
            own_id, label = row.get("id"), row.get("label")
            if isinstance(mine, list) and isinstance(own_id, str) and own_id not in mine:
                continue
            words = words_in(row.get("value"))
            if words.strip():
                shown = label if isinstance(label, str) and label.strip() else str(place)
                named = own_id if isinstance(own_id, str) and own_id.strip() else f"block-{shown}"
                found.append((stable_id(named), bounded(shown), storable(words)))
        return found

    def _remembered(
        self, blocks: list[tuple[str, str, str]], *, external_id: str
    ) -> ImportedConversation:
        """Make the blocks a conversation in which the agent says what it remembers."""
        document = self.item.value if isinstance(self.item.value, Mapping) else {}
        kept_at, _ = time_in(document.get("created_at"), zone=self.source.options.zone)
        messages = {
            own_id: ImportedMessage(own_id, self.name, "tool_result", words, kept_at, line=0)
            for own_id, _, words in blocks
        }
        return ImportedConversation(
            external_id=external_id,
            title=bounded(f"{self.name}: memory blocks"),
            source=NAME,
            messages=tuple(messages.values()),
            participants=(Participant(NAMELESS_USER, "user", external_id="", name=""),),
            bytes_read=self.item.ends_at,
            statements=tuple(
                fact
                for own_id, label, words in blocks
                if label.casefold() not in _ABOUT_ITSELF and messages[own_id].text == words
                for fact in _facts(own_id, words)
            ),
        )


def _facts(block: str, words: str) -> list[ImportedStatement]:
    """Make each line of a block a fact of its own."""
    lines = (_BULLET.sub("", line.strip()).strip() for line in words.splitlines())
    facts = dict.fromkeys(line for line in lines if any(map(str.isalnum, line)))
    return [
        ImportedStatement(f"{block}/{digest(fact)}", message_id=block, text=fact)
        for fact in list(facts)[:_MOST_FACTS]
    ]


IMPORTER = Letta()
