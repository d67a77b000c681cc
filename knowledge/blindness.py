"""Which decisions a second person looks at without seeing them: chance, by a keyed hash.

Pure: the same proposal, share and key give the same answer, so that it can be drawn again by
whoever holds the key and foreseen by nobody else.
"""

from knowledge.fingerprints import forms

DEFAULT_SHARE = 5
"""Per cent, where a space never set a policy."""

_NAME = "blind second review"
_DIGITS = 12


def is_drawn(proposal_id: int, *, share: int) -> bool:
    """Say whether chance lays the decision on a proposal before a second reader.

    **Units**: ``share`` in per cent, 0 to 100.
    """
    return _chance(forms(_NAME, str(proposal_id))[0]) * 100 < share


def _chance(form: str) -> float:
    digits = form.partition(":")[2][:_DIGITS]
    return int(digits, 16) / float(16 ** len(digits))
