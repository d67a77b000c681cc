"""What people kept of what an engine proposed with a score: the word behind a confidence."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from django.db.models import Count, F, Q
from django.db.models.functions import Floor, Least

from knowledge.models import Proposal
from knowledge.trust import TrustState

Word = Literal["high", "medium", "low", "unproven"]
Bucket = tuple[str, str, int]

HIGH_SHARE, MEDIUM_SHARE, LEAST_DECISIONS = 0.85, 0.60, 30
_BUCKETS = 10


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure, in a word people's own decisions stand behind.

    **Units**: ``score`` and ``share`` 0..1. **Shape**: ``share`` is None under 30 decisions;
    then the word is ``unproven`` and the engine's own score is shown instead.
    """

    word: Word
    score: float
    share: float | None
    decided: int


@dataclass(frozen=True, slots=True)
class Kept:
    """Decided proposals of a space by engine, prompt version and tenth of the score."""

    counts: dict[Bucket, tuple[int, int]]

    def confidence(self, *, engine: str, prompt: str, score: float) -> Confidence:
        """Turn a score into the word that people's decisions earned it."""
        kept, decided = self.counts.get((engine, prompt, bucket_of(score)), (0, 0))
        if decided < LEAST_DECISIONS:
            return Confidence("unproven", score, None, decided)
        share = kept / decided
        return Confidence(_word(share), score, share, decided)

    def matching(self, word: str) -> Q:
        """Return which proposals bear the word."""
        proven = {key: n for key, n in self.counts.items() if n[1] >= LEAST_DECISIONS}
        if word == "unproven":
            return ~_any_of(proven)
        return _any_of(key for key, (kept, n) in proven.items() if _word(kept / n) == word)


def kept_of(space_id: int) -> Kept:
    """Count what people kept in a space. **Cost**: one query."""
    rows = (
        Proposal.objects.filter(
            space_id=space_id,
            run__isnull=False,
            state__in=[TrustState.APPROVED, TrustState.REJECTED],
        )
        .annotate(tenth=Least(Floor(F("confidence") * _BUCKETS), float(_BUCKETS - 1)))
        .values_list("run__engine", "run__prompt_version", "tenth")
        .annotate(kept=Count("pk", filter=Q(state=TrustState.APPROVED)), decided=Count("pk"))
        .order_by()
    )
    return Kept({(engine, prompt, int(n)): (kept, all_) for engine, prompt, n, kept, all_ in rows})


def bucket_of(score: float) -> int:
    """Return the tenth a score falls into, 0 to 9."""
    return min(_BUCKETS - 1, int(score * _BUCKETS))


def _word(share: float) -> Word:
    if share >= HIGH_SHARE:
        return "high"
    return "medium" if share >= MEDIUM_SHARE else "low"


def _any_of(buckets: Iterable[Bucket]) -> Q:
    chosen = Q(pk__in=[])
    for engine, prompt, tenth in buckets:
        least, below = tenth / _BUCKETS, (tenth + 1) / _BUCKETS
        score = Q(confidence__gte=least)
        if tenth < _BUCKETS - 1:
            score &= Q(confidence__lt=below)
        chosen |= Q(run__engine=engine, run__prompt_version=prompt) & score
    return chosen
