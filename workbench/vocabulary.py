"""The words the screens use for what the core calls by a key."""

from typing import NamedTuple


class Flag(NamedTuple):
    """A flag in a word for lists and in a sentence for the card."""

    word: str
    sentence: str


FLAGS: dict[str, Flag] = {
    "imperative": Flag("instruction", "The words give an instruction rather than state a fact."),
    "policy_wording": Flag("policy wording", "The words read like a rule for the agent."),
    "not_from_subject": Flag("not from the user", "Part of the evidence was not said by them."),
    "hidden_characters": Flag("hidden characters", "The words contain characters one cannot see."),
    "bidi_characters": Flag("reordered text", "The words contain marks that change their order."),
    "encoded_text": Flag("encoded text", "The words contain encoded text."),
    "role_tags": Flag("role tags", "The words imitate a speaker or a prompt's delimiters."),
    "delimiters": Flag("delimiters", "The words contain the delimiters of our own prompt."),
    "secret": Flag("secret", "The words hold what looks like a password or key."),
    "card_number": Flag("card number", "The words hold what looks like a card number."),
    "contact_data": Flag("contact data", "The words hold a telephone number, e-mail or address."),
    "special_category": Flag("sensitive", "This is about health, belief, origin or the like."),
    "url": Flag("link", "The words contain a link."),
    "command": Flag("command", "The words contain a command."),
    "identity_change": Flag("identity", "This would change who somebody is."),
    "money": Flag("money", "This is about money."),
    "permission_change": Flag("permission", "This would change what somebody may do."),
    "third_party": Flag("about someone else", "The statement is about somebody else."),
    "hypothetical": Flag("hypothetical", "The words wonder or suppose; they may not assert."),
    "unresolved_date": Flag("unclear date", "A date in the words could not be resolved."),
    "future_date": Flag("future", "The words speak of a time still to come."),
    "unresolved_pronoun": Flag("unclear who", "It is unclear whom a pronoun means."),
    "ends_statement": Flag("ends a belief", "Approving may end what is believed now."),
    "ends_several": Flag("ends several", "Approving may end several believed statements."),
    "burst": Flag("burst", "Many proposals came from this one source at once."),
    "tombstone": Flag("forgotten before", "This was refuted or erased before."),
    "rejected_before": Flag("rejected before", "You rejected this, or much the same, before."),
    "recently_served": Flag("echo", "The words equal something an agent was just given."),
    "not_asserted": Flag("not asserted", "The words do not plainly assert this."),
}

ASIDE: dict[str, str] = {
    "ungrounded": "The quoted words could not be found in the messages.",
    "not_said_by_subject": "The words were said by somebody else.",
    "low_confidence": "The engine was too unsure.",
    "not_asserted": "The words ask, suppose or quote; they do not assert.",
    "trivial": "Too short to say anything durable.",
    "general_knowledge": "Known to everyone; not a memory of this subject.",
    "near_duplicate": "It says what is believed or waiting already.",
    "joined": "Its words were added to a proposal that waits already.",
    "blocked_by_tombstone": "It was erased; it may not come back by itself.",
    "rejected_before": "The same words were rejected before.",
}

REJECT_REASONS: tuple[tuple[str, str], ...] = (
    ("not_said", "Not said"),
    ("misread", "Misread"),
    ("not_durable", "Not durable"),
    ("sensitive", "Sensitive"),
    ("someone_else", "About someone else"),
    ("other", "Other"),
)

DEFERRALS: tuple[tuple[str, str], ...] = (
    ("hour", "One hour"),
    ("tomorrow", "Tomorrow"),
    ("week", "Next week"),
    ("evidence", "Until new evidence"),
)

CHANGES: tuple[tuple[str, str, str], ...] = (
    ("changed", "Changed from", "changed"),
    ("never_so", "Was never so", "never"),
    ("both_true", "Both true", "both"),
    ("cannot_tell", "Cannot tell", "unclear"),
)

OUTCOMES: dict[str, str] = {
    "confirmed": "as expected",
    "not_mentioned": "not mentioned",
    "said_otherwise": "said otherwise",
}

HAPPENED: dict[str, str] = {
    "new": "as new",
    "changed": "changed from a day",
    "never_so": "the old was never so",
    "both_true": "both true",
    "cannot_tell": "cannot tell which",
    "confirmation": "known already",
}

WHY: dict[str, str] = {
    **HAPPENED,
    **{word: label.lower() for word, label in REJECT_REASONS},
    "until": "until a day",
    "new_evidence": "until new evidence",
}

DECIDED: dict[str, str] = {
    "approve": "Approved",
    "edit": "Edited",
    "reject": "Rejected",
    "defer": "Deferred",
    "wake": "Woken",
    "withdraw": "Withdrawn",
    "reconsider": "Proposed again",
    "undo": "Undone",
}

TABS: tuple[tuple[str, str], ...] = (
    ("pending", "Pending"),
    ("deferred", "Deferred"),
    ("second", "Second review"),
    ("aside", "Set aside"),
)

SORTS: tuple[tuple[str, str], ...] = (
    ("risk", "Risk first"),
    ("oldest", "Oldest first"),
    ("newest", "Newest first"),
    ("confidence", "Lowest confidence"),
    ("conversation", "By conversation"),
)

KINDS: tuple[tuple[str, str], ...] = (
    ("contradiction", "Contradiction"),
    ("update", "Update"),
    ("new", "New"),
    ("confirmation", "Confirmation"),
)

MEMORY_TYPES: tuple[tuple[str, str], ...] = tuple(
    (key, key.capitalize())
    for key in (
        "preference",
        "fact",
        "decision",
        "constraint",
        "goal",
        "lesson",
        "relationship",
        "event",
    )
)

CRITICALITIES: tuple[tuple[str, str], ...] = (
    ("normal", "Normal"),
    ("high_priority", "High priority"),
    ("must_include", "Must include"),
)

BANDS: tuple[str, ...] = ("high", "medium", "low", "unproven")


def flag(name: str) -> Flag:
    """This function will return the words for a flag, plain ones for one it does not know."""
    plain = name.replace("_", " ")
    return FLAGS.get(name, Flag(plain, f"{plain.capitalize()}."))


def aside(reason: str) -> str:
    """This function will say why something was set aside."""
    return ASIDE.get(reason, reason.replace("_", " ").capitalize())


def plain(key: str) -> str:
    """This function will write a key as words: ``must_include`` becomes ``must include``."""
    return key.replace("_", " ")
