"""Rows that could not be imported, as a table that people open in a spreadsheet."""

import csv
import io
from pathlib import Path
from types import TracebackType
from typing import Self

from extraction.importers.base import ImportProblem

HEADER = ("file", "line", "what is wrong")
MOST_ROWS = 100_000
# What a spreadsheet would take for a formula, also after blanks.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def plain_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: with an apostrophe before it."""
    return f"'{text}" if text.lstrip(" \u00a0\ufeff").startswith(_FORMULA) else text


class FailedRows:
    """The file of rows that failed, written as they come and cut back where an import resumes.

    **Units**: ``size`` is the bytes written so far: what an import that goes on keeps.
    """

    def __init__(self, path: Path, *, size: int = 0, number: int = 0) -> None:
        self.number = number
        self._path = path
        self._size = size
        self._file: io.BufferedRandom | None = None

    def __enter__(self) -> Self:
        if self._path.exists():
            self._opened().truncate(self._size)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    @property
    def size(self) -> int:
        """Return how much is safely written."""
        if self._file is not None:
            self._file.flush()
        return self._size

    def add(self, problem: ImportProblem) -> None:
        """Write one row; beyond very many they are only counted."""
        if self._size == 0:
            self._write(HEADER)
        self.number += 1
        line = str(problem.line) if problem.line else ""
        if self.number <= MOST_ROWS:
            self._write((problem.member, line, problem.message))
        elif self.number == MOST_ROWS + 1:
            self._write(("", line, f"From here on, rows are not listed: these are {MOST_ROWS:,}."))

    def _write(self, cells: tuple[str, ...]) -> None:
        row = io.StringIO()
        csv.writer(row, lineterminator="\r\n").writerow([plain_cell(cell) for cell in cells])
        # The mark tells spreadsheets that it is UTF-8.
        mark = "\ufeff" if self._size == 0 else ""
        written = (mark + row.getvalue()).encode("utf-8", "replace")
        file = self._opened()
        file.seek(self._size)
        file.write(written)
        self._size += len(written)

    def _opened(self) -> io.BufferedRandom:
        if self._file is None:
            if not self._path.exists():
                self._path.touch(mode=0o600)
            self._file = self._path.open("r+b")
        return self._file
