"""The four calls of the engine, and the one that finds where topics begin."""

import math
from collections.abc import Sequence

from extraction.engines.base import (
    Calibration,
    Description,
    EpisodeInput,
    EpisodeMessage,
    Prediction,
)
from extraction.engines.openai import answers, calibrating, prompts, shown
from extraction.engines.openai.asking import Asker, Question
from extraction.engines.openai.config import Config
from extraction.errors import EngineAnswerInvalid, EngineRefused

NAME = "openai"
MAX_PREDICTIONS = 10
_MODEL_LENGTH = 200


class OpenAIEngine:
    """Asks a language model, and believes nothing of what it says.

    Every answer is checked against what was asked and shown; what it claims of the words is
    checked against the words, here and again by grounding.
    """

    name = NAME
    prompt_version = prompts.prompt_version()
    confidence_floor = 0.7

    def __init__(self, config: Config) -> None:
        self._config = config
        self._asker = Asker(config)
        self.model = config.model[:_MODEL_LENGTH]
        self.predict_model = config.predict_model[:_MODEL_LENGTH]

    def describe(self, episode: EpisodeInput) -> Description:
        """Title an episode and say what it is about, for finding it. **Raises**: EngineError."""
        answer = self._asker.ask(
            Question(
                prompts.prompt("describe"),
                shown.for_describing(episode),
                answers.DescribeAnswer,
                self._config.model,
            )
        )
        return Description(title=answer.title, narrative=answer.narrative)

    def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
        """Say what is to be expected, from title and known statements alone.

        Nothing known, nothing asked. An expectation that rests on nothing shown is a guess and is
        left out. **Raises**: EngineError.
        """
        if not episode.known:
            return ()
        answer = self._asker.ask(
            Question(
                prompts.prompt("predict"),
                shown.for_predicting(episode),
                answers.PredictAnswer,
                self._config.predict_model,
            )
        )
        refs = {entry.ref for entry in episode.known}
        predictions = (
            Prediction(one.text, tuple(dict.fromkeys(r for r in one.rests_on if r in refs)))
            for one in answer.predictions
        )
        return tuple(one for one in predictions if one.rests_on)[:MAX_PREDICTIONS]

    def calibrate(self, episode: EpisodeInput, predictions: tuple[Prediction, ...]) -> Calibration:
        """Compare the predictions with the original messages.

        The cold start is asked for where nothing is known; having expected nothing is another
        matter. **Raises**: EngineError.
        """
        if not episode.known:
            cold = self._asker.ask(
                Question(
                    prompts.prompt("cold_start"),
                    shown.for_calibrating(episode),
                    answers.ColdStartAnswer,
                    self._config.model,
                )
            )
            return calibrating.from_cold_start(cold, episode=episode)
        answer = self._asker.ask(
            Question(
                prompts.prompt("calibrate"),
                shown.for_calibrating(episode, predictions),
                answers.CalibrateAnswer,
                self._config.model,
            )
        )
        return calibrating.from_calibration(answer, episode=episode, predictions=predictions)

    def judge_same(self, left: str, right: str) -> bool:
        """Say whether two statements say the same. **Raises**: EngineError."""
        return self._same(left, right)

    def topic_starts(self, messages: Sequence[EpisodeMessage]) -> tuple[int, ...] | None:
        """Name the places at which a new topic begins; None where the model gives no answer.

        **Shape**: indices into ``messages``, ascending, never the first. **Raises**: EngineError
        where the endpoint cannot be asked; an answer that does not fit is none.
        """
        question = Question(
            prompts.prompt("segment"),
            shown.for_segmenting(messages),
            answers.SegmentAnswer,
            self._config.model,
        )
        try:
            # Segmentation has another way: it is not worth a run's time.
            answer = self._asker.ask(question, within_s=self._config.timeout_s)
        except (EngineAnswerInvalid, EngineRefused):
            return None
        return tuple(sorted({start for start in answer.starts if 0 < start < len(messages)}))

    def try_out(self) -> bool:
        """Ask something harmless, afresh: learns what the endpoint can, whatever was remembered.

        **Returns**: whether the model got it right. **Raises**: EngineError.
        """
        return self._same("Water is wet.", "Water is wet.", afresh=True)

    def _same(self, left: str, right: str, *, afresh: bool = False) -> bool:
        question = Question(
            prompts.prompt("same"),
            {"left": left, "right": right},
            answers.SameAnswer,
            self._config.model,
        )
        # A person waits for a trial.
        within_s = self._config.timeout_s if afresh else math.inf
        return self._asker.ask(question, afresh=afresh, within_s=within_s).same
