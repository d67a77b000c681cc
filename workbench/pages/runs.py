"""Runs as pages: their list, one of them, and two side by side."""

from dataclasses import dataclass, field

from django.urls import reverse

from extraction import shadowing
from extraction.comparing import Found, found_by
from extraction.uploads.queries import conversations_of
from knowledge.queries.conversations import CONVERSATIONS_A_PAGE, ListedRun, runs
from knowledge.queries.runs import Candidate, ReadRun
from knowledge.queries.shadows import ShadowRow, next_attempts, shadows_beside
from knowledge.queries.words import ExpectedWords
from workbench.access import Seat
from workbench.pages.shell import Shell, shell
from workbench.run_words import Figure, figures_of, setting_of


@dataclass(frozen=True, slots=True)
class RunsView:
    """The list of runs."""

    shell: Shell
    rows: tuple[ListedRun, ...]
    next_url: str
    file: int | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """What the form to run it again holds, and what was wrong with it."""

    engine: str = ""
    prediction: str = ""
    predict_model: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    refused: str = ""

    @property
    def is_open(self) -> bool:
        """Tell whether the form has something to say."""
        return bool(self.errors or self.refused)


@dataclass(frozen=True, slots=True)
class RunView:
    """One run's page.

    **Shape**: ``base_id`` is the run others are compared with: itself, or the one a shadow run
    stands beside. ``will_retry`` says that one that failed is tried again by itself.
    """

    shell: Shell
    run: ReadRun
    setting: str
    figures: tuple[Figure, ...]
    base_id: int
    shadows: tuple[ShadowRow, ...]
    choices: tuple[shadowing.Choice, ...]
    may_ask: bool
    will_retry: bool
    again: Again

    @property
    def others(self) -> tuple[ShadowRow, ...]:
        """Return the shadow runs beside the same run, without this one."""
        return tuple(row for row in self.shadows if row.id != self.run.id)

    @property
    def predicts_apart(self) -> bool:
        """Tell whether another model could predict."""
        return any(choice.predicts_apart for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Guess:
    """A prediction of either run, with its outcome there; empty where it was not predicted."""

    text: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Words that either run took as expected, and which of the two did."""

    words: ExpectedWords
    left: bool
    right: bool


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """Two runs over the same words, side by side.

    **Shape**: ``is_ready`` where both are done; else only the figures mean something.
    """

    shell: Shell
    left: ReadRun
    right: ReadRun
    left_setting: str
    right_setting: str
    figures: tuple[tuple[Figure, Figure], ...]
    predictions: tuple[Guess, ...]
    covered: tuple[Passage, ...]
    found: Found[Candidate]
    aside: Found[Candidate]

    @property
    def is_ready(self) -> bool:
        """Tell whether both runs are done."""
        return self.left.state == self.right.state == "done"

    @property
    def starts_alike(self) -> bool:
        """Tell whether both were shown the same."""
        return [rest.id for rest in self.left.shown] == [rest.id for rest in self.right.shown]


def runs_view(*, seat: Seat, after: int | None, keys_on: bool, file: int | None = None) -> RunsView:
    """Build the list of runs, or of those over what a file brought. **Cost**: two queries."""
    within = conversations_of(file) if file else None
    found = runs(space_id=seat.space_id, after=after, within=within)
    rows = found[:CONVERSATIONS_A_PAGE]
    narrow = f"&file={file}" if file else ""
    more = f"{reverse('runs')}?after={rows[-1].id}{narrow}" if len(found) > len(rows) else ""
    frame = shell(title="Runs", seat=seat, current="runs", keys_on=keys_on)
    return RunsView(shell=frame, rows=rows, next_url=more, file=file)


def run_view(
    found: ReadRun, *, seat: Seat, keys_on: bool, may_ask: bool, again: Again | None = None
) -> RunView:
    """Build a run's page. **Cost**: four queries beside the run's own."""
    base = found.beside_id or found.id
    return RunView(
        shell=shell(title=f"Run {found.id}", seat=seat, current="runs", keys_on=keys_on),
        run=found,
        setting=setting_of(found),
        figures=figures_of(found),
        base_id=base,
        shadows=shadows_beside(base),
        choices=shadowing.choices() if may_ask else (),
        may_ask=may_ask,
        will_retry=found.shadow
        and found.state == "failed"
        and found.id in next_attempts([found.id]),
        again=again or Again(),
    )


def comparison_view(left: ReadRun, right: ReadRun, *, seat: Seat, keys_on: bool) -> ComparisonView:
    """Build the page of two runs beside each other. **Cost**: one query beside theirs."""
    title = f"Runs {left.id} and {right.id}"
    return ComparisonView(
        shell=shell(title=title, seat=seat, current="runs", keys_on=keys_on),
        left=left,
        right=right,
        left_setting=setting_of(left),
        right_setting=setting_of(right),
        figures=tuple(zip(figures_of(left), figures_of(right), strict=True)),
        predictions=_predictions(left, right),
        covered=_covered(left, right),
        found=found_by(left.found, right.found),
        aside=found_by(_aside(left), _aside(right)),
    )


def _aside(run: ReadRun) -> tuple[Candidate, ...]:
    return tuple(one for one in run.candidates if one.aside_reason)


def _predictions(left: ReadRun, right: ReadRun) -> tuple[Guess, ...]:
    ours = {one.text: one.outcome for one in left.expected}
    theirs = {one.text: one.outcome for one in right.expected}
    return tuple(
        Guess(text, ours.get(text, ""), theirs.get(text, ""))
        for text in dict.fromkeys([*ours, *theirs])
    )


def _covered(left: ReadRun, right: ReadRun) -> tuple[Passage, ...]:
    both = [
        *(Passage(one, left=True, right=_holds(right, one)) for one in left.covered),
        *(Passage(one, left=False, right=True) for one in right.covered if not _holds(left, one)),
    ]
    return tuple(sorted(both, key=lambda one: (one.words.message_id, one.words.start)))


def _holds(run: ReadRun, words: ExpectedWords) -> bool:
    """Say whether a run took some of these words as expected, too."""
    return any(
        one.message_id == words.message_id and one.start < words.end and words.start < one.end
        for one in run.covered
    )
