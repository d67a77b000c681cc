"""What erasure alone may do to rows that are otherwise final, as SQL conditions and triggers.

Everything here hangs on one thing: a decision of kind ``erase`` in the same transaction, which
itself is refused without a request that one person asked for and another confirmed.
"""

from collections.abc import Iterable, Mapping

import pgtrigger

from knowledge.models.guard_steps import decided, differs, fixed_columns, keep_for_ever, refuse

ERASING = decided("d.kind = 'erase' AND d.space_id = NEW.space_id")
EMPTY = "''"
# Erased names must stay different where the table demands it.
UNNAMED = "'erased:' || NEW.id"
NO_JSON = "'{}'::jsonb"
# When it went: whatever instant the erasure says.
WHEN = "NEW.redacted_at"
# What stands for each erased character, so that spans of other quotes keep their places.
MASK = "█"


def only_blanked(columns: Mapping[str, str]) -> str:
    """Write the condition that each column stays, or becomes one of its blanks."""
    return " AND ".join(
        f"(NEW.{name} IS NOT DISTINCT FROM OLD.{name} OR NEW.{name} IN ({blank}))"
        for name, blank in columns.items()
    )


def fixed_but_for_erasure(
    noun: str, columns: Iterable[str], *, blanks: Mapping[str, str]
) -> pgtrigger.Trigger:
    """Refuse a change of these columns, but blanking some of them in an erasure."""
    named = list(columns)
    kept = [name for name in named if name not in blanks]
    return pgtrigger.Trigger(
        name="fixed_columns",
        when=pgtrigger.Before,
        operation=pgtrigger.Update,
        func=(
            f"IF {differs(named)} AND NOT coalesce(NOT {differs(kept)} "
            f"AND {only_blanked(blanks)} AND {ERASING}, false) THEN "
            + refuse(f"a {noun} keeps what it was made of")
            + " END IF; RETURN NEW;"
        ),
    )


def append_only_but_for_erasure(
    noun: str, columns: Iterable[str], *, blanks: Mapping[str, str]
) -> list[pgtrigger.Trigger]:
    """Refuse every change of these rows, but blanking some columns in an erasure."""
    return [*keep_for_ever(noun), fixed_but_for_erasure(noun, columns, blanks=blanks)]


def masked(column: str) -> str:
    """Write the condition that a text only lost characters to the mask, each in its place."""
    return (
        f"(char_length(NEW.{column}) = char_length(OLD.{column}) AND NOT EXISTS (SELECT 1 "
        f"FROM unnest(string_to_array(OLD.{column}, NULL), string_to_array(NEW.{column}, NULL)) "
        f"AS c (o, n) WHERE c.n <> c.o AND c.n <> '{MASK}'))"
    )


def message_words_guard() -> pgtrigger.Trigger:
    """Let the words of a message go, whole or in part, in an erasure and never otherwise."""
    return pgtrigger.Trigger(
        name="words_stay",
        when=pgtrigger.Before,
        operation=pgtrigger.Update,
        func=(
            f"IF {differs(['text', 'redacted_at'])} AND NOT coalesce({ERASING} "
            "AND NEW.redacted_at IS NOT NULL "
            f"AND (NEW.text = '' OR {masked('text')}), false) THEN "
            + refuse("a message keeps what it was made of")
            + " END IF; RETURN NEW;"
        ),
    )


def payload_guard() -> pgtrigger.Trigger:
    """Let a payload be emptied once, in an erasure: of its space, or of the system's chain."""
    erasing = decided("d.kind = 'erase' AND d.space_id = coalesce(NEW.space_id, d.space_id)")
    return pgtrigger.Trigger(
        name="emptied_once",
        when=pgtrigger.Before,
        operation=pgtrigger.Update,
        func=(
            f"IF {differs(['id', 'space_id'])} OR OLD.erased_at IS NOT NULL "
            "OR NEW.erased_at IS NULL OR NEW.body IS NOT NULL OR NEW.salt IS NOT NULL "
            f"OR NOT {erasing} THEN "
            + refuse("a payload of the log goes whole, once, in an erasure")
            + " END IF; RETURN NEW;"
        ),
    )


def tombstone_guards() -> list[pgtrigger.Trigger]:
    """Admit a tombstone with its decision, and lift it once with another."""
    return [
        *keep_for_ever("tombstone"),
        fixed_columns(
            "tombstone",
            "id space_id subject_id level key_version value_key cause effect evidence_until "
            "decision_id".split(),
        ),
        pgtrigger.Trigger(
            name="opens_with_decision",
            when=pgtrigger.Before,
            operation=pgtrigger.Insert,
            func=(
                "IF NEW.lifted_by_id IS NOT NULL OR NOT "
                + decided(
                    "d.id = NEW.decision_id AND d.space_id = NEW.space_id "
                    "AND (NEW.cause = 'erased' AND d.kind = 'erase' "
                    "OR NEW.cause = 'refuted' AND d.kind IN ('refute', 'undo'))"
                )
                + " THEN "
                + refuse("a tombstone needs its decision in the same transaction")
                + " END IF; RETURN NEW;"
            ),
        ),
        pgtrigger.Trigger(
            name="lifted_once",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            func=(
                "IF NEW.lifted_by_id IS DISTINCT FROM OLD.lifted_by_id AND "
                "(OLD.lifted_by_id IS NOT NULL OR NOT "
                + decided(
                    "d.id = NEW.lifted_by_id AND d.space_id = NEW.space_id "
                    "AND (d.kind = 'lift_tombstone' "
                    "OR OLD.cause = 'refuted' AND d.kind IN ('restore', 'undo'))"
                )
                + ") THEN "
                + refuse("a tombstone is lifted once, with a decision in the same transaction")
                + " END IF; RETURN NEW;"
            ),
        ),
    ]


def request_guards() -> list[pgtrigger.Trigger]:
    """Keep what was asked for, and all of it once it is closed."""
    return [
        *keep_for_ever("erasure"),
        pgtrigger.Trigger(
            name="first_state",
            when=pgtrigger.Before,
            operation=pgtrigger.Insert,
            func=(
                "IF NEW.state <> 'asked' AND NOT (NEW.replayed AND NEW.state = 'confirmed') THEN "
                + refuse("an erasure begins by being asked for")
                + " END IF; RETURN NEW;"
            ),
        ),
        fixed_columns(
            "erasure",
            "id space_id kind subject_id statement_id conversation_id blocks whole_conversations "
            "reason_code requested_by_id requested_at request_id replayed".split(),
        ),
        pgtrigger.Trigger(
            name="done_by_its_decision",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            func=(
                "IF NEW.state = 'done' AND NOT "
                + decided(
                    "d.id = NEW.decision_id AND d.kind = 'erase' AND d.space_id = NEW.space_id"
                )
                + " THEN "
                + refuse("an erasure is done by its decision, in the same transaction")
                + " END IF; RETURN NEW;"
            ),
        ),
        pgtrigger.Trigger(
            name="closed_is_final",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            func=(
                "IF OLD.state IN ('done', 'withdrawn') OR (NEW.words, NEW.note) IS DISTINCT FROM "
                "(OLD.words, OLD.note) AND NEW.state NOT IN ('done', 'withdrawn') THEN "
                + refuse("an erasure that was closed, or asked for, is never rewritten")
                + " END IF; RETURN NEW;"
            ),
        ),
    ]


def takes_two() -> pgtrigger.Trigger:
    """Demand, of a decision to erase, the request two people stand behind."""
    return pgtrigger.Trigger(
        name="erasing_takes_two",
        when=pgtrigger.After,
        operation=pgtrigger.Insert,
        timing=pgtrigger.Deferred,
        func=(
            "IF NEW.kind = 'erase' AND NOT EXISTS (SELECT 1 FROM knowledge_erasurerequest r "
            "WHERE r.decision_id = NEW.id AND r.space_id = NEW.space_id AND r.state = 'done' "
            "AND (r.replayed AND NEW.policy = 'erasure_replay' "
            "OR r.confirmed_by_id = NEW.by_id AND r.requested_by_id <> r.confirmed_by_id)) THEN "
            + refuse("erasing takes a request of one person and the word of another")
            + " END IF; RETURN NULL;"
        ),
    )
