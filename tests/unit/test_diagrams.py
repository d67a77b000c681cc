"""What stands in docs/ is what the code draws, and the picture says what the trust table says."""

import re
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from knowledge.trust import TRANSITIONS, TrustState
from tests.conftest import CHECKOUT
from workbench import diagrams
from workbench.diagrams import arrows, tables, trust_states

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["trust-states.svg", "trust-states.md", "tables.md"])
def test_a_file_in_docs_is_what_the_code_draws_now(name: str) -> None:
    kept = (CHECKOUT / "docs" / name).read_text("utf-8")

    assert kept == diagrams.drawn()[name], "run: manage.py draw_diagrams"


def test_the_picture_draws_every_change_of_the_trust_table_once_and_no_other() -> None:
    told = [pair for arrow in trust_states.arrows() for pair in arrow.says]

    assert sorted(told) == sorted((one, two) for one in TRANSITIONS for two in TRANSITIONS[one])


def test_a_change_taken_from_the_table_leaves_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = {**TRANSITIONS, TrustState.DEFERRED: frozenset({TrustState.PENDING})}
    monkeypatch.setattr(trust_states, "TRANSITIONS", fewer)

    told = {pair for arrow in trust_states.arrows() for pair in arrow.says}

    assert (TrustState.DEFERRED, TrustState.APPROVED) not in told
    assert (TrustState.PENDING, TrustState.APPROVED) in told


def test_the_picture_is_sound_svg_with_a_name_for_each_state_and_a_description() -> None:
    drawn = ElementTree.fromstring(trust_states.picture())  # noqa: S314 - our own text

    words = " ".join(text.text or "" for text in drawn.iter(f"{SVG}text"))
    assert all(state.label in words for state in TrustState)
    assert (drawn.findtext(f"{SVG}title") or "") == "Trust states of a proposal"
    assert "Rejected → Pending" in (drawn.findtext(f"{SVG}desc") or "")


def test_nothing_of_the_picture_stands_outside_its_frame() -> None:
    numbers = [
        (float(x), float(y))
        for path in re.findall(r' d="([^"]+)" marker-end', trust_states.picture())
        for x, y in re.findall(r"(-?\d+) (-?\d+)", path)
    ]

    assert numbers
    assert all(0 < x < trust_states.WIDTH and 0 < y < trust_states.HEIGHT for x, y in numbers)


def test_a_straight_arrow_runs_from_edge_to_edge() -> None:
    one, other = arrows.Box(0, 0, 100, 40), arrows.Box(300, 0, 100, 40)

    assert arrows.between(one, other).points == ((100, 20), (300, 20))
    assert arrows.between(other, one).points == ((300, 20), (100, 20))


def test_the_tables_name_every_column_constraint_and_guard() -> None:
    text = tables.page()

    for model in tables.core_models():
        assert f"(`{model._meta.db_table}`)" in text
        part = text.split(f"(`{model._meta.db_table}`)")[1].split("\n### ")[0]
        for field in model._meta.concrete_fields:
            assert f"| `{field.column}` |" in part
        for named in [*model._meta.constraints, *getattr(model._meta, "triggers", [])]:
            assert f"- `{named.name}`" in part


def test_the_tables_say_what_only_sql_adds() -> None:
    part = tables.page().split("(`knowledge_version`)")[1].split("\n### ")[0]

    assert "`one_truth_per_slot`: `EXCLUDE USING GIST (space_id WITH =" in part
    assert "FOREIGN KEY (space_id, statement_id) REFERENCES knowledge_statement" in part
    assert "valid_ends_are_finite_or_open" in part
    assert "an ended belief stays ended" in part


def test_the_command_draws_what_changed_and_names_what_is_out_of_date(tmp_path: Path) -> None:
    out = StringIO()
    call_command("draw_diagrams", "--into", str(tmp_path), stdout=out)
    (tmp_path / "tables.md").write_text("old", "utf-8")

    with pytest.raises(CommandError, match=r"Out of date: tables\.md\. Run"):
        call_command("draw_diagrams", "--into", str(tmp_path), "--check")

    call_command("draw_diagrams", "--into", str(tmp_path), stdout=out)
    call_command("draw_diagrams", "--into", str(tmp_path), "--check", stdout=out)
    assert out.getvalue().splitlines()[-2:] == ["tables.md drawn", "nothing changed"]
