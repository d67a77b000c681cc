"""Every failure of the core, as one tree.

KnowledgeError
├── NotAllowed            the person or key may not do this
├── NotFound              no such thing in this space
├── InvalidInput          the input itself is wrong; ``field`` names it
│   └── InvalidPeriod     inverted, empty, infinite or naive period
└── Conflict              the world moved meanwhile; nothing was changed
    ├── StaleProposal     the proposal was decided or edited by someone else
    ├── TargetMoved       the statement to be replaced is no longer the one that was seen
    ├── SlotTaken         another statement holds this slot in this period
    ├── TransitionRefused the trust table has no such change
    ├── Erased            its words were erased
    ├── BlockedByTombstone it was erased, and may not come back before the tombstone is lifted
    └── UndoRefused       a later decision depends on what would be undone
        └── UndoTooLate   the time in which undo needs no reason is over
"""

from typing import Any


class KnowledgeError(Exception):
    """Base of all; ``str(error)`` is a sentence for the person, ``code`` is for machines."""

    code = "knowledge_error"

    def __init__(self, sentence: str, **details: Any) -> None:
        super().__init__(sentence)
        self.details = details


class NotAllowed(KnowledgeError):
    """The person or key may not do this."""

    code = "not_allowed"


class NotFound(KnowledgeError):
    """There is no such thing in this space."""

    code = "not_found"


class InvalidInput(KnowledgeError):
    """The input is wrong; ``field`` names which part."""

    code = "invalid_input"

    def __init__(self, sentence: str, *, field: str = "", **details: Any) -> None:
        super().__init__(sentence, **details)
        self.field = field


class InvalidPeriod(InvalidInput):
    """The period is inverted, empty, infinite or without a time zone."""

    code = "invalid_period"


class Conflict(KnowledgeError):
    """The world moved meanwhile; nothing was changed."""

    code = "conflict"


class StaleProposal(Conflict):
    """The proposal was decided or edited since it was seen."""

    code = "stale_proposal"


class TargetMoved(Conflict):
    """The statement that would be ended is no longer the version that was seen."""

    code = "target_moved"


class SlotTaken(Conflict):
    """Another current statement holds this slot in this period."""

    code = "slot_taken"


class TransitionRefused(Conflict):
    """The trust table has no such change."""

    code = "transition_refused"


class UndoRefused(Conflict):
    """A later decision depends on what would be undone, or it was undone already."""

    code = "undo_refused"


class UndoTooLate(UndoRefused):
    """Undo was free for a while, and that is over: there is another way, with a reason."""

    code = "undo_too_late"


class Erased(Conflict):
    """The words were erased: nothing is left to decide about."""

    code = "erased"


class BlockedByTombstone(Conflict):
    """It was erased, and may not come back before a privacy officer lifts the tombstone.

    **Shape**: ``details["tombstone_id"]`` names it.
    """

    code = "blocked_by_tombstone"
