"""The bench command, on little: it measures what it says, finds nothing wrong, and is refused
where it would leave things behind.
"""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from knowledge.queries.asof import believed_at, instants_of
from tests.factories import NOW, make_desk, utc
from workbench.benches import deciding, reading

KEYS = {
    "approvals_per_s_1",
    "approvals_per_s_8",
    "approvals_per_s_8_spaces",
    "plain_inserts_per_s",
    "as_of_p50_ms",
    "as_of_p95_ms",
    "verify_s_per_50k",
    "plain_insert_us",
    "append_us",
    "append_ratio",
    "append_in_bulk_us",
    "compare_s",
}


@pytest.mark.django_db(transaction=True)
def test_the_store_is_measured_and_found_sound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "store.json"
    call_command("bench", "store", here=True, rows=1000, approvals=40, json=path)
    found = json.loads(path.read_text())

    assert all(found[key] > 0 for key in KEYS)
    assert found["wrong"] == 0
    assert found["conflicts"] == 2  # the pairs that two writers were given
    assert [each["versions"] for each in found["as_of"]] == [100, 1000]
    assert {each["ended_share"] for each in found["as_of"]} == {0.7}
    assert found["machine"]["cpus"] > 0
    assert set(found["versions"]) == {"python", "django", "psycopg", "postgresql"}
    shown = capsys.readouterr()
    assert "wrong: 0" in shown.out
    assert shown.err == ""  # progress is for terminals
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('bench_plain'), to_regnamespace('bench_asof')")
        assert cursor.fetchone() == (None, None)


def test_a_configured_database_is_left_alone_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://nobody@localhost/nothing")
    with pytest.raises(CommandError, match="--here"):
        call_command("bench", "store")


def test_contested_pairs_go_to_two_writers_and_all_others_to_one() -> None:
    pairs = [(2 * number, 2 * number + 1) for number in range(100)]
    shares = deciding.shares_of(pairs)

    dealt = [pair for share in shares for pair in share]
    assert len(shares) == 8
    assert set(dealt) == set(pairs)
    assert len(dealt) == 110


@pytest.mark.django_db(transaction=True)
def test_generated_versions_answer_once_for_each_lineage_at_every_pair_of_instants() -> None:
    desk = make_desk()
    desk.believe("Ana likes tea")  # questions reach no further than the last decision
    space = desk.space
    with reading.copied_versions(space_id=space.pk, lineages=20):
        for known_at in (utc(2021), utc(2022, 6), utc(2023, 7), utc(2025)):
            for valid_at in (utc(2021), utc(2022, 2), utc(2023, 12, 31)):
                instants = instants_of(
                    space_id=space.pk, valid_at=valid_at, known_at=known_at, now=NOW
                )
                rows = believed_at(space_id=space.pk, subject_ids=None, instants=instants)
                lineages = [row.statement_id for row in rows]
                assert len(lineages) == len(set(lineages))
        assert len(lineages) == 20  # in the end all are believed
