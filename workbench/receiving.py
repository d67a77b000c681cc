"""A file on its way in: written straight to where uploads lie, never held in memory.

What cannot be kept is read to its end all the same, so that the browser gets the page that says
why instead of a broken connection.
"""

import errno
import hashlib
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

from extraction.uploads import storage
from extraction.uploads.commands import Uploaded

MIB = 1024 * 1024
# What the other fields of the form and the marks between them take at most.
FORM_BYTES = 64 * 1024


def most_bytes() -> int:
    """Return how large a file may be."""
    return int(settings.IMPORT_MOST_MIB) * MIB


def shown_size(size: int) -> str:
    """Write a size as people do: 12.4 MiB."""
    for unit, factor in (("GiB", 1024 * MIB), ("MiB", MIB), ("KiB", 1024)):
        if size >= factor:
            return f"{size / factor:.1f}".removesuffix(".0") + f" {unit}"
    return f"{size} bytes"


class ToUploads(FileUploadHandler):
    """Takes the one file of a form to where uploads lie, and says why where it does not.

    **Shape**: ``refused`` is a sentence, empty where nothing is wrong; ``status`` what to answer
    then. The file is deleted again by ``discard_unless_kept``.
    """

    chunk_size = MIB

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.refused = ""
        self.status = 422
        self.uploaded: Uploaded | None = None
        self.is_kept = False
        self._path: Path | None = None
        self._file: BinaryIO | None = None
        self._size = 0
        self._digest = hashlib.sha256()

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin a file; a second one of the same form is passed over."""
        super().new_file(*args, **kwargs)
        self._look_ahead()
        if self.refused or self._path is not None or not self.file_name:
            raise SkipFile
        try:
            self._path = storage.new_file(storage.fit_name(self.file_name))
            self._file = self._path.open("wb", buffering=0)
        except OSError as error:
            self._give_up(error)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a piece. **Returns**: None, so that nobody else holds it."""
        self._size += len(raw_data)
        if self._size > most_bytes():
            self._refuse_size()
            self.drop()
            raise SkipFile
        self._digest.update(raw_data)
        try:
            if self._file is not None:
                self._file.write(raw_data)
        except OSError as error:
            self._give_up(error)

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":
        """End the file."""
        if self._path is None or self.refused:
            return None
        self._close()
        self.uploaded = Uploaded(
            name=self._path.name,
            folder=storage.folder_of(self._path),
            size=self._size,
            sha256=self._digest.hexdigest(),
        )
        return UploadedFile(name=self._path.name, size=self._size)

    def upload_interrupted(self) -> None:
        """Delete what came until the connection broke."""
        self.drop()

    def discard_unless_kept(self) -> None:
        """Delete the file where no row names it."""
        if not self.is_kept:
            self.drop()

    def drop(self) -> None:
        """Delete what came."""
        self._close()
        if self._path is not None:
            storage.delete(storage.folder_of(self._path))

    def _look_ahead(self) -> None:
        """Look at how much is to come, as the browser says, before any of it is taken."""
        told = (self.request.META.get("CONTENT_LENGTH") if self.request else None) or "0"
        coming = int(told) if told.isdigit() else 0
        if coming > most_bytes() + FORM_BYTES:
            self._refuse_size()
        elif not storage.has_room_for(coming):
            self._refuse_room()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _give_up(self, error: OSError) -> None:
        """Say why it cannot be written. **Raises**: SkipFile; other errors than of space."""
        self.drop()
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise error
        self._refuse_room()
        raise SkipFile

    def _refuse_size(self) -> None:
        self.refused = (
            f"The file is larger than {shown_size(most_bytes())}, which is the most that is taken "
            "in here. Split it, or import it on the server: manage.py import."
        )
        self.status = 413

    def _refuse_room(self) -> None:
        self.refused = (
            "There is not enough room on the server's disk for this file. Nothing was kept. "
            "Ask whoever runs it to make room, and try again."
        )
        self.status = 507
