"""What is said in passing is not proposed, and a statement says no more than it must."""

import pytest

from extraction.engines.local.passing import adds_little, is_said_in_passing
from extraction.engines.local.shortening import shortened


@pytest.mark.parametrize(
    "sentence",
    [
        "Challenges force us to develop and become better.",
        "Pets sure do bring so much joy to us!",
        "We can do anything together.",
        "I'll definitely keep trying.",
        "I'm gonna keep pushing forward.",
        "It's amazing how much a game can help.",
    ],
)
def test_saws_and_promises_for_the_next_minute_are_said_in_passing(sentence: str) -> None:
    assert is_said_in_passing(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I'll take a pottery class next month.",
        "We'll visit Rome.",
        "We moved to a bigger flat.",
        "A car ran a red light and hit us.",
        "Our store sells candles.",
        "It's amazing how much my brother grew.",
        "I keep bees.",
    ],
)
def test_events_names_and_dates_are_not_said_in_passing(sentence: str) -> None:
    assert not is_said_in_passing(sentence)


@pytest.mark.parametrize(
    ("sentence", "little"),
    [
        ("It was so rewarding.", True),
        ("It means a lot to me.", True),
        ("They were so excited to see you.", True),
        ("It was a gift from Paolo.", False),
        ("It took 3 weeks.", False),
        ("It runs on solar power and rain water.", False),
    ],
)
def test_an_afterthought_adds_little(sentence: str, little: bool) -> None:
    assert adds_little(sentence) is little


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Ana is really happy with her new job.", "Ana is happy with her new job."),
        ("Ana just got back from Rome.", "Ana got back from Rome."),
        ("For example, Ana was so tired.", "Ana was tired."),
        ("Ana had to share something cool with Ben - Ana won.", "Ana won."),
        ("Ana ran a race in Ulm, which was amazing.", "Ana ran a race in Ulm."),
        ("Ana baked bread and it was so good.", "Ana baked bread."),
        ("Ana says it's so quiet at home.", "Ana says it's quiet at home."),
        ("Ana even won a prize.", "Ana won a prize."),
        ("Ana cannot even swim.", "Ana cannot even swim."),
        ("Ana runs even when tired.", "Ana runs even when tired."),
        ("Ana got the job - so exciting.", "Ana got the job."),
        ("Unfortunately, Ana lost her job.", "Ana lost her job."),
        ("Bees bring Ana such joy.", "Bees bring Ana joy."),
        ("Ana likes fruit such as figs.", "Ana likes fruit such as figs."),
        ("Ana keeps goats, too.", "Ana keeps goats."),
        ("Ana's tea is too hot.", "Ana's tea is too hot."),
        ("Ana is pretty and clever.", "Ana is pretty and clever."),
        ("Ana's pretty garden is open.", "Ana's pretty garden is open."),
        ("Ana's favourite film is Pretty Woman.", "Ana's favourite film is Pretty Woman."),
        ("Ana thinks it was hard.", "Ana thinks it was hard."),
        ("Ana is not really happy.", "Ana is not really happy."),
        ("Ana doesn't really like fish.", "Ana doesn't really like fish."),
        ("Ana is just like her aunt.", "Ana is just like her aunt."),
        ("Ana was so tired that she slept.", "Ana was so tired that she slept."),
        ("Ana never ate so much.", "Ana never ate so much."),
        ("Ana used to live in Ulm.", "Ana used to live in Ulm."),
    ],
)
def test_stress_is_left_out_and_meaning_is_not(said: str, kept: str) -> None:
    assert shortened(said) == kept
