"""The arms: one pipeline with other settings, never another pipeline.

- ``predict``: as it is used.
- ``everything``: nothing is known and nothing expected, so nothing counts as covered or as said
  before; every candidate the engine makes is proposed. The other gates stay (words that do not
  say it, questions, greetings), and a candidate that repeats one of the same episode word for
  word still joins it.
- ``turns``: each turn of the subject is one statement, word for word, behind the speaker's name.
"""

from collections.abc import Callable

from extraction.arms import ExpectingNothing, NoTwoAlike, everything
from extraction.engines.base import (
    Calibration,
    Candidate,
    Engine,
    EpisodeInput,
    Prediction,
    Quote,
)
from extraction.pipeline import Tools


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


def _turns(tools: Tools) -> Tools:
    return Tools(WholeTurns(tools.engine), NoTwoAlike(tools.embedder), recalls=False)


ARMS: dict[str, Callable[[Tools], Tools]] = {
    "predict": lambda tools: tools,
    "everything": everything,
    "turns": _turns,
}
