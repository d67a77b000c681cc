"""Triggers that hold the invariants no constraint can say.

Declared with the models, so that a change to the trust table shows up in
``makemigrations --check``. After every migration ``knowledge.guards.harden`` makes them
deaf to ``pgtrigger.ignore`` and ENABLE ALWAYS.
"""

import pgtrigger

from knowledge.models.erasure_guards import (
    EMPTY,
    ERASING,
    append_only_but_for_erasure,
    fixed_but_for_erasure,
    only_blanked,
    takes_two,
)
from knowledge.models.guard_steps import (
    decided,
    differs,
    fixed_columns,
    keep_for_ever,
    listed,
    refuse,
    row,
)
from knowledge.trust import FIRST_STATES, TRANSITIONS, WAITING_STATES, TrustState

# What a version takes over from its proposal, and a remnant from its origin.
_SAID = "about text memory_type criticality attribute value language".split()
# What an erasure leaves of a proposal.
_NO_WORDS = (
    "memory_type criticality valid_from valid_to start_basis language kind_decided target_id "
    "target_seen_id joined_to_id first_approver_id split_from_id fingerprint deferred_until"
).split()
_CLAIM = [*_SAID, "valid_from", "valid_to", "start_basis"]


_WAITING = listed(WAITING_STATES)
_UNDECIDED = listed({*WAITING_STATES, TrustState.SET_ASIDE})


def quote_guards() -> list[pgtrigger.Trigger]:
    """Admit words that stand in their message, for what no one has decided yet.

    The proposal is locked, so that nothing joins it while it is being approved.
    """
    return [
        *append_only_but_for_erasure(
            "evidence",
            'id space_id proposal_id run_id message_id start "end" quote role'.split(),
            blanks={
                "quote": "'', (SELECT substr(m.text, OLD.start + 1, OLD.\"end\" - OLD.start) "
                "FROM knowledge_message m WHERE m.id = OLD.message_id)"
            },
        ),
        pgtrigger.Trigger(
            name="quote_stands",
            when=pgtrigger.Before,
            operation=pgtrigger.Insert,
            func=(
                "PERFORM 1 FROM knowledge_proposal p WHERE p.id = NEW.proposal_id "
                f"AND p.state IN ({_UNDECIDED}) AND NOT EXISTS (SELECT 1 FROM knowledge_decision d "
                "WHERE d.proposal_id = p.id AND d.kind = 'approve') FOR SHARE; IF NOT FOUND THEN "
                + refuse("words join a proposal before it is decided")
                + " END IF; IF NOT EXISTS (SELECT 1 FROM knowledge_message m "
                "WHERE m.id = NEW.message_id AND "
                'substr(m.text, NEW.start + 1, NEW."end" - NEW.start) = NEW.quote) THEN '
                + refuse("a quote stands, letter by letter, in its message")
                + " END IF; RETURN NEW;"
            ),
        ),
    ]


_ONLY_REDACTED = (
    "to_jsonb(NEW) - '{error,redacted_at}'::text[] = to_jsonb(OLD) - '{error,redacted_at}'::text[] "
    "AND NEW.error = ''"
)


def run_guards() -> list[pgtrigger.Trigger]:
    """Keep what a run is about, and all of it once it is done."""
    return [
        *keep_for_ever("run"),
        fixed_columns(
            "run",
            "id space_id episode_id subject_id engine model prompt_version arm shadow "
            "asked_by_id beside_id".split(),
        ),
        pgtrigger.Trigger(
            name="done_is_final",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            func=(
                "IF OLD.state = 'done' AND NEW IS DISTINCT FROM OLD "
                f"AND NOT ({_ONLY_REDACTED} AND {ERASING}) THEN "
                + refuse("a finished run is never rewritten")
                + " END IF; RETURN NEW;"
            ),
        ),
    ]


def membership_guards() -> list[pgtrigger.Trigger]:
    """Let a role come and end only with an event in the log."""
    return [
        *keep_for_ever("membership"),
        fixed_columns("membership", "id space_id user_id role valid_from".split()),
        pgtrigger.Trigger(
            name="needs_audit_event",
            when=pgtrigger.After,
            operation=pgtrigger.Insert | pgtrigger.Update,
            timing=pgtrigger.Deferred,
            func=(
                "IF NOT EXISTS (SELECT 1 FROM knowledge_auditevent e JOIN knowledge_ledger l "
                "ON l.id = e.ledger_id WHERE l.space_id = NEW.space_id "
                "AND e.action LIKE 'membership.%' AND e.object_id = NEW.user_id::text "
                "AND e.at >= now()) THEN "
                + refuse("a role needs its audit event")
                + " END IF; RETURN NULL;"
            ),
        ),
    ]


def trust_guards() -> list[pgtrigger.Trigger]:
    """Admit first states on insert and the table's changes on update."""
    first = listed(FIRST_STATES)
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
                + refuse("a proposal begins as set_aside or pending")
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
                + refuse("a redacted proposal takes no decision")
                + f" END IF; IF (OLD.state, NEW.state) NOT IN ({pairs}) THEN "
                + refuse("the trust table has no such change")
                + " END IF; END IF; RETURN NEW;"
            ),
        ),
        *_claim_guards(),
    ]


def _claim_guards() -> list[pgtrigger.Trigger]:
    """What is claimed changes by decision, never once approved, and ends with its belief."""
    return [
        pgtrigger.Trigger(
            name="state_needs_decision",
            when=pgtrigger.After,
            operation=pgtrigger.Update,
            timing=pgtrigger.Deferred,
            condition=pgtrigger.Condition(
                f"OLD.state IS DISTINCT FROM NEW.state OR {differs(_CLAIM)}"
            ),
            func=(
                f"IF NOT {decided('d.proposal_id = NEW.id')} "
                "AND NOT (NEW.redacted_at IS NOT NULL AND NEW.state IN (OLD.state, 'withdrawn') "
                f"AND {ERASING}) THEN "
                + refuse("a change of trust or words needs a decision in the same transaction")
                + " END IF; RETURN NULL;"
            ),
        ),
        pgtrigger.Trigger(
            name="only_emptied",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            func=(
                "IF NEW.redacted_at IS NOT NULL AND (OLD.redacted_at IS NOT NULL "
                f"AND NEW IS DISTINCT FROM OLD OR {differs(_NO_WORDS)} "
                "OR NEW.state NOT IN (OLD.state, 'withdrawn')) THEN "
                + refuse("an erasure empties a proposal, and changes nothing else of it")
                + " END IF; RETURN NEW;"
            ),
        ),
        pgtrigger.Trigger(
            name="approved_words_stay",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            func=(
                f"IF OLD.state = 'approved' AND {differs(_CLAIM)} "
                f"AND NOT (NEW.redacted_at IS NOT NULL AND {ERASING}) THEN "
                + refuse("what was approved keeps its words")
                + " END IF; RETURN NEW;"
            ),
        ),
        pgtrigger.Trigger(
            name="taken_back_with_belief",
            when=pgtrigger.After,
            operation=pgtrigger.Update,
            timing=pgtrigger.Deferred,
            condition=pgtrigger.Condition("OLD.state = 'approved' AND NEW.state <> 'approved'"),
            func=(
                "IF EXISTS (SELECT 1 FROM knowledge_proposal p WHERE p.id = NEW.id "
                "AND p.state <> 'approved' AND (EXISTS (SELECT 1 FROM knowledge_version v "
                "WHERE v.proposal_id = p.id AND v.tx_to IS NULL) OR EXISTS (SELECT 1 "
                "FROM knowledge_confirmation c WHERE c.proposal_id = p.id "
                "AND c.undone_by_id IS NULL))) THEN "
                + refuse("what an approval opened ends with it")
                + " END IF; RETURN NULL;"
            ),
        ),
    ]


_DECISION = (
    "id space_id seq at xact kind by_id policy channel reason_code note request_id proposal_id "
    "statement_id undoes_id batch_id state_before state_after opened_at evidence_opened "
    "card_digest guideline_id policy_version_id"
).split()


def decision_guards() -> list[pgtrigger.Trigger]:
    """Stamp a decision from the ledger and demand its audit event."""
    return [
        *keep_for_ever("decision"),
        fixed_but_for_erasure("decision", _DECISION, blanks={"note": EMPTY, "card_digest": EMPTY}),
        takes_two(),
        pgtrigger.Trigger(
            name="stamp",
            when=pgtrigger.Before,
            operation=pgtrigger.Insert,
            declare=[("tail", "record")],
            func=(
                "PERFORM 1 FROM knowledge_ledger l WHERE l.space_id = NEW.space_id "
                "FOR NO KEY UPDATE; "
                "IF NOT FOUND THEN " + refuse("the space has no ledger") + " END IF; "
                "IF NEW.kind = 'approve' AND NOT EXISTS (SELECT 1 FROM knowledge_proposal p "
                f"WHERE p.id = NEW.proposal_id AND p.state IN ({_WAITING})) THEN "
                + refuse("only what waits can be approved")
                + " END IF; IF NEW.kind = 'confirm' AND NOT EXISTS (SELECT 1 FROM "
                "knowledge_proposal p WHERE p.id = NEW.proposal_id AND p.state = 'awaiting_second' "
                "AND p.first_approver_id <> NEW.by_id AND NOT EXISTS (SELECT 1 FROM "
                "knowledge_proposal_contributors c WHERE c.proposal_id = p.id "
                "AND c.user_id = NEW.by_id)) THEN "
                + refuse("the second person is neither the first nor a contributor")
                + " END IF; "
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
                + refuse("a decision needs its audit event")
                + " END IF; RETURN NULL;"
            ),
        ),
    ]


_VERSION_IDENTITY = (
    "id space_id statement_id subject_id value_key valid start_basis observed_at "
    "tx_from opened_by_id derived_from_id derivation proposal_id language"
).split()
_VERSION_CONTENT = "about text memory_type criticality attribute value slot_key".split()
_VERSION_BLANKS = {
    **dict.fromkeys("about text value attribute".split(), EMPTY),
    "memory_type": "OLD.memory_type",
    "criticality": "OLD.criticality",
}
_KEPT = [*_SAID, *"statement_id subject_id proposal_id slot_key value_key observed_at".split()]
_VERSION_ENDING = "tx_to closed_by_id end_reason successor_id".split()


def version_guards() -> list[pgtrigger.Trigger]:
    """Stamp, close once and redact once; all else of a version is final."""
    return [
        *keep_for_ever("version"),
        _opening(),
        _not_erased(),
        _needs_approval(),
        _closing(),
    ]


def _opening() -> pgtrigger.Trigger:
    return pgtrigger.Trigger(
        name="opening",
        when=pgtrigger.Before,
        operation=pgtrigger.Insert,
        declare=[("opening", "record")],
        func=(
            "SELECT d.* INTO opening FROM knowledge_decision d "
            "WHERE d.id = NEW.opened_by_id AND d.space_id = NEW.space_id; "
            "IF NOT FOUND OR opening.xact <> pg_current_xact_id()::text::bigint THEN "
            + refuse("a version needs a decision of the same transaction")
            + " END IF; IF NEW.tx_to IS NOT NULL OR NEW.redacted_at IS NOT NULL THEN "
            + refuse("a version begins open")
            + " END IF; IF NEW.derived_from_id IS NULL THEN "
            "IF opening.kind NOT IN ('approve', 'confirm') "
            "OR opening.proposal_id <> NEW.proposal_id OR NOT EXISTS "
            "(SELECT 1 FROM knowledge_proposal p WHERE p.id = NEW.proposal_id "
            f"AND {row('p', _SAID)} IS NOT DISTINCT FROM {row('NEW', _SAID)}) THEN "
            + refuse("a version says what was approved")
            + " END IF; ELSIF NOT EXISTS (SELECT 1 FROM knowledge_version o "
            "WHERE o.id = NEW.derived_from_id AND NEW.valid <@ o.valid "
            "AND (o.closed_by_id IN (NEW.opened_by_id, opening.undoes_id) "
            "OR opening.kind = 'restore' AND o.tx_to IS NOT NULL) "
            f"AND {row('o', _KEPT)} IS NOT DISTINCT FROM {row('NEW', _KEPT)}) THEN "
            + refuse("what is left of a version, or restored, says what it said")
            + " END IF; NEW.tx_from := opening.at; RETURN NEW;"
        ),
    )


def _not_erased() -> pgtrigger.Trigger:
    """Refuse belief in what a standing tombstone blocks; the commands say so first, in words."""
    return pgtrigger.Trigger(
        name="not_erased",
        when=pgtrigger.Before,
        operation=pgtrigger.Insert,
        func=(
            "IF EXISTS (SELECT 1 FROM knowledge_tombstone t WHERE t.space_id = NEW.space_id "
            "AND t.subject_id = NEW.subject_id AND t.cause = 'erased' AND t.effect = 'block' "
            "AND t.lifted_by_id IS NULL AND (t.level = 'value' AND t.value_key = NEW.value_key "
            "OR t.level = 'subject')) THEN "
            + refuse("what was erased is not believed again")
            + " END IF; RETURN NEW;"
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
            + refuse("a version needs an approved proposal")
            + " END IF; IF NOT EXISTS (SELECT 1 FROM knowledge_proposal p, knowledge_statement s "
            "WHERE p.id = NEW.proposal_id AND s.id = NEW.statement_id "
            "AND p.subject_id = NEW.subject_id AND s.subject_id = NEW.subject_id) THEN "
            + refuse("a version stays with its subject")
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
            f"IF {differs(_VERSION_IDENTITY)} THEN "
            + refuse("a version is never rewritten")
            + f" END IF; IF OLD.tx_to IS NOT NULL AND {differs(_VERSION_ENDING)} THEN "
            + refuse("an ended belief stays ended")
            + " END IF; IF OLD.tx_to IS NULL AND NEW.tx_to IS NOT NULL THEN "
            "SELECT d.at, d.xact INTO closing FROM knowledge_decision d "
            "WHERE d.id = NEW.closed_by_id AND d.space_id = NEW.space_id; "
            "IF NOT FOUND OR closing.xact <> pg_current_xact_id()::text::bigint THEN "
            + refuse("ending a belief needs a decision of the same transaction")
            + " END IF; NEW.tx_to := closing.at; END IF; "
            f"IF {differs([*_VERSION_CONTENT, 'redacted_at'])} AND NOT coalesce("
            "OLD.redacted_at IS NULL AND NEW.redacted_at IS NOT NULL "
            f"AND NEW.slot_key IS NULL AND {only_blanked(_VERSION_BLANKS)} AND {ERASING}, "
            "false) THEN " + refuse("a version is never rewritten") + " END IF; RETURN NEW;"
        ),
    )
