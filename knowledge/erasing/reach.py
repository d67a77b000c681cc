"""How far an erasure reaches: from what is named to every row that holds its words.

Pure reads. The dry run shows the result; the erasure works it out again under its locks.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from django.db.models import F, Q

from knowledge.erasing.finding import covers, occurrences, spelled
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
    masks: dict[int, tuple[Span, ...]] = field(default_factory=dict)
    proposals: frozenset[int] = frozenset()
    texts: tuple[str, ...] = ()


def reach_of(scope: ErasureScope) -> Reach:
    """Work out everything an erasure would empty.

    **Cost**: some twenty queries, and for a value one look at each message that may hold it.
    """
    core = _CORES[ErasureKind(scope.kind)](scope)
    reach = Reach(
        scope=scope,
        subjects=core.subjects,
        conversations=core.conversations,
        messages=core.messages,
        masks={key: spans for key, spans in core.masks.items() if key not in core.messages},
        proposals=core.proposals,
        texts=(*core.texts, *_texts_of(core.proposals)),
    )
    return spread(reach)


def of_parts(
    scope: ErasureScope,
    *,
    masks: dict[int, tuple[Span, ...]],
    proposals: Iterable[int],
    texts: Iterable[str] = (),
) -> Reach:
    """Work out what falls with known proposals and known spans: for erasures done again."""
    falling = frozenset(proposals)
    found = (*texts, *_texts_of(falling))
    return spread(Reach(scope=scope, masks=masks, proposals=falling, texts=found))


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
    own = Proposal.objects.filter(subject=subject)
    said = Message.objects.filter(
        Q(conversation_id__in=whole)
        | Q(conversation_id__in=shared, speaker=subject)
        | Q(pk__in=Evidence.objects.filter(proposal__subject=subject).values("message_id"))
    )
    core = Core(
        subjects=frozenset({subject.pk}),
        conversations=frozenset(whole),
        messages=frozenset(said.values_list("pk", flat=True)),
        proposals=frozenset(own.values_list("pk", flat=True)),
        texts=(f"{subject.kind}:{subject.external_id}",),
    )
    return _with_family(_with_falling(core), repeats=False)


def _conversation(scope: ErasureScope) -> Core:
    messages = Message.objects.filter(space_id=scope.space_id, conversation_id=scope.target_id)
    made = Proposal.objects.filter(run__episode__conversation_id=scope.target_id)
    core = Core(
        conversations=frozenset({scope.target_id}),
        messages=frozenset(messages.values_list("pk", flat=True)),
        proposals=frozenset(made.values_list("pk", flat=True)),
    )
    return _with_family(_with_falling(core), repeats=False)


def _statement(scope: ErasureScope) -> Core:
    # What it was merged into, and what was merged into it, says the same.
    same = {scope.target_id}
    while True:
        merged = Version.objects.filter(end_reason=EndReason.MERGED, space_id=scope.space_id)
        into = merged.filter(statement_id__in=same).values_list(
            "successor__statement_id", flat=True
        )
        onto = merged.filter(successor__statement_id__in=same).values_list(
            "statement_id", flat=True
        )
        wider = same | {*into, *onto}
        if wider == same:
            break
        same = wider
    versions = Version.objects.filter(space_id=scope.space_id, statement_id__in=same)
    confirming = Confirmation.objects.filter(space_id=scope.space_id, confirms_id__in=same)
    core = Core(
        proposals=frozenset(versions.values_list("proposal_id", flat=True))
        | frozenset(confirming.values_list("proposal_id", flat=True))
    )
    core = _with_family(core, repeats=True)
    return replace(core, masks=_quoted_spans(core.proposals))


def _value(scope: ErasureScope) -> Core:
    wanted = canonical(scope.words)
    own = Proposal.objects.filter(space_id=scope.space_id, subject_id=scope.target_id)
    said = {
        row.pk
        for row in own.filter(redacted_at__isnull=True)
        if canonical(row.value) == wanted
        or any(occurrences(scope.words, text) for text in _own_texts(row))
    }
    core = _with_family(Core(proposals=frozenset(said)), repeats=True)
    masks = _spoken_spans(scope)
    # A quote that says it in other words goes as a whole.
    for key, spans in _quoted_spans(core.proposals).items():
        kept = masks.get(key, ())
        masks[key] = (*kept, *(span for span in spans if not covers(kept, span)))
    texts = {scope.words} | _spellings(masks, words=scope.words)
    return replace(core, masks=masks, texts=tuple(sorted(texts)))


_CORES = {
    ErasureKind.SUBJECT: _subject,
    ErasureKind.CONVERSATION: _conversation,
    ErasureKind.STATEMENT: _statement,
    ErasureKind.VALUE: _value,
}


def _with_falling(core: Core) -> Core:
    """Add whatever was made from words that go: a text falls with its source.

    Words that only joined later did not make the text; they go, and the text stays.
    """
    made_of = Evidence.objects.filter(message_id__in=core.messages).filter(
        Q(proposal__run__isnull=True) | Q(run=F("proposal__run"))
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
            wider |= _same_value(wider)
        if wider == family:
            return replace(core, proposals=frozenset(family))
        family = wider


def _same_value(ids: Iterable[int]) -> set[int]:
    keys = set(
        Proposal.objects.filter(pk__in=ids).values_list("space_id", "subject_id", "fingerprint")
    )
    found: set[int] = set()
    for space_id, subject_id, fingerprint in keys:
        same = Proposal.objects.filter(
            space_id=space_id, subject_id=subject_id, fingerprint=fingerprint
        )
        found.update(same.values_list("pk", flat=True))
    return found


def _quoted_spans(proposals: Iterable[int]) -> dict[int, tuple[Span, ...]]:
    spans: dict[int, tuple[Span, ...]] = {}
    rows = Evidence.objects.filter(proposal_id__in=proposals).exclude(quote="")
    for key, start, end in rows.values_list("message_id", "start", "end").distinct():
        spans[key] = (*spans.get(key, ()), (start, end))
    return spans


def _spoken_spans(scope: ErasureScope) -> dict[int, tuple[Span, ...]]:
    """Find the words in every message of the subject's conversations."""
    mine = ConversationSubject.objects.filter(
        space_id=scope.space_id, subject_id=scope.target_id
    ).values("conversation_id")
    rows = Message.objects.filter(conversation_id__in=mine, text__icontains=spelled(scope.words))
    found = {row.pk: occurrences(scope.words, row.text) for row in rows.iterator()}
    return {key: spans for key, spans in found.items() if spans}


def _spellings(masks: dict[int, tuple[Span, ...]], *, words: str) -> set[str]:
    """List how messages write the words, letter by letter."""
    rows = Message.objects.filter(pk__in=masks).values_list("text", flat=True)
    return {text[start:end] for text in rows for start, end in occurrences(words, text)}


def _own_texts(row: Proposal) -> tuple[str, ...]:
    return (row.text, row.value, row.about, str(row.original.get("text", "")))


def _texts_of(proposals: Iterable[int]) -> tuple[str, ...]:
    """List what falling proposals say, and said before they were edited."""
    texts: set[str] = set()
    rows = Proposal.objects.filter(pk__in=proposals, redacted_at__isnull=True)
    for row in rows.only("text", "value", "about", "original").iterator():
        texts |= {row.text, str(row.original.get("text", ""))}
    return tuple(sorted(texts - {""}))
