"""What can be wrong with a file that someone wants to import.

ImportRefused
├── FileUnreadable      missing, a folder, or no permission
├── EmptyFile           no bytes, or blank lines only
├── UnsafeArchive       a zip or folder that no program exports: outside paths, bombs, locks
├── DamagedArchive      a zip that cannot be unpacked
├── NotUtf8             bytes that are no UTF-8 (or another Unicode encoding)
├── HoldsNul            NUL bytes: a binary file, or a damaged one
├── LineTooLong         one line above the limit; refused without reading it whole
├── DocumentTooLong     one JSON document above the limit
├── ItemTooLong         one item of a JSON list above the limit
├── BrokenLine          a line that is no JSON, or lacks what its format needs
├── BrokenItem          the same of an item of a JSON list
├── UnknownFormat       no importer knows this shape
├── AmbiguousFormat     several know it equally well
├── AnswerNeeded        the file does not say something that changes what it means
│   ├── ZoneNeeded      its times name no zone
│   └── DayOrderNeeded  its dates may be day first or month first
└── NothingReadable     a known format, but not one conversation came out of it

Those about one line become an ``ImportProblem`` while the other lines are kept;
those about the file end the import.
"""

from extraction.errors import BadInput


class ImportRefused(BadInput):
    """A file, or a line of it, cannot be imported; the message is a sentence for the person."""


class FileUnreadable(ImportRefused):
    """The path cannot be opened as a file."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}.")


class EmptyFile(ImportRefused):
    """There is nothing in the file."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is empty: there is nothing to import.")


class UnsafeArchive(ImportRefused):
    """An archive is not taken in at all, for what it would do to whoever reads it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} was refused: {reason}.")


class DamagedArchive(ImportRefused):
    """A zip, or a file in it, cannot be unpacked."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be unpacked: {reason}.")


class AtLine(ImportRefused):
    """Something about one line. **Shape**: ``line`` is 1-based; 0 where there are no lines."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        self.message = message
        super().__init__(f"line {line}: {message}" if line else message)


class NotUtf8(AtLine):
    """The bytes are not UTF-8."""


class HoldsNul(AtLine):
    """The bytes hold NUL, which no text file has."""


class LineTooLong(AtLine):
    """A line is longer than any conversation we accept in one piece."""


class DocumentTooLong(AtLine):
    """A format that is one JSON document is larger than we read into memory."""


class BrokenLine(AtLine):
    """A line is not what its format promises."""


class ItemTooLong(AtLine):
    """An item of a JSON list is longer than any conversation we accept."""


class BrokenItem(AtLine):
    """An item of a JSON list, or the list itself, is not what its format promises."""


class UnknownFormat(ImportRefused):
    """No importer knows the shape. **Shape**: ``expected`` has one sentence per known format."""

    def __init__(self, path: str, *, found: str, expected: tuple[str, ...]) -> None:
        self.found = found
        self.expected = expected
        known = "; ".join(expected)
        super().__init__(f"{path} has no known format. Found: {found}. Expected one of: {known}.")


class AmbiguousFormat(ImportRefused):
    """Several formats look like this and none more so; the person must say which."""

    def __init__(self, path: str, names: tuple[str, ...]) -> None:
        self.names = names
        shown = ", ".join(names)
        super().__init__(f"{path} may be of several formats: {shown}. Say which one it is.")


class AnswerNeeded(ImportRefused):
    """The person must say something first: guessed, it would be wrong for good.

    **Shape**: ``option`` names the one of ``ReadOptions`` that answers.
    """

    option = ""


class ZoneNeeded(AnswerNeeded):
    """The times of the file are a clock's on a wall, and the file does not say where it hung."""

    option = "zone"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The times in {path} name no time zone. "
            "Say which zone they are in, such as Europe/Berlin."
        )


class DayOrderNeeded(AnswerNeeded):
    """Nothing in the file proves whether days or months come first."""

    option = "day_first"

    def __init__(self, path: str, *, example: str) -> None:
        self.example = example
        super().__init__(
            f"Dates in {path} are written like “{example}”, and nothing in it proves whether the "
            "day or the month comes first. Say which of the two."
        )


class NothingReadable(ImportRefused):
    """The format is known, yet nothing could be imported: never reported as a success."""

    def __init__(self, path: str, *, problems: int, first: str) -> None:
        self.problems = problems
        super().__init__(
            f"Nothing in {path} could be imported ({problems} problems). The first: {first}"
        )
