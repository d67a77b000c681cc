"""From how well a version was found to how useful it is likely to be."""

from collections.abc import Iterable

from knowledge.retrieval.results import Found

# Small on purpose, at most about one place in the middle of a list: they decide between near
# equals. First values; to be tuned once there is people's feedback to tune them on.
CONFIDENCE_WEIGHT = 0.03
CONTESTED_LOSS = 0.02
SCOPE_GAIN = {"user": 0.01, "project": 0.02}


def utility(found: Found) -> float:
    """Return the score candidates are ordered by."""
    loss = CONTESTED_LOSS if found.contested else 0.0
    gain = SCOPE_GAIN.get(found.subject.partition(":")[0], 0.0)
    return found.fused + CONFIDENCE_WEIGHT * found.confidence + gain - loss


def ordered(candidates: Iterable[Found]) -> list[tuple[Found, float]]:
    """Order candidates by utility; equal ones by content, never by chance."""
    scored = [(found, utility(found)) for found in candidates]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0].tie, pair[0].version_id))
