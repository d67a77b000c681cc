"""The ends of the log's chains, written where the database's administrators cannot write.

Whoever owns the database can cut the end of a chain, or rewrite all of it, and leave no trace in
it. One line outside, written before that, shows it.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
from django.conf import settings
from django.utils import timezone

from extraction.errors import AnchorsUnavailable
from knowledge.commands import anchors
from knowledge.commands.anchors import Anchored
from knowledge.queries import chain
from knowledge.queries.chain import Chain, Fault
from knowledge.results import Lease

TIMEOUT_S = 10.0
LINES = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class AnchorLine:
    """One line: which event, with which hash, was the last of a chain when it was made."""

    chain: str
    seq: int
    hash: bytes
    made_at: str


def begin(*, now: datetime) -> None:
    """Ask for the first round, where anchoring is on; later rounds ask for the next."""
    every = _every()
    if every is not None:
        anchors.ask(now=now, every=every)


def anchor_job(payload: dict[str, Any], held: Lease) -> bool:
    """Anchor what has moved; the next round is asked for first, so that a failure ends nothing.

    **Returns**: that nothing is left to do. **Raises**: AnchorsUnavailable.
    """
    every = _every()
    if every is None:
        return False
    anchors.ask(now=timezone.now(), every=every, rounds_ahead=1)
    anchor(chain.chains(), place=settings.AUDIT_ANCHOR)
    return False


def anchor(among: Iterable[Chain], *, place: str) -> list[Chain]:
    """Write down the ends of those chains that moved since they were last written there.

    All of them, where there is no such file yet. **Returns**: the chains written down.

    **Raises**: AnchorsUnavailable.
    """
    now = timezone.now()
    is_new = not is_url(place) and not Path(place).exists()
    known = {} if is_new else chain.last_anchors(public_name(place))
    moved = [
        each
        for each in among
        if each.tail is not None
        and each.ledger_id is not None
        and known.get(each.ledger_id, (0, now))[0] != each.tail.seq
    ]
    if moved:
        lines = "".join(_line(each, now=now) for each in moved)
        (_post if is_url(place) else _append)(place, lines)
        written = [
            Anchored(each.ledger_id, each.tail.seq, each.tail.hash)
            for each in moved
            if each.ledger_id is not None and each.tail is not None
        ]
        anchors.record(written=written, place=public_name(place), now=now)
    return moved


def read(place: str) -> tuple[list[AnchorLine], int]:
    """Return the anchors kept at a place, and how many lines cannot be read.

    **Raises**: AnchorsUnavailable.
    """
    found: list[AnchorLine] = []
    unreadable = 0
    for line in _lines_of(place):
        if line.strip():
            anchored = _parsed(line)
            found += [anchored] if anchored else []
            unreadable += anchored is None
    return found, unreadable


def differences(one: Chain, *, kept: Sequence[AnchorLine]) -> list[Fault]:
    """Name what the anchors of a chain say against it. **Cost**: one query."""
    last = one.tail.seq if one.tail else 0
    hashes = chain.hashes_at(one, seqs=sorted({each.seq for each in kept}))
    faults: dict[int, Fault] = {}
    for each in kept:
        about = f"event {each.seq}"
        if each.seq > last:
            why = f"was anchored {each.made_at}, and the chain ends at {last}: it was cut"
        elif each.seq not in hashes:
            why = f"was anchored {each.made_at}, and is gone"
        elif hashes[each.seq] != each.hash:
            why = f"is not the one that was anchored {each.made_at}: the chain was rewritten"
        else:
            continue
        faults.setdefault(each.seq, Fault(each.seq, about, why))
    return [faults[seq] for seq in sorted(faults)]


def is_url(place: str) -> bool:
    """Say whether anchors go to a web address rather than a file."""
    return urlsplit(place).scheme in {"http", "https"}


def is_kept_at(place: str) -> bool:
    """Say whether there may be anchors at a place."""
    return bool(place) and (is_url(place) or Path(place).exists())


def public_name(place: str) -> str:
    """Return what may be told of a place: an address may hold a password or a token."""
    if not is_url(place):
        return str(Path(place).absolute())
    parts = urlsplit(place)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit((parts.scheme, f"{host}{port}", parts.path, "", ""))


def _every() -> timedelta | None:
    minutes = settings.AUDIT_ANCHOR_EVERY
    return timedelta(minutes=minutes) if minutes > 0 and settings.AUDIT_ANCHOR else None


def _line(one: Chain, *, now: datetime) -> str:
    if one.tail is None:
        return ""
    said = {
        "chain": one.name,
        "seq": one.tail.seq,
        "at": one.tail.at.isoformat(),
        "hash": one.tail.hash.hex(),
        "made_at": now.isoformat(),
    }
    return json.dumps(said) + "\n"


def _parsed(line: str) -> AnchorLine | None:
    try:
        said = json.loads(line)
        return AnchorLine(
            str(said["chain"]), int(said["seq"]), bytes.fromhex(said["hash"]), str(said["made_at"])
        )
    except (ValueError, KeyError, TypeError):
        return None


def _append(place: str, lines: str) -> None:
    """Write to the end of the file, and come back only when it is on the disk."""
    path = Path(place)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(handle).st_size
            # What a crash left unfinished must not swallow the next line.
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            text = (("\n" if torn else "") + lines).encode()
            if os.write(handle, text) != len(text):
                raise AnchorsUnavailable(f"{path} took only a part of it: the disk may be full.")
            os.fsync(handle)
        finally:
            os.close(handle)
        folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise AnchorsUnavailable(f"{path} cannot be written: {error.strerror}.") from error


def _post(place: str, lines: str) -> None:
    try:
        answer = httpx.post(
            place, content=lines, headers={"Content-Type": LINES}, timeout=TIMEOUT_S
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        # Its own words may repeat the address, and with it a password.
        raise AnchorsUnavailable(
            f"{public_name(place)} does not answer ({type(error).__name__})."
        ) from None
    if not answer.is_success:
        raise AnchorsUnavailable(f"{public_name(place)} answered {answer.status_code}.")


def _lines_of(place: str) -> Iterator[str]:
    if is_url(place):
        yield from _get(place).splitlines()
        return
    try:
        with Path(place).open(encoding="utf-8", errors="replace") as lines:
            yield from lines
    except OSError as error:
        raise AnchorsUnavailable(f"{place} cannot be read: {error.strerror}.") from error


def _get(place: str) -> str:
    try:
        answer = httpx.get(place, headers={"Accept": LINES}, timeout=TIMEOUT_S)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise AnchorsUnavailable(
            f"{public_name(place)} does not answer ({type(error).__name__})."
        ) from None
    if not answer.is_success:
        raise AnchorsUnavailable(f"{public_name(place)} answered {answer.status_code}.")
    return answer.text
