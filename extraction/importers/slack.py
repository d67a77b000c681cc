"""Slack's export: a folder or zip with a folder per channel and in it a file per day.

Each channel is a conversation. A message's ``ts`` is both its time and its id; it is text, for as
a number it would lose its last digits and with them what tells two messages apart.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportedMessage,
    ImportProblem,
    LeftOut,
    MessageKind,
    Participant,
    Why,
    as_problem,
)
from extraction.importers.errors import AtLine
from extraction.importers.identity import MessageIds, content_id
from extraction.importers.opening import Fit, Opening
from extraction.importers.slack_people import Channel, Directory, items_of
from extraction.importers.slack_text import Json, files_of, plain, words_of
from extraction.importers.source import Member, Source
from extraction.importers.wording import Unfit, bounded, digest, stable_id, storable

NAME = "slack"
_TS = re.compile(r"(\d{9,11})\.(\d{6})")
_PART = 500  # messages held at once
_SLACKBOT = "USLACKBOT"
_LEFT_OUT: dict[str, Why] = {
    "tombstone": "removed",
    "message_deleted": "removed",
    "message_changed": "other_branch",
    "message_replied": "event",
}
_EVENT = re.compile(
    r"(?:channel|group|im|mpim)_\w+|(?:un)?pinned_item|bot_(?:add|remove|enable|disable)"
    r"|reminder_\w+|huddle_thread|sh_room_\w+|ekm_access_denied|joiner_notification\w*"
)
_SAID = {"file_share", "bot_message", "me_message", "thread_broadcast", "file_comment"}


class Slack:
    """The importer of Slack exports."""

    name = NAME
    expects = "a Slack export: its zip or folder, or one day of a channel, such as 2024-12-31.json"
    members = re.compile(r"(^|/)[^/]+/\d{4}-\d{2}-\d{2}\.json$")

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether one of the first items is a message with a ``ts``."""
        return Fit.SURE if any(map(_is_message, opening.values)) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield each channel in parts, its days in order."""
        directory = Directory()
        yield from directory.read(source)
        days = source.matching(self.members)
        for folder, members in groupby(days, key=lambda day: day.name.rpartition("/")[0]):
            yield from _Channel(tuple(members), directory, folder=folder).read()


def _is_message(value: object) -> bool:
    if not isinstance(value, dict) or value.get("type") != "message":
        return False
    ts = value.get("ts")
    return isinstance(ts, str) and _TS.fullmatch(ts) is not None


@dataclass(slots=True)
class _Part:
    """What was gathered of a channel and not yet given on."""

    messages: list[ImportedMessage] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    ends_at: int = 0


class _Channel:
    """One channel being read, day after day."""

    def __init__(self, days: Sequence[Member], directory: Directory, *, folder: str) -> None:
        self._days = days
        self._directory = directory
        name = folder.rpartition("/")[2]
        self._channel = directory.by_folder.get(name) or Channel("", name)
        self._people: dict[str, str] = {}  # who speaks, by the name they speak under
        self._is_whole = False  # whether everybody who speaks is known
        self._part = _Part()

    def read(self) -> Iterator[Imported]:
        """Yield the channel in parts, and what could not be read of it."""
        is_any_out = False
        for day in self._days:
            ids = MessageIds()
            for item in items_of(day):
                if isinstance(item, AtLine):
                    yield as_problem(item, member=day)
                    continue
                try:
                    self._take(item.value, ids=ids)
                except Unfit as error:
                    words = f"Message {item.number}: {error}."
                    yield ImportProblem(0, words, member=day.name if "/" in day.name else "")
                self._part.ends_at = item.ends_at
                if len(self._part.messages) > _PART:
                    is_any_out = True
                    yield self._given(keeps=1)
        if self._part.messages:
            self._is_whole = True
            yield self._given(keeps=0)
        elif not is_any_out:
            shown = self._channel.name or self._channel.external_id or self._days[0].name
            yield ImportProblem(0, f"Nobody says anything in {shown}.")

    def _take(self, raw: object, *, ids: MessageIds) -> None:
        """Add one item of a day. **Raises**: Unfit with what is wrong."""
        found = self._message(raw, ids=ids)
        if isinstance(found, LeftOut):
            self._part.left_out.append(found)
        elif found is not None:
            self._part.messages.append(found)

    def _message(self, raw: object, *, ids: MessageIds) -> ImportedMessage | LeftOut | None:
        """Read one message; None for one that comes twice. **Raises**: Unfit."""
        if not isinstance(raw, dict):
            raise Unfit(f"a message must be a JSON object, not {type(raw).__name__}")
        ts, sent_at = _instant(raw.get("ts"))
        if why := _why_left_out(raw):
            return LeftOut(ts, why)
        speaker, is_person = self._speaker(raw)
        directory = self._directory
        text = plain(words_of(raw), name_of=directory.name_of, channel_of=directory.channel_of)
        words = storable("\n".join(part for part in (text, *files_of(raw)) if part.strip()))
        if not words.strip():
            return LeftOut(ts, "without_words")
        kind: MessageKind = "user_message" if is_person else "agent_message"
        own_id = ids.settle(own_id=ts, content=content_id(kind=kind, speaker=speaker, text=words))
        if own_id is None:
            return None
        return ImportedMessage(
            external_id=own_id,
            speaker=speaker,
            kind=kind,
            text=words,
            sent_at=sent_at,
            line=0,
            edited=isinstance(raw.get("edited"), dict),
        )

    def _speaker(self, raw: Json) -> tuple[str, bool]:
        """Name who speaks, and say whether it is a person."""
        told = raw.get("user")
        user = told if isinstance(told, str) and told.strip() else ""
        if user and not self._is_bot(raw, user=user):
            own_id = stable_id(user)
            self._directory.introduce(own_id, raw.get("user_profile"))
            name = self._directory.name_of(own_id)
            self._people.setdefault(name, own_id)
            return name, True
        name = self._bot_name(raw, user=user)
        # An app may call itself what it likes, also like somebody here.
        taken = name in self._people or self._directory.is_called(name)
        return (f"{name} (app)" if taken and user not in self._directory.bots else name), False

    def _is_bot(self, raw: Json, *, user: str) -> bool:
        posted_by_app = "bot_id" in raw and raw["bot_id"] and "client_msg_id" not in raw
        by_rule = raw.get("subtype") == "bot_message" or user == _SLACKBOT
        return bool(posted_by_app or by_rule or user in self._directory.bots)

    def _bot_name(self, raw: Json, *, user: str) -> str:
        profile = raw.get("bot_profile")
        told = profile.get("name") if isinstance(profile, dict) else None
        for name in (raw.get("username"), told):
            if isinstance(name, str) and name.strip():
                return bounded(name)
        if user in self._directory.names:
            return self._directory.name_of(user)
        bot = raw.get("bot_id")
        named = user or (bot if isinstance(bot, str) else "")
        return bounded(named) if named.strip() else "app"

    def _given(self, *, keeps: int) -> ImportedConversation:
        """Give what was gathered but for the last, so that the last part has a message, too."""
        self._know_everybody()
        count = len(self._part.messages) - keeps
        part, self._part = self._part, _Part(messages=self._part.messages[count:])
        return ImportedConversation(
            external_id=self._external_id(part),
            title=self._title(),
            source=NAME,
            messages=tuple(part.messages[:count]),
            participants=tuple(
                Participant(speaker=name, kind="user", external_id=own_id, name=name)
                for name, own_id in self._people.items()
            ),
            without_words=sum(one.why == "without_words" for one in part.left_out),
            bytes_read=part.ends_at,
            left_out=tuple(part.left_out),
        )

    def _know_everybody(self) -> None:
        """Read ahead who speaks in a long channel: each part must offer all of them."""
        if self._is_whole:
            return
        self._is_whole = True
        for day in self._days:
            for item in items_of(day):
                if isinstance(item, AtLine) or not isinstance(item.value, dict):
                    continue
                if not _why_left_out(item.value):
                    self._speaker(item.value)

    def _external_id(self, part: _Part) -> str:
        channel = self._channel
        if not channel.external_id:
            # A day without its folder is known by its first message, a folder by its name.
            told = channel.name or part.messages[0].external_id
            self._channel = channel = Channel(f"slack-{digest(told)}", channel.name)
        return channel.external_id

    def _title(self) -> str:
        if self._channel.name:
            return bounded(f"#{self._channel.name}")
        named = [self._directory.name_of(user) for user in self._channel.members]
        return bounded(", ".join(named or list(self._people)[:4]))


def _why_left_out(raw: Json) -> Why | None:
    """Say why an item of a day is nobody's message, or None for one that is."""
    subtype = raw.get("subtype")
    kind = subtype if isinstance(subtype, str) else ""
    if kind in _SAID:
        return None
    if kind in _LEFT_OUT:
        return _LEFT_OUT[kind]
    if _EVENT.fullmatch(kind):
        return "event"
    return "hidden" if raw.get("hidden") is True else None


def _instant(ts: object) -> tuple[str, datetime]:
    """Read a ``ts``, exact to the microsecond. **Raises**: Unfit."""
    match = _TS.fullmatch(ts) if isinstance(ts, str) else None
    if match is None:
        shown = repr(ts)[:40]
        raise Unfit(f'"ts" must be text like "1735660800.123456", not {shown}')
    try:
        at = datetime.fromtimestamp(int(match[1]), UTC).replace(microsecond=int(match[2]))
    except (OverflowError, OSError, ValueError):
        raise Unfit(f'"ts" {match[0]} is no usable time') from None
    return match[0], at


IMPORTER = Slack()
