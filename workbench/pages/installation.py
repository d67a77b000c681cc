"""The page of settings: which engine proposes, which embedder finds, and whether both work."""

from dataclasses import dataclass
from datetime import datetime

from extraction.embeddings.probing import EmbedderProbe
from extraction.endpoints import Remembered, remembered
from extraction.engines.probing import Probe
from knowledge.queries.vectors import ModelVectors, vectors_by_model
from workbench import settings_words
from workbench.access import Seat
from workbench.pages.shell import Shell, shell
from workbench.queries.installation import EmbedderSetup, EngineSetup, embedder_setup, engine_setup
from workbench.settings_words import Fact


@dataclass(frozen=True, slots=True)
class Vectors:
    """How far the vectors of a space have come.

    **Shape**: ``model`` is the id of those in use, empty while nobody knows it; then nothing is
    said to wait.
    """

    model: str
    rows: tuple[ModelVectors, ...]

    @property
    def total(self) -> int:
        """Return how many texts have a vector or wait for one."""
        return sum(row.entries + row.proposals for row in self.rows)

    @property
    def ready(self) -> int:
        """Return how many have one of the model in use."""
        return sum(row.entries + row.proposals for row in self.rows if row.model == self.model)

    @property
    def waiting(self) -> int:
        """Return how many wait for one of the model in use."""
        return self.total - self.ready if self.model else 0

    @property
    def done_percent(self) -> int:
        """Return how much of it is done, never 100 before all is."""
        return 100 if not self.waiting else int(100 * self.ready / self.total)


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned of an endpoint. **Shape**: ``rests`` while it is left alone."""

    row: Remembered
    role: str
    rests: bool
    in_use: bool


@dataclass(frozen=True, slots=True)
class Tried:
    """What a person just tried. **Shape**: ``what`` is chat or embedding."""

    what: str
    engine: tuple[Probe, ...] = ()
    embedder: EmbedderProbe | None = None


@dataclass(frozen=True, slots=True)
class SettingsView:
    """The page. **Shape**: ``refused`` says why a trial was not made."""

    shell: Shell
    engine: EngineSetup
    embedder: EmbedderSetup
    engine_facts: tuple[Fact, ...]
    embedder_facts: tuple[Fact, ...]
    learned: tuple[Learned, ...]
    vectors: Vectors
    tried: Tried | None = None
    refused: str = ""

    @property
    def resting(self) -> tuple[Learned, ...]:
        """List the endpoints in use that are left alone because they kept failing."""
        return tuple(line for line in self.learned if line.rests and line.in_use)


def settings_view(
    *,
    seat: Seat,
    now: datetime,
    keys_on: bool,
    tried: Tried | None = None,
    refused: str = "",
) -> SettingsView:
    """Build the page; no model is asked. **Cost**: four queries, and a few counts of an index."""
    engine, embedder = engine_setup(), embedder_setup()
    in_use = {
        *(("chat", engine.address, model) for model in engine.models),
        ("embedding", embedder.address, embedder.model),
    }
    return SettingsView(
        shell=shell(title="Settings", seat=seat, current="settings", keys_on=keys_on),
        engine=engine,
        embedder=embedder,
        engine_facts=settings_words.of_engine(engine),
        embedder_facts=settings_words.of_embedder(embedder),
        learned=tuple(
            Learned(
                row=row,
                role=settings_words.ROLES[row.role],
                rests=row.open_until is not None and row.open_until > now,
                in_use=(row.role, row.base_url, row.model) in in_use,
            )
            for row in remembered()
        ),
        vectors=Vectors(model=embedder.model_id, rows=vectors_by_model(seat.space_id)),
        tried=tried,
        refused=refused,
    )
