"""A table of messages: a row each, columns known by their heading, cells apart by , ; tab or |.

Made for whatever has no importer of its own. A message is known by its id where there is a
column for it, else by its words, its time and how often they were said before.
"""

import csv
import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from extraction.importers.base import (
    Imported,
    ImportedConversation,
    ImportProblem,
    LeftOut,
    MessageKind,
    as_problem,
    read_each,
)
from extraction.importers.drafts import (
    NAMELESS_USER,
    USER_KINDS,
    Draft,
    participants_named,
    settle,
    unforged,
)
from extraction.importers.errors import AtLine, BrokenLine
from extraction.importers.identity import MessageIds
from extraction.importers.limits import LINE_LIMIT
from extraction.importers.lines import read_lines
from extraction.importers.local_times import LocalClock, OrderOfDays, zone_of
from extraction.importers.opening import Fit, Opening
from extraction.importers.source import Member, Source
from extraction.importers.spreadsheet_cells import (
    Local,
    columns_of,
    is_enough,
    joined,
    kind_of,
    time_of,
)
from extraction.importers.wording import Unfit, bounded, digest, stable_id, storable

NAME = "csv"
_DELIMITERS = ",;\t|"
_PART = 2_000  # rows held at once
_REMEMBERED = 2_000  # conversations whose ids are remembered; exports keep a conversation together
_MOST_BLANKS = 20
_SEPARATOR = re.compile(r"sep=.", re.IGNORECASE)  # what Excel takes as its cells' separator
_BARE_RETURN = re.compile(r"(?<=\r)(?!\n)(?=.)", re.DOTALL)  # how old Macs end lines
_END = "\x00"  # a row after the last one: no line that is read holds a NUL
# A cell may be as long as a line. The library's own bound is lower, and one for all its readers.
csv.field_size_limit(LINE_LIMIT)


class Spreadsheet:
    """The importer of tables of messages."""

    name = NAME
    expects = (
        "a CSV table with a heading: a column text (or message, content), one of speaker or role,"
        " and if there are any conversation, time, id"
    )
    members = re.compile(r"\.(csv|tsv|tab)$", re.IGNORECASE)

    def recognises(self, opening: Opening) -> Fit:
        """Tell whether the first line is a heading that says who said what."""
        if opening.shape != "text":
            return Fit.NO
        told = (line for line in opening.head.splitlines() if line.strip())
        first = next((line for line in told if not _SEPARATOR.fullmatch(line)), "")
        return Fit.SHAPE if is_enough(_heading(first)[1]) else Fit.NO

    def read(self, source: Source) -> Iterator[Imported]:
        """Yield the conversations of each table, in parts of at most some thousand rows."""

        def table(member: Member) -> Iterator[Imported]:
            return _Table(member, source).read()

        yield from read_each(source, self.members, table)


@dataclass(frozen=True, slots=True)
class _Row:
    """One row. ``line`` is where it begins."""

    line: int
    cells: dict[str, str]
    ends_at: int


@dataclass(slots=True)
class _Part:
    """What was gathered of one conversation."""

    people: tuple[str, ...]
    title: str = ""
    drafts: list[tuple[Draft, int]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


class _Table:
    """One table being read, from its heading to its last row."""

    def __init__(self, member: Member, source: Source) -> None:
        self._member = member
        self._source = source
        self._order = ""
        self._clock: LocalClock | None = None
        self._parts: dict[str, _Part] = {}
        self._held = 0
        self._ids: OrderedDict[str, MessageIds] = OrderedDict()
        self._first = ""
        self._people: dict[str, dict[str, None]] = {}

    def read(self) -> Iterator[Imported]:
        """Yield parts of conversations and what could not be read. **Raises**: AnswerNeeded."""
        self._survey()
        ends_at = self._member.begins_at
        for row in _rows(self._member):
            if isinstance(row, AtLine):
                yield as_problem(row, member=self._member)
                continue
            yield from self._take(row)
            ends_at = row.ends_at
            if self._held >= _PART:
                yield from self._given(ends_at)
        yield from self._given(ends_at)

    def _survey(self) -> None:
        """Find out how dates are to be read, and who speaks: each part must offer all of them."""
        order, is_local = OrderOfDays(), False
        for row in _rows(self._member):
            if isinstance(row, AtLine):
                continue
            self._meet(row.cells)
            try:
                found = time_of(row.cells["time"])
            except Unfit:
                continue
            if isinstance(found, Local):
                is_local = True
                if not found.is_year_first:
                    order.see(found.day, shown=found.shown)
        if is_local:
            self._clock = LocalClock(zone_of(self._source))
            self._order = order.settled(self._source)

    def _meet(self, cells: dict[str, str]) -> None:
        """Note who speaks as a person in a conversation."""
        try:
            kind = kind_of(cells["role"], speaker=cells["speaker"])
        except Unfit:
            return
        if kind in USER_KINDS and cells["text"]:
            people = self._people.setdefault(stable_id(cells["conversation"]), {})
            people[_speaker(cells, kind)] = None

    def _take(self, row: _Row) -> Iterator[ImportProblem]:
        """Add a row to its conversation."""
        cells = row.cells
        try:
            kind = kind_of(cells["role"], speaker=cells["speaker"])
        except Unfit as error:
            yield self._problem(row.line, f"The row is left out: {error}.")
            return
        sent_at: datetime | None = None
        try:
            sent_at = self._instant(cells["time"])
        except Unfit as error:
            yield self._problem(row.line, f"The message is kept without its time: {error}.")
        self._first = self._first or digest(cells["speaker"], cells["time"], cells["text"])
        named = stable_id(cells["conversation"])
        key = named or f"csv-{self._first}"
        part = self._parts.setdefault(key, _Part(people=tuple(self._people.get(named, ()))))
        part.title = part.title or cells["title"]
        self._held += 1
        own_id = stable_id(cells["id"])
        if not cells["text"]:
            part.left_out.append(LeftOut(own_id, "without_words"))
            return
        draft = Draft(own_id, _speaker(cells, kind), kind, storable(cells["text"]), sent_at)
        part.drafts.append((draft, row.line))

    def _instant(self, cell: str) -> datetime | None:
        found = time_of(cell)
        if not isinstance(found, Local):
            return found
        day = found.day("ymd" if found.is_year_first else self._order)
        if day is None or self._clock is None:
            raise Unfit(f"there is no such day: {found.shown!r}")
        return self._clock.utc(datetime.combine(day, found.clock))

    def _given(self, ends_at: int) -> Iterator[ImportedConversation]:
        """Give what was gathered of each conversation, and begin anew."""
        parts, self._parts, self._held = self._parts, {}, 0
        for key, part in parts.items():
            ids = self._ids_of(key)
            messages = unforged(
                [
                    message
                    for draft, line in part.drafts
                    for message in settle(draft, ids=ids, line=line)
                ],
                users=part.people,
            )
            if messages:
                yield ImportedConversation(
                    external_id=key,
                    title=bounded(part.title),
                    source=NAME,
                    messages=messages,
                    participants=participants_named(part.people),
                    without_words=len(part.left_out),
                    bytes_read=ends_at,
                    left_out=tuple(part.left_out),
                )

    def _ids_of(self, key: str) -> MessageIds:
        ids = self._ids.pop(key, None) or MessageIds()
        self._ids[key] = ids
        if len(self._ids) > _REMEMBERED:
            self._ids.popitem(last=False)
        return ids

    def _problem(self, line: int, words: str) -> ImportProblem:
        return ImportProblem(line, words)


def _speaker(cells: dict[str, str], kind: MessageKind) -> str:
    """Name who spoke; a role in place of a name names nobody."""
    name = bounded(cells["speaker"])
    if name and (cells["role"] or kind == "user_message") and name.lower() != NAMELESS_USER:
        return name
    return NAMELESS_USER if kind in USER_KINDS else (name or kind.partition("_")[0])


def _heading(line: str) -> tuple[str, dict[str, int], int]:
    """Find the sign that keeps cells apart, the columns, and how many cells there are."""
    best: tuple[str, dict[str, int], int] = (",", {}, 0)
    for delimiter in _DELIMITERS:
        try:
            cells = next(csv.reader([line], delimiter=delimiter), [])
        except csv.Error:
            continue
        columns = columns_of(cells)
        if len(columns) > len(best[1]):
            best = (delimiter, columns, len(cells))
    return best


class _Feed:
    """The lines of a table as a reader of CSV takes them, blank ones in a cell among them."""

    def __init__(self, member: Member) -> None:
        self._lines = read_lines(member)
        self.number = 0
        self.ends_at = member.begins_at
        self.broken: list[AtLine] = []

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            if isinstance(line, AtLine):
                self.broken.append(line)
                self.number = line.line
                continue
            for _ in range(min(line.number - self.number - 1, _MOST_BLANKS)):
                yield "\n"
            self.ends_at = line.ends_at
            for further, text in enumerate(_BARE_RETURN.split(line.text)):
                self.number = line.number + further
                yield text
        yield _END


def _rows(member: Member) -> Iterator[_Row | AtLine]:
    """Yield each row with something in it, or what is wrong with one."""
    feed = _Feed(member)
    lines = iter(feed)
    told = (line for line in lines if line.strip() and not _SEPARATOR.fullmatch(line.strip()))
    delimiter, columns, width = _heading(next(told, ""))
    if not is_enough(columns):
        yield BrokenLine(feed.number, f"The heading names no columns that are needed: {_NEEDED}.")
        return
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        begins = feed.number + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield BrokenLine(begins, f"{_NO_ROW}: {error}. {_NOT_READ}")
            return
        yield from _taken(feed)
        if cells is None or cells == [_END]:
            return
        if any(_END in cell for cell in cells):
            # Whose words the rest is, nobody can say: it must not pass as this row's speaker's.
            yield BrokenLine(begins, f"{_NO_ROW}: a quotation mark is never closed. {_NOT_READ}")
            return
        if len(cells) > width and any(cell.strip() for cell in cells[width:]):
            yield BrokenLine(
                begins,
                f"The row has {len(cells)} cells where the heading has {width}. A text that holds"
                f" {_NAMES.get(delimiter, delimiter)} must stand in quotation marks.",
            )
        elif any(cell.strip() for cell in cells):
            yield _Row(begins, _by_column(cells, columns), feed.ends_at)


_NO_ROW = "The row that begins here is no CSV"
_NOT_READ = "Nothing from here on was read: mend the row and import the file again."
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab"}
_NEEDED = "text (or message, content), and speaker or role"


def _taken(feed: _Feed) -> Iterator[AtLine]:
    """Give the lines that could not be read so far, once."""
    broken, feed.broken = feed.broken, []
    yield from broken


def _by_column(cells: list[str], columns: dict[str, int]) -> dict[str, str]:
    names = "conversation title id speaker role text time clock".split()
    found = {
        name: cells[place].strip()
        if (place := columns.get(name)) is not None and place < len(cells)
        else ""
        for name in names
    }
    found["time"] = joined(found["time"], clock=found.pop("clock"))
    return found


IMPORTER = Spreadsheet()
