"""Vectors of an endpoint in the store: any dimension, one model a comparison, made anew when the
model changes, and words alone wherever a vector is missing.
"""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from extraction import embedding, tasks
from extraction.embeddings import local, registry
from extraction.embeddings.registry import get_embedder
from extraction.errors import EmbeddingUnavailable
from knowledge.commands import indexing, sources
from knowledge.models import (
    ExtractionRun,
    Job,
    JobState,
    Proposal,
    ProposalVector,
    RunState,
    SearchEntry,
    Space,
)
from knowledge.queries.known import near_texts
from knowledge.queries.processing import unprocessed_messages
from knowledge.queries.vectors import (
    entries_to_embed,
    proposals_to_embed,
    spaces_to_embed,
    vectors_by_model,
)
from knowledge.results import SYSTEM
from tests.embedding_server import (
    KEY,
    EmbeddingServer,
    embedding_server,
    refuses,
    vector_of,
)
from tests.factories import NOW, Desk, approve, make_desk, make_messages, make_proposal
from tests.forgetting import make_office
from tests.integration.test_api import Caller, make_key
from tests.scripted_http import Reaction
from workbench.doctor_embedder import look_at_embedder
from workbench.management.commands import up

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(days=1)
FACTS = ("Ana lives in Porto.", "Ana plays the cello.", "Ana is allergic to peanuts.")


@pytest.fixture
def desk() -> Desk:
    return make_desk()


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


@pytest.fixture(autouse=True)
def _fresh_embedders(monkeypatch: pytest.MonkeyPatch) -> None:
    """No embedder was made, and none has failed, before a test."""
    monkeypatch.setattr(registry, "_made", {})


@pytest.fixture
def use(settings: Settings) -> Any:
    """Set the installation to a server, or with None to the built-in model."""

    def to(server: EmbeddingServer | None, *, model: str = "words-1", **changes: Any) -> None:
        settings.EMBEDDING_BASE_URL = server.base_url if server else ""
        settings.EMBEDDING_MODEL = model if server else ""
        settings.EMBEDDING_API_KEY = KEY
        settings.EMBEDDING_NEAR, settings.EMBEDDING_SAME = 0.8, 0.95
        settings.EMBEDDING_QUERY_TIMEOUT_S = 1.0
        for name, value in changes.items():
            setattr(settings, name, value)

    return to


def believe_all(desk: Desk) -> None:
    """Believe every fact."""
    for fact in FACTS:
        desk.believe(fact)


def look() -> None:
    """Do a round of looking, and all the work it asks for."""
    embedding.begin(now=timezone.now())
    run_all("look_for_vectors")
    run_all("embed_entries")


def run_all(kind: str) -> list[str]:
    """Run every job of a kind that is due."""
    due = Job.objects.filter(kind=kind, state=JobState.QUEUED, run_after__lte=timezone.now())
    return [tasks.run_job(pk) for pk in due.values_list("pk", flat=True)]


def models_in(space: Space) -> set[str]:
    """Name the models of a space's vectors, those of proposals included."""
    entries = SearchEntry.objects.filter(space=space).values_list("model", flat=True)
    proposals = ProposalVector.objects.filter(space=space).values_list("model", flat=True)
    return {*entries, *proposals}


def asked(desk: Desk, query: str) -> dict[str, Any]:
    """Ask as an agent does; the answer."""
    response = Caller(make_key(desk)).post({"query": query})
    assert response.status_code == 200, response.content
    body: dict[str, Any] = response.json()
    return body


def texts(answer: dict[str, Any]) -> list[str]:
    return [item["text"] for item in answer["items"]]


def test_3072_dimensions_go_from_words_to_an_answer(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    server.dimensions = 3_072
    use(server)
    make_messages(desk.space, "I live in Porto.", "I am allergic to peanuts.")
    conversation = Job.objects.get(kind="process_conversation", space=desk.space)
    sources.process_now(conversation_id=int(conversation.key), by=SYSTEM, now=timezone.now())
    assert run_all("process_conversation") == ["done"]
    for proposal in Proposal.objects.filter(space=desk.space, state="pending"):
        assert len(proposal.embedding.vector) == 3_072
        approve(proposal, by=desk.curator)
    assert run_all("embed_entries") == ["done"]

    answer = asked(desk, "which peanuts?")
    assert "peanuts" in texts(answer)[0]
    assert answer["vector_model"] == "words-1@3072"
    assert (answer["words_alone_because"], answer["statements_without_vector"]) == (None, 0)
    assert "semantic" in answer["items"][0]["found_by"]


def test_another_model_has_everything_embedded_anew_and_back_again(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    believe_all(desk)
    make_proposal(desk.space, "Ana likes strong tea.")
    local = get_embedder().model_id
    look()
    assert models_in(desk.space) == {local}
    use(server)
    look()
    assert models_in(desk.space) == {"words-1@64"}
    assert {len(one.vector) for one in SearchEntry.objects.filter(space=desk.space)} == {64}
    use(server, EMBEDDING_DIMENSIONS=32)
    look()
    assert models_in(desk.space) == {"words-1@32"}
    use(None)
    look()
    assert models_in(desk.space) == {local}


def test_looking_again_when_nothing_is_missing_asks_for_nothing(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    use(server)
    believe_all(desk)
    look()
    server.asked.clear()
    Job.objects.filter(kind="look_for_vectors").delete()
    look()
    assert server.asked == []
    assert not Job.objects.filter(kind="embed_entries", state=JobState.QUEUED).exists()


def test_each_round_of_looking_asks_for_the_next_and_only_once(desk: Desk) -> None:
    embedding.begin(now=timezone.now())
    embedding.begin(now=timezone.now())
    assert Job.objects.filter(kind="look_for_vectors").count() == 1
    run_all("look_for_vectors")
    (following,) = Job.objects.filter(kind="look_for_vectors", state=JobState.QUEUED)
    assert timezone.now() < following.run_after <= timezone.now() + embedding.LOOK_EVERY


def test_a_change_reaches_every_space_and_mixes_none(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    other = make_desk()
    believe_all(desk)
    other.believe("Ana lives in Porto.")
    look()
    use(server)
    before = vectors_by_model(other.space.pk)
    embedding.embed_space(space_id=desk.space.pk)
    embedding.embed_proposals(space_id=desk.space.pk)
    assert vectors_by_model(other.space.pk) == before
    assert spaces_to_embed(model="words-1@64") == [other.space.pk]
    assert asked(desk, "Porto")["vector_model"] == "words-1@64"
    assert asked(other, "Porto")["words_alone_because"] == "vectors_being_made"
    look()
    assert models_in(desk.space) == models_in(other.space) == {"words-1@64"}


def test_while_vectors_are_made_anew_words_find_and_the_answer_says_so(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    believe_all(desk)
    look()
    use(server)
    answer = asked(desk, "Porto")
    assert texts(answer) == ["Ana lives in Porto."]
    assert answer["vector_model"] is None
    assert answer["words_alone_because"] == "vectors_being_made"
    assert answer["statements_without_vector"] == 3
    # A query no word of which is there finds nothing, and is told that this may be why.
    nothing = asked(desk, "instruments")
    assert texts(nothing) == [] and nothing["statements_without_vector"] == 3


def test_what_was_embedded_first_is_not_lifted_over_what_was_not_yet(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    believe_all(desk)
    look()
    use(server)
    first = SearchEntry.objects.filter(text="Ana plays the cello.", source="text").get()
    vector = get_embedder().embed_passages([first.text])[0]
    indexing.store_vectors(vectors=[(first.pk, first.text, vector)], model="words-1@64")
    answer = asked(desk, "Ana Porto")
    assert texts(answer)[0] == "Ana lives in Porto."
    assert answer["vector_model"] is None and answer["statements_without_vector"] == 2


def test_with_most_of_it_embedded_vectors_have_a_say_and_the_rest_is_counted(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    use(server)
    believe_all(desk)
    look()
    desk.believe("Ana drives a Volvo.")
    answer = asked(desk, "Volvo")
    assert texts(answer)[0] == "Ana drives a Volvo."
    assert answer["vector_model"] == "words-1@64" and answer["statements_without_vector"] == 1


def test_a_crash_in_the_middle_keeps_what_was_made_and_goes_on_from_there(
    desk: Desk, server: EmbeddingServer, use: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    believe_all(desk)
    look()
    use(server)
    _ = get_embedder().model_id
    calls = iter([None, None, refuses(401)])
    server.fault = lambda body: next(calls, refuses(401))
    embedding.begin(now=timezone.now() + embedding.LOOK_EVERY)
    Job.objects.filter(kind="look_for_vectors").update(run_after=timezone.now())
    run_all("look_for_vectors")
    assert run_all("embed_entries") == ["failed"]
    job = Job.objects.get(space=desk.space, kind="embed_entries", state=JobState.QUEUED)
    assert "EMBEDDING_API_KEY" in job.error and KEY not in job.error
    counts = {one.model: one.entries for one in vectors_by_model(desk.space.pk)}
    assert counts["words-1@64"] == 4

    server.fault, before = None, len(server.asked)
    Job.objects.filter(pk=job.pk).update(run_after=timezone.now())
    assert run_all("embed_entries") == ["done"]
    assert models_in(desk.space) == {"words-1@64"}
    assert len(server.asked) - before == 3  # batches for the five that were left


def test_work_that_was_given_up_is_taken_up_by_the_next_look(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    use(server)
    believe_all(desk)
    Job.objects.filter(kind="embed_entries").update(state=JobState.DEAD, error="away")
    look()
    assert models_in(desk.space) == {"words-1@64"}
    assert Job.objects.filter(kind="embed_entries").count() == 1


def test_an_endpoint_that_is_away_is_never_replaced_by_another_model(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    use(server)
    believe_all(desk)
    look()
    use(server, EMBEDDING_BASE_URL="http://127.0.0.1:9/v1")
    Job.objects.filter(kind="look_for_vectors").delete()
    look()
    assert models_in(desk.space) == {"words-1@64"}
    answer = asked(desk, "Porto")
    assert texts(answer)[0] == "Ana lives in Porto."
    assert answer["vector_model"] is None
    assert answer["words_alone_because"] == "embedder_unavailable"


def test_half_an_endpoint_leaves_words_alone_and_is_no_error_for_the_agent(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    believe_all(desk)
    use(server, model="")
    answer = asked(desk, "Porto")
    assert texts(answer)[0] == "Ana lives in Porto."
    assert answer["words_alone_because"] == "embedder_unavailable"


def test_extraction_without_its_embedder_fails_readably_and_loses_nothing(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    use(server)
    server.fault = lambda body: refuses(401)
    (message,) = make_messages(desk.space, "I live in Porto.")
    job = Job.objects.get(kind="process_conversation", space=desk.space)
    Job.objects.filter(pk=job.pk).update(run_after=timezone.now())
    assert run_all("process_conversation") == ["failed"]
    run = ExtractionRun.objects.get(space=desk.space)
    assert run.state == RunState.FAILED and "EMBEDDING_API_KEY" in run.error
    assert not Proposal.objects.filter(space=desk.space).exists()

    server.fault = None
    Job.objects.filter(pk=job.pk).update(run_after=timezone.now())
    assert run_all("process_conversation") == ["done"]
    assert Proposal.objects.filter(space=desk.space, evidence__message=message).exists()
    assert unprocessed_messages(message.conversation_id) == []


def test_a_text_the_model_refuses_is_found_by_words_and_not_asked_about_for_ever(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    def fault(body: dict[str, Any]) -> Reaction | None:
        if any("peanuts" in text for text in body["input"]):
            return refuses(400, "content policy")
        return None

    use(server)
    believe_all(desk)
    server.fault = fault
    look()
    missing = SearchEntry.objects.filter(space=desk.space, vector=None)
    assert missing and all("peanuts" in one.text for one in missing)
    assert entries_to_embed(space_id=desk.space.pk, model="words-1@64", limit=9) == []
    answer = asked(desk, "peanuts")
    assert texts(answer)[0] == "Ana is allergic to peanuts."
    assert answer["statements_without_vector"] == 0


def test_an_embedder_that_is_away_for_a_question_is_said_in_the_log(
    server: EmbeddingServer, use: Any
) -> None:
    use(server)
    server.fault = lambda body: refuses(503)
    with pytest.raises(EmbeddingUnavailable):
        get_embedder().embed_query("x")
    assert embedding.embedded_query("y") == (None, "")


# --- duplicates ---


def test_near_texts_of_one_model_are_compared_while_others_of_other_lengths_lie_beside(
    desk: Desk,
) -> None:
    old, new = (make_proposal(desk.space, fact) for fact in FACTS[:2])
    indexing.store_proposal_vectors(vectors=[(old.pk, old.text, [1.0, 0.0, 0.0])], model="old@3")
    indexing.store_proposal_vectors(vectors=[(new.pk, new.text, [1.0, 0.0])], model="new@2")
    for model, vector, found in (("old@3", [1.0, 0.0, 0.0], old), ("new@2", [1.0, 0.0], new)):
        near = near_texts(
            vector, space_id=desk.space.pk, subject_id=desk.subject.pk, model=model,
            least_cosine=0.5,
        )  # fmt: skip
        assert [item.proposal_id for item in near] == [found.pk]


def test_duplicates_of_an_embedder_that_does_not_normalise_join_beside_a_crowded_neighbour(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    """Another tenant's many similar statements hide nothing, and length is no likeness."""
    server.scale = 90.0
    use(server)
    crowd = make_desk()
    for _ in range(8):
        crowd.believe("Ana always deploys on Tuesdays.")
    look()
    first = make_proposal(desk.space, "Ana always deploys on Tuesdays.")
    look()
    vector = get_embedder().embed_passages(["Ana deploys always on Tuesdays."])[0]
    near = near_texts(
        vector, space_id=desk.space.pk, subject_id=desk.subject.pk,
        model=get_embedder().model_id, least_cosine=get_embedder().thresholds.near,
    )  # fmt: skip
    assert [item.proposal_id for item in near] == [first.pk]
    far = get_embedder().embed_passages(["Ana plays the cello."])[0]
    assert not near_texts(
        far, space_id=desk.space.pk, subject_id=desk.subject.pk,
        model=get_embedder().model_id, least_cosine=get_embedder().thresholds.near,
    )  # fmt: skip


def test_what_waits_without_a_vector_gets_one_and_erased_words_get_none(desk: Desk) -> None:
    kept, gone = (make_proposal(desk.space, fact) for fact in FACTS[:2])
    read = proposals_to_embed(space_id=desk.space.pk, model="m", limit=9)
    assert {pk for pk, _ in read} == {kept.pk, gone.pk}
    make_office(desk.space).erase("value", desk.subject.pk, words="cello")
    indexing.store_proposal_vectors(
        vectors=[(pk, text, [1.0, 0.0]) for pk, text in read], model="m"
    )
    assert set(ProposalVector.objects.values_list("proposal_id", flat=True)) == {kept.pk}
    assert proposals_to_embed(space_id=desk.space.pk, model="m", limit=9) == []


# --- how far it came, and what it costs to know ---


def test_progress_is_counted_by_model(desk: Desk, server: EmbeddingServer, use: Any) -> None:
    believe_all(desk)
    make_proposal(desk.space, "Ana likes tea.")
    (none,) = vectors_by_model(desk.space.pk)
    assert (none.model, none.proposals) == ("", 1) and none.entries >= 6
    use(server)
    embedding.embed_space(space_id=desk.space.pk, most=1)
    embedding.embed_proposals(space_id=desk.space.pk)
    (made,) = vectors_by_model(desk.space.pk)
    assert (made.model, made.entries, made.proposals) == ("words-1@64", none.entries, 1)


def test_finding_what_lacks_a_vector_reads_no_more_when_all_the_rest_has_one(desk: Desk) -> None:
    believe_all(desk)
    SearchEntry.objects.filter(space=desk.space).update(model="m", vector=[1.0])
    with CaptureQueriesContext(connection) as queries:
        assert entries_to_embed(space_id=desk.space.pk, model="m", limit=32) == []
    assert len(queries) == 1
    with connection.cursor() as cursor:
        # A few rows are read in any way; what matters is that an order by the index is there.
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        cursor.execute(f"EXPLAIN {queries[0]['sql']}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "search_by_model" in plan


# --- what whoever runs it is told ---


def told() -> dict[str, tuple[str, str]]:
    """Ask the doctor about the embedder; state and words by what they are about."""
    return {f.about: (f.state, f"{f.says} {f.todo}") for f in look_at_embedder()}


def test_the_doctor_names_the_model_and_how_much_it_has_still_to_do(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    server.dimensions = 3_072
    use(server)
    believe_all(desk)
    found = told()
    assert found["embedder"][0] == "ok" and "words-1@3072: 3,072 numbers" in found["embedder"][1]
    assert found["vectors"][0] == "warning" and "have no vector" in found["vectors"][1]
    look()
    assert told()["vectors"] == ("ok", "All are of words-1@3072. ")


def test_the_doctor_says_why_there_are_no_vectors(server: EmbeddingServer, use: Any) -> None:
    use(server, EMBEDDING_API_KEY="sk-wrong-123456")
    state, words = told()["embedder"]
    assert state == "failed" and "EMBEDDING_API_KEY" in words and "sk-wrong" not in words


def test_the_doctor_labels_the_last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "PACKAGE", "no_such_package")
    state, words = told()["embedder"]
    assert state == "warning" and "last-resort" in words and "EMBEDDING_BASE_URL" in words


def test_the_doctor_sees_another_model_under_the_same_name_and_a_revision_mends_it(
    desk: Desk, server: EmbeddingServer, use: Any
) -> None:
    use(server)
    believe_all(desk)
    look()
    server.fault = other_model
    assert "EMBEDDING_REVISION" in told()["embedder"][1]
    use(server, EMBEDDING_REVISION="2")
    Job.objects.filter(kind="look_for_vectors").delete()
    look()
    assert models_in(desk.space) == {"words-1@64#2"}
    assert told()["embedder"][0] == "ok"


def other_model(body: dict[str, Any]) -> Reaction:
    """Embed as a model would for which every word is another one."""
    data = [
        {"index": place, "embedding": vector_of(text[::-1], dimensions=64)}
        for place, text in enumerate(body["input"])
    ]
    return Reaction({"data": data})


def test_a_start_with_vectors_too_long_for_the_database_is_refused_with_the_reason(
    server: EmbeddingServer, use: Any
) -> None:
    server.dimensions = 16_001
    use(server)
    with pytest.raises(CommandError, match="the database holds at most 16,000"):
        up.Command().look_at_embedder()


def test_a_start_while_the_endpoint_is_away_goes_on_and_says_so(
    server: EmbeddingServer, use: Any
) -> None:
    use(server, EMBEDDING_BASE_URL="http://127.0.0.1:9/v1")
    out = StringIO()
    up.Command(stdout=out).look_at_embedder()
    assert "cannot be reached" in out.getvalue() and "words alone find" in out.getvalue()
