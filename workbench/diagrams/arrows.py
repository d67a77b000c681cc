"""Lines between boxes: their corners rounded, their labels where there is room."""

from dataclasses import dataclass

_ROUND = 12
_ABOVE = 8

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, in user units of the drawing."""

    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> Point:
        """The centre."""
        return self.x + self.width // 2, self.y + self.height // 2


@dataclass(frozen=True, slots=True)
class Route:
    """A line through its corners.

    **Shape**: ``points`` hold two at least; ``stands`` is the label's place where the line
    leaves it no room of its own.
    """

    points: tuple[Point, ...]
    label: str = ""
    stands: Point | None = None

    @property
    def path(self) -> str:
        """The line as SVG draws it, its corners rounded."""
        parts = [f"M{_at(self.points[0])}"]
        for before, corner, after in zip(
            self.points, self.points[1:], self.points[2:], strict=False
        ):
            parts.append(f"L{_at(_towards(corner, before))}")
            parts.append(f"Q{_at(corner)} {_at(_towards(corner, after))}")
        return " ".join([*parts, f"L{_at(self.points[-1])}"])

    @property
    def label_at(self) -> Point:
        """The middle of the label's foot: above the longest level stretch, if there is one."""
        if self.stands:
            return self.stands
        stretches = list(zip(self.points, self.points[1:], strict=False))
        level = [pair for pair in stretches if pair[0][1] == pair[1][1]]
        (x, y), (to_x, to_y) = max(level or stretches[:1], key=lambda s: abs(s[1][0] - s[0][0]))
        return (x + to_x) // 2, (y + to_y) // 2 - _ABOVE


def between(one: Box, other: Box) -> Route:
    """Return the straight line from the edge of one box to the edge of another."""
    return Route((_edge(one, other.middle), _edge(other, one.middle)))


def _edge(box: Box, point: Point) -> Point:
    """Where the line from the middle of the box towards the point leaves the box."""
    x, y = box.middle
    away_x, away_y = point[0] - x, point[1] - y
    share = min(
        box.width / 2 / abs(away_x) if away_x else 1.0,
        box.height / 2 / abs(away_y) if away_y else 1.0,
        1.0,
    )
    return round(x + away_x * share), round(y + away_y * share)


def _towards(corner: Point, point: Point) -> Point:
    length = max(abs(point[0] - corner[0]), abs(point[1] - corner[1]))
    share = min(_ROUND / length, 0.5) if length else 0.0
    return (
        round(corner[0] + (point[0] - corner[0]) * share),
        round(corner[1] + (point[1] - corner[1]) * share),
    )


def _at(point: Point) -> str:
    return f"{point[0]} {point[1]}"
