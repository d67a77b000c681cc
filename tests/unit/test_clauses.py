"""Which figures, told inside a sentence about something else, become statements of their own."""

import pytest

from extraction.engines.local.clauses import told_inside, without

FILLER = "but I want to make sure I'm using the latest versions of all of my dependencies in there"


def spoken(sentence: str) -> list[str]:
    """List what stands alone."""
    return [one.spoken for one in told_inside(sentence)]


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        (
            (
                "I'm trying to speed up the billing API response time, which has recently improved "
                f"to 250ms after some caching, {FILLER}."
            ),
            "The billing API response time has recently improved to 250ms after some caching.",
        ),
        (
            (
                "I'm trying to sort triangles by their sides and angles, and I've completed 10 "
                "sorting problems with 8/10 correct in naming types, but they are hard."
            ),
            "I've completed 10 sorting problems with 8/10 correct in naming types.",
        ),
        (
            (
                "I'm trying to understand how my practice test score has improved from 82% to 93% "
                "and now 97% after additional review, but I'm having trouble with its rate"
            ),
            (
                "My practice test score has improved from 82% to 93% and now 97% after additional "
                "review."
            ),
        ),
        (
            (
                "I'm worried about missing the meeting with Professor Ada, so can you remind me "
                "that it's rescheduled to March 22 at 4:30 PM?"
            ),
            "The meeting with Professor Ada is rescheduled to March 22 at 4:30 PM.",
        ),
        (
            "How can I help Scott, who's in 7th grade, keep his current completion rate of 92%?",
            "Scott's current completion rate is 92%.",
        ),
        (
            "I'm worried about Scott's progress, is a 72% score on his last math test good enough?",
            "Scott's last math test score is 72%.",
        ),
    ],
)
def test_a_figure_told_in_passing_stands_alone(sentence: str, told: str) -> None:
    assert spoken(sentence) == [told]


@pytest.mark.parametrize(
    "sentence",
    [
        "My API takes 250ms, which is fine.",  # one statement, and short
        f"I'm trying to speed up the billing API, which has improved a lot lately, {FILLER}.",
        f"I'm trying to study more for my course, and I've already spent 3 hours on it, {FILLER}.",
        f"I'm trying to compare two methods of mine, and I've completed 15 problems, {FILLER}.",
        f"I'm proving sums for my course, and I found the points of the curve x^2 - 3, {FILLER}.",
        "How can I keep his current completion rate of 92%?",  # nobody says whose
        (
            "I'm planning out my project timeline, and I've set a deadline of April 1 for the "
            "first sprint with the basic layout and navigation of my single-page website."
        ),  # it says little else
        (
            "My partner and I decided to host a barbecue on the 6th at our home with 20 guests, "
            "and we're still thinking about what else there is to do for all of them before that?"
        ),
    ],
)
def test_what_does_not_stand_alone_stays_where_it_is(sentence: str) -> None:
    assert spoken(sentence) == []


def test_the_sentence_reads_without_what_stands_alone() -> None:
    sentence = (
        "I'm trying to speed up the billing API response time, which has recently improved to "
        f"250ms after some caching, {FILLER}."
    )

    told = told_inside(sentence)

    assert without(sentence, told) == (
        f"I'm trying to speed up the billing API response time, {FILLER}."
    )
    assert sentence[told[0].start : told[0].end] == (
        "the billing API response time, which has recently improved to 250ms after some caching"
    )
    assert without(sentence, []) == sentence
