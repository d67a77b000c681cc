"""Attributes: who changes them, what a switch does from then on, and what it leaves alone."""

from typing import Any

import pytest
from django.test import Client

from knowledge.commands import attributes
from knowledge.errors import Conflict, InvalidInput, NotAllowed
from knowledge.models import Attribute, AuditEvent, Role, Space, Version
from knowledge.queries.attributes import AttributeRow, attributes_of
from knowledge.results import SYSTEM, Actor, SubjectRef
from tests.factories import NOW, actor, make_desk, make_person, make_space, utc

pytestmark = pytest.mark.django_db


def switch(space: Space, *, by: Actor = SYSTEM, **changes: Any) -> attributes.AttributeSet:
    """Set an attribute of the space."""
    plain: dict[str, Any] = {"key": "editor", "single_valued": True}
    return attributes.set_attribute(space_id=space.pk, by=by, now=NOW, **(plain | changes))


def row_of(space: Space, key: str) -> AttributeRow:
    """Find an attribute among those the space has."""
    return next(row for row in attributes_of(space.pk) if row.key == key)


def log_in(space: Space, role: str) -> Client:
    """Log a person with the role in."""
    client = Client()
    client.force_login(make_person(space, role=role))
    return client


# --- the command ---


def test_an_administrator_adds_and_switches_and_the_log_says_so() -> None:
    space = make_space()
    admin = make_person(space, role=Role.ADMIN)

    added = switch(space, by=actor(admin))
    changed = switch(space, by=actor(admin), single_valued=False)

    assert (added.was, changed.was) == (None, True)
    assert Attribute.objects.get(space=space, key="editor").single_valued is False
    events = AuditEvent.objects.filter(object_type="attribute", object_id="editor").order_by("seq")
    assert [(e.action, e.reason_code, e.actor_id) for e in events] == [
        ("attribute.add", "single_valued", str(admin.pk)),
        ("attribute.change", "many_valued", str(admin.pk)),
    ]


def test_the_same_again_changes_nothing_and_writes_no_event() -> None:
    space = make_space()
    switch(space)

    again = switch(space)

    assert not again.is_changed
    assert AuditEvent.objects.filter(object_type="attribute").count() == 1


@pytest.mark.parametrize("role", [Role.CURATOR, Role.AUDITOR, Role.PRIVACY])
def test_nobody_but_an_administrator_changes_an_attribute(role: str) -> None:
    space = make_space()
    person = make_person(space, role=role)
    person.is_superuser = True
    person.save(update_fields=["is_superuser"])

    with pytest.raises(NotAllowed, match="Only an administrator"):
        switch(space, by=actor(person))

    assert not Attribute.objects.filter(space=space, key="editor").exists()


def test_an_administrator_elsewhere_a_key_and_a_worker_change_nothing() -> None:
    space = make_space()
    elsewhere = make_person(make_space(), role=Role.ADMIN)

    for by in (actor(elsewhere), Actor("key", "abcd", "api"), Actor("worker", "w", "worker")):
        with pytest.raises(NotAllowed):
            switch(space, by=by)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("", "Give the attribute a key"),
        ("Home City", "small letters"),
        ("home-city", "small letters"),
        ("1st_home", "beginning with a letter"),
        ("_home", "beginning with a letter"),
        ("heimatstädte", "small letters"),
        ("home_city\n", "small letters"),
        ("a" * 65, "at most 64 characters; this one has 65"),
    ],
)
def test_a_key_of_another_form_is_refused_with_what_to_write(key: str, words: str) -> None:
    space = make_space()
    with pytest.raises(InvalidInput, match=words) as refused:
        switch(space, key=key)

    assert refused.value.field == "key"
    assert switch(space, key="a" * 64).was is None


# --- what a switch does and leaves alone ---


def test_what_overlaps_already_stays_and_keeps_no_slot_when_many_becomes_one() -> None:
    desk = make_desk()
    first = desk.believe("Ana edits in Vim", attribute="editor", value="Vim", at=utc(2025))
    second = desk.believe("Ana edits in Zed", attribute="editor", value="Zed", at=utc(2026))
    before = list(Version.objects.order_by("pk").values())

    switch(desk.space)

    assert list(Version.objects.order_by("pk").values()) == before
    assert first.slot_key is None
    assert second.slot_key is None
    assert row_of(desk.space, "editor") == AttributeRow("editor", True, True, 2, 1)
    third = desk.believe("Ana edits in Helix", attribute="editor", value="Helix", at=utc(2026, 2))
    assert third.slot_key == "editor"
    with pytest.raises(Conflict):
        desk.believe("Ana edits in Emacs", attribute="editor", value="Emacs", at=utc(2026, 3))


def test_what_is_approved_after_one_becomes_many_may_stand_beside_it() -> None:
    desk = make_desk()
    held = desk.believe("Ana eats no meat", attribute="diet", value="vegetarian", at=utc(2025))

    switch(desk.space, key="diet", single_valued=False)

    beside = desk.believe("Ana eats kosher", attribute="diet", value="kosher", at=utc(2026))
    held.refresh_from_db()
    assert (held.slot_key, held.tx_to, beside.slot_key) == ("diet", None, None)


# --- the query ---


def test_uses_count_current_statements_and_whoever_holds_several_at_once() -> None:
    desk = make_desk()
    bob = SubjectRef("user", "bob", "Bob")
    for text, more in {
        "Ana edits in Vim": {"at": utc(2025), "valid_to": utc(2025, 6)},
        "Ana edits in Zed": {"at": utc(2025, 6)},
        "Ana’s brother edits in Nano": {"at": utc(2025, 7), "about": "Tomás"},
        "Bob edits in Vim": {"at": utc(2025, 7), "subject": bob},
    }.items():
        desk.believe(text, attribute="editor", value=text.split()[-1], **more)  # type: ignore[arg-type]  # a test names fields freely
    assert row_of(desk.space, "editor") == AttributeRow("editor", False, False, 4, 0)

    for text in ("Bob edits in Zed", "Bob edits in Helix"):
        desk.believe(text, attribute="editor", value=text.split()[-1], at=utc(2026), subject=bob)

    assert row_of(desk.space, "editor") == AttributeRow("editor", False, False, 6, 1)
    assert row_of(desk.space, "employer") == AttributeRow("employer", True, True, 0, 0)
    assert all(row.believed == 0 for row in attributes_of(make_space().pk))


# --- the page ---


@pytest.mark.parametrize("role", [Role.CURATOR, Role.AUDITOR, Role.PRIVACY])
def test_every_member_reads_the_page_and_only_administrators_change_it(role: str) -> None:
    space = make_space()
    client = log_in(space, role)

    page = client.get("/attributes/").content.decode()
    refused = client.post("/attributes/set/", {"key": "editor", "holds": "one"})

    assert "<code>home_city</code>" in page
    assert 'href="/attributes/" aria-current="page"' in page
    assert "Add the attribute" not in page
    assert "<summary>Switch" not in page
    assert refused.status_code == 403
    assert "Only an administrator of this space" in refused.content.decode()
    assert not Attribute.objects.filter(space=space, key="editor").exists()


def test_a_person_of_no_space_and_one_of_another_see_nothing_of_it() -> None:
    space = make_space()
    switch(space, key="secret_plan")
    stranger = log_in(make_space(), Role.ADMIN)

    assert "secret_plan" not in stranger.get("/attributes/").content.decode()
    for answer in (
        stranger.get(f"/attributes/?space={space.slug}"),
        stranger.post(f"/attributes/set/?space={space.slug}", {"key": "x", "holds": "one"}),
    ):
        assert answer.status_code == 404
    assert Client().get("/attributes/").headers["Location"].startswith("/login/")
    assert Client().post("/attributes/set/").headers["Location"].startswith("/login/")
    assert stranger.get("/attributes/set/").status_code == 405


def test_an_administrator_adds_and_switches_on_the_page() -> None:
    space = make_space()
    client = log_in(space, Role.ADMIN)

    added = client.post("/attributes/set/", {"key": " editor ", "holds": "many"}, follow=True)
    switched = client.post("/attributes/set/", {"key": "editor", "holds": "one"}, follow=True)
    again = client.post("/attributes/set/", {"key": "editor", "holds": "one"}, follow=True)

    assert added.redirect_chain == [("/attributes/", 303)]
    assert "editor is added and holds many values from now on." in added.content.decode()
    assert "editor holds one value at a time from now on." in switched.content.decode()
    assert "Nothing was changed." in again.content.decode()
    assert row_of(space, "editor") == AttributeRow("editor", True, True)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"key": "Home City", "holds": "one"}, "Write the key in small letters"),
        ({"key": "x" * 80, "holds": "one"}, "this one has 80"),
        ({"key": "", "holds": "one"}, "Give it a key"),
        ({"key": "editor"}, "Choose how many"),
        ({"key": "editor", "holds": "some"}, "Select a valid choice"),
        ({"key": "edi\x00tor", "holds": "one"}, "Null characters"),
    ],
)
def test_a_wrong_form_keeps_what_was_typed_and_says_why(form: dict[str, str], words: str) -> None:
    space = make_space()
    answer = log_in(space, Role.ADMIN).post("/attributes/set/", form)

    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert f'value="{form["key"]}"' in answer.content.decode()
    assert not AuditEvent.objects.filter(object_type="attribute").exists()


def test_the_page_says_what_a_switch_to_one_means_where_values_overlap() -> None:
    desk = make_desk()
    for value in ("Vim", "Zed"):
        desk.believe(f"Ana edits in {value}", attribute="editor", value=value, at=utc(2025))
    page = log_in(desk.space, Role.ADMIN).get("/attributes/").content.decode()

    assert "Now one holder has several values for the same time: they stay" in page
    assert "(not registered)" in page


def test_the_page_costs_the_same_however_many_attributes(
    django_assert_max_num_queries: Any,
) -> None:
    space = make_space()
    for number in range(15):
        switch(space, key=f"attribute_{number}")
    client = log_in(space, Role.ADMIN)

    with django_assert_max_num_queries(9):
        assert client.get("/attributes/").status_code == 200
