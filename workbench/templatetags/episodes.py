"""Tags of the episode's page: words with the marks of several proposals at once."""

from collections.abc import Iterable, Mapping

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from knowledge.queries.words import Mark
from workbench.marking import Segment, Span, mark
from workbench.templatetags.workbench import shown

register = template.Library()


@register.simple_tag
def told(
    text: str, marks: Iterable[Mark], *, where: Mapping[int, str] | None = None, current: int = 0
) -> SafeString:
    """Print words with every gap and quote of an episode, each saying whose it is.

    The number of a gap leads to the proposal made from it; what the reader has open needs none.
    """
    by_number = {found.number: found for found in marks}
    spans = [Span(one.start, one.end, one.number, one.tone) for one in by_number.values()]
    parts = (
        _segment(part, by_number, where=where or {}, current=current) for part in mark(text, spans)
    )
    return format_html_join("", "{}", ((part,) for part in parts))


def _segment(
    part: Segment, marks: Mapping[int, Mark], *, where: Mapping[int, str], current: int
) -> SafeString:
    inside = shown(part.text)
    for number in part.closes:
        if number > 0:
            label = _number(marks[number], where, current=current)
            inside = format_html("{}<sup>{}</sup>", inside, label)
    if not part.spans:
        return inside
    owners = {pk for span in part.spans for pk in marks[span.number].proposals}
    gaps = any(span.number > 0 for span in part.spans)
    classes = "this" if current in owners else "" if gaps else "quote"
    if current in owners and not gaps:
        classes = "this quote"
    first = next((number for number in part.opens if number > 0), 0)
    place = format_html(' id="gap-{}" tabindex="-1"', first) if first else ""
    return format_html(
        '<mark class="{}" data-of="{}"{}>{}</mark>',
        classes,
        " ".join(str(pk) for pk in sorted(owners)),
        place,
        inside,
    )


def _number(found: Mark, where: Mapping[int, str], *, current: int) -> SafeString:
    url = next((where[pk] for pk in found.proposals if pk in where), "")
    if not url or current in found.proposals:
        return format_html("{}", found.number)
    return format_html(
        '<a href="{0}" hx-get="{0}" aria-label="Gap {1}: to its proposal">{1}</a>',
        url,
        found.number,
    )
