"""The episode's page: one conversation read once, and each of its proposals decided there."""

import re
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from knowledge.models import Episode, Proposal, ShadowCandidate
from knowledge.queries.siblings import ReadTopic, read_topic
from tests import factories, scenes, talks
from tests.forgetting import make_office

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "HX-Target": "work"}


@pytest.fixture
def scene() -> scenes.Scene:
    """Ana changed her job, and a curator looks at it."""
    return scenes.atlas()


@pytest.fixture
def talk(scene: scenes.Scene) -> talks.Talk:
    """Ana and Ben talk about their kitchen, in two parts."""
    return talks.kitchen(scene.space)


def client(user: Any) -> Client:
    """Log a user in."""
    found = Client()
    found.force_login(user)
    return found


def topic_of(talk: talks.Talk) -> ReadTopic:
    """Read the talk as its page does."""
    space_id = Episode.objects.get(pk=talk.episode_id).space_id
    found = read_topic(talk.episode_id, space_id=space_id)
    assert found is not None
    return found


def posted(proposal: Proposal, **more: Any) -> dict[str, Any]:
    """Fill a form as the card would."""
    proposal.refresh_from_db()
    return {"request_id": str(uuid.uuid4()), "version": proposal.version, **more}


def words_of(answer: Any) -> str:
    """Return a page as it reads, without its tags."""
    plain = re.sub(r"<(script|style)[^>]*>.*?</\1>", " ", answer.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", plain).split())


def test_the_parts_of_a_topic_are_read_as_one_with_their_places(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    for episode_id in (talk.episode_id, talk.later_id):
        page = client(scene.curator).get(f"/queue/episode/{episode_id}/")
        assert page.status_code == 200
        text = page.content.decode()
        places = [text.index(f'id="message-{row.pk}"') for row in talk.messages]
        assert places == sorted(places)
        assert text.count("Part 1 of 2") == text.count("Part 2 of 2") == 1
        assert places[3] < text.index("Part 2 of 2") < places[4]


def test_proposals_stand_in_the_order_of_their_words_whichever_run_made_them(
    talk: talks.Talk,
) -> None:
    topic = topic_of(talk)
    assert [row.text for row in topic.proposals] == talk.texts
    assert {row.subject for row in topic.proposals} == {"Ana", "Ben"}


def test_gaps_are_numbered_through_all_parts_and_subjects(talk: talks.Talk) -> None:
    topic = topic_of(talk)
    gaps = [mark for mark in topic.marks if mark.number > 0]
    assert [mark.number for mark in gaps] == list(range(1, 10))
    assert [row.numbers for row in topic.proposals] == [
        (1,),
        (2,),
        (3,),
        (4,),
        (6,),
        (7,),
        (8,),
        (9,),
    ]
    assert [mark.quote for mark in gaps if not mark.proposals] == ["so a strong hood"]


def test_every_proposal_says_whose_memory_it_is_and_about_whom(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    rosa = client(scene.curator)
    page = words_of(rosa.get(f"/queue/episode/{talk.episode_id}/?at={talk.proposals[0].pk}"))
    assert "feeds the memory of Ana, Ben" in page
    assert "Ben cooks on Sundays memory of Ben" in page
    assert "measures the kitchen on 20 March memory of Ben about Mia" in page
    ben = words_of(rosa.get(f"/queue/episode/{talk.episode_id}/?at={talk.proposals[4].pk}"))
    assert "memory of Ben" in ben


def test_it_opens_with_what_waits_first_and_with_what_was_asked_for(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    rosa = client(scene.curator)
    first, second = talk.proposals[:2]
    assert (
        f'data-card="{first.pk}"' in rosa.get(f"/queue/episode/{talk.episode_id}/").content.decode()
    )
    rosa.post(f"/queue/{first.pk}/reject/", posted(first, reason="misread"))
    page = rosa.get(f"/queue/episode/{talk.episode_id}/").content.decode()
    assert f'data-card="{second.pk}"' in page
    asked = rosa.get(f"/queue/episode/{talk.episode_id}/?at={first.pk}").content.decode()
    assert f'data-card="{first.pk}"' in asked
    stray = rosa.get(f"/queue/episode/{talk.episode_id}/?at={scene.update.pk}").content.decode()
    assert f'data-card="{second.pk}"' in stray


def test_a_decision_leads_to_the_next_there_and_at_last_back_to_the_list(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    rosa = client(scene.curator)
    tail = f"?episode={talk.episode_id}&kind=new"
    for here, after in zip(talk.proposals, [*talk.proposals[1:], None], strict=True):
        answer = rosa.post(
            f"/queue/{here.pk}/reject/{tail}",
            posted(here, reason="misread", next=after.pk if after else ""),
        )
        assert answer.status_code == 303
        if after is None:
            assert answer.headers["Location"] == "/queue/?kind=new"
        else:
            assert (
                answer.headers["Location"]
                == f"/queue/episode/{talk.episode_id}/?kind=new&at={after.pk}"
            )


def test_after_the_last_in_order_comes_what_was_left_before_it(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    last = talk.proposals[-1]
    page = client(scene.curator).get(f"/queue/episode/{talk.episode_id}/?at={last.pk}")
    found = re.search(r'name="next" value="(\d+)"', page.content.decode())
    assert found is not None and int(found[1]) == talk.proposals[0].pk


def test_what_is_put_off_is_not_come_back_to(scene: scenes.Scene, talk: talks.Talk) -> None:
    rosa = client(scene.curator)
    tail = f"?episode={talk.episode_id}"
    for row in talk.proposals[:-1]:
        rosa.post(f"/queue/{row.pk}/defer/{tail}", posted(row, until="week"))
    last = talk.proposals[-1]
    answer = rosa.post(
        f"/queue/{last.pk}/reject/{tail}",
        posted(last, reason="misread", next=talk.proposals[0].pk),
    )
    assert answer.status_code == 303 and answer.headers["Location"] == "/queue/"


def test_what_another_has_open_is_left_to_them(scene: scenes.Scene, talk: talks.Talk) -> None:
    scenes.person(scene.space, "otto", "curator")
    client(scene.curator.__class__.objects.get(username="otto")).get(
        f"/queue/episode/{talk.episode_id}/?at={talk.proposals[1].pk}"
    )
    page = client(scene.curator).get(f"/queue/episode/{talk.episode_id}/?at={talk.proposals[0].pk}")
    found = re.search(r'name="next" value="(\d+)"', page.content.decode())
    assert found is not None and int(found[1]) == talk.proposals[2].pk
    assert "open with otto" in words_of(page)


def test_a_conflict_and_an_unsound_form_are_answered_in_the_episode(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    rosa = client(scene.curator)
    row, tail = talk.proposals[0], f"?episode={talk.episode_id}"
    old = posted(row)
    rosa.post(f"/queue/{row.pk}/reject/{tail}", posted(row, reason="misread"))
    lost = rosa.post(f"/queue/{row.pk}/approve/{tail}", old, headers=HTMX)
    assert lost.status_code == 409
    assert "You rejected this just now: misread" in words_of(lost)
    unsound = rosa.post(
        f"/queue/{talk.proposals[1].pk}/reject/{tail}",
        posted(talk.proposals[1], reason="other"),
        headers=HTMX,
    )
    assert unsound.status_code == 422
    for answer in (lost, unsound):
        assert answer.content.count(b'class="talk"') == 1
        assert b'id="work" class="work episode"' in answer.content


def test_undo_keep_and_split_lead_back_into_the_episode(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    rosa = client(scene.curator)
    row, tail = talk.proposals[0], f"?episode={talk.episode_id}"
    here = f"/queue/episode/{talk.episode_id}/?at={row.pk}"
    rosa.post(f"/queue/{row.pk}/reject/{tail}", posted(row, reason="misread"))
    made = row.decisions.get()
    undone = rosa.post(
        f"/decisions/{made.pk}/undo/{tail}", {"request_id": str(uuid.uuid4())}, follow=True
    )
    assert undone.redirect_chain[-1][0] == here
    kept = rosa.post(
        f"/queue/{row.pk}/draft/{tail}", posted(row, text="Ana wants oak", about="Ana"), follow=True
    )
    assert kept.redirect_chain[-1][0] == here
    parts = posted(row, text_1="Ana wants oak fronts", text_2="Ana gets a new kitchen")
    split = rosa.post(f"/queue/{row.pk}/split/{tail}", parts, follow=True)
    assert split.redirect_chain[-1][0].startswith(f"/queue/episode/{talk.episode_id}/?at=")
    assert "Ana wants oak fronts" in words_of(split)


def test_a_card_asked_for_inside_an_episode_is_shown_there(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    row = talk.proposals[2]
    answer = client(scene.curator).get(f"/queue/{row.pk}/?episode={talk.episode_id}&edit=1")
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"/queue/episode/{talk.episode_id}/?edit=1&at={row.pk}"


@pytest.mark.parametrize("strange", ["0", "x", "99999999999999999999", "²", "-1"])
def test_a_strange_episode_in_an_address_is_none(
    scene: scenes.Scene, talk: talks.Talk, strange: str
) -> None:
    answer = client(scene.curator).get(f"/queue/{talk.proposals[0].pk}/?episode={strange}")
    assert answer.status_code == 200


def test_rows_and_cards_lead_to_it_where_more_than_one_waits(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    rosa = client(scene.curator)
    alone = factories.make_proposal(scene.space, "Ana keeps bees")
    page = rosa.get("/queue/?kind=new").content.decode()
    first = talk.proposals[0]
    assert f"/queue/episode/{talk.episode_id}/?kind=new&amp;at={first.pk}" in page
    assert "8 wait in this conversation" in page
    assert f"at={alone.pk}" not in page
    card = rosa.get(f"/queue/{first.pk}/?kind=new").content.decode()
    assert "7 more wait from there" in card
    assert "more wait" not in rosa.get(f"/queue/{alone.pk}/").content.decode()


def test_words_proposed_by_hand_stand_among_the_others(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    rosa = client(scene.curator)
    said = talk.messages[2]
    start = said.text.index("so a strong hood")
    span = f"?start={start}&end={start + len('so a strong hood')}"
    rosa.post(
        f"/messages/{said.pk}/propose/{span}",
        {
            "text": "Ana wants a strong hood",
            "about": "Ana",
            "memory_type": "preference",
            "criticality": "normal",
        },
    )
    topic = topic_of(talk)
    assert [row.text for row in topic.proposals][4] == "Ana wants a strong hood"
    byhand = topic.proposals[4]
    # Its words lie in a gap that no run made anything of: they are marked as a quote of it.
    assert byhand.numbers == (-1,)


def test_nothing_of_a_run_for_comparison_is_shown(scene: scenes.Scene, talk: talks.Talk) -> None:
    assert not ShadowCandidate.objects.exists()
    assert len(topic_of(talk).runs) == 3


def test_an_auditor_reads_and_has_nothing_to_press(scene: scenes.Scene, talk: talks.Talk) -> None:
    page = client(scene.auditor).get(f"/queue/episode/{talk.episode_id}/")
    assert page.status_code == 200
    assert "You read here; curators decide." in words_of(page)
    assert b'data-action="approve"' not in page.content


def test_another_space_and_no_episode_are_not_found(talk: talks.Talk) -> None:
    stranger = factories.make_person(factories.make_space())
    for episode_id in (talk.episode_id, 987_654):
        assert client(stranger).get(f"/queue/episode/{episode_id}/").status_code == 404


def test_an_episode_without_proposals_is_a_page_to_read(scene: scenes.Scene) -> None:
    said = scenes.conversation(scene.space, (factories.ANA, "Good morning!"), title="Hello")
    page = client(scene.curator).get(f"/queue/episode/{said[0].episode_id}/")
    assert page.status_code == 200
    assert "Nothing was proposed from this" in words_of(page)
    assert "Good morning!" in words_of(page)


def test_erased_words_are_named_and_an_erased_conversation_is_gone(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    office = make_office(scene.space)
    rosa = client(scene.curator)
    office.erase("conversation", talk.conversation_id)
    page = rosa.get(f"/queue/episode/{talk.episode_id}/")
    assert page.status_code == 410
    text = words_of(page)
    assert "This was erased" in text and "[erased]" in text
    assert "kitchen" not in text and "induction" not in text


def test_a_decision_about_what_was_erased_leads_to_the_page_that_says_so(
    scene: scenes.Scene, talk: talks.Talk
) -> None:
    form = posted(talk.proposals[0])
    make_office(scene.space).erase("conversation", talk.conversation_id)
    url = f"/queue/{talk.proposals[0].pk}/approve/?episode={talk.episode_id}"
    assert client(scene.curator).post(url, form).status_code == 410


def test_queries_do_not_grow_with_what_is_in_it(scene: scenes.Scene, talk: talks.Talk) -> None:
    rosa = client(scene.curator)
    small = scene.update.run
    assert small is not None
    counts = []
    for episode_id in (small.episode_id, talk.episode_id):
        rosa.get(f"/queue/episode/{episode_id}/")
        with CaptureQueriesContext(connection) as queries:
            rosa.get(f"/queue/episode/{episode_id}/")
        counts.append(len(queries))
    assert max(counts) <= 50, counts
    assert counts[1] <= counts[0] + 2, counts
