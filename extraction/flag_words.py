"""The flags a proposal may carry, and the words a curator reads for each."""

from collections.abc import Mapping
from enum import StrEnum


class Flag(StrEnum):
    """Something a curator should know before deciding. A flag never decides by itself."""

    IMPERATIVE = "imperative"
    POLICY_WORDING = "policy_wording"
    NOT_FROM_SUBJECT = "not_from_subject"
    HIDDEN_CHARACTERS = "hidden_characters"
    BIDI_CHARACTERS = "bidi_characters"
    ENCODED_TEXT = "encoded_text"
    ROLE_TAG = "role_tag"
    DELIMITER = "delimiter"
    SECRET = "secret"  # noqa: S105 - the name of a flag, not a secret
    CARD_NUMBER = "card_number"
    CONTACT_DATA = "contact_data"
    HEALTH = "health"
    RELIGION = "religion"
    POLITICS = "politics"
    SEXUALITY = "sexuality"
    ORIGIN = "origin"
    UNION = "union"
    CRIME = "crime"
    URL = "url"
    COMMAND = "command"
    IDENTITY_CHANGE = "identity_change"
    MONEY = "money"
    PERMISSION_CHANGE = "permission_change"
    THIRD_PARTY = "third_party"
    HYPOTHETICAL = "hypothetical"
    UNRESOLVED_PRONOUN = "unresolved_pronoun"
    UNRESOLVED_DATE = "unresolved_date"
    AMBIGUOUS_DATE = "ambiguous_date"
    FUTURE_DATE = "future_date"
    ENDS_STATEMENT = "ends_statement"
    ENDS_SEVERAL = "ends_several"
    BURST = "burst"
    TOMBSTONE = "tombstone"
    REJECTED_BEFORE = "rejected_before"
    RETURNING_VALUE = "returning_value"
    RECENTLY_SERVED = "recently_served"


FLAG_WORDS: Mapping[str, str] = {
    Flag.IMPERATIVE: "reads like an instruction to an agent",
    Flag.POLICY_WORDING: "sets a rule for agents",
    Flag.NOT_FROM_SUBJECT: "some of the words are not the subject's own",
    Flag.HIDDEN_CHARACTERS: "holds invisible characters",
    Flag.BIDI_CHARACTERS: "holds characters that change the reading direction",
    Flag.ENCODED_TEXT: "holds encoded text",
    Flag.ROLE_TAG: "imitates a speaker or a system message",
    Flag.DELIMITER: "holds markers our own prompts use",
    Flag.SECRET: "holds a password, key or token",
    Flag.CARD_NUMBER: "holds a payment card number",
    Flag.CONTACT_DATA: "holds contact data",
    Flag.HEALTH: "about health",
    Flag.RELIGION: "about religion or belief",
    Flag.POLITICS: "about political opinion",
    Flag.SEXUALITY: "about sexuality or gender identity",
    Flag.ORIGIN: "about ethnic origin",
    Flag.UNION: "about trade union membership",
    Flag.CRIME: "about a crime or conviction",
    Flag.URL: "holds a web address",
    Flag.COMMAND: "holds a command or code",
    Flag.IDENTITY_CHANGE: "changes who someone is or how to reach them",
    Flag.MONEY: "about money or an account",
    Flag.PERMISSION_CHANGE: "grants or lifts a permission",
    Flag.THIRD_PARTY: "about another person",
    Flag.HYPOTHETICAL: "may be a thought, not a fact",
    Flag.UNRESOLVED_PRONOUN: "unclear whom a pronoun means",
    Flag.UNRESOLVED_DATE: "a time nobody could resolve",
    Flag.AMBIGUOUS_DATE: "a date with two readings",
    Flag.FUTURE_DATE: "starts in the future",
    Flag.ENDS_STATEMENT: "would end an approved statement",
    Flag.ENDS_SEVERAL: "would end several approved statements",
    Flag.BURST: "one source would end many facts at once",
    Flag.TOMBSTONE: "equals something refuted or erased",
    Flag.REJECTED_BEFORE: "resembles something you rejected",
    Flag.RETURNING_VALUE: "a value that was replaced or withdrawn before",
    Flag.RECENTLY_SERVED: "equals what was recently served to an agent",
}

# With any of these a statement is sensitive: four eyes, a typed reason, never in bulk.
SENSITIVE: frozenset[Flag] = frozenset(
    {
        Flag.SECRET,
        Flag.CARD_NUMBER,
        Flag.HEALTH,
        Flag.RELIGION,
        Flag.POLITICS,
        Flag.SEXUALITY,
        Flag.ORIGIN,
        Flag.UNION,
        Flag.CRIME,
        Flag.IDENTITY_CHANGE,
        Flag.PERMISSION_CHANGE,
        Flag.BURST,
    }
)
