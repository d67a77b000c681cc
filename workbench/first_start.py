"""What a new installation finds: a space, one login per role, the sample."""

from collections.abc import Callable
from pathlib import Path

from django.utils import timezone

from extraction import sample
from extraction.sample import loading
from knowledge.commands import scope
from knowledge.models import Role, Space
from knowledge.results import SYSTEM
from workbench.commands import people
from workbench.local_secrets import write_private_file

SAMPLE_MARK = "sample_loaded"
LOGINS_FILE = "logins.txt"
SAMPLE_SPACE = ("sample", "Sample")
FIRST_SPACE = ("main", "Main")

Say = Callable[[str], None]


def prepare(home: Path, *, with_sample: bool, say: Say) -> None:
    """Make the first space, people and sample where there are none yet.

    Interrupted, it goes on at the next start: each step looks at what is there.
    """
    if not Space.objects.exists():
        slug, name = SAMPLE_SPACE if with_sample else FIRST_SPACE
        zone = sample.ZONE if with_sample else "UTC"
        say(f"Opening the space {slug} ...")
        scope.create_space(slug=slug, name=name, zone=zone, by=SYSTEM, now=timezone.now())
    if with_sample and not (home / SAMPLE_MARK).exists():
        load_sample(home, say=say)
    if not (home / LOGINS_FILE).exists():
        first = Space.objects.order_by("pk")[0]
        passwords = {role: people.new_password() for role in Role.values}
        write_logins(home, passwords)
        for role, password in passwords.items():
            people.add_person(
                username=role,
                role=role,
                space_slug=first.slug,
                password=password,
                by=SYSTEM,
                now=timezone.now(),
            )
        say("Logins, shown this once (and kept in " + str(home / LOGINS_FILE) + "):")
        for role, password in passwords.items():
            say(f"  {role:8}  {password}")


def load_sample(home: Path, *, say: Say) -> None:
    """Capture the sample's conversations, for the worker to read.

    An installation begun without the sample has no space for it and stays as it is.
    """
    space = Space.objects.filter(slug=SAMPLE_SPACE[0]).first()
    if space is None:
        return
    say("Loading the sample (the worker reads it while you log in) ...")
    loading.load(space_id=space.pk, now=timezone.now())
    (home / SAMPLE_MARK).touch()


def write_logins(home: Path, passwords: dict[str, str]) -> None:
    """Keep the first passwords where only the owner of the home reads them."""
    lines = [f"{role:8}  {password}" for role, password in passwords.items()]
    write_private_file(home / LOGINS_FILE, "\n".join(lines) + "\n")
