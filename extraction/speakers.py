"""Who in a file is whose memory: what a person chose, or what a file alone tells."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from extraction.errors import BadInput
from extraction.importers.base import ImportedConversation, Participant
from extraction.importers.wording import id_from_name
from knowledge.results import SubjectRef

# More people than anybody would look through; the rest are counted, not listed.
MOST_SPEAKERS = 500
# What files call whoever they do not name.
_NOBODY = frozenset({"user", "human", "you", "me"})


class SubjectNeeded(BadInput):
    """The file does not say whose memory it is, so the caller must."""

    def __init__(self, speakers: Sequence[str]) -> None:
        named = ", ".join(speakers[:10]) or "the user"
        super().__init__(
            f"The file does not say whose memory this is (it speaks of {named}). "
            "Name the subject: --subject user:ana."
        )


class SpeakerNeeded(BadInput):
    """Several people speak and none of them is the subject by name."""

    def __init__(self, subject: SubjectRef, *, found: Sequence[str]) -> None:
        super().__init__(
            f"Several people speak here: {', '.join(found[:10])}. "
            f"Say which of them is {subject}: --speaker “{found[0]}”."
        )


class NoSuchSpeaker(BadInput):
    """Whoever was asked for says nothing in this file."""

    def __init__(self, wanted: str, *, found: Sequence[str]) -> None:
        super().__init__(
            f"{wanted} says nothing in this file. Who speaks there: {', '.join(found[:20])}."
        )


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose memory a file feeds.

    **Shape**: no ``subject`` means each person the file names, in their own memory. ``speaker`` is
    how the file calls the subject, where several speak. Of a project's or a team's memory nobody
    who speaks is the subject.
    """

    subject: SubjectRef | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is who in one conversation.

    **Shape**: ``by_speaker`` says which speaker is which subject; ``subjects`` are all whose
    conversation it is, ``proposes_for`` those whose statements are proposed, None for all.
    """

    by_speaker: Mapping[str, SubjectRef]
    subjects: tuple[SubjectRef, ...]
    proposes_for: tuple[SubjectRef, ...] | None


def cast(participants: Sequence[Participant], whose: Whose) -> Cast | None:
    """Say which speaker is which subject, or None where the subject says nothing.

    Where no subject was chosen, a conversation in which no person speaks is nobody's.

    **Raises**: SubjectNeeded.
    """
    named = _named(participants)
    subject = whose.subject
    if subject is None:
        if any(not one.external_id for one in participants):
            raise SubjectNeeded([one.speaker for one in participants])
        return _cast(named, proposes_for=None) if named else None
    if subject.kind != "user" or not participants:
        # Where no person speaks, a model or a tool of the subject's name is not the subject.
        return Cast({}, (subject,), (subject,))
    if whose.speaker not in {one.speaker for one in participants}:
        return None
    return _cast(named | {whose.speaker: subject}, proposes_for=subject)


def cast_as_named(participants: Sequence[Participant]) -> Cast | None:
    """Say who is who as far as the file tells, where nobody was chosen yet; None for nobody's."""
    return _cast(_named(participants), proposes_for=None) if participants else None


def _named(participants: Sequence[Participant]) -> dict[str, SubjectRef]:
    return {
        one.speaker: SubjectRef(one.kind, one.external_id, one.name)
        for one in participants
        if one.external_id
    }


def _cast(by_speaker: Mapping[str, SubjectRef], *, proposes_for: SubjectRef | None) -> Cast:
    return Cast(
        by_speaker=by_speaker,
        subjects=tuple({str(ref): ref for ref in by_speaker.values()}.values()),
        proposes_for=None if proposes_for is None else (proposes_for,),
    )


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who may be the subject, and how much they say."""

    speaker: str
    kind: str
    external_id: str
    name: str
    messages: int
    conversations: int


@dataclass
class Speakers:
    """Those met so far in a file. ``conversations`` counts the parts that were looked at."""

    conversations: int = 0
    _people: dict[str, Participant] = field(default_factory=dict)
    _messages: Counter[str] = field(default_factory=Counter)
    _parts: Counter[str] = field(default_factory=Counter)

    def meet(self, conversation: ImportedConversation) -> None:
        """Take in who speaks in a conversation, and how often."""
        self.conversations += 1
        said = Counter(message.speaker for message in conversation.messages)
        for one in conversation.participants:
            if one.speaker not in self._people and len(self._people) >= MOST_SPEAKERS:
                continue
            self._people.setdefault(one.speaker, one)
            self._messages[one.speaker] += said[one.speaker]
            self._parts[one.speaker] += 1

    def names(self) -> list[str]:
        """List how the file calls them, those who say most first."""
        return [one.speaker for one in self.listed()]

    def listed(self) -> tuple[Speaker, ...]:
        """List them, those who say most first."""
        found = [
            Speaker(
                speaker=one.speaker,
                kind=one.kind,
                external_id=one.external_id,
                name=one.name,
                messages=self._messages[one.speaker],
                conversations=self._parts[one.speaker],
            )
            for one in self._people.values()
        ]
        return tuple(sorted(found, key=lambda one: (-one.messages, one.speaker)))


def settle(whose: Whose, *, speakers: Speakers) -> Whose:
    """Find out how the file calls the subject, where nobody said so.

    By id; else the one it does not name; else the only one there is; else by name.

    **Raises**: SpeakerNeeded; NoSuchSpeaker.
    """
    subject, listed = whose.subject, speakers.listed()
    if subject is None or subject.kind != "user" or not listed:
        return whose
    names = [one.speaker for one in listed]
    if whose.speaker:
        if whose.speaker not in names and len(names) < MOST_SPEAKERS:
            raise NoSuchSpeaker(f"“{whose.speaker}”", found=names)
        return whose
    same = [one.speaker for one in listed if f"{one.kind}:{one.external_id}" == str(subject)]
    nameless = [one.speaker for one in listed if not one.external_id]
    if same or len(nameless) == 1 or len(names) == 1:
        return Whose(subject, (same or nameless or names)[0])
    wanted = {subject.name.casefold(), subject.external_id.casefold()}
    called = [name for name in names if name.casefold() in wanted]
    if called:
        return Whose(subject, called[0])
    if nameless:
        raise SpeakerNeeded(subject, found=names)
    raise NoSuchSpeaker(str(subject), found=names)


@dataclass(frozen=True, slots=True)
class Guess:
    """Who seems to be the subject, and why in a few words; for a person to confirm."""

    speaker: str
    reason: str
    subject: SubjectRef | None


def guess(speakers: Speakers, *, known: Sequence[SubjectRef]) -> Guess | None:
    """Guess who the subject is, and under which name they are known here already.

    **Returns**: None where nobody speaks who could be.
    """
    listed = speakers.listed()
    if not listed:
        return None
    nameless = [one for one in listed if not one.external_id]
    everywhere = [one for one in listed if one.conversations == speakers.conversations]
    if len(listed) == 1:
        best, reason = listed[0], "nobody else speaks who could be"
    elif len(nameless) == 1:
        best, reason = nameless[0], "the file is theirs: it names everybody else"
    elif len(everywhere) == 1 and speakers.conversations > 1:
        best, reason = everywhere[0], "nobody else is in every conversation"
    else:
        best, reason = listed[0], "they say the most"
    return Guess(best.speaker, reason, _known_as(best, known=known))


def _known_as(one: Speaker, *, known: Sequence[SubjectRef]) -> SubjectRef | None:
    """Find who a speaker is here: by id, by name, or the only person there is for a nameless."""
    people = [ref for ref in known if ref.kind == "user"]
    calls = {text.casefold() for text in (one.external_id, one.name, one.speaker) if text}
    for ref in people:
        if ref.external_id.casefold() in calls or ref.name.casefold() in calls:
            return ref
    if one.external_id:
        return SubjectRef(one.kind, one.external_id, one.name)
    if one.speaker.casefold() not in _NOBODY:
        return SubjectRef("user", id_from_name(one.speaker), one.speaker)
    return people[0] if len(people) == 1 else None
