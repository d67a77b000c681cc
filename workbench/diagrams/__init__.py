"""Pictures and tables for ``docs/``, drawn from the code they describe."""

from workbench.diagrams import tables, trust_states


def drawn() -> dict[str, str]:
    """Return every file of ``docs/`` that the code draws, as its text by its name."""
    return {
        "trust-states.svg": trust_states.picture(),
        "trust-states.md": trust_states.page(),
        "tables.md": tables.page(),
    }
