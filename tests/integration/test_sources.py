"""Capture is idempotent, keeps words as they came, and refuses what it cannot keep."""

from datetime import datetime, timedelta

import pytest

from knowledge.commands import scope, sources
from knowledge.errors import Conflict, InvalidInput, InvalidPeriod, NotFound
from knowledge.models import AuditEvent, ConversationSubject, Job, Message
from knowledge.results import SYSTEM, Captured, NewMessage, SubjectRef
from tests.factories import ANA, NOW, make_messages, make_space

pytestmark = pytest.mark.django_db


def capture(space_id: int, *messages: NewMessage, **changes: object) -> Captured:
    """Capture messages of one conversation."""
    given = {
        "space_id": space_id, "external_id": "c1", "source": "test", "messages": messages,
        "subjects": [ANA], "by": SYSTEM, "now": NOW,
    }  # fmt: skip
    return sources.capture(**(given | changes))  # type: ignore[arg-type]  # a test names fields freely


def said(external_id: str, text: str, *, at: datetime | None = NOW) -> NewMessage:
    """Make a message of Ana's."""
    return NewMessage(external_id, "Ana", "user_message", text, at, ANA)


def test_the_same_again_adds_nothing_and_a_longer_export_adds_its_tail() -> None:
    space = make_space()
    first = capture(space.pk, said("1", "Hello"), said("2", "I like tea"))
    again = capture(space.pk, said("1", "Hello"), said("2", "I like tea"))
    longer = capture(space.pk, said("1", "Hello"), said("2", "I like tea"), said("3", "Bye"))
    assert (first.messages_new, again.messages_new, longer.messages_new) == (2, 0, 1)
    assert again.job_id is None
    found = Message.objects.filter(space=space).values_list("ordinal", "text")
    assert list(found) == [(0, "Hello"), (1, "I like tea"), (2, "Bye")]


def test_an_edited_message_is_kept_beside_the_one_it_edits() -> None:
    space = make_space()
    capture(space.pk, said("1", "I like tea"))
    capture(space.pk, said("1", "I like coffee"))
    assert {m.text for m in Message.objects.filter(space=space)} == {"I like tea", "I like coffee"}


def test_one_job_is_open_per_conversation_however_often_it_grows() -> None:
    space = make_space()
    for number in range(3):
        capture(space.pk, said(str(number), f"I like tea number {number}"))
    assert Job.objects.filter(space=space).count() == 1


def test_a_message_without_a_time_takes_import_time_and_says_so() -> None:
    space = make_space()
    capture(space.pk, said("1", "I like tea", at=None))
    message = Message.objects.get(space=space)
    assert message.sent_at == NOW
    assert not message.sent_at_known


@pytest.mark.parametrize(
    ("message", "error", "words"),
    [
        (said("1", "x", at=datetime(2026, 1, 1)), InvalidPeriod, "no time zone"),  # noqa: DTZ001 - naive on purpose
        (said("1", "a\x00b"), InvalidInput, "NUL"),
        (NewMessage("1", "Ana", "gossip", "x", NOW, ANA), InvalidInput, "no message kind"),
    ],
)
def test_a_bad_message_is_refused_and_nothing_is_kept(
    message: NewMessage, error: type[Exception], words: str
) -> None:
    space = make_space()
    with pytest.raises(error, match=words):
        capture(space.pk, said("0", "Hello"), message)


def test_an_unknown_space_or_subject_kind_is_refused_in_words() -> None:
    space = make_space()
    with pytest.raises(NotFound):
        capture(0, said("1", "x"))
    with pytest.raises(InvalidInput, match="user:ana"):
        capture(space.pk, said("1", "x"), subjects=[SubjectRef("robot", "r2")])
    with pytest.raises(InvalidInput, match="whose memory"):
        capture(space.pk, said("1", "x"), subjects=[])


def test_narrowing_says_whose_statements_are_proposed() -> None:
    space = make_space()
    ben = SubjectRef("user", "ben", "Ben")
    capture(space.pk, said("1", "x"), subjects=[ANA, ben], proposes_for=[ben])
    links = ConversationSubject.objects.filter(space=space).order_by("subject__external_id")
    assert [(x.subject.external_id, x.proposes) for x in links] == [("ana", False), ("ben", True)]


def test_two_workers_cannot_take_the_same_messages() -> None:
    space = make_space()
    messages = make_messages(space, "Hello", "I like tea")
    ids = [message.pk for message in messages]
    conversation_id = messages[0].conversation_id
    sources.open_episodes(conversation_id=conversation_id, segments=[ids], now=NOW)
    with pytest.raises(Conflict):
        sources.open_episodes(conversation_id=conversation_id, segments=[ids], now=NOW)


def test_a_space_is_opened_once_in_a_real_zone_and_logged() -> None:
    space = make_space(slug="once")
    assert AuditEvent.objects.get(ledger__space=space, action="space.create").seq == 1
    with pytest.raises(Conflict):
        make_space(slug="once")
    with pytest.raises(InvalidInput, match="Europe/Lisbon"):
        make_space(zone="Mars/Olympus")
    with pytest.raises(InvalidInput, match="no role"):
        scope.add_membership(
            space_id=space.pk, user_id=0, role="king", by=SYSTEM, now=NOW + timedelta(days=1)
        )
