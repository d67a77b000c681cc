"""What is in a file, for a person to look at before any of it is taken in."""

import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from extraction.importers import base
from extraction.importers.base import ImportedConversation
from extraction.importing import Choices, ImportTally, look, try_file
from extraction.speakers import Guess, Speaker, Speakers, guess
from knowledge.queries.scope import subject_refs
from knowledge.results import SubjectRef

SHOWN_MESSAGES = 20
SHOWN_LETTERS = 600
SHOWN_SPEAKERS = 200
# A file that takes longer is counted in part, and the page says so.
LONGEST_S = 60.0


class Preview:
    """A trial of a file, piece by piece, with its first messages and its people."""

    def __init__(self, choices: Choices, *, guessed: Guess | None) -> None:
        self.choices = choices
        self.guessed = guessed
        self.tally = ImportTally()
        self.speakers = Speakers()
        self.messages: list[dict[str, Any]] = []
        self.is_complete = False

    def write(self, *, size: int) -> dict[str, Any]:
        """Write it as a row keeps it: the first messages, who speaks, what was guessed.

        **Shape**: ``share`` is how much of the file was read, 0..1.
        """
        listed = self.speakers.listed()
        share = 1.0 if self.is_complete else min(1.0, self.tally.bytes_read / max(size, 1))
        return {
            "messages": self.messages,
            "speakers": [_speaker(one) for one in listed[:SHOWN_SPEAKERS]],
            "more_speakers": max(0, len(listed) - SHOWN_SPEAKERS),
            "guess": None
            if self.guessed is None
            else {"speaker": self.guessed.speaker, "reason": self.guessed.reason},
            "needs_subject": not listed or any(not one.external_id for one in listed),
            "share": round(share, 3),
        }

    def add(self, tally: ImportTally) -> None:
        """Take in one more piece of the file."""
        self.tally = tally
        if tally.met is not None:
            self.speakers.meet(tally.met)
        item = tally.taken
        if item is None:
            return
        for message in item.messages:
            if len(self.messages) >= SHOWN_MESSAGES:
                break
            self.messages.append(_message(item, message, whose=self.choices))


def preview(
    path: Path,
    *,
    space_id: int,
    choices: Choices,
    now: datetime,
    longest_s: float = LONGEST_S,
    guesses: bool = True,
) -> Preview:
    """Read a file as an import would, for a while, and write nothing.

    Where nobody was chosen as its subject, somebody is guessed; not where ``guesses`` is off,
    because nobody is what was chosen.

    **Raises**: ImportRefused and its kin; SpeakerNeeded, NoSuchSpeaker.
    """
    ends_at = time.monotonic() + longest_s
    guessed = guess(look(path, choices=choices), known=subject_refs(space_id))
    choices = _with_guess(choices, guessed) if guesses else choices
    choices = replace(choices, format=choices.format or base.sniff(path))
    found = Preview(choices, guessed=guessed)
    for tally in try_file(path, space_id=space_id, now=now, choices=choices, named=False):
        found.add(tally)
        if time.monotonic() > ends_at:
            return found
    found.is_complete = True
    return found


def _with_guess(choices: Choices, guessed: Guess | None) -> Choices:
    if choices.subject is not None or choices.speaker or guessed is None:
        return choices
    return replace(choices, subject=guessed.subject, speaker=guessed.speaker)


def _speaker(one: Speaker) -> dict[str, Any]:
    return {
        "speaker": one.speaker,
        "ref": f"{one.kind}:{one.external_id}" if one.external_id else "",
        "name": one.name,
        "messages": one.messages,
        "conversations": one.conversations,
    }


def _message(
    item: ImportedConversation, message: base.ImportedMessage, *, whose: Choices
) -> dict[str, Any]:
    text = message.text
    return {
        "conversation": item.title or item.external_id,
        "speaker": message.speaker,
        "kind": message.kind,
        "text": text[:SHOWN_LETTERS],
        "cut": max(0, len(text) - SHOWN_LETTERS),
        "sent_at": message.sent_at.isoformat() if message.sent_at else "",
        "own": _is_own(message, whose.subject, whose.speaker),
    }


def _is_own(message: base.ImportedMessage, subject: SubjectRef | None, speaker: str) -> bool:
    """Say whether the words count as the subject's own."""
    if message.kind not in ("user_message", "user_feedback"):
        return False
    return subject is None or subject.kind != "user" or message.speaker == speaker
