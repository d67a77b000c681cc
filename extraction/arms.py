"""Arms: one pipeline with other settings, never another pipeline."""

from dataclasses import replace

from extraction.embeddings.base import DuplicateThresholds, Embedder
from extraction.engines.base import (
    Calibration,
    Description,
    Engine,
    EpisodeInput,
    Prediction,
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


class NoTwoAlike:
    """An embedder with the vectors of another, by which no two texts say the same."""

    thresholds = NEVER_ALIKE

    def __init__(self, embedder: Embedder) -> None:
        self.model_id = embedder.model_id
        self.dimensions = embedder.dimensions
        self.normalised = embedder.normalised
        self.embed_passages = embedder.embed_passages
        self.embed_query = embedder.embed_query


def everything(tools: Tools) -> Tools:
    """Switch prediction off: nothing is known, so nothing is expected or counts as said before."""
    return Tools(ExpectingNothing(tools.engine), NoTwoAlike(tools.embedder), recalls=False)
