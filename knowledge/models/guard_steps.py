"""Guards that any table may take: never deleted, never rewritten, closed once."""

from collections.abc import Iterable

import pgtrigger

from knowledge.trust import TrustState

GUARD_ERRCODE = "MW001"


def listed(states: Iterable[TrustState]) -> str:
    """Write states as SQL lists them."""
    return ", ".join(f"'{state.value}'" for state in sorted(states))


def refuse(sentence: str) -> str:
    """Write the statement that refuses with a sentence."""
    return f"RAISE EXCEPTION '{sentence}' USING ERRCODE = '{GUARD_ERRCODE}';"


def row(prefix: str, columns: Iterable[str]) -> str:
    """Write the columns of a record as one row."""
    return "ROW(" + ", ".join(f"{prefix}.{column}" for column in columns) + ")"


def differs(columns: Iterable[str]) -> str:
    """Write the condition that one of the columns changes."""
    named = tuple(columns)
    return f"{row('NEW', named)} IS DISTINCT FROM {row('OLD', named)}"


def keep_for_ever(noun: str) -> list[pgtrigger.Trigger]:
    """Refuse delete, and truncate but by the owner's announced flush."""
    return [
        pgtrigger.Trigger(
            name="no_delete",
            when=pgtrigger.Before,
            operation=pgtrigger.Delete,
            func=refuse(f"{noun} rows are never deleted"),
        ),
        pgtrigger.Trigger(
            name="no_truncate",
            when=pgtrigger.Before,
            operation=pgtrigger.Truncate,
            level=pgtrigger.Statement,
            func=(
                "IF coalesce(current_setting('workbench.flush', true), '') <> 'on' "
                "OR NOT pg_has_role(current_user, (SELECT relowner FROM pg_class "
                "WHERE oid = TG_RELID), 'USAGE') THEN "
                + refuse(f"{noun} rows are never truncated")
                + " END IF; RETURN NULL;"
            ),
        ),
    ]


def append_only(noun: str) -> list[pgtrigger.Trigger]:
    """Refuse every change of a row once it is written."""
    return [
        *keep_for_ever(noun),
        pgtrigger.Trigger(
            name="append_only",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            func=refuse(f"{noun} rows are never changed"),
        ),
    ]


def fixed_columns(noun: str, columns: Iterable[str]) -> pgtrigger.Trigger:
    """Refuse a change of these columns."""
    return pgtrigger.Trigger(
        name="fixed_columns",
        when=pgtrigger.Before,
        operation=pgtrigger.Update,
        func=(
            f"IF {differs(columns)} THEN "
            + refuse(f"a {noun} keeps what it was made of")
            + " END IF; RETURN NEW;"
        ),
    )


def decided(condition: str) -> str:
    """Write that a decision ``d`` of this transaction meets a condition."""
    return (
        "EXISTS (SELECT 1 FROM knowledge_decision d "
        f"WHERE d.xact = pg_current_xact_id()::text::bigint AND {condition})"
    )


def once_decided(
    noun: str, *, opened: str, closed_column: str, closed: str, columns: Iterable[str]
) -> list[pgtrigger.Trigger]:
    """Admit a row with its decision, and close it once with another.

    ``opened`` and ``closed`` are conditions on that decision ``d``; ``columns`` never change.
    """
    return [
        *keep_for_ever(noun),
        fixed_columns(noun, columns),
        pgtrigger.Trigger(
            name="opens_with_decision",
            when=pgtrigger.Before,
            operation=pgtrigger.Insert,
            func=(
                f"IF NEW.{closed_column} IS NOT NULL OR NOT {decided(opened)} THEN "
                + refuse(f"a {noun} needs its decision in the same transaction")
                + " END IF; RETURN NEW;"
            ),
        ),
        pgtrigger.Trigger(
            name="closes_once",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            func=(
                f"IF NEW.{closed_column} IS DISTINCT FROM OLD.{closed_column} AND "
                f"(OLD.{closed_column} IS NOT NULL OR NOT {decided(closed)}) THEN "
                + refuse(f"a {noun} is closed once, with a decision in the same transaction")
                + " END IF; RETURN NEW;"
            ),
        ),
    ]
