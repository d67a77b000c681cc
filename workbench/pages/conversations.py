"""Conversations as pages."""

from dataclasses import dataclass

from django.urls import reverse

from knowledge.queries import erasures
from knowledge.queries.conversations import (
    CONVERSATIONS_A_PAGE,
    ListedConversation,
    ReadConversation,
    ReadMessage,
    conversations,
)
from knowledge.queries.erasures import ErasureRow, Gone
from knowledge.queries.words import Mark
from workbench.access import Seat
from workbench.pages.shell import Shell, shell
from workbench.privacy_access import may_ask, may_see_privacy


@dataclass(frozen=True, slots=True)
class ConversationsView:
    """The list of conversations."""

    shell: Shell
    rows: tuple[ListedConversation, ...]
    next_url: str


@dataclass(frozen=True, slots=True)
class MarkedMessage:
    """A message with the spans something was made of; ``gone`` where it lost words."""

    message: ReadMessage
    marks: tuple[Mark, ...]
    gone: Gone | None = None


@dataclass(frozen=True, slots=True)
class ConversationView:
    """One conversation's page. **Shape**: ``erased`` is the erasure that emptied all of it."""

    shell: Shell
    conversation: ReadConversation
    messages: tuple[MarkedMessage, ...]
    next_url: str
    erased: ErasureRow | None

    @property
    def is_erased(self) -> bool:
        """Tell whether nothing is left of it but when it was."""
        return self.conversation.is_erased

    @property
    def may_erase(self) -> bool:
        """Tell whether this person may ask for its erasure."""
        return may_ask(self.shell.seat) and not self.is_erased

    @property
    def sees_erasures(self) -> bool:
        """Tell whether this person may look at the erasures."""
        return may_see_privacy(self.shell.seat)


def conversations_view(*, seat: Seat, after: int | None, keys_on: bool) -> ConversationsView:
    """Build the list of conversations. **Cost**: three queries."""
    found = conversations(space_id=seat.space_id, after=after)
    rows = found[:CONVERSATIONS_A_PAGE]
    more = f"{reverse('conversations')}?after={rows[-1].id}" if len(found) > len(rows) else ""
    frame = shell(title="Conversations", seat=seat, current="conversations", keys_on=keys_on)
    return ConversationsView(shell=frame, rows=rows, next_url=more)


def conversation_view(found: ReadConversation, *, seat: Seat, keys_on: bool) -> ConversationView:
    """Build a conversation's page. **Cost**: three queries, four where it was erased."""
    title = "[erased]" if found.is_erased else found.title or found.external_id
    gone = erasures.gone_messages([row.id for row in found.messages], space_id=seat.space_id)
    here = reverse("conversation", args=[found.id])
    return ConversationView(
        shell=shell(title=title, seat=seat, current="conversations", keys_on=keys_on),
        conversation=found,
        messages=tuple(_marked(row, gone=gone.get(row.id)) for row in found.messages),
        next_url=f"{here}?from={found.next_ordinal}" if found.next_ordinal is not None else "",
        erased=erasures.erasure_of("conversations", found.id, space_id=seat.space_id)
        if found.is_erased
        else None,
    )


def _marked(message: ReadMessage, *, gone: Gone | None) -> MarkedMessage:
    return MarkedMessage(
        message=message,
        gone=gone,
        marks=tuple(
            Mark(
                gap_id=0,
                message_id=message.id,
                start=use.start,
                end=use.end,
                number=number,
                tone="quote",
                proposals=(use.proposal_id,),
            )
            for number, use in enumerate(message.uses, start=1)
        ),
    )
