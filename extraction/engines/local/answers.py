"""Short answers, which mean nothing without the question or the advice before them."""

import re
from dataclasses import replace

from extraction import sentences
from extraction.engines.base import EpisodeMessage, Modality
from extraction.engines.local import (
    about,
    attributes,
    drafts,
    durability,
    modality,
    openers,
    passing,
    rewriting,
    shortening,
    verbs,
)
from extraction.engines.local.attributes import Setting
from extraction.engines.local.drafts import Draft, Place, Scene

_YES = (
    r"(?:yes|yep|yeah|yup|ok|okay|sure|agreed|perfect|great|sounds good|alright|right|fine"
    r"|good idea|absolutely|definitely)"
)
_TAKES_ADVICE = re.compile(
    rf"^(?:{_YES}\b[\s,.!-]*)*(?:(?:please )?(?:let['\u2019]?s |i['\u2019]?ll "
    r"|we['\u2019]?ll |let us )?(?:just )?(?:use|do|take|try|go with|go for|pick|choose"
    r"|stick with|switch to)"
    r" (?:that|it|this|those|them|the first one|your suggestion)(?: one| then| option)?"
    r"|that works(?: for (?:me|us))?|please do|go ahead)\b",
    re.IGNORECASE,
)
_BARE_YES = re.compile(rf"^{_YES}(?:,? please)?[.!]*$", re.IGNORECASE)
_BARE_NO = re.compile(r"^(?:no|nope|nah|not (?:any ?more|yet|really|at all))[.!]*$", re.IGNORECASE)
_ADVICE = re.compile(
    r"\b(?:recommend|suggest|propose|advise|go with|would use|['\u2019]d use|could use"
    r"|should use|should try|could try|best (?:option|choice|fit) is|how about|what about"
    r"|shall (?:i|we) (?:use|go with|take)|try|switch(?:ing)? to|use)\b(?:\s+(?:that you"
    r"|to|you))?(?:\s+(?:use|using|try|trying|with|switch(?:ing)? to|take|going with))?"
    r"\s+(?P<what>[^,.;:!?()\u2014]+)",
    re.IGNORECASE,
)
_WHAT_ENDS = re.compile(
    r"\s+(?:for|because|since|as|so|here|instead|which|in|if|when|and|then|on|with"
    r"|to)\b.*$",
    re.IGNORECASE,
)
_ASKED = (
    (
        re.compile(
            r"\b(?:job|do for (?:a living|work)|your role|profession|occupation|still an? \w+"
            r"|work as)\b",
            re.IGNORECASE,
        ),
        "is a",
    ),
    (
        re.compile(
            r"\bwhere (?:do|are) you (?:live|living|based)\b|\bwhat city\b|\bwhich city\b"
            r"|\bstill (?:in|live in)\b",
            re.IGNORECASE,
        ),
        "lives in",
    ),
    (
        re.compile(
            r"\bwho do you work for\b|\bwhere do you work\b|\bstill (?:at|with|work at)\b",
            re.IGNORECASE,
        ),
        "works at",
    ),
    (re.compile(r"\byour name\b", re.IGNORECASE), "is called"),
)
_FAVOURITE = re.compile(r"\byour (?:own )?(?P<what>favou?rite [\w ]+?)\s*\?", re.IGNORECASE)
_YES_NO = re.compile(r"\b(?P<aux>are|do|did|have|were) you (?P<rest>[^?,]+)\?", re.IGNORECASE)
_NO_FACT_ASKED = re.compile(
    r"^(?:ok|okay|sure|want|think|need|like me|mind|know|ready|gonna)\b|\b(?:any|any ?more"
    r"|ever|you)\b",
    re.IGNORECASE,
)
_PLAIN_YES = re.compile(
    r"^(?:yes|yep|yeah|yup|i am|i do|i have|indeed|correct|exactly|right)[.!]*$", re.IGNORECASE
)
_LONGEST_ANSWER = 240
_EMPTY = re.compile(
    r"^(?:for sure|woo-?hoo|ha\b|haha|thank|sorry|not sure|(?:that )?makes sense|why not"
    r"|maybe|any ?time|always"
    r"|never mind|me too|super \w+|so \w+|very \w+|pretty \w+)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|have|has|had|do|does|did|i|i['\u2019]\w+|we|we['\u2019]\w+"
    r"|it['\u2019]?s?|that['\u2019]?s|my|you|they|he|she|can|will|would|went|go|love"
    r"|like)\b|\w['\u2019](?:s|re|m)\b",
    re.IGNORECASE,
)


def of_message(
    scene: Scene, message: EpisodeMessage, before: EpisodeMessage | None
) -> Draft | None:
    """Draft what a short answer says together with the words it answers.

    **Shape**: evidence is the answer, supported by the question or the recommendation.
    """
    if before is None or before.by_subject or not talks(before):
        return None
    spans = sentences.split(message.text)
    asked = sentences.texts(before.text)
    if not spans or not asked or len(message.text) > _LONGEST_ANSWER:
        return None
    place = Place(message.index, *_answer_span(message.text, spans))
    return (
        _advice_taken(scene, message, place, before=before)
        or _yes_or_no(scene, message, place, before=before)
        or _fragment(scene, message, place, before=before)
    )


def pointing(scene: Scene, message: EpisodeMessage, before: EpisodeMessage | None) -> Draft | None:
    """Draft "It's a book by Le Guin." where it answers a question; what "it" is stays flagged.

    **Shape**: only names and numbers make such an answer worth keeping.
    """
    spans = sentences.split(message.text)
    if before is None or before.by_subject or not talks(before) or not spans:
        return None
    asked = sentences.texts(before.text)
    start, end = spans[0]
    said = openers.trim(message.text[start:end], names=scene.others)
    if not asked or not asked[-1].endswith("?") or not _POINTS.match(said):
        return None
    if not durability.read(said).named or passing.adds_little(said) or said.endswith("?"):
        return None
    text = shortening.shortened(rewriting.third_person(said, scene.voice(message)))
    draft = _draft(scene, message, Place(message.index, start, end), text=text)
    return replace(
        draft, support=((before.index, asked[-1]),), notes=("unresolved_pronoun",), confidence=0.4
    )


_POINTS = re.compile(
    r"^(?:it|they|that|this|he|she)(?:['\u2019](?:s|re)| is| are| was| were)\b", re.IGNORECASE
)


def _answer_span(text: str, spans: list[sentences.Span]) -> sentences.Span:
    """The first sentence, with the next where the first is a bare "No."."""
    start, end = spans[0]
    if len(spans) > 1 and re.fullmatch(
        r"(?:yes|no|yep|nope|yeah|nah)[.!,]*", text[start:end].strip(), re.IGNORECASE
    ):
        return start, spans[1][1] if len(text[spans[1][0] : spans[1][1]].split()) <= 8 else end
    return start, end


def _advice_taken(
    scene: Scene, message: EpisodeMessage, place: Place, *, before: EpisodeMessage
) -> Draft | None:
    if before.kind != "agent_message":
        return None
    quote = message.text[place.start : place.end]
    advice = _advice_in(before.text)
    is_plain_yes = bool(_BARE_YES.match(quote.strip())) and before.text.rstrip().endswith("?")
    if not advice or not (_TAKES_ADVICE.match(quote.strip()) or is_plain_yes):
        return None
    sentence, what = advice
    name = scene.voice(message).group or scene.voice(message).name
    text = (
        f"{name} decided to use {what}."
        if what
        else f"{name} accepted the advice: \u201c{sentence}\u201d"
    )
    text = text[:1].upper() + text[1:]
    draft = _draft(scene, message, place, text=text)
    return replace(
        draft, support=((before.index, sentence),), memory_type="decision", confidence=0.66
    )


def _advice_in(text: str) -> tuple[str, str] | None:
    for sentence in reversed(sentences.texts(text)):
        match = _ADVICE.search(sentence[:_LONGEST_ANSWER])
        if match:
            what = _WHAT_ENDS.sub("", match["what"].strip())
            is_thing = 0 < len(what.split()) <= 4 and not re.match(
                r"(?:you|your|i|we|it|that|this|to)\b", what, re.IGNORECASE
            )
            return sentence, what if is_thing else ""
    return None


def _yes_or_no(
    scene: Scene, message: EpisodeMessage, place: Place, *, before: EpisodeMessage
) -> Draft | None:
    quote = message.text[place.start : place.end].strip()
    question = sentences.texts(before.text)[-1]
    match = _YES_NO.search(question)
    says_no = bool(_BARE_NO.match(quote))
    if not match or not (says_no or _PLAIN_YES.match(quote)):
        return None
    if _NO_FACT_ASKED.search(match["rest"]):
        return None
    text = rewriting.third_person(_as_statement(match, says_no=says_no), scene.voice(message))
    draft = _draft(scene, message, place, text=text)
    meant: Modality = "negated" if says_no else "asserted"
    return replace(draft, support=((before.index, question),), modality=meant, confidence=0.5)


def _as_statement(match: re.Match[str], *, says_no: bool) -> str:
    rest = re.sub(r"\byour\b", "my", re.sub(r"\byourself\b", "myself", match["rest"]))
    rest = re.sub(r"^(?:still|ever)\s+", "", rest) if says_no else rest
    auxiliary = {"are": "am", "were": "was"}.get(match["aux"].lower(), match["aux"].lower())
    if says_no:
        return f"I {auxiliary} not {rest}."
    return f"I {rest}." if auxiliary == "do" else f"I {auxiliary} {rest}."


def _fragment(
    scene: Scene, message: EpisodeMessage, place: Place, *, before: EpisodeMessage
) -> Draft | None:
    """An answer without a verb: "No, data engineer now."."""
    quote = message.text[place.start : place.end]
    question = sentences.texts(before.text)[-1]
    fragment = openers.trim(
        re.sub(r"^(?:yes|no|yep|nope|yeah|nah)\b[.,!\s]*", "", quote, flags=re.IGNORECASE),
        names=scene.others,
    )
    fragment = fragment.rstrip(".!")
    if not question.endswith("?") or not re.search(r"\byou|\byour\b", question, re.IGNORECASE):
        return None
    if not fragment or fragment.endswith("?") or _is_clause(fragment):
        return None
    reading = durability.read(fragment)
    if reading.small_talk or reading.content < 1 or _EMPTY.match(quote) or _EMPTY.match(fragment):
        return None
    draft = _draft(
        scene, message, place, text=_answered(scene.voice(message).name, question, fragment)
    )
    return replace(
        draft,
        support=((before.index, question),),
        confidence=0.55 if draft.setting.attribute else 0.45,
    )


def _is_clause(fragment: str) -> bool:
    words = re.findall(r"[\w'\u2019]+", fragment)
    if len(words) > 9 or _VERB.search(fragment) or durability.elliptic_opener(fragment):
        return True
    return any(verbs.is_past(word) or word.lower().endswith("n't") for word in words)


def _answered(name: str, question: str, fragment: str) -> str:
    favourite = _FAVOURITE.search(question)
    if favourite:
        return f"{rewriting.possessive(name)} {favourite['what']} is {fragment}."
    for pattern, verb in _ASKED:
        if pattern.search(question):
            is_article = verb == "is a"
            article = (
                ""
                if re.match(r"(?:a|an|the)\b", fragment, re.IGNORECASE)
                else "an "
                if fragment[0].lower() in "aeiou"
                else "a "
            )
            low = (
                fragment[:1].lower() + fragment[1:]
                if is_article and not fragment[:2].isupper()
                else fragment
            )
            return (
                f"{name} is {article}{low}."
                if is_article
                else f"{name} {verb} {re.sub('^(?:in|at) ', '', fragment)}."
            )
    return f"Asked \u201c{question}\u201d, {name} answered: \u201c{fragment}\u201d."


def _draft(scene: Scene, message: EpisodeMessage, place: Place, *, text: str) -> Draft:
    setting = attributes.find(text) if not text.startswith("Asked ") else Setting()
    return Draft(
        place=place,
        quote=message.text[place.start : place.end],
        trimmed=message.text[place.start : place.end],
        text=text,
        about=about.of(text, subject=scene.episode.subject_name),
        language="en",
        modality="negated"
        if modality.is_negated(text) and not text.startswith("Asked ")
        else "asserted",
        setting=setting,
        confidence=0.5,
        memory_type=setting.memory_type or "fact",
        criticality=durability.criticality(text),
    )


def talks(message: EpisodeMessage) -> bool:
    """Tell whether a message is somebody speaking, not a tool or the system."""
    return message.kind in drafts.SAID_BY_SUBJECT or message.kind == "agent_message"
