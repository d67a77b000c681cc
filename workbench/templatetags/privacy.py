"""Tags of the privacy pages: words struck out, links to what would be erased."""

from collections.abc import Iterable
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from workbench import privacy_words, vocabulary
from workbench.marking import Segment, Span, mark, name_of

register = template.Library()


@register.simple_tag
def struck(text: str, spans: Iterable[tuple[int, int]]) -> SafeString:
    """Print a text with the spans that go struck out, everything escaped."""
    parts = mark(text, [Span(start, end) for start, end in spans])
    return format_html_join("", "{}", ((_part(part),) for part in parts))


@register.simple_tag
def dry_run(kind: str, target: int, words: str = "") -> str:
    """Return the address that says what erasing this would do."""
    asked: dict[str, str | int] = {"kind": kind, "target": target}
    if words:
        asked["words"] = words
    return f"{reverse('dry_run')}?{urlencode(asked)}"


@register.filter
def account(code: str) -> str:
    """Write on whose account something was erased, or why it was refuted."""
    known = {**vocabulary.WHY, **dict(privacy_words.REASONS)}
    return known.get(code, vocabulary.plain(code))


def _part(part: Segment) -> SafeString:
    inside = format_html("{}", part.text)
    if part.hidden:
        inside = format_html(
            '<span class="invisible" title="{}">{}</span>', name_of(part.text), part.hidden
        )
    return format_html("<del>{}</del>", inside) if part.spans else inside
