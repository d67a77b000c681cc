"""The trust states and the changes between them, as a picture and as a table.

Which arrows there are comes from ``knowledge.trust`` alone. What stands here is where a state
stands, how its arrows run and what people call them; a state without a place cannot be drawn,
and a change without a route is drawn straight.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from knowledge.trust import FIRST_STATES, TRANSITIONS, WAITING_STATES, TrustState
from workbench.diagrams.arrows import Box, Route, between

_S = TrustState

WIDTH, HEIGHT = 1120, 560
_WAITING = Box(x=300, y=108, width=486, height=300)
_START = (105, 142)
_PLACES: dict[TrustState, Box] = {
    _S.SET_ASIDE: Box(x=40, y=232, width=130, height=52),
    _S.PENDING: Box(x=336, y=232, width=130, height=52),
    _S.DEFERRED: Box(x=622, y=148, width=130, height=52),
    _S.AWAITING_SECOND: Box(x=602, y=316, width=170, height=52),
    _S.APPROVED: Box(x=940, y=148, width=140, height=52),
    _S.REJECTED: Box(x=940, y=316, width=140, height=52),
    _S.WITHDRAWN: Box(x=322, y=474, width=130, height=52),
}
_ROUTES: dict[tuple[TrustState, TrustState], Route] = {
    (_S.SET_ASIDE, _S.PENDING): Route(((170, 258), (336, 258)), "propose anyway", (235, 250)),
    (_S.SET_ASIDE, _S.WITHDRAWN): Route(((105, 284), (105, 500), (322, 500)), "withdraw"),
    (_S.PENDING, _S.DEFERRED): Route(((430, 232), (430, 174), (622, 174)), "defer · wake"),
    (_S.PENDING, _S.AWAITING_SECOND): Route(
        ((430, 284), (430, 342), (602, 342)), "first yes · send back"
    ),
    (_S.DEFERRED, _S.AWAITING_SECOND): Route(
        ((687, 200), (687, 316)), "first yes · defer", (620, 263)
    ),
    (_S.APPROVED, _S.PENDING): Route(((1010, 148), (1010, 52), (380, 52), (380, 232)), "undo"),
    (_S.REJECTED, _S.PENDING): Route(
        ((1010, 368), (1010, 448), (398, 448), (398, 284)), "undo · reconsider"
    ),
}
# An arrow from the frame around the waiting states stands for one from each of them.
_FROM_ALL: dict[TrustState, Route] = {
    _S.APPROVED: Route(((786, 174), (940, 174)), "approve"),
    _S.REJECTED: Route(((786, 342), (940, 342)), "reject"),
    _S.WITHDRAWN: Route(((362, 408), (362, 474)), "withdraw", (322, 446)),
}
_FIRST: dict[TrustState, Route] = {
    _S.SET_ASIDE: Route(((105, 150), (105, 232)), "a gate stops it", (166, 196)),
    _S.PENDING: Route(((113, 142), (354, 142), (354, 232)), "extracted, or sent in", (209, 134)),
}

_STYLE = """
.card { fill: #fbfaf7; stroke: #e2dfd7 }
.group { fill: #f3f1ec; stroke: #8a8f99; stroke-dasharray: 6 5 }
.state { fill: #ffffff; stroke: #565d6b; stroke-width: 1.5 }
.good { fill: #e3f3ea; stroke: #11643f } .bad { fill: #fdece8; stroke: #a1260d }
.arrow { fill: none; stroke: #565d6b; stroke-width: 1.6 }
.head, .start { fill: #565d6b }
text { fill: #1d2129; font: 16px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif }
.name { font-weight: 600; text-anchor: middle }
.label { font-size: 15px; text-anchor: middle }
@media (prefers-color-scheme: dark) {
.card { fill: #14161a; stroke: #2c313a } .group { fill: #1b1e24; stroke: #6d7482 }
.state { fill: #2b303a; stroke: #a5abb8 }
.good { fill: #123524; stroke: #7fdcb0 } .bad { fill: #3a1d17; stroke: #ff9d8a }
.arrow { stroke: #a5abb8 } .head, .start { fill: #a5abb8 } text { fill: #e8e6e1 }
}
"""
_TONES = {_S.APPROVED: " good", _S.REJECTED: " bad"}


@dataclass(frozen=True, slots=True)
class Arrow:
    """One line of the picture. **Shape**: ``says`` are the changes it stands for."""

    says: tuple[tuple[TrustState, TrustState], ...]
    route: Route
    both_ways: bool = False


def arrows() -> list[Arrow]:
    """Return the lines that together say every change of the table, each change once."""
    ends = sorted(frozenset.intersection(*(TRANSITIONS[state] for state in WAITING_STATES)))
    shared = [end for end in ends if end not in WAITING_STATES and end in _FROM_ALL]
    found = [
        Arrow(tuple((state, end) for state in sorted(WAITING_STATES)), _FROM_ALL[end])
        for end in shared
    ]
    left = {
        (before, after)
        for before, afters in TRANSITIONS.items()
        for after in afters
        if not (before in WAITING_STATES and after in shared)
    }
    order = list(TrustState)
    for before, after in sorted(left, key=lambda pair: (order.index(pair[0]), pair[1])):
        returns = (after, before) in left
        if returns and order.index(after) < order.index(before):
            continue
        route = _ROUTES.get((before, after)) or between(_PLACES[before], _PLACES[after])
        says = ((before, after), (after, before)) if returns else ((before, after),)
        found.append(Arrow(says, route, both_ways=returns))
    return found


def picture() -> str:
    """Draw the states and their changes as SVG that is readable on light and on dark."""
    return "\n".join(_lines()) + "\n"


def page() -> str:
    """Write the page that shows the picture, and says the same as a table."""
    rows = [
        f"| {before.label} | {', '.join(after.label for after in TrustState if after in afters)} |"
        if afters
        else f"| {before.label} | nothing: it is final |"
        for before, afters in TRANSITIONS.items()
    ]
    first = " or ".join(f"*{state.label}*" for state in TrustState if state in FIRST_STATES)
    waiting = ", ".join(f"*{state.label}*" for state in TrustState if state in WAITING_STATES)
    lines = [
        "# Trust states",
        "",
        "<!-- Drawn by `manage.py draw_diagrams` from `knowledge/trust.py`. Do not edit. -->",
        "",
        "![The trust states of a proposal and every change between them](trust-states.svg)",
        "",
        f"A proposal begins as {first}. What waits for a person is {waiting}; an arrow from the",
        "dashed frame leaves from each of these. Every change is one decision of one person or of",
        "a named policy. The database refuses every other.",
        "",
        "| from | may become |",
        "| --- | --- |",
        *rows,
        "",
    ]
    return "\n".join(lines)


def _lines() -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="title desc">'
    )
    yield '<title id="title">Trust states of a proposal</title>'
    told = "; ".join(_told(arrow) for arrow in arrows())
    yield f'<desc id="desc">{escape(told)}.</desc>'
    yield f"<style>{_STYLE}</style>"
    yield (
        '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9"'
        ' markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        '<path class="head" d="M0 0 10 5 0 10z"/></marker></defs>'
    )
    yield f'<rect class="card" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="12"/>'
    yield _rect(_WAITING, "group", rounded=14)
    yield '<text class="group-name" x="516" y="134">waits for a person</text>'
    drawn = [*arrows(), *(Arrow((), _FIRST[state]) for state in sorted(FIRST_STATES))]
    for arrow in drawn:
        yield from _path(arrow)
    x, y = _START
    yield f'<circle class="start" cx="{x}" cy="{y}" r="8"/>'
    for state in TrustState:
        box = _PLACES[state]
        yield _rect(box, f"state{_TONES.get(state, '')}", rounded=9)
        x, y = box.middle
        lines = _broken(state.label)
        for place, words in enumerate(lines):
            down = y + 6 + 20 * place - 10 * (len(lines) - 1)
            yield f'<text class="name" x="{x}" y="{down}">{escape(words)}</text>'
    for arrow in drawn:
        if arrow.route.label:
            x, y = arrow.route.label_at
            yield f'<text class="label" x="{x}" y="{y}">{escape(arrow.route.label)}</text>'
    yield "</svg>"


def _path(arrow: Arrow) -> Iterator[str]:
    back = ' marker-start="url(#head)"' if arrow.both_ways else ""
    title = f"<title>{escape(_told(arrow))}</title>" if arrow.says else ""
    yield (
        f'<path class="arrow" d="{arrow.route.path}" marker-end="url(#head)"{back}>{title}</path>'
    )


def _told(arrow: Arrow) -> str:
    return ", ".join(f"{before.label} → {after.label}" for before, after in arrow.says)


def _rect(box: Box, tone: str, *, rounded: int) -> str:
    return (
        f'<rect class="{tone}" x="{box.x}" y="{box.y}" width="{box.width}"'
        f' height="{box.height}" rx="{rounded}"/>'
    )


def _broken(label: str) -> list[str]:
    words = label.split()
    if len(words) < 3:
        return [label]
    return [words[0], " ".join(words[1:])]
