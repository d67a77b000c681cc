"""What a scratch space holds after a run: statements, and what became of each turn's words."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.utils import timezone

from extraction.evaluation.measures import Held
from knowledge.models import Covered, Evidence, ExtractionRun, Message, Proposal, Version
from knowledge.queries.quotes import quotes_of
from knowledge.queries.runs import PERSONAL_KINDS
from knowledge.trust import WAITING_STATES, TrustState

PARTS = 10  # a conversation is cut in ten to see how the extraction rate moves

# What may become of a turn's words; a turn is told by the first of these that fits.
APPROVED = "approved"
WAITING = "left pending"
REJECTED = "rejected"
SET_ASIDE = "set aside: "
COVERED = "covered"
NOT_THEIRS = "not the subject's words"
NOTHING = "nothing proposed"


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extraction made of the messages, as counts that add up over samples."""

    counts: Counter[str]
    aside: Counter[str] = field(default_factory=Counter)
    fates: Mapping[str, str] = field(default_factory=dict)


def statements_of(space_id: int) -> list[Held]:
    """List every statement that was ever approved, with the turns it rests on.

    What is left of a statement for its time before a change is not a statement of its own.
    """
    versions = list(
        Version.objects.filter(space_id=space_id, derived_from__isnull=True).order_by("pk")
    )
    quotes = quotes_of([version.pk for version in versions], known_at=timezone.now())
    return [
        Held(
            version.text,
            tuple(dict.fromkeys(quote.message_external_id for quote in quotes.get(version.pk, ()))),
            version.statement_id,
        )
        for version in versions
    ]


def extracted(space_id: int) -> Extracted:
    """Count what became of the subject's messages, and of the words of each turn."""
    proposals = Proposal.objects.filter(space_id=space_id)
    counts: Counter[str] = Counter(dict(_messages(space_id)))
    counts["messages"] = Message.objects.filter(space_id=space_id).count()
    counts["runs"] = ExtractionRun.objects.filter(space_id=space_id, shadow=False).count()
    counts.update(_took(space_id))
    counts["covered"] = _covered(space_id).count()
    counts["proposals"] = proposals.count()
    counts["joined"] = proposals.filter(joined_to__isnull=False).count()
    aside = proposals.filter(joined_to__isnull=True, state=TrustState.SET_ASIDE)
    reasons = Counter(aside.values_list("aside_reason", flat=True))
    counts["set_aside"] = reasons.total()
    for state, number in Counter(proposals.values_list("state", flat=True)).items():
        counts[f"state {state}"] = number
    return Extracted(counts, aside=reasons, fates=fates_of(space_id))


def _took(space_id: int) -> Counter[str]:
    """Sum what the runs took of a model, attempts that failed and cutting into topics included."""
    took: Counter[str] = Counter()
    runs = ExtractionRun.objects.filter(space_id=space_id, shadow=False)
    for usage in runs.values_list("usage", flat=True):
        took["calls"] += len(usage.get("calls") or ())
        for part in (usage, usage.get("segmentation") or {}, usage.get("earlier") or {}):
            spent = {name: part.get(name) or 0 for name in ("input_tokens", "output_tokens")}
            took.update(spent)
            took["cost_micro"] += part.get("cost_micro") or 0
            took["uncosted"] += any(spent.values()) and part.get("cost_micro") is None
    return took


def _messages(space_id: int) -> Iterator[tuple[str, int]]:
    """Count the subjects' messages, and those that yielded a proposal not set aside."""
    own = (
        Message.objects.filter(space_id=space_id, kind__in=PERSONAL_KINDS, speaker__isnull=False)
        .order_by("conversation_id", "ordinal")
        .values_list("pk", flat=True)
    )
    yielded = set(
        Evidence.objects.filter(space_id=space_id, role="supports")
        .exclude(proposal__state=TrustState.SET_ASIDE)
        .values_list("message_id", flat=True)
    )
    tallies: Counter[str] = Counter()
    messages = list(own)
    for place, message in enumerate(messages):
        part = place * PARTS // len(messages)
        tallies["own"] += 1
        tallies[f"own {part}"] += 1
        if message in yielded:
            tallies["yielded"] += 1
            tallies[f"yielded {part}"] += 1
    yield from tallies.items()


def fates_of(space_id: int) -> dict[str, str]:
    """Say for each turn, by its id, what became of its words at best."""
    fates: dict[str, set[str]] = defaultdict(set)
    rows = Evidence.objects.filter(space_id=space_id).values_list(
        "message__external_id", "proposal__state", "proposal__aside_reason"
    )
    for turn, state, reason in rows:
        fates[turn].add(_fate(state, reason=reason))
    for turn in _covered(space_id).values_list("message__external_id", flat=True):
        fates[turn].add(COVERED)
    messages = Message.objects.filter(space_id=space_id)
    for turn, kind in messages.values_list("external_id", "kind"):
        fates[turn].add(NOTHING if kind in PERSONAL_KINDS else NOT_THEIRS)
    return {turn: min(of_turn, key=_order) for turn, of_turn in fates.items()}


def _covered(space_id: int) -> QuerySet[Covered]:
    """Words that were covered where it counted: what a shadow run expected decides nothing."""
    return Covered.objects.filter(space_id=space_id, run__shadow=False)


def _fate(state: str, *, reason: str) -> str:
    if state == TrustState.APPROVED:
        return APPROVED
    if state in WAITING_STATES:
        return WAITING
    return f"{SET_ASIDE}{reason}" if state == TrustState.SET_ASIDE else REJECTED


def _order(fate: str) -> tuple[int, str]:
    ranked = (APPROVED, WAITING, REJECTED, SET_ASIDE, COVERED, NOT_THEIRS, NOTHING)
    place = next(i for i, name in enumerate(ranked) if fate.startswith(name))
    return place, fate
