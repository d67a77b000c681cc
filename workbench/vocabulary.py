"""The words the screens use for what the core calls by a key."""

from extraction.flag_words import FLAG_WORDS, Flag
from extraction.gates import ASIDE_WORDS

SHORT_FLAGS: dict[str, str] = {
    Flag.IMPERATIVE: "instruction",
    Flag.NOT_FROM_SUBJECT: "others’ words",
    Flag.BIDI_CHARACTERS: "reordered text",
    Flag.ROLE_TAG: "role tags",
    Flag.CONTACT_DATA: "contact data",
    Flag.URL: "link",
    Flag.IDENTITY_CHANGE: "identity",
    Flag.PERMISSION_CHANGE: "permission",
    Flag.THIRD_PARTY: "about someone else",
    Flag.UNRESOLVED_PRONOUN: "unclear who",
    Flag.UNRESOLVED_DATE: "unclear date",
    Flag.AMBIGUOUS_DATE: "two dates possible",
    Flag.FUTURE_DATE: "future",
    Flag.ENDS_STATEMENT: "ends a belief",
    Flag.ENDS_SEVERAL: "ends several",
    Flag.TOMBSTONE: "refuted or erased before",
    Flag.RETURNING_VALUE: "returns",
    Flag.RECENTLY_SERVED: "echo",
}
"""Flags in a word or two, for lists; the others read well as they are."""

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

FIRST_OF_TWO = "Approved by you; waits for a second person"

RETRACT_REASONS: tuple[tuple[str, str], ...] = (
    ("no_longer_needed", "No longer needed"),
    ("should_not_be_kept", "Should not be kept"),
    ("asked_to", "We were asked to"),
    ("other", "Other"),
)

REFUTE_REASONS: tuple[tuple[str, str], ...] = (
    ("not_true", "Not true"),
    ("misread", "Misread"),
    ("wrong_person", "Of the wrong person"),
    ("other", "Other"),
)

FOUR_EYES: tuple[tuple[str, str, str], ...] = (
    ("never", "Never", "One curator decides."),
    (
        "sensitive",
        "Where it matters",
        "What is flagged, must be included, or would replace or contest something.",
    ),
    ("always", "Always", "Every approval needs another curator to agree."),
)

WHY: dict[str, str] = {
    **HAPPENED,
    **{word: label.lower() for word, label in REJECT_REASONS},
    **{word: label.lower() for word, label in (*RETRACT_REASONS, *REFUTE_REASONS)},
    "same_as": "same as another that waits",
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
    "send_back": "Sent back",
    "confirm": "Approved as second",
    "split": "Split",
    "retract": "Retracted",
    "refute": "Refuted",
    "expire": "Expired",
    "restore": "Restored",
    "merge": "Merged",
    "resolve": "Settled",
    "undo": "Undone",
    "erase": "Erased",
    "lift_tombstone": "Allowed again",
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


def flag_word(name: str) -> str:
    """Write a flag in a word or two."""
    return SHORT_FLAGS.get(name, plain(name))


def flag_sentence(name: str) -> str:
    """Write a flag in a sentence."""
    return _sentence(FLAG_WORDS.get(name, plain(name)))


def aside(reason: str) -> str:
    """Say why something was set aside."""
    return _sentence(ASIDE_WORDS.get(reason, plain(reason)))


def plain(key: str) -> str:
    """Write a key as words: ``must_include`` becomes ``must include``."""
    return key.replace("_", " ")


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
