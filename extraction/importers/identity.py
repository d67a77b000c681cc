"""Ids for messages: the file's own where it has them, else made from the words."""

from collections import Counter
from dataclasses import dataclass, field

from extraction.importers.wording import digest


@dataclass(slots=True)
class MessageIds:
    """The ids given so far in one conversation, or in one part of it."""

    _content_of: dict[str, str] = field(default_factory=dict)
    _repeats: Counter[str] = field(default_factory=Counter)

    def settle(self, *, own_id: str, content: str, place: int | None = None) -> str | None:
        """Give a message its id, or None where it is the same one sent twice.

        **Shape**: without an id of its own, a message is known by its content and by how often
        that was said before, or by its ``place`` where the caller counts places. An own id that
        comes again with other words (an edit) gets those words' digest appended.
        """
        if not own_id:
            return self._made(content, place=place)
        if own_id in self._content_of and self._content_of[own_id] != content:
            own_id = f"{own_id}~{content[:8]}"
        if own_id in self._content_of:
            return None
        self._content_of[own_id] = content
        return own_id

    def _made(self, content: str, *, place: int | None) -> str:
        if place is not None:
            return f"{content}@{place}"
        self._repeats[content] += 1
        return f"{content}-{self._repeats[content]}"


def content_id(*, kind: str, speaker: str, text: str) -> str:
    """Give what stands for a message's content: who, as what, which words."""
    return digest(kind, speaker, text)
