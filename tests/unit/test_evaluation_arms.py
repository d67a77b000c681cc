"""Arms are other settings of one pipeline; what they change, and what they leave."""

from collections.abc import Sequence
from datetime import UTC, datetime

from extraction.embeddings.base import DuplicateThresholds
from extraction.engines.base import EpisodeInput, EpisodeMessage, KnownStatement
from extraction.engines.local import LocalEngine
from extraction.evaluation.arms import ARMS
from extraction.evaluation.remembering import Remembering
from extraction.gates import is_duplicate
from extraction.pipeline import Tools

SAID_AT = datetime(2024, 3, 1, 12, tzinfo=UTC)


class Counting:
    """An embedder whose vectors are lengths, and which knows how many texts it embedded."""

    model_id = "counting"
    dimensions = 2
    normalised = False
    thresholds = DuplicateThresholds(near=0.9, same=0.95)

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed by length."""
        self.embedded += texts
        return [[float(len(text)), 1.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Embed by length."""
        return [float(len(text)), 0.0]


def episode(*said: tuple[bool, str], known: tuple[KnownStatement, ...] = ()) -> EpisodeInput:
    """Make an episode of Ana's, of messages that are hers or not."""
    messages = tuple(
        EpisodeMessage(
            index=n,
            kind="user_message" if own else "agent_message",
            speaker="Ana" if own else "Agent",
            by_subject=own,
            text=text,
            sent_at=SAID_AT,
        )
        for n, (own, text) in enumerate(said)
    )
    return EpisodeInput("Ana", "user", "UTC", messages, known)


def tools_of(arm: str) -> Tools:
    """Give the tools of an arm over the local engine."""
    return ARMS[arm](Tools(LocalEngine(), Counting()))


KNOWN = (KnownStatement("statement:1", "Ana works as a nurse at Bloom Clinic."),)
REPEATED = episode((True, "I work as a nurse at Bloom Clinic."), known=KNOWN)


def test_the_predicting_arm_is_the_pipeline_as_it_is() -> None:
    tools = Tools(LocalEngine(), Counting())

    assert ARMS["predict"](tools) is tools
    assert tools.recalls


def test_expecting_nothing_proposes_what_a_prediction_would_have_covered() -> None:
    predicting, everything = tools_of("predict").engine, tools_of("everything").engine

    predictions = predicting.predict(REPEATED)
    covered = predicting.calibrate(REPEATED, predictions)
    whole = everything.calibrate(REPEATED, everything.predict(REPEATED))

    assert len(predictions) == 1
    assert (len(covered.candidates), len(covered.covered)) == (0, 1)
    assert everything.predict(REPEATED) == ()
    assert (len(whole.candidates), len(whole.covered)) == (1, 0)
    assert whole.candidates[0].target is None


def test_whole_turns_are_the_subjects_own_word_for_word() -> None:
    engine = tools_of("turns").engine

    made = engine.calibrate(episode((True, " I like tea? "), (False, "Do you?"), (True, "  ")), ())

    assert [candidate.text for candidate in made.candidates] == ["Ana: I like tea?"]
    assert made.candidates[0].evidence[0].quote == "I like tea?"
    assert made.candidates[0].evidence[0].message == 0


def test_arms_without_prediction_look_at_nothing_known_and_find_no_two_texts_alike() -> None:
    for arm in ("everything", "turns"):
        tools = tools_of(arm)
        assert not tools.recalls
        thresholds = tools.embedder.thresholds
        assert not is_duplicate(
            "Ana likes tea", "Ana loves tea", likeness=1.0, thresholds=thresholds
        )
        assert tools.embedder.embed_passages(["abc"]) == [[3.0, 1.0]]


def test_arms_are_told_apart_by_the_engine_their_runs_name() -> None:
    assert len({tools_of(arm).engine.name for arm in ARMS}) == len(ARMS)


def test_a_text_is_embedded_once_however_often_it_comes() -> None:
    counting = Counting()
    embedder = Remembering(counting)

    first = embedder.embed_passages(["ab", "abc", "ab"])
    second = embedder.embed_passages(["abc", "a"])

    assert first == [[2.0, 1.0], [3.0, 1.0], [2.0, 1.0]]
    assert second == [[3.0, 1.0], [1.0, 1.0]]
    assert counting.embedded == ["ab", "abc", "a"]
    assert embedder.thresholds == counting.thresholds
    assert embedder.embed_passages([]) == []
