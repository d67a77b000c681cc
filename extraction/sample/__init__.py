"""The sample: invented people, so that a first look at the queue shows what the queue is for.

``user.jsonl`` holds nine conversations of Nuria with her assistant, ``project.jsonl`` four of the
team that builds Heron, from February to September 2025, in OpenAI chat JSONL with ids and times.
Nobody in them exists; the key and the password open nothing.
"""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ZONE = "Europe/Madrid"


@dataclass(frozen=True, slots=True)
class SampleFile:
    """One file of the sample and whose memory it is about."""

    path: Path
    kind: str
    external_id: str
    name: str

    @property
    def subject(self) -> str:
        """The subject as commands name it: ``user:nuria``."""
        return f"{self.kind}:{self.external_id}"


FILES = (
    SampleFile(FOLDER / "user.jsonl", kind="user", external_id="nuria", name="Nuria"),
    SampleFile(FOLDER / "project.jsonl", kind="project", external_id="heron", name="Heron"),
)
