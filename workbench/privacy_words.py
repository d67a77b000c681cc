"""The words the privacy pages use for what the core counts and calls by a key."""

SEARCHES: tuple[tuple[str, str, str], ...] = (
    ("subject", "Subject", "a name, or an id such as user:ana"),
    ("words", "Words", "words somebody said, or a statement says"),
    ("conversation", "Conversation", "a title or an external id"),
)
"""What can be looked for: key, label, what to write."""

REASONS: tuple[tuple[str, str], ...] = (
    ("asked_by_subject", "The person asked for it"),
    ("contract_ended", "The contract ended"),
    ("should_not_be_kept", "It should never have been kept"),
    ("court_order", "A court or an authority ordered it"),
    ("other", "Another reason, said in words"),
)

KINDS: dict[str, str] = {
    "subject": "everything of a subject",
    "statement": "a statement",
    "conversation": "a conversation",
    "value": "a value of a subject",
}

STATES: dict[str, tuple[str, str]] = {
    "asked": ("waits for a second person", "deferred"),
    "confirmed": ("being erased", "deferred"),
    "done": ("erased", "live"),
    "withdrawn": ("withdrawn", ""),
}
"""A state in words, and the class that colours it."""

COUNTS: dict[str, tuple[str, str, str]] = {
    "statements": ("statement", "statements", "end; agents receive nothing of them any more"),
    "versions": ("version", "versions", "of these statements, past ones too: the words go"),
    "proposals": ("proposal", "proposals", "the words go, and nobody can decide any more"),
    "subjects": ("subject", "subjects", "the name and the external id go"),
    "conversations": ("conversation", "conversations", "the title and the external id go"),
    "messages": ("whole message", "whole messages", "all words go"),
    "messages losing words": (
        "message in part",
        "messages in part",
        "what is struck out goes, what was said around it stays",
    ),
    "quotes of others": ("quote", "quotes", "of what stays: taken out of its evidence"),
    "search entries made anew": (
        "neighbour in search",
        "neighbours in search",
        "still believed, and indexed again without these words",
    ),
    "episodes": ("episode", "episodes", "the title and the summary go"),
    "predictions": ("prediction", "predictions", "of the engine that rest on this: emptied"),
    "candidates of shadow runs": (
        "candidate of a shadow run",
        "candidates of shadow runs",
        "kept for comparison alone: emptied",
    ),
    "notes and cards of decisions": (
        "decision with words",
        "decisions with words",
        "the note goes, and the fingerprint of the card; who decided what stays",
    ),
    "titles of conversations": (
        "title of a conversation",
        "titles of conversations",
        "that say it: emptied, while the conversation stays",
    ),
    "payloads of the log": (
        "payload of the audit log",
        "payloads of the audit log",
        "emptied; the chain of the log still verifies",
    ),
    "keys": ("key", "keys", "the name goes; revoked where it opens nothing else"),
    "sessions": ("session", "sessions", "what pages still had to say is taken out"),
    "uploads": (
        "uploaded file",
        "uploaded files",
        "all that lie in this space are deleted, whoever they are about",
    ),
    "task results": ("finished task", "finished tasks", "what the queue remembers is deleted"),
    "tombstones": ("tombstone", "tombstones", "the same is not learned again unnoticed"),
}
"""Noun of one, noun of several, what happens to them."""


def count_words(noun: str, number: int) -> tuple[str, str]:
    """Return a counted noun in words, and what happens to what it counts."""
    one, several, fate = COUNTS.get(noun, (noun, noun, "emptied"))
    return (one if number == 1 else several), fate
