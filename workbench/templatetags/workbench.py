"""Tags of the workbench's templates: words made safe, dates written out, keys printed."""

import re
import uuid
from collections.abc import Iterable
from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from knowledge.models.erasure_guards import MASK
from knowledge.queries.review import Expected
from knowledge.queries.words import Mark
from workbench import http, keymap, vocabulary
from workbench.marking import Segment, Span, mark, name_of, visible
from workbench.masking import masked_if
from workbench.wording import Difference, difference

register = template.Library()
_MASKED = re.compile(f"({MASK}+)")


@register.simple_tag
def words(text: str, marks: Iterable[Mark] = (), anchors: bool = True) -> SafeString:
    """Print original words with their numbered gaps, everything escaped."""
    spans = [Span(found.start, found.end, found.number, found.tone) for found in marks]
    parts = (_segment(part, anchors) for part in mark(text, spans))
    return format_html_join("", "{}", ((part,) for part in parts))


def _segment(part: Segment, anchors: bool) -> SafeString:
    inside = _hidden(part) if part.hidden else _written(part.text)
    for number in part.closes:
        inside = format_html("{}<sup>{}</sup>", inside, number)
    if not part.spans:
        return inside
    first = part.opens[0] if part.opens and anchors else 0
    tones = {span.tone for span in part.spans}
    classes = " ".join(
        name
        for name, given in (
            ("this", "this" in tones),
            ("quote", "quote" in tones and "this" not in tones),
        )
        if given
    )
    place = format_html(' id="gap-{}" tabindex="-1"', first) if first else ""
    return format_html('<mark class="{}"{}>{}</mark>', classes, place, inside)


def _hidden(part: Segment) -> SafeString:
    return format_html(
        '<span class="invisible" title="{}">{}</span>', name_of(part.text), part.hidden
    )


def _written(text: str) -> SafeString:
    """Escape a text; what was erased of it is read out as one word, not letter by letter."""
    if MASK not in text:
        return format_html("{}", text)
    gone = (
        '<span class="masked" title="erased"><span class="visually-hidden">[erased]</span>'
        '<span aria-hidden="true">{}</span></span>'
    )
    parts = (
        format_html(gone if piece.startswith(MASK) else "{}", piece)
        for piece in _MASKED.split(text)
    )
    return format_html_join("", "{}", ((part,) for part in parts))


@register.filter
def shown(text: str) -> SafeString:
    """Print a text escaped, with invisible characters named."""
    parts = (_hidden(part) if part.hidden else _written(part.text) for part in visible(text))
    return format_html_join("", "{}", ((part,) for part in parts))


@register.simple_tag
def diff(found: Difference) -> SafeString:
    """Print a word diff; removed and added words are named to screen readers."""
    tags = {"added": "ins", "removed": "del"}
    return format_html_join(
        "",
        "{}",
        (
            (
                format_html("<{0}>{1}</{0}>", tags[piece.change], shown(piece.text))
                if piece.change in tags
                else shown(piece.text),
            )
            for piece in found.pieces
        ),
    )


@register.simple_tag
def compare(before: str, after: str) -> Difference:
    """Compare two texts, for ``{% diff %}``."""
    return difference(before, after)


@register.simple_tag
def key(action: str) -> SafeString:
    """Print the key of an action, as the buttons show it."""
    press = keymap.shown(action)
    return format_html('<kbd aria-hidden="true">{}</kbd>', press) if press else mark_safe("")


@register.simple_tag
def keymap_bindings() -> list[keymap.KeyJson]:
    """Return the keymap for the page's script."""
    return keymap.for_script()


@register.simple_tag
def key_groups() -> dict[str, list[keymap.Key]]:
    """Return the keymap for the sheet."""
    return keymap.grouped()


@register.simple_tag
def htmx_config() -> str:
    """Return htmx's settings."""
    return http.htmx_config()


@register.simple_tag
def request_id() -> str:
    """Return a fresh id: posted twice, it decides once."""
    return str(uuid.uuid4())


@register.filter
def day(moment: datetime | None) -> str:
    """Write a day: 2 Mar 2026."""
    return _write(moment, "{d.day} {d:%b %Y}")


@register.filter
def long_day(moment: datetime | None) -> str:
    """Write a day with its weekday: Mon 2 Mar 2026."""
    return _write(moment, "{d:%a} {d.day} {d:%b %Y}")


@register.filter
def stamp(moment: datetime | None) -> str:
    """Write a day and a time: 2 Mar 2026 18:02."""
    return _write(moment, "{d.day} {d:%b %Y %H:%M}")


@register.filter
def iso_day(moment: datetime | None) -> str:
    """Write a day as a date box wants it: 2026-03-02."""
    return _write(moment, "{d:%Y-%m-%d}")


@register.filter
def clock(moment: datetime | None) -> str:
    """Write a time: 18:02."""
    return _write(moment, "{d:%H:%M}")


@register.filter
def age(moment: datetime | None) -> str:
    """Write how long ago something was, in its largest unit: 3 h."""
    if moment is None:
        return ""
    minutes = int((timezone.now() - moment).total_seconds() // 60)
    if minutes < 1:
        return "now"
    for size, unit in ((60 * 24 * 365, "y"), (60 * 24, "d"), (60, "h")):
        if minutes >= size:
            return f"{minutes // size} {unit}"
    return f"{minutes} min"


def _write(moment: datetime | None, pattern: str) -> str:
    return pattern.format(d=timezone.localtime(moment)) if moment else ""


@register.filter
def flag_word(name: str) -> str:
    """Write a flag in a word."""
    return vocabulary.flag_word(name)


@register.filter
def flag_sentence(name: str) -> str:
    """Write a flag in a sentence."""
    return vocabulary.flag_sentence(name)


@register.filter
def aside_sentence(reason: str) -> str:
    """Say why something was set aside."""
    return vocabulary.aside(reason)


@register.filter
def plain(name: str) -> str:
    """Write a key as words."""
    return vocabulary.plain(name)


@register.filter
def outcome_word(outcome: str) -> str:
    """Return a prediction's outcome in words."""
    return vocabulary.OUTCOMES.get(outcome, vocabulary.plain(outcome))


@register.filter
def percent(share: float | None) -> str:
    """Write a share as a whole per cent."""
    return "" if share is None else f"{round(share * 100)}"


@register.filter
def score(value: float) -> str:
    """Write a score as people read it: .88."""
    return f"{value:.2f}".removeprefix("0")


@register.filter
def decided(kind: str) -> str:
    """Write what was decided."""
    return vocabulary.DECIDED.get(kind, vocabulary.plain(kind).capitalize())


@register.filter
def why(reason: str) -> str:
    """Write the reason of a decision."""
    return vocabulary.WHY.get(reason, vocabulary.plain(reason))


@register.filter
def telling(expected: Iterable[Expected]) -> list[Expected]:
    """Keep the predictions the words spoke to, those gone against first."""
    spoken = [one for one in expected if one.outcome != "not_mentioned"]
    return sorted(spoken, key=lambda one: one.outcome != "said_otherwise")


@register.filter
def silent(expected: Iterable[Expected]) -> list[Expected]:
    """Keep the predictions nothing was said about."""
    return [one for one in expected if one.outcome == "not_mentioned"]


@register.filter
def hush(text: str, flags: tuple[str, ...]) -> str:
    """Mask what a text holds of a secret, where its flags say so."""
    return masked_if(text, flags=flags)


@register.filter
def grouped(number: int) -> str:
    """Write a number with its thousands apart: 48,213."""
    return f"{number:,}"
