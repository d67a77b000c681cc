"""What a proposal may say, on which words: the checks that every path which writes one shares."""

from collections.abc import Sequence

from django.contrib.postgres.fields import ArrayField
from django.db.models import CharField, TextField

from knowledge.errors import InvalidInput, NotFound
from knowledge.models import ConversationSubject, Message, Proposal
from knowledge.periods import make_period
from knowledge.results import EvidenceDraft
from knowledge.texts import check_text


def check_content(proposal: Proposal) -> None:
    """Refuse what the store could not keep as it is, before it is written.

    **Raises**: InvalidInput naming the field; InvalidPeriod.
    """
    if not proposal.text.strip():
        raise InvalidInput("A statement cannot be empty.", field="text")
    for column in Proposal._meta.concrete_fields:
        value = getattr(proposal, column.attname)
        if isinstance(column, CharField | TextField):
            _check_word(column, value)
        elif isinstance(column, ArrayField):
            for item in value:
                check_text(item, field=column.name, most=column.base_field.max_length)
    for name in ("confidence", "surprise"):
        if not 0 <= getattr(proposal, name) <= 1:
            raise InvalidInput(f"{name} lies between 0 and 1.", field=name)
    make_period(proposal.valid_from, proposal.valid_to)


def check_evidence(
    *, space_id: int, evidence: Sequence[EvidenceDraft], conversation_id: int | None = None
) -> None:
    """Refuse evidence whose quote is not, letter by letter, at its span.

    ``conversation_id`` is the one a run may quote. **Raises**: InvalidInput, NotFound.
    """
    if not evidence:
        raise InvalidInput("A proposal needs the words it rests on.", field="evidence")
    messages = Message.objects.filter(
        space_id=space_id, pk__in=[item.message_id for item in evidence]
    )
    if conversation_id is not None:
        messages = messages.filter(conversation_id=conversation_id)
    texts = dict(messages.values_list("pk", "text"))
    for item in evidence:
        if item.message_id not in texts:
            raise NotFound("There is no such message in this space, or not in the conversation.")
        if texts[item.message_id][item.start : item.end] != item.quote:
            raise InvalidInput(
                "The quote does not stand at that place of the message.", field="evidence"
            )


def check_part(*, space_id: int, subject_id: int, evidence: Sequence[EvidenceDraft]) -> None:
    """Refuse words of conversations the subject has no part in.

    **Raises**: InvalidInput.
    """
    quoted = Message.objects.filter(
        space_id=space_id, pk__in=[item.message_id for item in evidence]
    ).values("conversation_id")
    own = ConversationSubject.objects.filter(space_id=space_id, subject_id=subject_id)
    if quoted.exclude(conversation_id__in=own.values("conversation_id")).exists():
        raise InvalidInput("The subject has no part in the conversation.", field="subject")


def _check_word(column: "CharField[str, str] | TextField[str, str]", value: str) -> None:
    check_text(value, field=column.name, most=column.max_length)
    chosen = [word for word, _ in column.flatchoices]
    if chosen and value not in ("", *chosen):
        raise InvalidInput(f"There is no {column.name} called {value}.", field=column.name)
