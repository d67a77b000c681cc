"""`manage.py verify_audit`: whether the log holds, and what it cannot tell."""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction import anchoring
from extraction.anchoring import AnchorLine
from extraction.errors import AnchorsUnavailable
from knowledge.errors import NotFound
from knowledge.queries import chain
from knowledge.queries.chain import Chain, Fault

BLIND = "without an anchor a cut end, or a rewritten whole, cannot be seen"


@dataclass(frozen=True, slots=True)
class Report:
    """What is told of one chain.

    **Shape**: ``anchor_lost`` is an event that was anchored, by what the database remembers, and
    whose line is not there. **Units**: seconds.
    """

    chain: str
    events: int
    broken_events: int
    faults: list[dict[str, Any]]
    anchors: int
    last_anchor: int | None
    last_anchor_made_at: str | None
    anchor_lost: int | None
    chain_s: float
    tables_s: float


class Command(BaseCommand):
    """Recomputes every chain, holds it beside the tables and the anchors, and names what is bad."""

    help = (
        "Recompute the audit log and compare it with what was anchored outside the database."
        " Leaves with 1 and names the first bad event where it does not hold."
        " Examples: manage.py verify_audit; manage.py verify_audit --space atlas"
        " --anchors /mnt/others/anchors.jsonl; manage.py verify_audit --json"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--space", default="", help="one chain: a space's short name, or system"
        )
        parser.add_argument(
            "--anchors", default="", help="a file or an http address (AUDIT_ANCHOR, if it exists)"
        )
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify, tell of each chain, and leave with 1 where one does not hold.

        **Raises**: CommandError.
        """
        only = options["space"]
        try:
            # In this order, since what is anchored meanwhile must look like no loss and no cut.
            recalled = self.recalled(options["anchors"])
            place, kept, unreadable = self.anchors(options["anchors"])
            among = chain.chains(only)
        except (NotFound, AnchorsUnavailable) as error:
            raise CommandError(str(error)) from error
        by_chain: dict[str, list[AnchorLine]] = {}
        for line in kept:
            by_chain.setdefault(line.chain, []).append(line)
        reports = [
            self.look_at(each, own=by_chain.get(each.name, []), recalled=recalled) for each in among
        ]
        self.progress("")
        lost = sorted(set(by_chain) - {each.name for each in among})
        lost = [] if only else lost
        if options["json"]:
            told = {
                "anchors": place or None,
                "unreadable_anchors": unreadable,
                "chains": [asdict(report) for report in reports],
                "lost_chains": lost,
                "holds": not lost and not any(report.faults for report in reports),
            }
            self.stdout.write(json.dumps(told, ensure_ascii=False))
        else:
            self.tell(reports, place=place, unreadable=unreadable)
        self.judge(reports, lost=lost)

    def anchors(self, given: str) -> tuple[str, list[AnchorLine], int]:
        """Read the anchors, of the place given or the usual one, where there are any.

        **Raises**: AnchorsUnavailable.
        """
        place = given or settings.AUDIT_ANCHOR
        if not given and not anchoring.is_kept_at(place):
            return "", [], 0
        kept, unreadable = anchoring.read(place)
        return anchoring.public_name(place), kept, unreadable

    def recalled(self, given: str) -> dict[int, int]:
        """Return, by ledger, the last event the database remembers to have anchored there."""
        place = given or settings.AUDIT_ANCHOR
        known = chain.last_anchors(anchoring.public_name(place)) if place else {}
        return {ledger_id: seq for ledger_id, (seq, _) in known.items()}

    def look_at(
        self, one: Chain, *, own: Sequence[AnchorLine], recalled: Mapping[int, int]
    ) -> Report:
        """Recompute one chain and compare it with the tables and with its anchors."""
        self.progress(f"recomputing {one.name}")
        began = time.perf_counter()
        found = chain.recompute(one)
        chain_s = time.perf_counter() - began
        self.progress(f"comparing {one.name} with the tables")
        began = time.perf_counter()
        faults = [*([found.fault] if found.fault else []), *chain.disagreements(one)]
        tables_s = time.perf_counter() - began
        faults = in_order([*faults, *anchoring.differences(one, kept=own)])
        last = max(own, key=lambda each: each.seq, default=None)
        remembered = recalled.get(one.ledger_id or 0, 0)
        return Report(
            chain=one.name,
            events=found.events,
            broken_events=found.broken_events,
            faults=[
                {"seq": fault.seq, "about": fault.about, "why": fault.why, "says": str(fault)}
                for fault in faults
            ],
            anchors=len(own),
            last_anchor=last.seq if last else None,
            last_anchor_made_at=last.made_at if last else None,
            anchor_lost=remembered if remembered > (last.seq if last else 0) else None,
            chain_s=round(chain_s, 3),
            tables_s=round(tables_s, 3),
        )

    def tell(self, reports: Sequence[Report], *, place: str, unreadable: int) -> None:
        """Print a line for each chain, and one for each fault."""
        for report in reports:
            anchored = (
                f"last anchor: event {report.last_anchor}, made {report.last_anchor_made_at}"
                if report.anchors
                else f"no anchor: {BLIND}"
            )
            if report.anchor_lost:
                anchored += f"; THE ANCHOR OF EVENT {report.anchor_lost} IS NOT THERE ANY MORE"
            if report.faults:
                self.stdout.write(f"{report.chain}: DOES NOT HOLD; {anchored}")
                for fault in report.faults:
                    self.stdout.write(f"  {fault['says']}")
            else:
                self.stdout.write(f"{report.chain}: {report.events} events hold; {anchored}")
        if unreadable:
            self.stdout.write(f"{unreadable} lines of {place} cannot be read and were passed over.")

    def judge(self, reports: Sequence[Report], *, lost: Sequence[str]) -> None:
        """Leave with 1 where something does not hold. **Raises**: CommandError."""
        for report in reports:
            if report.faults:
                count = len(report.faults)
                raise CommandError(
                    f"The log does not hold. First in {report.chain}, of {count} found:"
                    f" {report.faults[0]['says']}."
                )
        if lost:
            raise CommandError(f"Chains were anchored that no longer exist: {', '.join(lost)}.")
        if not any(report.events for report in reports):
            raise CommandError("0 events checked: there is nothing here to trust.")

    def progress(self, line: str) -> None:
        """Show one line of progress on a terminal, and nothing elsewhere."""
        if sys.stderr.isatty():
            self.stderr.write(f"\r\033[K{line}", ending="")
            self.stderr.flush()


def in_order(faults: Sequence[Fault]) -> list[Fault]:
    """Put what is about the earliest event first, and what is about none last."""
    return sorted(faults, key=lambda fault: (fault.seq is None, fault.seq or 0))
