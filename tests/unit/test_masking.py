"""What a list shows of a text that holds a secret."""

import pytest

from workbench.masking import masked, masked_if


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the key is sk-test-0key0123456789abcd, free plan", "the key is sk•••••• free plan"),
        (
            "card 4111 1111 1111 1111 until 12/29",
            "card 41•••••• 11•••••• 11•••••• 11•••••• until 12/29",
        ),
        ("password Winterhut-2291", "password Wi••••••"),
        ("no secret here", "no secret here"),
    ],
)
def test_words_with_digits_are_hidden_but_for_their_beginning(text: str, shown: str) -> None:
    assert masked(text) == shown


def test_only_flagged_texts_are_masked() -> None:
    text = "room 123456"
    assert masked_if(text, flags=("health",)) == text
    assert masked_if(text, flags=("secret",)) == "room 12••••••"
