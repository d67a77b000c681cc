"""What an approval would end: the belief a proposal names, or the one whose place it takes."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.models import Confirmation, Evidence, Proposal, Version
from knowledge.models.statement import VersionQuerySet
from knowledge.periods import make_period
from knowledge.results import EvidenceDraft


@dataclass(frozen=True, slots=True)
class Target:
    """The believed version an approval would end, contest or confirm.

    **Shape**: ``moved`` says that it is no longer the one the extraction saw; ``by_slot`` that
    no one named it: it holds the place the proposal would take.
    """

    statement_id: int
    version_id: int
    text: str
    valid_from: datetime
    valid_to: datetime | None
    believed_since: datetime | None
    believed: bool
    moved: bool
    by_slot: bool = False


@dataclass(frozen=True, slots=True)
class Brief:
    """A proposal's words and what to be careful about."""

    text: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a proposal stands, in as few words as a page needs to see that it changed."""

    state: str
    version: int
    target_version_id: int | None

    @property
    def stamp(self) -> str:
        """Return it as one word to compare."""
        return stamp_of(self.version, self.target_version_id)


@dataclass(frozen=True, slots=True)
class Basis:
    """What a further proposal on the same words takes over from a proposal."""

    subject_id: int
    valid_from: datetime
    valid_to: datetime | None
    start_basis: str
    date_phrase: str
    language: str
    modality: str
    flags: tuple[str, ...]
    evidence: tuple[EvidenceDraft, ...]


def target_of(proposal: Proposal, *, believed: VersionQuerySet | None = None) -> Target | None:
    """Find what an approval would end, contest or confirm.

    **Shape**: ``believed`` are the versions to choose from, those of today unless given.
    **Cost**: two queries at most.
    """
    held = Version.objects.current() if believed is None else believed
    if proposal.target_id is None:
        return _followed(proposal, believed=held) or _slot_holder(proposal, believed=held)
    seen = proposal.target_seen
    current = held.filter(statement_id=proposal.target_id)
    rows = list(current.order_by("-valid", "-pk"))
    version = next((row for row in rows if seen and row.pk == seen.pk), None)
    version = version or (rows[0] if rows else seen)
    if version is None:
        return None
    return _as_target(version, moved=seen is not None and version.pk != seen.pk)


def _followed(proposal: Proposal, *, believed: VersionQuerySet) -> Target | None:
    """Find what became of the proposal this one would replace."""
    if proposal.waits_on_id is None:
        return None
    opened = believed.filter(proposal_id=proposal.waits_on_id)
    version = opened.order_by("-valid", "-pk").first()
    return _as_target(version, moved=False) if version else None


def _slot_holder(proposal: Proposal, *, believed: VersionQuerySet) -> Target | None:
    """Find what holds the one place a proposal without a target would take."""
    if not proposal.attribute:
        return None
    held = believed.filter(
        space_id=proposal.space_id,
        subject_id=proposal.subject_id,
        attribute=proposal.attribute,
        about__iexact=proposal.about,
        slot_key__isnull=False,
        valid__overlap=make_period(proposal.valid_from, proposal.valid_to),
    )
    version = held.order_by("-valid", "-pk").first()
    return _as_target(version, moved=False, by_slot=True) if version else None


def _as_target(version: Version, *, moved: bool, by_slot: bool = False) -> Target:
    return Target(
        statement_id=version.statement_id,
        version_id=version.pk,
        text=version.text,
        valid_from=version.valid.lower,
        valid_to=version.valid.upper,
        believed_since=version.tx_from,
        believed=version.tx_to is None,
        moved=moved,
        by_slot=by_slot,
    )


def brief(proposal_id: int, *, space_id: int) -> Brief | None:
    """Return what is needed to name a proposal. One query."""
    found = Proposal.objects.filter(pk=proposal_id, space_id=space_id)
    row = found.values_list("text", "flags").first()
    return Brief(text=row[0], flags=tuple(row[1])) if row else None


def first_part(proposal_id: int, *, space_id: int) -> int | None:
    """Return the first of what a proposal was split into. One query."""
    parts = Proposal.objects.filter(split_from_id=proposal_id, space_id=space_id).order_by("pk")
    return parts.values_list("pk", flat=True).first()


def comparison(proposal_id: int, *, space_id: int) -> str | None:
    """Return what words under edit are compared with.

    **Shape**: the text they would replace, else the extraction as it came; None for no proposal.
    """
    proposal = (
        Proposal.objects.filter(pk=proposal_id, space_id=space_id)
        .select_related("target_seen")
        .first()
    )
    if proposal is None:
        return None
    target = target_of(proposal)
    return target.text if target else str(proposal.original.get("text", proposal.text))


def result_of(proposal_id: int, *, space_id: int) -> Target | None:
    """Find what is believed because of a proposal, or was confirmed by it.

    **Shape**: None where that ended since, or the proposal never was approved. **Cost**: two
    queries at most.
    """
    current = Version.objects.current().filter(space_id=space_id)
    version = current.filter(proposal_id=proposal_id).order_by("-valid", "-pk").first()
    if version is None:
        confirmed = Confirmation.objects.filter(
            space_id=space_id, proposal_id=proposal_id, undone_by__isnull=True
        )
        statements = confirmed.values("confirms_id")
        version = current.filter(statement_id__in=statements).order_by("-valid", "-pk").first()
    return _as_target(version, moved=False) if version else None


def standing_of(proposal_id: int, *, space_id: int) -> Standing | None:
    """Read how a proposal stands now. **Cost**: three queries at most."""
    proposal = (
        Proposal.objects.filter(pk=proposal_id, space_id=space_id, redacted_at__isnull=True)
        .select_related("target_seen")
        .first()
    )
    if proposal is None:
        return None
    target = target_of(proposal)
    return Standing(
        state=proposal.state,
        version=proposal.version,
        target_version_id=target.version_id if target else None,
    )


def stamp_of(version: int, target_version_id: int | None) -> str:
    """Write a proposal's version, and that of what it would end, as one word."""
    return f"{version}.{target_version_id or 0}"


def basis_of(proposal_id: int, *, space_id: int) -> Basis | None:
    """Read what a proposal rests on. **Cost**: two queries."""
    proposal = Proposal.objects.filter(
        pk=proposal_id, space_id=space_id, redacted_at__isnull=True
    ).first()
    if proposal is None:
        return None
    rows = Evidence.objects.filter(proposal=proposal).order_by("pk")
    return Basis(
        subject_id=proposal.subject_id,
        valid_from=proposal.valid_from,
        valid_to=proposal.valid_to,
        start_basis=proposal.start_basis,
        date_phrase=proposal.date_phrase,
        language=proposal.language,
        modality=proposal.modality,
        flags=tuple(proposal.flags),
        evidence=tuple(
            EvidenceDraft(row.message_id, row.start, row.end, row.quote, row.role)
            for row in rows.filter(message__redacted_at__isnull=True)
        ),
    )
