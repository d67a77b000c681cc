"""The trust table says which changes exist, and nothing else does."""

from itertools import product

import pytest

from knowledge.errors import TransitionRefused
from knowledge.trust import FIRST_STATES, TRANSITIONS, TrustState, check_transition, is_allowed

EXPECTED = {
    ("set_aside", "pending"), ("set_aside", "withdrawn"),
    ("pending", "approved"), ("pending", "rejected"), ("pending", "deferred"),
    ("pending", "awaiting_second"), ("pending", "withdrawn"),
    ("deferred", "pending"), ("deferred", "approved"), ("deferred", "rejected"),
    ("deferred", "awaiting_second"), ("deferred", "withdrawn"),
    ("awaiting_second", "approved"), ("awaiting_second", "rejected"),
    ("awaiting_second", "pending"), ("awaiting_second", "deferred"),
    ("awaiting_second", "withdrawn"),
    ("approved", "pending"), ("rejected", "pending"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after"), list(product(TrustState.values, repeat=2)))
def test_every_pair_of_states_is_as_the_design_says(before: str, after: str) -> None:
    assert is_allowed(before, after) == ((before, after) in EXPECTED)


def test_a_change_the_table_lacks_is_refused_in_words() -> None:
    with pytest.raises(TransitionRefused, match="set aside cannot become approved"):
        check_transition(TrustState.SET_ASIDE, TrustState.APPROVED)


def test_every_state_stands_in_the_table_and_nothing_begins_approved() -> None:
    assert set(TRANSITIONS) == set(TrustState)
    assert {TrustState.SET_ASIDE, TrustState.PENDING} == FIRST_STATES
