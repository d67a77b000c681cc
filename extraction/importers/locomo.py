"""LoCoMo JSON: two people who talk over months, one document with one sample or a list of them.

Each speaker is a subject of their own. Each session is a conversation. The data dates sessions
only; a minute per turn keeps the order of what was said.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportedMessage,
    ImportProblem,
    Participant,
    read_each_value,
)
from extraction.importers.identity import MessageIds, content_id
from extraction.importers.json_items import Item
from extraction.importers.opening import Fit, Opening
from extraction.importers.source import Source
from extraction.importers.wording import Unfit, bounded, id_from_name, stable_id, storable

NAME = "locomo"
_SESSION = re.compile(r"session_(\d{1,6})\Z")
_WHEN = re.compile(
    r"\s*(\d{1,2}):(\d{2})\s*([ap])m\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})\s*", re.IGNORECASE
)
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)

Json = Mapping[str, object]


class Locomo:
    """The importer of LoCoMo samples."""

    name = NAME
    expects = 'a JSON document with "sample_id" and "conversation" with "session_1", or a list'

    members = re.compile(r"\.json$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether the document, or one of the first of its list, is a sample."""
        return Fit.SURE if any(map(_is_sample, opening.values)) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield each session of each sample, in the order of their numbers."""
        yield from read_each_value(source, self.members, _sessions)


def _is_sample(value: object) -> bool:
    return bool(_numbers(_talk(value)))


def _talk(sample: object) -> Json:
    talk = sample.get("conversation") if isinstance(sample, Mapping) else None
    return talk if isinstance(talk, Mapping) else {}


def _numbers(talk: Json) -> list[int]:
    """List the numbers of the sessions that have turns; some have a date only."""
    return sorted(int(match[1]) for key in talk if (match := _SESSION.match(str(key))))


def _sessions(item: Item) -> Iterator[Imported]:
    """Yield one sample's sessions, and a problem for each that is unfit."""
    sample, place = item.value, item.number
    talk = _talk(sample)
    numbers = _numbers(talk)
    if not numbers:
        yield ImportProblem(0, f"Sample {place} has no conversation with sessions.")
    given = sample.get("sample_id") if isinstance(sample, Mapping) else None
    sample_id = stable_id(given) if isinstance(given, str) and given else f"sample-{place}"
    for number in numbers:
        external_id = f"{sample_id}/session_{number}"
        try:
            yield _session(talk, number=number, external_id=external_id, ends_at=item.ends_at)
        except Unfit as error:
            yield ImportProblem(0, f"{external_id}: {error}.")


def _session(talk: Json, *, number: int, external_id: str, ends_at: int) -> ImportedConversation:
    """Read one session. **Raises**: Unfit with what is wrong."""
    turns = talk[f"session_{number}"]
    if not isinstance(turns, list):
        raise Unfit(f"a session must be a list of turns, not {type(turns).__name__}")
    begins_at = _when(talk.get(f"session_{number}_date_time"))
    ids = MessageIds()
    messages: list[ImportedMessage] = []
    without_words = 0
    for place, turn in enumerate(turns):
        found = _turn(turn, place=place, sent_at=begins_at + timedelta(minutes=place), ids=ids)
        messages += found
        without_words += not found
    if not messages:
        raise Unfit("the session holds no turn with words")
    speakers = dict.fromkeys(message.speaker for message in messages)
    return ImportedConversation(
        external_id=external_id,
        title=f"{' and '.join(speakers)}, session {number}",
        source=NAME,
        messages=tuple(messages),
        participants=tuple(_participant(speaker) for speaker in speakers),
        without_words=without_words,
        bytes_read=ends_at,
    )


def _turn(turn: object, *, place: int, sent_at: datetime, ids: MessageIds) -> list[ImportedMessage]:
    """Read one turn; nothing where it has neither words nor a caption."""
    speaker = turn.get("speaker") if isinstance(turn, Mapping) else None
    if not isinstance(turn, Mapping) or not isinstance(speaker, str) or not speaker.strip():
        raise Unfit(f"turn {place + 1} names no speaker")
    text = turn.get("text")
    if not isinstance(text, str | None):
        raise Unfit(f"turn {place + 1}: text must be text, not {type(text).__name__}")
    caption = turn.get("blip_caption")
    picture = f" [shares a picture: {caption}]" if isinstance(caption, str) and caption else ""
    words = storable((text or "") + picture)
    if not words.strip():
        return []
    name = bounded(speaker)
    own = turn.get("dia_id")
    external_id = ids.settle(
        own_id=stable_id(own) if isinstance(own, str) else "",
        content=content_id(kind="user_message", speaker=name, text=words),
    )
    if external_id is None:
        return []
    return [ImportedMessage(external_id, name, "user_message", words, sent_at, line=0)]


def _participant(speaker: str) -> Participant:
    """Make a speaker a user: "Caroline" is ``user:caroline``."""
    external_id = id_from_name(speaker)
    return Participant(speaker=speaker, kind="user", external_id=external_id, name=speaker)


def _when(value: object) -> datetime:
    """Read "1:56 pm on 8 May, 2023" as UTC, for the data names no zone.

    Not by strptime: month names there depend on the machine's locale. **Raises**: Unfit.
    """
    match = _WHEN.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[5].lower() not in _MONTHS:
        raise Unfit(f'the time {str(value)[:60]!r} is not like "1:56 pm on 8 May, 2023"')
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    month = _MONTHS.index(match[5].lower()) + 1
    try:
        return datetime(int(match[6]), month, int(match[4]), hour, int(match[2]), tzinfo=UTC)
    except ValueError:
        raise Unfit(f"the time {str(value)[:60]!r} does not exist") from None


IMPORTER = Locomo()
