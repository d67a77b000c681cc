"""What a person has written over a proposal and not decided yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from workbench.models import Draft


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """A draft as it was saved.

    **Shape**: ``fields`` by the names of the edit form, as text; ``version`` is the proposal's
    when it was saved; ``proposed_id`` is what was made of it, then the fields are empty.
    """

    fields: Mapping[str, str]
    version: int
    saved_at: datetime
    proposed_id: int | None


def draft_of(*, proposal_id: int, user_id: int) -> KeptDraft | None:
    """Return a person's draft over a proposal. One query."""
    row = Draft.objects.filter(user_id=user_id, proposal_id=proposal_id).first()
    if row is None:
        return None
    return KeptDraft(
        fields=dict(row.fields),
        version=row.version,
        saved_at=row.saved_at,
        proposed_id=row.proposed_id,
    )
