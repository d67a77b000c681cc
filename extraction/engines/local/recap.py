"""A title and two lines for an episode: for finding it again, never a source of facts."""

import re
from collections import Counter
from collections.abc import Sequence

from extraction.engines.base import Description, EpisodeInput
from extraction.engines.local import drafts, words
from extraction.engines.local.drafts import Draft
from extraction.words import content_words

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_FEELING = re.compile(
    r"\b(?:is|are|was|were) (?:(?:so|really|very|super|just) )*"
    r"(?:glad|happy|excited|sure|proud|grateful|thankful|thrilled)\b|\bwill\b|\bcould\b",
    re.IGNORECASE,
)
# A title is shown in lists: what looks like a secret has no place there.
_SECRET = re.compile(
    r"\b(?:password|passcode|pin|api key|secret|token)\b|\b(?=\w*\d)(?=\w*[a-z])[\w-]{16,}",
    re.IGNORECASE,
)
_TITLE_LENGTH = 72
_NARRATIVE_LENGTH = 280


def describe(episode: EpisodeInput, found: Sequence[Draft]) -> Description:
    """Title an episode with its most telling statement and name its topics."""
    weights = topic_weights(episode)
    told = sorted(
        (
            draft
            for draft in found
            if draft.modality in {"asserted", "negated"} and _may_be_shown(draft)
        ),
        key=lambda draft: (-_weight(draft, weights), draft.place.message, draft.place.start),
    )
    title = _shortened(told[0].text, _TITLE_LENGTH) if told else _by_topics(episode, weights)
    lines = sorted(told[:3], key=lambda draft: (draft.place.message, draft.place.start))
    narrative = " ".join(_sentence(draft.text) for draft in lines) or title
    topics = ", ".join(_topics(episode, weights)[:6])
    if topics:
        narrative = f"{_sentence(_shortened(narrative, _NARRATIVE_LENGTH))} Also about: {topics}."
    return Description(title=title, narrative=narrative)


def topic_weights(episode: EpisodeInput) -> Counter[str]:
    """Count the content words of an episode, the subject's own words double."""
    weights: Counter[str] = Counter()
    for message in episode.messages:
        times = 2 if drafts.is_own_message(message) else 1
        for word in content_words(message.text):
            weights[word] += times
    for word in words.TOPICLESS:
        for key in content_words(word, "en"):
            weights.pop(key, None)
    for name in {message.speaker for message in episode.messages} | {episode.subject_name}:
        for key in content_words(name, "en"):
            weights.pop(key, None)
    return weights


def _may_be_shown(draft: Draft) -> bool:
    is_sentence = len(draft.text.split()) >= 4 or not draft.text.isascii()
    return is_sentence and not _SECRET.search(draft.text)


def _weight(draft: Draft, weights: Counter[str]) -> float:
    keys = set(content_words(draft.text, draft.language))
    told = sum(weights[key] for key in keys) / (4 + len(keys))
    return told * (0.5 + draft.confidence) * _worth_naming(draft)


def _worth_naming(draft: Draft) -> float:
    """Facts make better titles than feelings, and a resolved sentence a better one than not."""
    worth = 0.6 if draft.notes or draft.merged else 1.0
    worth *= 1.4 if draft.setting.attribute else 1.0
    return worth * (0.5 if _FEELING.search(draft.text) else 1.0)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "\u3002", "\u201d", "\u2026")) else text + "."


def _shortened(text: str, limit: int) -> str:
    whole = text.rstrip(".\u3002 ") if limit == _TITLE_LENGTH else text
    if len(whole) <= limit:
        return whole
    clause = re.split(r"(?:;| [-–—] |, (?:and|but|so|which)\b|\. )", whole)[0]
    if 16 <= len(clause) <= limit:
        return clause.rstrip(",. ")
    cut = whole[:limit].rsplit(" ", 1)[0] if " " in whole[:limit] else whole[:limit]
    return cut.rstrip(",.;:- ") + "\u2026"


def _topics(episode: EpisodeInput, weights: Counter[str]) -> list[str]:
    """The heaviest topics as the messages write them, not as stems."""
    written: dict[str, str] = {}
    for message in episode.messages:
        for match in _WORD.finditer(message.text):
            for key in content_words(match.group(), "en"):
                if not _SECRET.search(match.group()):
                    written.setdefault(key, match.group())
    heavy = sorted(weights, key=lambda key: (-weights[key], key))
    return [written[key] for key in heavy if weights[key] >= 2 and key in written][:6]


def _by_topics(episode: EpisodeInput, weights: Counter[str]) -> str:
    topics = _topics(episode, weights)[:3]
    name = episode.subject_name or "Someone"
    if not topics:
        return f"A short exchange with {name}"
    return f"{name} on {', '.join(topics[:-1])}{' and ' if len(topics) > 1 else ''}{topics[-1]}"
