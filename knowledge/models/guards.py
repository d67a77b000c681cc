"""Triggers that hold the invariants no constraint can say.

Declared with the models, so that a change to the trust table shows up in
``makemigrations --check``. After every migration ``knowledge.guards.harden`` makes them
deaf to ``pgtrigger.ignore`` and ENABLE ALWAYS.
"""

from collections.abc import Iterable

import pgtrigger

from knowledge.trust import FIRST_STATES, TRANSITIONS

GUARD_ERRCODE = "MW001"


def _refuse(sentence: str) -> str:
    return f"RAISE EXCEPTION '{sentence}' USING ERRCODE = '{GUARD_ERRCODE}';"


def _row(prefix: str, columns: Iterable[str]) -> str:
    return "ROW(" + ", ".join(f"{prefix}.{column}" for column in columns) + ")"


def _differs(columns: Iterable[str]) -> str:
    listed = tuple(columns)
    return f"{_row('NEW', listed)} IS DISTINCT FROM {_row('OLD', listed)}"


def keep_for_ever(noun: str) -> list[pgtrigger.Trigger]:
    """Refuse delete by anyone, and truncate by anyone but the owner's announced flush."""
    return [
        pgtrigger.Trigger(
            name="no_delete",
            when=pgtrigger.Before,
            operation=pgtrigger.Delete,
            func=_refuse(f"{noun} rows are never deleted"),
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
                + _refuse(f"{noun} rows are never truncated")
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
            func=_refuse(f"{noun} rows are never changed"),
        ),
    ]


def fixed_columns(noun: str, columns: Iterable[str]) -> pgtrigger.Trigger:
    """Refuse a change of these columns."""
    return pgtrigger.Trigger(
        name="fixed_columns",
        when=pgtrigger.Before,
        operation=pgtrigger.Update,
        func=(
            f"IF {_differs(columns)} THEN "
            + _refuse(f"a {noun} keeps what it was made of")
            + " END IF; RETURN NEW;"
        ),
    )


def trust_guards() -> list[pgtrigger.Trigger]:
    """Admit only first states on insert and only the table's changes on update."""
    first = ", ".join(f"'{state.value}'" for state in sorted(FIRST_STATES))
    pairs = ", ".join(
        f"('{before.value}', '{after.value}')"
        for before in TRANSITIONS
        for after in sorted(TRANSITIONS[before])
    )
    return [
        pgtrigger.Trigger(
            name="first_state",
            when=pgtrigger.Before,
            operation=pgtrigger.Insert,
            func=(
                f"IF NEW.state NOT IN ({first}) THEN "
                + _refuse("a proposal begins as set_aside or pending")
                + " END IF; RETURN NEW;"
            ),
        ),
        pgtrigger.Trigger(
            name="trust_table",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            func=(
                "IF NEW.state IS DISTINCT FROM OLD.state THEN "
                "IF OLD.redacted_at IS NOT NULL THEN "
                + _refuse("a redacted proposal takes no decision")
                + f" END IF; IF (OLD.state, NEW.state) NOT IN ({pairs}) THEN "
                + _refuse("the trust table has no such change")
                + " END IF; END IF; RETURN NEW;"
            ),
        ),
        pgtrigger.Trigger(
            name="state_needs_decision",
            when=pgtrigger.After,
            operation=pgtrigger.Update,
            timing=pgtrigger.Deferred,
            condition=pgtrigger.Condition("OLD.state IS DISTINCT FROM NEW.state"),
            func=(
                "IF NOT EXISTS (SELECT 1 FROM knowledge_decision d WHERE d.proposal_id = NEW.id "
                "AND d.xact = pg_current_xact_id()::text::bigint) THEN "
                + _refuse("a change of trust needs a decision in the same transaction")
                + " END IF; RETURN NULL;"
            ),
        ),
    ]


def decision_guards() -> list[pgtrigger.Trigger]:
    """Stamp a decision from the ledger and demand its audit event."""
    return [
        *append_only("decision"),
        pgtrigger.Trigger(
            name="stamp",
            when=pgtrigger.Before,
            operation=pgtrigger.Insert,
            declare=[("tail", "record")],
            func=(
                "PERFORM 1 FROM knowledge_ledger l WHERE l.space_id = NEW.space_id "
                "FOR NO KEY UPDATE; "
                "IF NOT FOUND THEN " + _refuse("the space has no ledger") + " END IF; "
                "SELECT d.seq, d.at INTO tail FROM knowledge_decision d "
                "WHERE d.space_id = NEW.space_id ORDER BY d.seq DESC LIMIT 1; "
                "NEW.seq := coalesce(tail.seq, 0) + 1; "
                "NEW.at := greatest(clock_timestamp(), tail.at + interval '1 microsecond'); "
                "NEW.xact := pg_current_xact_id()::text::bigint; RETURN NEW;"
            ),
        ),
        pgtrigger.Trigger(
            name="needs_audit_event",
            when=pgtrigger.After,
            operation=pgtrigger.Insert,
            timing=pgtrigger.Deferred,
            func=(
                "IF NOT EXISTS (SELECT 1 FROM knowledge_auditevent e "
                "WHERE e.decision_id = NEW.id) THEN "
                + _refuse("a decision needs its audit event")
                + " END IF; RETURN NULL;"
            ),
        ),
    ]


_VERSION_IDENTITY = (
    "id space_id statement_id subject_id slot_key value_key valid start_basis observed_at "
    "tx_from opened_by_id derived_from_id derivation proposal_id language"
).split()
_VERSION_CONTENT = "about text memory_type criticality attribute value".split()
_VERSION_ENDING = "tx_to closed_by_id end_reason successor_id".split()


def version_guards() -> list[pgtrigger.Trigger]:
    """Stamp, close once, redact once; everything else about a version is final."""
    return [*keep_for_ever("version"), _opening(), _needs_approval(), _closing()]


def _opening() -> pgtrigger.Trigger:
    return pgtrigger.Trigger(
        name="opening",
        when=pgtrigger.Before,
        operation=pgtrigger.Insert,
        declare=[("opening", "record")],
        func=(
            "SELECT d.at, d.xact INTO opening FROM knowledge_decision d "
            "WHERE d.id = NEW.opened_by_id AND d.space_id = NEW.space_id; "
            "IF NOT FOUND OR opening.xact <> pg_current_xact_id()::text::bigint THEN "
            + _refuse("a version needs a decision of the same transaction")
            + " END IF; IF NEW.tx_to IS NOT NULL OR NEW.redacted_at IS NOT NULL THEN "
            + _refuse("a version begins open")
            + " END IF; NEW.tx_from := opening.at; RETURN NEW;"
        ),
    )


def _needs_approval() -> pgtrigger.Trigger:
    return pgtrigger.Trigger(
        name="needs_approval",
        when=pgtrigger.After,
        operation=pgtrigger.Insert,
        timing=pgtrigger.Deferred,
        func=(
            "IF EXISTS (SELECT 1 FROM knowledge_version v JOIN knowledge_proposal p "
            "ON p.id = v.proposal_id WHERE v.id = NEW.id AND v.tx_to IS NULL "
            "AND p.state <> 'approved') THEN "
            + _refuse("a version needs an approved proposal")
            + " END IF; RETURN NULL;"
        ),
    )


def _closing() -> pgtrigger.Trigger:
    return pgtrigger.Trigger(
        name="closing",
        when=pgtrigger.Before,
        operation=pgtrigger.Update,
        declare=[("closing", "record")],
        func=(
            f"IF {_differs(_VERSION_IDENTITY)} THEN "
            + _refuse("a version is never rewritten")
            + f" END IF; IF OLD.tx_to IS NOT NULL AND {_differs(_VERSION_ENDING)} THEN "
            + _refuse("an ended belief stays ended")
            + " END IF; IF OLD.tx_to IS NULL AND NEW.tx_to IS NOT NULL THEN "
            "SELECT d.at, d.xact INTO closing FROM knowledge_decision d "
            "WHERE d.id = NEW.closed_by_id AND d.space_id = NEW.space_id; "
            "IF NOT FOUND OR closing.xact <> pg_current_xact_id()::text::bigint THEN "
            + _refuse("ending a belief needs a decision of the same transaction")
            + " END IF; NEW.tx_to := closing.at; END IF; "
            "IF NEW.redacted_at IS DISTINCT FROM OLD.redacted_at "
            "AND OLD.redacted_at IS NOT NULL THEN "
            + _refuse("a redaction is final")
            + " END IF; IF NEW.redacted_at IS NOT DISTINCT FROM OLD.redacted_at "
            f"AND {_differs(_VERSION_CONTENT)} THEN "
            + _refuse("a version is never rewritten")
            + " END IF; RETURN NEW;"
        ),
    )
