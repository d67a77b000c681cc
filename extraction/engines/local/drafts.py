"""One draft per sentence: a statement with its words, before anything is compared."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from extraction import languages, sentences
from extraction.engines.base import EpisodeInput, EpisodeMessage, Modality
from extraction.engines.local import (
    about,
    attributes,
    clauses,
    durability,
    modality,
    openers,
    passing,
    rewriting,
    shortening,
    words,
)
from extraction.engines.local.attributes import Setting
from extraction.words import content_words

SAID_BY_SUBJECT = frozenset({"user_message", "user_feedback"})
_PICTURE = re.compile(
    r"^\[(?:shares?|shared|sends?|sent|attaches|attached)\b[^\]]*\]$", re.IGNORECASE
)
_INTRODUCES = re.compile(r"^(?:\w+,? )?here(?:['\u2019]s| is| are)\b[^:]*:$", re.IGNORECASE)
_HE_SHE = re.compile(r"^(he|she|his|her|they|their)(['\u2019](?:s|re|ve|d|ll))?\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"\b(?:him|her|he|she|it|them)\b"
    r"|\b(?:this|these|those)\b(?=['\u2019]s|\s+(?:is|are|was|were|has|have|made|makes)\b|\W*$)",
    re.IGNORECASE,
)
_THING_DID = re.compile(
    r"^(?:(?:really|also|just) )?(?:made|gave|got|left|took|kept|makes|gives|keeps) (?:me"
    r"|us)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"^it(?:['\u2019]s| is| was|['\u2019]ll be| has been| takes| feels?"
    r"| felt)(?: \w+){0,4}? (?:to|that|how|when|since|because)\b",
    re.IGNORECASE,
)
# Plain letters alone are weak evidence: "see ya" is no Spanish.
_LEAD = 2
_LONGEST = 600
_LONGEST_READ = 2_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence stands: message index and code-point span."""

    message: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement and what was read from its words; ``support`` is words of other messages."""

    place: Place
    quote: str
    trimmed: str
    text: str
    about: str
    language: str
    modality: Modality
    setting: Setting
    confidence: float
    memory_type: str
    criticality: str = "normal"
    notes: tuple[str, ...] = ()
    support: tuple[tuple[int, str], ...] = ()
    merged: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    date_phrase: str = ""
    anchored: bool = True  # names the speaker or their world, not only what was said before


@dataclass(frozen=True, slots=True)
class Scene:
    """What every sentence of an episode is read against."""

    episode: EpisodeInput
    others: tuple[str, ...]
    language: str = "en"

    def voice(self, message: EpisodeMessage) -> rewriting.Voice:
        """Say who speaks in a message and to whom."""
        is_person = self.episode.subject_kind == "user"
        name = self.episode.subject_name if is_person else (message.speaker or "The user")
        group = "" if is_person else f"the {self.episode.subject_name} team"
        return rewriting.Voice(
            name=name, addressee=self.others[0] if len(self.others) == 1 else "", group=group
        )


def scene_of(episode: EpisodeInput) -> Scene:
    """Gather the names an episode is spoken among."""
    spoken = [m.speaker for m in episode.messages if not m.by_subject and m.kind in _TALK]
    others = ("the assistant" if name.lower() in _ROLES else name for name in spoken if name)
    own = " ".join(m.text[:_LONGEST] for m in episode.messages if is_own_message(m))
    return Scene(
        episode=episode,
        others=tuple(dict.fromkeys(others)),
        language=_language(own, fallback="en"),
    )


_ROLES = frozenset({"assistant", "agent", "ai", "bot", "model", "system"})
_TALK = SAID_BY_SUBJECT | {"agent_message"}


def is_own_message(message: EpisodeMessage) -> bool:
    """Tell whether the subject said a message, in words of their own."""
    return message.by_subject and message.kind in SAID_BY_SUBJECT


def of_message(scene: Scene, message: EpisodeMessage) -> tuple[list[Draft], list[Place]]:
    """Draft a message's statements, and name telling spans left over."""
    drafts: list[Draft] = []
    left: list[Place] = []
    before = ""
    fallback = _language(message.text[:_LONGEST], fallback=scene.language)
    for start, stop in sentences.split(message.text):
        end = start + _sentence_length(message.text[start:stop])
        quote = message.text[start:end]
        place = Place(message.index, start, end)
        told = clauses.told_inside(quote) if end - start <= _LONGEST_READ else []
        drafts.extend(_told(scene, message, place, told=told))
        if end - start > _LONGEST:
            left.append(place)  # a pasted log, not a sentence
            continue
        said = clauses.without(quote, told)
        draft = _of_sentence(scene, message, place, said=said, before=before, fallback=fallback)
        if draft is not None:
            _append(drafts, draft, message, subject=scene.episode.subject_name)
        elif _looks_telling(quote, scene):
            left.append(place)
        before = quote
    return drafts, left


def _sentence_length(quote: str) -> int:
    """Take the statement alone of a run-on sentence that ends in a request."""
    if len(quote) <= _LONGEST:
        return len(quote)
    told = modality.without_request(quote).rstrip(".")
    return len(told) if quote.startswith(told) else len(quote)


def _told(
    scene: Scene, message: EpisodeMessage, place: Place, *, told: Sequence[clauses.Told]
) -> list[Draft]:
    """Draft the figures told inside a sentence as statements of their own."""
    found = [
        _of_sentence(
            scene,
            message,
            Place(place.message, place.start + one.start, place.start + one.end),
            said=one.spoken,
            stands_alone=True,
        )
        for one in told
        if one.spoken != message.text[place.start : place.end]
    ]
    return [draft for draft in found if draft is not None]


def _of_sentence(
    scene: Scene,
    message: EpisodeMessage,
    place: Place,
    *,
    said: str,
    before: str = "",
    fallback: str = "en",
    stands_alone: bool = False,
) -> Draft | None:
    """Draft a sentence. ``said`` is what of it is read."""
    quote = message.text[place.start : place.end]
    language = _language(quote, fallback=fallback)
    if language != "en":
        return _foreign(scene, message, place, language=language)
    if _PICTURE.match(quote):
        return None  # a caption is not the subject's words
    if _INTRODUCES.match(quote):
        return None  # "Here's my code:" says nothing itself
    told = openers.trim(modality.without_tag(said), names=scene.others)
    fact = modality.fact_inside(told)
    if fact != told:
        place = _narrowed(place, message, to=fact.rstrip("."))
        quote = message.text[place.start : place.end]
    trimmed = modality.without_request(fact)
    spoken = _with_subject(trimmed)
    text = rewriting.third_person(spoken, scene.voice(message), before=before)
    text = shortening.shortened(text)
    if durability.is_directive(trimmed):
        text = f"{scene.voice(message).name} asks: {text[:1].lower()}{text[1:]}"
    setting = attributes.find(text)
    if setting.value in {scene.episode.subject_name, message.speaker}:
        setting = Setting()  # "Saturday works for me" employs nobody
    reading = durability.read(spoken, has_attribute=bool(setting.attribute))
    meant = modality.of(trimmed)
    is_bare_question = meant == "question" and not _states_something(trimmed, reading)
    if is_bare_question or not (stands_alone or durability.is_durable(reading)):
        return None
    return Draft(
        place=place,
        quote=quote,
        trimmed=spoken,
        text=text,
        about=about.of(text, subject=_holder(scene, message, spoken)),
        language=language,
        modality=meant,
        setting=setting,
        confidence=durability.confidence(
            spoken, reading, modality=meant, has_attribute=bool(setting.attribute)
        ),
        memory_type=durability.memory_type(spoken, suggested=setting.memory_type),
        criticality=durability.criticality(spoken),
        notes=_notes(trimmed, text),
        anchored=stands_alone or reading.anchored or bool(setting.attribute),
    )


def _narrowed(place: Place, message: EpisodeMessage, *, to: str) -> Place:
    """Rest on the fact alone: a date of the question around it says nothing of the fact."""
    at = message.text.find(to, place.start, place.end)
    return replace(place, start=at, end=at + len(to)) if at >= 0 else place


def _language(text: str, *, fallback: str) -> str:
    """The language of a sentence; a short one is taken to be in the language around it."""
    guess = languages.guess_language(text)
    if guess == fallback or (guess == "en" and fallback not in languages.STOP_WORDS):
        return guess if len(text.split()) > _LEAD else fallback
    if guess not in languages.STOP_WORDS:
        return guess  # told by its script
    found = [languages.fold(word).strip(".,!?;:") for word in text.split()]
    theirs, ours = (
        sum(word in languages.STOP_WORDS.get(code, ()) for word in found)
        for code in (guess, fallback)
    )
    has_accents = any(char.isalpha() and not char.isascii() for char in text)
    lead = 1 if has_accents and fallback == "en" else _LEAD
    return guess if theirs - ours >= lead else fallback


def _holder(scene: Scene, message: EpisodeMessage, spoken: str) -> str:
    """Who a plain statement is about: in a project's memory "I" is the person, "we" the project."""
    if scene.episode.subject_kind == "user" or not re.match(r"^(?:i|my)\b", spoken, re.IGNORECASE):
        return scene.episode.subject_name
    return message.speaker or scene.episode.subject_name


def _with_subject(trimmed: str) -> str:
    """Give "Moved to Ulm." its "I" back, and "Really made me think." its "it"."""
    if _THING_DID.match(trimmed):
        return f"It {trimmed[:1].lower()}{trimmed[1:]}"
    if not durability.elliptic_opener(trimmed):
        return trimmed
    low = trimmed[:1].lower() + trimmed[1:]
    verb = next((w for w in low.split() if w.lower() not in words.ADVERBS), "").lower().strip(".,!")
    if verb in words.PARTICIPLE_OPENERS or verb == "gonna":
        return f"I'm {low}"
    if re.match(r"been (?:an?|so|quite|pretty|super|really|such) ", low):
        return f"It has {low}"
    return f"I have {low}" if verb == "been" else f"I {low}"


def _states_something(spoken: str, reading: durability.Reading) -> bool:
    """Whether a question could be taken for a fact: "Should I sell my flat?", not "How do I?"."""
    return reading.anchored and reading.content >= _LEAD and bool(_LOOKS_STATED.match(spoken))


_LOOKS_STATED = re.compile(
    r"^(?:should|shall|did you know|do you know|you know|am|is my|was i|wasn['\u2019]t i|i"
    r"|i['\u2019]\w+|my|we|our)\b",
    re.IGNORECASE,
)


def _foreign(scene: Scene, message: EpisodeMessage, place: Place, *, language: str) -> Draft | None:
    """Keep a sentence of another language as it stands; the card names who speaks."""
    quote = message.text[place.start : place.end]
    meant = modality.of(quote, language=language)
    size = (
        len(re.findall(r"[^\W\d_]", quote))
        if not quote.isascii() and " " not in quote.strip()
        else len(quote.split()) * 2
    )
    if meant == "question" or size < 6:
        return None
    return Draft(
        place=place,
        quote=quote,
        trimmed=quote,
        text=quote,
        about=scene.episode.subject_name,
        language=language,
        modality=meant,
        setting=Setting(),
        confidence=0.5 if size >= 8 else 0.4,
        memory_type="fact",
        notes=("kept_as_said",),
    )


def _notes(trimmed: str, text: str) -> tuple[str, ...]:
    match = _POINTS_BACK.search(trimmed)
    if match is None or _EXPLETIVE.match(trimmed):
        return ()
    ahead = trimmed[: match.start()]
    is_person = match.group().lower() in {"he", "she", "him", "her"}
    known = bool(
        about.antecedent(text[: match.start() + 24], subject="")
        or re.search(r"\bmy \w+|\b(?!I\b)[A-Z]\w+", ahead)
    )
    has_noun = known if is_person else known or len(content_words(ahead, "en")) >= 2
    return () if has_noun else ("unresolved_pronoun",)


def _append(drafts: list[Draft], draft: Draft, message: EpisodeMessage, *, subject: str) -> None:
    """Put a draft down; a sentence that only points back is resolved on the one before it."""
    previous = drafts[-1] if drafts else None
    points_back = bool(
        re.match(
            r"(?:it|this|that|these|those|he|she|they|his|her|their)\b",
            draft.trimmed,
            re.IGNORECASE,
        )
    )
    if draft.language != "en" or not points_back or _EXPLETIVE.match(draft.trimmed):
        drafts.extend([draft] if draft.anchored else [])
        return
    adjacent = (
        previous is not None and not message.text[previous.place.end : draft.place.start].strip()
    )
    who = (
        about.antecedent(previous.text, subject=subject)
        if previous is not None and adjacent
        else ""
    )
    person = _HE_SHE.match(draft.trimmed)
    if adjacent and passing.adds_little(draft.trimmed):
        return  # an afterthought; its words stay a gap
    if who and person and person[1].lower() not in {"they", "their"}:
        drafts.append(_named(draft, who, person))
    elif (
        previous is not None
        and adjacent
        and not previous.merged
        and previous.modality == draft.modality == "asserted"
    ):
        drafts[-1] = _merged(previous, draft, message)
    elif draft.anchored:
        drafts.append(
            replace(draft, notes=tuple(dict.fromkeys((*draft.notes, "unresolved_pronoun"))))
        )


def _named(draft: Draft, who: str, person: re.Match[str]) -> Draft:
    is_possessive = person[1].lower() in {"his", "her"}
    name = rewriting.possessive(who) if is_possessive else who + (person[2] or "")
    text = name + draft.text[person.end() :]
    setting = attributes.find(text)
    return replace(draft, text=text, about=who, setting=setting, notes=())


def _merged(previous: Draft, draft: Draft, message: EpisodeMessage) -> Draft:
    start, end = previous.place.start, draft.place.end
    return replace(
        previous,
        place=replace(previous.place, end=end),
        quote=message.text[start:end],
        text=f"{previous.text} {draft.text}",
        criticality=max(
            previous.criticality, draft.criticality, key=("normal", "high_priority").index
        ),
        merged=True,
    )


def _looks_telling(quote: str, scene: Scene) -> bool:
    """Words that might have told something, though no statement came of them."""
    trimmed = openers.trim(quote, names=scene.others)
    reading = durability.read(trimmed)
    return not reading.small_talk and reading.content >= 3 and modality.of(trimmed) != "question"
