"""The arms: one pipeline with other settings, never another pipeline.

- ``predict``: as it is used.
- ``everything``: nothing is known and nothing expected, so nothing counts as covered or as said
  before; every candidate the engine makes is proposed. The other gates stay (words that do not
  say it, questions, greetings), and a candidate that repeats one of the same episode word for
  word still joins it.
- ``turns``: each turn of the subject is one statement, word for word, behind the speaker's name.
"""

from collections.abc import Callable
from dataclasses import replace

from extraction.embeddings.base import DuplicateThresholds, Embedder
from extraction.engines.base import (
    Calibration,
    Candidate,
    Description,
    Engine,
    EpisodeInput,
    Prediction,
    Quote,
)
from extraction.pipeline import Tools

NEVER_ALIKE = DuplicateThresholds(near=2.0, same=2.0)  # no cosine is as high


class ExpectingNothing:
    """An engine that extracts as another does, without predicting."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name = f"{engine.name}, expecting nothing"
        self.model = engine.model
        self.prompt_version = engine.prompt_version
        self.confidence_floor = engine.confidence_floor

    def describe(self, episode: EpisodeInput) -> Description:
        """Describe as the engine does."""
        return self._engine.describe(episode)

    def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
        """Expect nothing."""
        return ()

    def calibrate(self, episode: EpisodeInput, predictions: tuple[Prediction, ...]) -> Calibration:
        """Extract as the engine does from an episode about which nothing is known."""
        return self._engine.calibrate(replace(episode, known=()), ())

    def judge_same(self, left: str, right: str) -> bool:
        """Say that no two statements are the same."""
        return False


class WholeTurns(ExpectingNothing):
    """An engine whose statements are the subject's turns, word for word."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.name = "whole turns"
        self.model = ""
        self.confidence_floor = 0.0

    def calibrate(self, episode: EpisodeInput, predictions: tuple[Prediction, ...]) -> Calibration:
        """Make a candidate of each turn that has words."""
        return Calibration(
            outcomes=(),
            candidates=tuple(
                Candidate(
                    text=f"{episode.subject_name}: {message.text.strip()}",
                    evidence=(Quote(message.index, message.text.strip()),),
                    confidence=1.0,
                )
                for message in episode.messages
                if message.by_subject and message.text.strip()
            ),
        )


class NoTwoAlike:
    """An embedder with the vectors of another, by which no two texts say the same."""

    thresholds = NEVER_ALIKE

    def __init__(self, embedder: Embedder) -> None:
        self.model_id = embedder.model_id
        self.dimensions = embedder.dimensions
        self.normalised = embedder.normalised
        self.embed_passages = embedder.embed_passages
        self.embed_query = embedder.embed_query


def _everything(tools: Tools) -> Tools:
    return Tools(ExpectingNothing(tools.engine), NoTwoAlike(tools.embedder), recalls=False)


def _turns(tools: Tools) -> Tools:
    return Tools(WholeTurns(tools.engine), NoTwoAlike(tools.embedder), recalls=False)


ARMS: dict[str, Callable[[Tools], Tools]] = {
    "predict": lambda tools: tools,
    "everything": _everything,
    "turns": _turns,
}
