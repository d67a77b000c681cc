"""What can go wrong in extraction, as one tree.

    ExtractionError
    ├── BadInput              the caller's data cannot be read
    │   ├── NaiveInstant      a time without a zone
    │   ├── UnknownZone       no such time zone
    │   └── VectorMismatch    two vectors that cannot be compared
    ├── EngineError           an engine could not answer
    │   ├── EngineUnavailable no answer now; trying later may help
    │   │   └── EngineAway    nobody answers at the endpoint just now, whatever is asked
    │   ├── EngineAnswerInvalid  an answer that does not fit, also after one repair
    │   ├── EngineRefused     the model declined
    │   ├── EngineMisconfigured  a wrong key, address or model: trying again changes nothing
    │   ├── EpisodeTooLong    more words than the model can read at once
    │   └── BudgetExceeded    the run would cost more than it may
    ├── EmbeddingError        an embedder could not answer
    │   ├── EmbeddingUnavailable  no answer now; trying later may help
    │   ├── TextRefused       no vector for this one text
    │   └── DimensionsRefused vectors of a length that cannot be used
    └── AnchorsUnavailable    anchors of the log cannot be written or read

Every message is a sentence for the person who reads it.
"""


class ExtractionError(Exception):
    """Anything extraction refuses or cannot finish."""


class BadInput(ExtractionError, ValueError):
    """The caller's data cannot be used as it is."""


class NaiveInstant(BadInput):
    """A time came without a zone, so nobody can say which day it means."""

    def __init__(self, what: str = "reference") -> None:
        super().__init__(f"The {what} has no time zone; give a time with an offset.")


class UnknownZone(BadInput):
    """The zone is not an IANA name this system knows."""

    def __init__(self, zone: str) -> None:
        super().__init__(f"“{zone}” is not a known time zone; use a name such as Europe/Lisbon.")


class VectorMismatch(BadInput):
    """Two vectors have different lengths: they come from different embedders."""

    def __init__(self, *, left: int, right: int) -> None:
        super().__init__(f"Vectors of {left} and {right} dimensions cannot be compared.")


class EngineError(ExtractionError):
    """An engine could not answer; the run fails and the messages stay unprocessed."""


class EngineUnavailable(EngineError):
    """The engine gave no answer now; the run may be tried again."""


class EngineAway(EngineUnavailable):
    """Nobody answers at the endpoint just now, whatever it is asked; what waits for it waits on."""


class EngineAnswerInvalid(EngineError):
    """The engine's answer does not fit what was asked, also after one repair."""


class EngineRefused(EngineError):
    """The model declined to answer."""


class EngineMisconfigured(EngineError):
    """The endpoint does not take the key, or has no such address or model."""


class EpisodeTooLong(EngineError):
    """The episode holds more words than the model can read at once."""


class BudgetExceeded(EngineError):
    """The run would use more than it is allowed to."""


class EmbeddingError(ExtractionError):
    """An embedder could not answer."""


class EmbeddingUnavailable(EmbeddingError):
    """The embedder gave no answer now; it may be asked again."""


class TextRefused(EmbeddingError):
    """The embedder makes no vector of this text, although it makes them of others."""


class DimensionsRefused(EmbeddingError):
    """The model's vectors have a length that was not asked for, or that cannot be stored."""


class AnchorsUnavailable(ExtractionError):
    """The place outside the database where anchors are kept cannot be written or read."""
