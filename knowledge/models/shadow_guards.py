"""Guards that keep what a shadow run found apart from what may be believed."""

import pgtrigger

from knowledge.models.guard_steps import refuse


def from_a_shadow_run(noun: str) -> pgtrigger.Trigger:
    """Admit these rows only for a shadow run that is not done yet."""
    return pgtrigger.Trigger(
        name="from_a_shadow_run",
        when=pgtrigger.Before,
        operation=pgtrigger.Insert,
        func=(
            "IF NOT EXISTS (SELECT 1 FROM knowledge_extractionrun r WHERE r.id = NEW.run_id "
            "AND r.shadow AND r.state <> 'done') THEN "
            + refuse(f"a {noun} comes from a shadow run that is not done")
            + " END IF; RETURN NEW;"
        ),
    )


def never_from_a_shadow_run(noun: str, *, via_gap: bool = False) -> pgtrigger.Trigger:
    """Refuse rows that a shadow run would bring before people: it proposes nothing.

    ``via_gap`` for rows that name a gap of the run and not the run itself.
    """
    run = "(SELECT g.run_id FROM knowledge_gap g WHERE g.id = NEW.gap_id)"
    return pgtrigger.Trigger(
        name="never_from_a_shadow_run",
        when=pgtrigger.Before,
        operation=pgtrigger.Insert,
        func=(
            "IF EXISTS (SELECT 1 FROM knowledge_extractionrun r "
            f"WHERE r.id = {run if via_gap else 'NEW.run_id'} AND r.shadow) THEN "
            + refuse(f"a shadow run makes no {noun}")
            + " END IF; RETURN NEW;"
        ),
    )
