"""What is to be forgotten, and all it would reach."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ErasureScope:
    """What a privacy officer names.

    **Shape**: ``kind`` is value | statement | conversation | subject; ``target_id`` is the id of
    that, and for a value of the subject whose ``words`` are to be forgotten.
    ``whole_conversations`` takes the words of others in a subject's shared conversations along.
    """

    space_id: int
    kind: str
    target_id: int
    words: str = ""
    whole_conversations: bool = False


@dataclass(frozen=True, slots=True)
class Reach:
    """Everything an erasure empties, as ids.

    **Shape**: ``messages`` go whole; ``masks`` are half-open code-point spans of messages that
    otherwise stay. ``proposals`` and ``versions`` fall; ``quotes`` are evidence of others whose
    words go; ``neighbours`` are versions that stay and are indexed anew. ``predicted`` rows,
    ``shadows`` (candidates of shadow runs), ``episodes``, ``titles`` of conversations, ``runs``
    (their errors), ``decisions`` (their notes) and ``payloads`` are emptied; ``reasons`` are
    proposals that stay but told of what falls, and ``originals`` those that said it before they
    were edited. ``texts`` are whole sayings that must
    be found nowhere of the same subjects afterwards; ``words`` what must not be found however it
    is written: a value, a name. ``owners`` are the subjects whose sayings fall.
    """

    scope: ErasureScope
    subjects: frozenset[int] = frozenset()
    conversations: frozenset[int] = frozenset()
    messages: frozenset[int] = frozenset()
    masks: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    proposals: frozenset[int] = frozenset()
    versions: frozenset[int] = frozenset()
    statements: frozenset[int] = frozenset()
    quotes: frozenset[int] = frozenset()
    neighbours: frozenset[int] = frozenset()
    episodes: frozenset[int] = frozenset()
    runs: frozenset[int] = frozenset()
    predicted: frozenset[int] = frozenset()
    shadows: frozenset[int] = frozenset()
    decisions: frozenset[str] = frozenset()
    titles: frozenset[int] = frozenset()
    reasons: frozenset[int] = frozenset()
    originals: frozenset[int] = frozenset()
    payloads: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    owners: frozenset[int] = frozenset()

    @property
    def touched(self) -> frozenset[int]:
        """Return the messages that lose words."""
        return self.messages | frozenset(self.masks)

    @property
    def is_empty(self) -> bool:
        """Say whether there is nothing to forget."""
        named = self.subjects | self.conversations | self.touched | self.proposals
        said = self.titles | self.episodes | self.predicted | self.runs | self.reasons
        return not (named or said or self.shadows or self.decisions or self.payloads)
