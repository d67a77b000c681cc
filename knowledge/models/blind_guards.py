"""Guards that keep second looks by chance, by another person, and on record."""

import pgtrigger

from knowledge.models.guard_steps import append_only, decided, refuse


def draw_guards() -> list[pgtrigger.Trigger]:
    """Admit a draw with its decision alone: nobody adds one afterwards, or takes one away."""
    of_its_own = decided(
        "d.id = NEW.decision_id AND d.space_id = NEW.space_id "
        "AND d.proposal_id = NEW.proposal_id "
        "AND (d.kind = 'reject' OR d.kind = 'approve' AND d.state_after = 'approved')"
    )
    return [
        *append_only("blind draw"),
        pgtrigger.Trigger(
            name="drawn_with_decision",
            when=pgtrigger.Before,
            operation=pgtrigger.Insert,
            func=(
                f"IF NOT {of_its_own} THEN "
                + refuse("a second look is drawn with the decision it is about")
                + " END IF; RETURN NEW;"
            ),
        ),
    ]


def answer_guards() -> list[pgtrigger.Trigger]:
    """Admit an answer from another person than had a hand in it, with its event in the log."""
    return [
        *append_only("blind answer"),
        pgtrigger.Trigger(
            name="answered_by_another",
            when=pgtrigger.Before,
            operation=pgtrigger.Insert,
            func=(
                "IF NOT EXISTS (SELECT 1 FROM knowledge_blinddraw b "
                "JOIN knowledge_decision d ON d.id = b.decision_id "
                "WHERE b.id = NEW.draw_id AND b.space_id = NEW.space_id "
                "AND d.by_id IS DISTINCT FROM NEW.by_id "
                "AND NOT EXISTS (SELECT 1 FROM knowledge_decision u WHERE u.undoes_id = d.id) "
                "AND NOT EXISTS (SELECT 1 FROM knowledge_proposal_contributors c "
                "WHERE c.proposal_id = b.proposal_id AND c.user_id = NEW.by_id)) THEN "
                + refuse("a second look is taken by somebody who had no hand in the first")
                + " END IF; RETURN NEW;"
            ),
        ),
        pgtrigger.Trigger(
            name="needs_audit_event",
            when=pgtrigger.After,
            operation=pgtrigger.Insert,
            timing=pgtrigger.Deferred,
            func=(
                "IF NOT EXISTS (SELECT 1 FROM knowledge_auditevent e JOIN knowledge_ledger l "
                "ON l.id = e.ledger_id WHERE l.space_id = NEW.space_id "
                "AND e.action = 'blind_review.answer' AND e.object_id = NEW.draw_id::text "
                "AND e.at >= now()) THEN "
                + refuse("a blind answer needs its audit event")
                + " END IF; RETURN NULL;"
            ),
        ),
    ]
