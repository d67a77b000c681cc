"""Bytes of any Unicode encoding that says which it is, given on as UTF-8."""

import codecs
import io
from typing import BinaryIO

from extraction.importers.errors import ImportRefused, NotUtf8
from extraction.importers.limits import CHUNK_BYTES

UTF8_BOM = codecs.BOM_UTF8
# The longer marks first: UTF-32's begins with UTF-16's.
_REFUSED = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32"}
_RECODED = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def as_utf8(stream: BinaryIO) -> BinaryIO:
    """Give the stream on without its byte order mark, and as UTF-8 where the mark says UTF-16.

    Bytes without a mark are given on as they are: whether they are UTF-8 is for the reader to
    check, line by line.

    **Raises**: NotUtf8 for UTF-32, which nothing exports.
    """
    buffered = io.BufferedReader(_Raw(stream), buffer_size=CHUNK_BYTES)
    try:
        return _recoded(buffered)
    except ImportRefused:
        buffered.close()
        raise


def _recoded(buffered: "io.BufferedReader[_Raw]") -> BinaryIO:
    head = buffered.peek(4)[:4]
    for mark, name in _REFUSED.items():
        if head.startswith(mark):
            raise NotUtf8(1, f"The file is {name}, not UTF-8. Save it as UTF-8.")
    for mark, codec in _RECODED.items():
        if head.startswith(mark):
            buffered.read(len(mark))
            return io.BufferedReader(_Recoded(buffered, codec), buffer_size=CHUNK_BYTES)
    if head.startswith(UTF8_BOM):
        buffered.read(len(UTF8_BOM))
    return buffered


class _Raw(io.RawIOBase):
    """Any stream as a raw one, so that a buffer can be laid around it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the stub wants a private protocol
        """Fill the buffer as far as one reading goes."""
        piece = self._stream.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Close what is underneath as well."""
        self._stream.close()
        super().close()


class _Recoded(io.RawIOBase):
    """A stream of UTF-16 as one of UTF-8."""

    def __init__(self, stream: BinaryIO, codec: str) -> None:
        self._stream = stream
        self._codec = codec
        self._decoder = codecs.getincrementaldecoder(codec)("strict")
        self._ready = b""

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the stub wants a private protocol
        """Fill the buffer as far as one decoded piece goes. **Raises**: NotUtf8."""
        while not self._ready:
            piece = self._stream.read(CHUNK_BYTES // 4)
            self._ready = self._decoded(piece).encode("utf-8")
            if not piece:
                break
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def _decoded(self, piece: bytes) -> str:
        try:
            return self._decoder.decode(piece, final=not piece)
        except UnicodeDecodeError:
            name = self._codec.upper()
            raise NotUtf8(0, f"The file says it is {name}, but it is damaged.") from None

    def close(self) -> None:
        """Close what is underneath as well."""
        self._stream.close()
        super().close()
