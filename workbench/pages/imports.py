"""The page of imports, and the page of one: what is in a file, how far it is, what came of it."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from django.urls import reverse
from django.utils.dateparse import parse_datetime

from extraction.importers import expectations
from extraction.uploads import queries
from extraction.uploads.queries import IMPORTS_A_PAGE, Extraction, ImportRow
from knowledge.queries.scope import subject_refs
from workbench import vocabulary
from workbench.access import Seat
from workbench.import_forms import EVERYBODY, NOBODY, SPEAKER
from workbench.import_words import PASSED_OVER, TONES, format_word
from workbench.pages.shell import Shell, shell
from workbench.receiving import most_bytes, shown_size

MOST_RADIOS = 8
MAY_IMPORT = frozenset({"curator", "admin"})


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a file, with what it counts."""

    number: int
    label: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class ImportLine:
    """An import in the list."""

    row: ImportRow
    tone: str
    size: str

    @property
    def new(self) -> int | None:
        """Return how many messages came in, or would; None where nobody knows."""
        found: int | None = self.row.tally.get("messages_new")
        return found


@dataclass(frozen=True, slots=True)
class ImportsView:
    """The way in, and what came that way."""

    shell: Shell
    may_import: bool
    form_id: str
    most: str
    most_bytes: int
    formats: tuple[str, ...]
    lines: tuple[ImportLine, ...]
    next_url: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """One of the first messages as it will appear. ``cut`` letters are not shown."""

    speaker: str
    kind: str
    text: str
    cut: int
    sent_at: datetime | None
    own: bool


@dataclass(frozen=True, slots=True)
class ShownConversation:
    """A conversation with those of its messages that are shown."""

    title: str
    messages: tuple[ShownMessage, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may be the subject: a choice of the form."""

    value: str
    name: str
    ref: str
    said: str
    is_chosen: bool
    guess: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What the form holds, and what was wrong with it by field."""

    whose: str = ""
    subject: str = ""
    subject_name: str = ""
    zone: str = ""
    dates: str = ""
    format: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportView:
    """One file and what became of it. **Shape**: parts are empty where its state has none."""

    shell: Shell
    row: ImportRow
    tone: str
    size: str
    format: str
    may_import: bool
    draft: Draft
    figures: tuple[Figure, ...]
    people: tuple[Person, ...]
    known: tuple[tuple[str, str], ...]
    conversations: tuple[ShownConversation, ...]
    formats: tuple[tuple[str, str], ...]
    earlier: ImportRow | None
    extraction: Extraction | None
    lost: str = ""
    error: str = ""

    @property
    def shown_messages(self) -> int:
        """Return how many of the first messages are shown."""
        return sum(len(one.messages) for one in self.conversations)

    @property
    def radios(self) -> bool:
        """Tell whether there are few enough people to show them all."""
        return len(self.people) <= MOST_RADIOS

    @property
    def asks(self) -> str:
        """Name what the file does not say and a person must."""
        return str(self.row.preview.get("asks", ""))

    @property
    def found(self) -> str:
        """Say what a file of no known format is like."""
        return str(self.row.preview.get("found", ""))

    @property
    def expected(self) -> tuple[tuple[str, str], ...]:
        """Return what a file may be like instead: the format's name, and what it expects."""
        told = (one.partition(" (") for one in self.row.preview.get("expected", ()))
        return tuple((format_word(name), words.removesuffix(")")) for name, _, words in told)

    @property
    def partly(self) -> int | None:
        """Return how many per cent of a large file were counted, None for all of it."""
        share = float(self.row.preview.get("share", 1.0))
        return None if share >= 1 else int(share * 100)

    @property
    def percent(self) -> int | None:
        """Return how far the import is, None where nobody knows yet."""
        if not self.row.bytes:
            return None
        return min(100, int(100 * self.row.tally.get("bytes_read", 0) / self.row.bytes))

    @property
    def is_nothing_new(self) -> bool:
        """Tell whether a file that was read whole adds nothing."""
        tally = self.row.tally
        return self.partly is None and bool(tally) and not tally.get("messages_new")

    @property
    def stopped(self) -> tuple[tuple[str, int], ...]:
        """Return why conversations are not taken in, and how many."""
        return tuple(self.row.tally.get("stopped", {}).items())

    @property
    def left_out(self) -> int:
        """Return how many conversations the subject says nothing in."""
        return int(self.row.tally.get("left_out", 0))

    @property
    def passed_over(self) -> tuple[tuple[str, int], ...]:
        """Return why messages of the file are not taken in, and how many."""
        kept = self.row.tally.get("passed_over", {})
        return tuple((PASSED_OVER.get(why, vocabulary.plain(why)), n) for why, n in kept.items())

    @property
    def untimed(self) -> int:
        """Return how many messages have no time."""
        return int(self.row.tally.get("untimed", 0))

    @property
    def invalid(self) -> int:
        """Return how many rows cannot be read."""
        return int(self.row.tally.get("messages_invalid", 0))

    @property
    def more_problems(self) -> int:
        """Return how many problems are not listed here."""
        return max(0, int(self.row.tally.get("rows", self.invalid)) - len(self.row.problems))

    @property
    def new(self) -> int:
        """Return how many messages are new."""
        return int(self.row.tally.get("messages_new", 0))

    @property
    def queue_url(self) -> str:
        """Return where what was proposed from it waits."""
        return f"{reverse('queue')}?file={self.row.id}"

    @property
    def runs_url(self) -> str:
        """Return the runs over what it brought."""
        return f"{reverse('runs')}?file={self.row.id}"

    @property
    def subject(self) -> str:
        """Name whose memory it feeds, where somebody was chosen."""
        kept = self.row.choices.get("subject")
        return f"{kept[2] or kept[1]} ({kept[0]}:{kept[1]})" if kept else ""


def imports_view(*, seat: Seat, after: int | None, keys_on: bool, error: str = "") -> ImportsView:
    """Build the page of imports. **Cost**: two queries."""
    found = queries.imports(seat.space_id, after=after)
    rows = found[:IMPORTS_A_PAGE]
    more = f"{reverse('imports')}?after={rows[-1].id}" if len(found) > len(rows) else ""
    return ImportsView(
        shell=shell(title="Import", seat=seat, current="imports", keys_on=keys_on),
        may_import=may_import(seat),
        form_id=str(uuid.uuid4()),
        most=shown_size(most_bytes()),
        most_bytes=most_bytes(),
        formats=tuple(format_word(name) for name in expectations()),
        lines=tuple(
            ImportLine(row, TONES.get(row.state, ""), shown_size(row.size)) for row in rows
        ),
        next_url=more,
        error=error,
    )


def import_view(
    row: ImportRow,
    *,
    seat: Seat,
    keys_on: bool,
    draft: Draft | None = None,
    lost: str = "",
    error: str = "",
) -> ImportView:
    """Build the page of one import. **Cost**: two queries; four more where it came in."""
    draft = draft or _draft(row)
    waits = row.state in ("ready", "unreadable")
    known = subject_refs(seat.space_id) if waits else []
    return ImportView(
        shell=shell(title=row.name or "Import", seat=seat, current="imports", keys_on=keys_on),
        row=row,
        tone=TONES.get(row.state, ""),
        size=shown_size(row.size),
        format=format_word(row.choices.get("format", "")),
        may_import=may_import(seat),
        draft=draft,
        figures=_figures(row),
        people=_people(row, draft=draft) if waits else (),
        known=tuple((str(ref), ref.name) for ref in known),
        conversations=_conversations(row.preview.get("messages", ())),
        formats=tuple((name, format_word(name)) for name in expectations()),
        earlier=queries.earlier_import(row) if row.state == "ready" and row.sha256 else None,
        extraction=queries.extraction_of(row.id) if row.confirmed_at else None,
        lost=lost,
        error=error,
    )


def may_import(seat: Seat) -> bool:
    """Tell whether the page offers the person to bring a file."""
    return not seat.roles.isdisjoint(MAY_IMPORT)


def _draft(row: ImportRow) -> Draft:
    kept = row.choices
    subject = kept.get("subject")
    speaker = kept.get("speaker", "")
    if speaker:
        whose = f"{SPEAKER}{speaker}"
    elif subject and subject[0] != "user":
        whose = NOBODY
    else:
        whose = EVERYBODY if not row.preview.get("needs_subject", True) else ""
    days = {True: "day", False: "month", None: ""}
    return Draft(
        whose=whose,
        subject=f"{subject[0]}:{subject[1]}" if subject else "",
        subject_name=subject[2] if subject else "",
        zone=kept.get("zone", ""),
        dates=days[kept.get("day_first")],
        format=kept.get("format", ""),
    )


def _figures(row: ImportRow) -> tuple[Figure, ...]:
    tally = row.tally
    if not tally:
        return ()
    came = row.state not in ("ready", "reading")
    figures = [
        Figure(tally["messages_new"], "came in" if came else "new"),
        Figure(tally["messages_known"], "known already"),
        Figure(tally["messages_invalid"], "cannot be read", "bad"),
        Figure(tally["conversations"], "conversations"),
        Figure(tally["left_out"], "conversations left out"),
        Figure(sum(tally["stopped"].values()), "stopped by an erasure", "bad"),
    ]
    always = {"came in", "new", "known already", "cannot be read", "conversations"}
    return tuple(one for one in figures if one.number or one.label in always)


def _people(row: ImportRow, *, draft: Draft) -> tuple[Person, ...]:
    found = row.preview.get("speakers", [])
    guess = row.preview.get("guess") or {}
    people = [
        Person(
            value=f"{SPEAKER}{one['speaker']}",
            name=one["speaker"],
            ref=one["ref"],
            said=_said(one),
            is_chosen=draft.whose == f"{SPEAKER}{one['speaker']}",
            guess=guess.get("reason", "") if guess.get("speaker") == one["speaker"] else "",
        )
        for one in found
    ]
    if len(found) > 1 and not row.preview.get("needs_subject", True):
        everybody = "Everybody who speaks, each in their own memory"
        chosen = draft.whose == EVERYBODY
        people.append(Person(EVERYBODY, everybody, "", "", chosen, ""))
    nobody = "Nobody who speaks: a project, a team or an agent"
    people.append(Person(NOBODY, nobody, "", "", draft.whose == NOBODY, ""))
    return tuple(people)


def _said(one: dict[str, Any]) -> str:
    messages, parts = one["messages"], one["conversations"]
    plural = "" if messages == 1 else "s"
    inside = f" in {parts:,} conversations" if parts > 1 else ""
    return f"{messages:,} message{plural}{inside}"


def _conversations(kept: Iterable[dict[str, Any]]) -> tuple[ShownConversation, ...]:
    return tuple(
        ShownConversation(title, tuple(_message(one) for one in messages))
        for title, messages in groupby(kept, key=lambda one: str(one["conversation"]))
    )


def _message(one: dict[str, Any]) -> ShownMessage:
    return ShownMessage(
        speaker=one["speaker"],
        kind=one["kind"],
        text=one["text"],
        cut=one["cut"],
        sent_at=parse_datetime(one["sent_at"]) if one["sent_at"] else None,
        own=one["own"],
    )
