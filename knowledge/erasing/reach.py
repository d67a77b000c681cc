"""How far an erasure reaches: from what is named to every row that holds its words.

Pure reads. The dry run shows the result; the erasure works it out again under its locks.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from knowledge.erasing.finding import Needle, covers
from knowledge.erasing.scope import ErasureScope, Reach, Span
from knowledge.erasing.sweep import spread
from knowledge.fingerprints import canonical
from knowledge.models import (
    Confirmation,
    ConversationSubject,
    EndReason,
    ErasureKind,
    Evidence,
    Message,
    Proposal,
    Subject,
    Version,
)


@dataclass(frozen=True, slots=True)
class Core:
    """What an erasure is about, before everything that follows from it."""

    subjects: frozenset[int] = frozenset()
    conversations: frozenset[int] = frozenset()
    messages: frozenset[int] = frozenset()
    masks: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    proposals: frozenset[int] = frozenset()
    words: tuple[str, ...] = ()
    owners: frozenset[int] = frozenset()


def reach_of(scope: ErasureScope) -> Reach:
    """Work out everything an erasure would empty.

    **Cost**: some thirty queries, and one look at each text of the subjects whose sayings fall.
    """
    core = _CORES[ErasureKind(scope.kind)](scope)
    return _spread(scope, core=core)


def of_parts(
    scope: ErasureScope,
    *,
    masks: Mapping[int, tuple[Span, ...]],
    proposals: Iterable[int],
    words: Iterable[str] = (),
) -> Reach:
    """Work out what falls with known proposals and known spans: for erasures done again."""
    core = Core(masks=masks, proposals=frozenset(proposals), words=tuple(words))
    return _spread(scope, core=core)


def _spread(scope: ErasureScope, *, core: Core) -> Reach:
    owners = Proposal.objects.filter(pk__in=core.proposals).values_list("subject_id", flat=True)
    return spread(
        Reach(
            scope=scope,
            subjects=core.subjects,
            conversations=core.conversations,
            messages=core.messages,
            masks={key: spans for key, spans in core.masks.items() if key not in core.messages},
            proposals=core.proposals,
            texts=_texts_of(core.proposals),
            words=core.words,
            owners=core.owners | core.subjects | frozenset(owners),
        )
    )


def _subject(scope: ErasureScope) -> Core:
    subject = Subject.objects.get(pk=scope.target_id, space_id=scope.space_id)
    links = ConversationSubject.objects.filter(space_id=scope.space_id)
    mine = set(links.filter(subject=subject).values_list("conversation_id", flat=True))
    shared = set(
        links.filter(conversation_id__in=mine)
        .exclude(subject=subject)
        .values_list("conversation_id", flat=True)
    )
    whole = mine if scope.whole_conversations else mine - shared
    own = Proposal.objects.filter(subject=subject, redacted_at=None)
    quoted = Evidence.objects.filter(proposal__subject=subject).values("message_id")
    said = _with_words().filter(
        Q(conversation_id__in=whole)
        | Q(conversation_id__in=shared, speaker=subject)
        | Q(pk__in=quoted)
    )
    core = Core(
        subjects=frozenset({subject.pk}),
        conversations=frozenset(whole),
        messages=frozenset(said.values_list("pk", flat=True)),
        proposals=frozenset(own.values_list("pk", flat=True)),
        words=tuple({subject.name, subject.external_id, str(subject)} - {""}),
    )
    return _with_family(_with_falling(core), repeats=False)


def _conversation(scope: ErasureScope) -> Core:
    messages = _with_words().filter(space_id=scope.space_id, conversation_id=scope.target_id)
    made = Proposal.objects.filter(run__episode__conversation_id=scope.target_id, redacted_at=None)
    core = Core(
        conversations=frozenset({scope.target_id}),
        messages=frozenset(messages.values_list("pk", flat=True)),
        proposals=frozenset(made.values_list("pk", flat=True)),
        owners=frozenset(
            Subject.objects.filter(conversations=scope.target_id).values_list("pk", flat=True)
        ),
    )
    return _with_family(_with_falling(core), repeats=False)


def _with_words() -> QuerySet[Message]:
    """Messages an erasure before has left anything of."""
    return Message.objects.exclude(text="", speaker_name="")


def _statement(scope: ErasureScope) -> Core:
    same = _merged_with(scope)
    versions = Version.objects.filter(
        space_id=scope.space_id, statement_id__in=same, redacted_at=None
    )
    confirming = Confirmation.objects.filter(
        space_id=scope.space_id, confirms_id__in=same, undone_by=None, proposal__redacted_at=None
    )
    core = Core(
        proposals=frozenset(versions.values_list("proposal_id", flat=True))
        | frozenset(confirming.values_list("proposal_id", flat=True))
    )
    core = _with_family(core, repeats=True)
    return replace(core, masks=_quoted_spans(core.proposals))


def _merged_with(scope: ErasureScope) -> set[int]:
    """What a statement was merged into, and what was merged into it, says the same."""
    merged = Version.objects.filter(
        space_id=scope.space_id, end_reason=EndReason.MERGED, closed_by__undone_by=None
    )
    same = {scope.target_id}
    while True:
        into = merged.filter(statement_id__in=same).values_list("successor__statement", flat=True)
        onto = merged.filter(successor__statement_id__in=same).values_list("statement", flat=True)
        wider = same | {*into, *onto}
        if wider == same:
            return same
        same = wider


def _value(scope: ErasureScope) -> Core:
    needle, wanted = Needle(scope.words), canonical(scope.words)
    own = Proposal.objects.filter(
        space_id=scope.space_id, subject_id=scope.target_id, redacted_at=None
    )
    said = {
        row.pk
        for row in own.only("text", "value", "about", "attribute", "original").iterator()
        if canonical(row.value) == wanted or any(needle.within(text) for text in _own_texts(row))
    }
    core = _with_family(Core(proposals=frozenset(said)), repeats=True)
    masks = _spoken_spans(scope, needle=needle)
    # A quote that says it in other words goes as a whole.
    for key, spans in _quoted_spans(core.proposals).items():
        kept = masks.get(key, ())
        masks[key] = (*kept, *(span for span in spans if not covers(kept, span)))
    return replace(core, masks=masks, words=(scope.words,), owners=frozenset({scope.target_id}))


_CORES = {
    ErasureKind.SUBJECT: _subject,
    ErasureKind.CONVERSATION: _conversation,
    ErasureKind.STATEMENT: _statement,
    ErasureKind.VALUE: _value,
}


def _with_falling(core: Core) -> Core:
    """Add whatever was made from words that go: a text falls with its source.

    Words that only joined later did not make the text; they go, and the text stays. What a person
    proposed by hand was made from its first words; what was split off, from those of its origin.
    """
    first = Evidence.objects.filter(proposal_id=OuterRef("proposal_id")).order_by("pk")
    made_of = (
        Evidence.objects.filter(message_id__in=core.messages)
        .annotate(first_id=Subquery(first.values("pk")[:1]))
        .filter(proposal__redacted_at=None)
        .filter(
            Q(run=F("proposal__run"))
            | Q(proposal__run__isnull=True, proposal__split_from__isnull=True, first_id=F("pk"))
        )
    )
    falling = frozenset(made_of.values_list("proposal_id", flat=True))
    return replace(core, proposals=core.proposals | falling)


def _with_family(core: Core, *, repeats: bool) -> Core:
    """Add what was split from, or into, what falls; with ``repeats`` what says the same, too."""
    family = set(core.proposals)
    while True:
        near = Q(split_from_id__in=family) | Q(
            pk__in=Proposal.objects.filter(pk__in=family).values("split_from_id")
        )
        if repeats:
            near |= Q(joined_to_id__in=family)
        wider = family | set(Proposal.objects.filter(near).values_list("pk", flat=True))
        if repeats:
            wider |= _saying_the_same(wider)
        if wider == family:
            left = Proposal.objects.filter(pk__in=family, redacted_at=None)
            return replace(core, proposals=frozenset(left.values_list("pk", flat=True)))
        family = wider


def _saying_the_same(ids: set[int]) -> set[int]:
    """Proposals of the same subjects with the same words, or the same value of an attribute."""
    falling = Proposal.objects.filter(pk__in=ids, redacted_at=None)
    subjects = set(falling.values_list("subject_id", flat=True))
    columns = ("pk", "subject_id", "attribute", "value", "text")
    every = Proposal.objects.filter(subject_id__in=subjects, redacted_at=None)
    rows = list(every.values_list(*columns))
    said = {form for row in rows if row[0] in ids for form in _forms(row)}
    return {row[0] for row in rows if not said.isdisjoint(_forms(row))}


def _forms(row: tuple[int, int, str, str, str]) -> set[tuple[int, str, str]]:
    _, subject_id, attribute, value, text = row
    forms = {(subject_id, "", canonical(text))}
    if value:
        forms.add((subject_id, attribute or "value", canonical(value)))
    return forms


def _quoted_spans(proposals: Iterable[int]) -> dict[int, tuple[Span, ...]]:
    spans: dict[int, tuple[Span, ...]] = {}
    rows = Evidence.objects.filter(proposal_id__in=proposals).exclude(quote="")
    for key, start, end in rows.values_list("message_id", "start", "end").distinct():
        spans[key] = (*spans.get(key, ()), (start, end))
    return spans


def _spoken_spans(scope: ErasureScope, *, needle: Needle) -> dict[int, tuple[Span, ...]]:
    """Find the words in every message of the subject's conversations."""
    mine = ConversationSubject.objects.filter(
        space_id=scope.space_id, subject_id=scope.target_id
    ).values("conversation_id")
    rows = Message.objects.filter(conversation_id__in=mine).exclude(text="").only("text")
    found = {row.pk: needle.within(row.text) for row in rows.iterator()}
    return {key: spans for key, spans in found.items() if spans}


def _own_texts(row: Proposal) -> tuple[str, ...]:
    return (row.text, row.value, row.about, row.attribute.replace("_", " "), *_extracted(row))


def _extracted(row: Proposal) -> tuple[str, ...]:
    """What a proposal said as it came, before anyone edited it."""
    return tuple(str(row.original.get(name) or "") for name in ("text", "value"))


def _texts_of(proposals: Iterable[int]) -> tuple[str, ...]:
    """List what falling proposals say, and said before they were edited."""
    rows = Proposal.objects.filter(pk__in=proposals, redacted_at__isnull=True)
    texts = {
        text
        for row in rows.only("text", "original").iterator()
        for text in (row.text, _extracted(row)[0])
    }
    return tuple(sorted(texts - {""}))
