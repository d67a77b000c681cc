"""Proposing by hand: words a person chose, which no engine made anything of."""

from dataclasses import dataclass, field

from knowledge.queries.words import ChosenWords, Mark
from workbench import vocabulary
from workbench.access import Seat
from workbench.pages.shell import Shell, shell


@dataclass(frozen=True, slots=True)
class ByHandView:
    """The form, with the words it rests on."""

    shell: Shell
    words: ChosenWords
    values: dict[str, str]
    errors: dict[str, list[str]] = field(default_factory=dict)
    memory_types: tuple[tuple[str, str], ...] = vocabulary.MEMORY_TYPES
    criticalities: tuple[tuple[str, str], ...] = vocabulary.CRITICALITIES

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Mark the chosen words in their message."""
        words = self.words
        return (Mark(0, words.message_id, words.start, words.end, 1, "this"),)


def by_hand_view(
    words: ChosenWords,
    *,
    seat: Seat,
    keys_on: bool,
    values: dict[str, str] | None = None,
    errors: dict[str, list[str]] | None = None,
) -> ByHandView:
    """Build the form, filled with the words themselves at first."""
    first = {
        "text": words.quote,
        "about": words.speaker,
        "memory_type": "fact",
        "criticality": "normal",
        "attribute": "",
        "value": "",
    }
    return ByHandView(
        shell=shell(title="Propose by hand", seat=seat, current="queue", keys_on=keys_on),
        words=words,
        values=values or first,
        errors=errors or {},
    )
