"""Whatever the text, PostgreSQL takes its lexemes and gives them back."""

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.retrieval.lexemes import index_text, query_terms

pytestmark = pytest.mark.django_db


def stored(text: str) -> tuple[int, list[str]]:
    """Return how many positions and which lexemes PostgreSQL keeps."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(cardinality(positions)), 0), coalesce(array_agg(lexeme), '{}') "
            "FROM unnest(%s::tsvector)",
            [index_text(text).literal],
        )
        count, lexemes = cursor.fetchone()
    return count, lexemes


@given(st.text(max_size=300))
@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_text_casts_and_keeps_its_lexemes(text: str) -> None:
    count, lexemes = stored(text)
    assert count == index_text(text).length
    assert all(lexemes)


@pytest.mark.parametrize(
    "text",
    [
        "it's a \\ back'slash 'quoted'",
        "nul \x00 inside",
        "lone \ud800 surrogate",
        "x" * 5000,
        "漢" * 30_000,
        " ".join(f"w{number}" + "é" * 200 for number in range(16_000)),
    ],
)
def test_awkward_texts_cast(text: str) -> None:
    count, lexemes = stored(text)
    assert count > 0
    assert lexemes


def test_a_query_finds_a_stored_text() -> None:
    _, lexemes = stored("Ana's brother writes C++ in São Paulo")
    assert set(query_terms("sao paulo c++ brothers")) <= set(lexemes)
