"""What must be known of a whole WhatsApp chat before its first message can be read.

Whether 1/4 is in January or April, who takes part, and where a name with a colon ends: a line
alone does not say it, all lines together do. The file is read for this once more, beforehand.
"""

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, field

from extraction.importers.errors import AtLine
from extraction.importers.lines import read_lines
from extraction.importers.local_times import OrderOfDays
from extraction.importers.source import Member
from extraction.importers.whatsapp_headers import Header, day_of, header_of, without_marks
from extraction.importers.whatsapp_words import said
from extraction.importers.wording import bounded

LONGEST_NAME = 80
_MOST_NAMES = 5_000  # a group has a thousand members at most
_ENOUGH_LINES = 4  # so many lines of one name, all alike, show that its colon belongs to it
_COLONS = (":", "：")
_QUOTES = frozenset('"“”„«»「」『』')
_SPACES = " \u00a0\u202f\t"


@dataclass(slots=True)
class Survey:
    """What the lines of a chat say together.

    **Shape**: ``style`` is that of its first line, None for a file without any; ``names`` are
    those who speak, in the order of their first words; ``first`` the time of the first words and
    ``first_words`` their line.
    """

    style: tuple[object, ...] | None = None
    order: OrderOfDays = field(default_factory=OrderOfDays)
    names: dict[str, None] = field(default_factory=dict)
    first: Header | None = None
    first_words: str = ""
    unread: str = ""
    _lines_of: Counter[str] = field(default_factory=Counter)
    _longer: dict[str, tuple[str, int]] = field(default_factory=dict)

    def take(self, header: Header, line: str) -> None:
        """Take note of one line that begins a message."""
        shown = line[: header.ends].strip()
        if not header.year_first:
            self.order.see(lambda order: day_of(header, order=order), shown=without_marks(shown))
        self.unread = self.unread or header.unread
        split = split_name(line[header.ends :], known=self.names)
        if split is None or (len(self.names) >= _MOST_NAMES and split[0] not in self._lines_of):
            return
        name, body = split
        if said(body).what == "system":
            return
        if self.first is None:
            self.first, self.first_words = header, without_marks(body).strip()
        self.names[name] = None
        self._lines_of[name] += 1
        self._note_colon(name, body)

    def named(self, rest: str) -> tuple[str, str] | None:
        """Split what follows the time into who says what; None where nobody does."""
        split = split_name(rest, known=self.names)
        if split is None:
            return None
        name, body = split
        whole = self._whole(name)
        if whole == name:
            return split
        more, _, words = body.partition(":")
        return (whole, words.lstrip(_SPACES)) if more.strip() in whole else split

    def speakers(self) -> tuple[str, ...]:
        """List who speaks, names with a colon whole."""
        return tuple(self._whole(name) for name in self.names)

    def _whole(self, name: str) -> str:
        word, count = self._longer.get(name, ("", 0))
        belongs = count >= _ENOUGH_LINES and count == self._lines_of[name]
        return f"{name}: {word}" if belongs else name

    def _note_colon(self, name: str, body: str) -> None:
        """Count how many lines of a name go on with one and the same word and a colon."""
        word, colon, _ = body.partition(": ")
        word = word.strip() if colon and len(word) <= LONGEST_NAME else ""
        known, count = self._longer.get(name, (word, 0))
        if word and word == known:
            self._longer[name] = (word, count + 1)
        else:
            self._longer[name] = (known, count)


def survey(member: Member) -> Survey:
    """Read a chat once for what only all its lines together say.

    **Cost**: one reading; memory for the names.
    """
    found = Survey()
    for line in read_lines(member):
        if isinstance(line, AtLine):
            continue
        header = header_of(line.text)
        if header is None:
            continue
        found.style = found.style or header.style
        if header.style == found.style:
            found.take(header, line.text.rstrip("\r\n"))
    return found


def split_name(rest: str, *, known: Container[str] = ()) -> tuple[str, str] | None:
    """Split at the colon that ends a name, or give None for what the app says itself.

    A colon without a space behind it ends a name that is ``known``.
    """
    for place, colon in _colons(rest):
        name = clean_name(rest[:place])
        if not name or _QUOTES & set(name):
            return None
        after = rest[place + 1 : place + 2]
        if not after or after.isspace() or colon == "：" or name in known:
            return name, rest[place + 1 :].lstrip(_SPACES)
    return None


def clean_name(text: str) -> str:
    """Make a name of what stands before the colon: no marks, no "~" of an unsaved contact."""
    return bounded(without_marks(text).strip().removeprefix("~"))


def _colons(rest: str) -> Iterator[tuple[int, str]]:
    head = rest[: LONGEST_NAME + 1]
    return ((place, letter) for place, letter in enumerate(head) if letter in _COLONS)
