"""What a curator should know about a candidate before deciding, one small question each.

The text of the statement and of its evidence is data: nothing here follows it, everything here
looks at it. A flag is raised if any of the evidence raises it: trust is the least of its parts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from extraction import flag_patterns as patterns
from extraction.comparison_words import PEOPLE
from extraction.dates import FoundDate
from extraction.flag_words import FLAG_WORDS, SENSITIVE, Flag
from extraction.languages import fold
from extraction.secrets_in_text import find_secrets, mask_secrets
from extraction.similarity import equal_words
from extraction.words import content_words

__all__ = [
    "FLAG_WORDS",
    "SENSITIVE",
    "Flag",
    "FlagContext",
    "FlagEvidence",
    "flags_for",
    "mask_secrets",
]

# One source that would end more facts than this is shown as a burst.
BURST_ENDS = 3


@dataclass(frozen=True, slots=True)
class FlagEvidence:
    """One quote with the whole message it stands in."""

    quote: str
    message: str
    by_subject: bool
    kind: str = "user_message"


@dataclass(frozen=True, slots=True)
class FlagContext:
    """Everything the flags look at.

    **Shape**: ``dates`` are those of the evidence; ``notes`` the engine's own flags; ``ends`` how
    many approved statements this would end; ``ends_from_source`` how many all candidates of the
    same source would; ``served`` texts an agent was recently given.
    **Units**: ``valid_from`` and ``said_at`` aware.
    """

    text: str
    subject_name: str
    subject_kind: str = "user"
    about: str = ""
    attribute: str = ""
    modality: str = "asserted"
    evidence: tuple[FlagEvidence, ...] = ()
    dates: tuple[FoundDate, ...] = ()
    valid_from: datetime | None = None
    said_at: datetime | None = None
    notes: tuple[str, ...] = ()
    ends: int = 0
    ends_from_source: int = 0
    was_rejected: bool = False
    was_ended: bool = False
    served: Sequence[str] = field(default=())

    @property
    def words(self) -> str:
        """The statement and its quotes: what would be kept and shown."""
        return "\n".join((self.text, *(e.quote for e in self.evidence)))

    @property
    def everything(self) -> str:
        """The statement and the whole messages: where an attack would hide."""
        return "\n".join((self.text, *(e.message for e in self.evidence)))


def flags_for(context: FlagContext) -> tuple[str, ...]:
    """List the flags of a candidate, in the order a curator reads them."""
    raised = {flag for flag, asks in _QUESTIONS.items() if asks(context)}
    raised |= {flag for flag in Flag if flag in context.notes}
    if Flag.AMBIGUOUS_DATE in raised:  # two readings are more to go on than none
        raised.discard(Flag.UNRESOLVED_DATE)
    return tuple(flag.value for flag in Flag if flag in raised)


# --- attacks --------------------------------------------------------------------------------


def _is_imperative(context: FlagContext) -> bool:
    return bool(patterns.IMPERATIVE.search(context.words))


def _is_policy(context: FlagContext) -> bool:
    return bool(patterns.POLICY.search(context.words))


def _is_hidden(context: FlagContext) -> bool:
    """Look for characters nobody sees; the tags that make up a flag emoji are seen."""
    return bool(patterns.HIDDEN.search(patterns.FLAG_TAGS.sub("", context.everything)))


def _is_bidi(context: FlagContext) -> bool:
    return bool(patterns.BIDI.search(context.everything))


def _is_encoded(context: FlagContext) -> bool:
    text = context.everything
    return bool(patterns.ESCAPES.search(text)) or any(
        _is_base64(m[0]) for m in patterns.BASE64.finditer(text)
    )


def _is_base64(word: str) -> bool:
    return any(c.isdigit() for c in word) and word.lower() != word and word.upper() != word


def _has_role_tag(context: FlagContext) -> bool:
    return bool(patterns.ROLE.search(context.everything))


def _has_delimiter(context: FlagContext) -> bool:
    return bool(patterns.DELIMITER.search(context.everything))


def _has_command(context: FlagContext) -> bool:
    return bool(patterns.COMMAND.search(context.words))


def _has_url(context: FlagContext) -> bool:
    return bool(patterns.URL.search(context.words))


def _is_not_from_subject(context: FlagContext) -> bool:
    return any(not e.by_subject or e.kind == "system_message" for e in context.evidence)


# --- what it is about -----------------------------------------------------------------------


def _has_secret(context: FlagContext) -> bool:
    return any(not s.is_card for s in find_secrets(context.words))


def _has_card(context: FlagContext) -> bool:
    return any(s.is_card for s in find_secrets(context.words))


def _has_contact(context: FlagContext) -> bool:
    return bool(patterns.CONTACT.search(context.words))


def _speaks_of(topic: str) -> Callable[[FlagContext], bool]:
    """Ask whether a statement or its quotes use the words of a special category."""
    pattern = patterns.SPECIAL[topic]

    def asks(context: FlagContext) -> bool:
        return bool(pattern.search(context.words))

    return asks


def _changes_identity(context: FlagContext) -> bool:
    return context.attribute in patterns.IDENTITY_ATTRIBUTES or bool(
        patterns.IDENTITY.search(context.words)
    )


def _is_money(context: FlagContext) -> bool:
    return bool(patterns.MONEY.search(context.words))


def _changes_permission(context: FlagContext) -> bool:
    return bool(patterns.PERMISSION.search(context.words))


def _is_third_party(context: FlagContext) -> bool:
    """Ask whether the statement is about someone else, or about someone the subject has."""
    if context.subject_kind != "user":
        return False
    about = fold(context.about)
    if about and about not in {fold(context.subject_name), "user", "subject", "self"}:
        named = set(content_words(context.about)) & set(content_words(context.subject_name))
        if not named:
            return True
    start = [fold(word).strip(".,'") for word in context.text.split()[:4]]
    possessive = any(word.endswith("'s") for word in start) or "my" in start
    return possessive and any(word in PEOPLE for word in start)


def _is_hypothetical(context: FlagContext) -> bool:
    return context.modality == "hypothetical" or bool(patterns.HYPOTHETICAL.search(context.words))


# --- time -----------------------------------------------------------------------------------


def _has_unresolved_date(context: FlagContext) -> bool:
    return any(not d.resolved for d in context.dates)


def _has_ambiguous_date(context: FlagContext) -> bool:
    return any(d.ambiguous for d in context.dates)


def _starts_in_future(context: FlagContext) -> bool:
    if context.valid_from and context.said_at and context.valid_from > context.said_at:
        return True
    return any(d.future and d.role != "until" for d in context.dates)


# --- what the store knows -------------------------------------------------------------------


def _ends_one(context: FlagContext) -> bool:
    return context.ends == 1


def _ends_several(context: FlagContext) -> bool:
    return context.ends > 1


def _is_burst(context: FlagContext) -> bool:
    return context.ends > 0 and context.ends_from_source > BURST_ENDS


def _was_rejected(context: FlagContext) -> bool:
    return context.was_rejected


def _returns(context: FlagContext) -> bool:
    return context.was_ended


def _was_served(context: FlagContext) -> bool:
    """Ask whether the statement, a quote or a message is what an agent was just given back."""
    texts = (context.text, *(e.quote for e in context.evidence))
    whole = [fold(e.message) for e in context.evidence]
    return any(
        any(equal_words(text, served) for text in texts)
        or (len(served) > 20 and any(fold(served) in message for message in whole))
        for served in context.served
    )


_QUESTIONS: Mapping[Flag, Callable[[FlagContext], bool]] = {
    Flag.IMPERATIVE: _is_imperative,
    Flag.POLICY_WORDING: _is_policy,
    Flag.NOT_FROM_SUBJECT: _is_not_from_subject,
    Flag.HIDDEN_CHARACTERS: _is_hidden,
    Flag.BIDI_CHARACTERS: _is_bidi,
    Flag.ENCODED_TEXT: _is_encoded,
    Flag.ROLE_TAG: _has_role_tag,
    Flag.DELIMITER: _has_delimiter,
    Flag.SECRET: _has_secret,
    Flag.CARD_NUMBER: _has_card,
    Flag.CONTACT_DATA: _has_contact,
    **{Flag(topic): _speaks_of(topic) for topic in patterns.SPECIAL},
    Flag.URL: _has_url,
    Flag.COMMAND: _has_command,
    Flag.IDENTITY_CHANGE: _changes_identity,
    Flag.MONEY: _is_money,
    Flag.PERMISSION_CHANGE: _changes_permission,
    Flag.THIRD_PARTY: _is_third_party,
    Flag.HYPOTHETICAL: _is_hypothetical,
    Flag.UNRESOLVED_DATE: _has_unresolved_date,
    Flag.AMBIGUOUS_DATE: _has_ambiguous_date,
    Flag.FUTURE_DATE: _starts_in_future,
    Flag.ENDS_STATEMENT: _ends_one,
    Flag.ENDS_SEVERAL: _ends_several,
    Flag.BURST: _is_burst,
    Flag.REJECTED_BEFORE: _was_rejected,
    Flag.RETURNING_VALUE: _returns,
    Flag.RECENTLY_SERVED: _was_served,
}
