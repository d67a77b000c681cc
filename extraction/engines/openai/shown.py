"""What a model is shown of an episode: plain data, to be written as JSON.

Words of a conversation are values in it and nothing else: no marker says where a speaker begins,
so none can be forged.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from extraction.engines.base import EpisodeInput, EpisodeMessage, KnownStatement, Prediction


def for_describing(episode: EpisodeInput) -> dict[str, Any]:
    """Show who it is about and the original words."""
    return {"subject": _subject(episode), "messages": _messages(episode)}


def for_predicting(episode: EpisodeInput) -> dict[str, Any]:
    """Show the title and what is known; not the words, which are to be predicted."""
    return {
        "subject": _subject(episode),
        "title": episode.title,
        "known": [_known(entry, zone=episode.zone) for entry in episode.known],
    }


def for_calibrating(
    episode: EpisodeInput, predictions: Sequence[Prediction] = ()
) -> dict[str, Any]:
    """Show what is known, what was expected, and the original words; never the narrative."""
    shown: dict[str, Any] = {
        "subject": _subject(episode),
        "zone": episode.zone,
        "known": [_known(entry, zone=episode.zone) for entry in episode.known],
    }
    if episode.known:
        shown["predictions"] = [
            {"number": number, "text": prediction.text, "rests_on": list(prediction.rests_on)}
            for number, prediction in enumerate(predictions)
        ]
    return shown | {"messages": _messages(episode)}


def for_segmenting(messages: Sequence[EpisodeMessage]) -> dict[str, Any]:
    """Show messages numbered by their place."""
    return {
        "messages": [
            {
                "number": number,
                "kind": message.kind,
                "speaker": message.speaker,
                "sent_at": message.sent_at.isoformat(timespec="seconds"),
                "text": message.text,
            }
            for number, message in enumerate(messages)
        ]
    }


def _subject(episode: EpisodeInput) -> dict[str, str]:
    return {"name": episode.subject_name, "kind": episode.subject_kind}


def _messages(episode: EpisodeInput) -> list[dict[str, Any]]:
    return [
        {
            "number": message.index,
            "speaker": message.speaker,
            "by_subject": message.by_subject,
            "kind": message.kind,
            "sent_at": _local(message.sent_at, zone=episode.zone),
            "text": message.text,
        }
        for message in episode.messages
    ]


def _known(entry: KnownStatement, *, zone: str) -> dict[str, Any]:
    shown: dict[str, Any] = {"ref": entry.ref, "text": entry.text}
    if entry.attribute:
        shown |= {"attribute": entry.attribute, "value": entry.value}
    if entry.waiting:
        shown["waiting"] = True
    if entry.valid_from is not None:
        shown["valid_from"] = _local(entry.valid_from, zone=zone)
    return shown


def _local(instant: datetime, *, zone: str) -> str:
    """Write an instant in the speaker's zone, in which "yesterday" is meant."""
    return instant.astimezone(ZoneInfo(zone)).isoformat(timespec="seconds")
