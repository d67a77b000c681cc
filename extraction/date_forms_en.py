"""Shapes of dates that English alone has, or that were only gathered for English."""

from extraction.date_forms import Form, any_of, blocked, compile_words
from extraction.date_months_en import month_shapes
from extraction.date_spans_en import NOW, longer_shapes, week_shapes
from extraction.date_words import EN

__all__ = ["NOW", "english_forms"]


def english_forms() -> tuple[Form, ...]:
    """List the shapes, the longer before those they contain."""
    mornings = rf"(?:on )?(?:{any_of(EN.weekdays)})\s+(?:mornings|afternoons|evenings|nights)"
    shapes = ((mornings, blocked), *month_shapes(), *week_shapes(), *longer_shapes())
    return tuple((compile_words(pattern), reader) for pattern, reader in shapes)
