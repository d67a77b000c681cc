"""What processes do in a home whose workers are killed: prepare, work, tell what came of it.

Run with the product's own settings and its own tasks. Time passes between two workers faster than
for everybody, so that a killed worker's lease has ended when the next one comes.
"""

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from extraction import pipeline, tasks
from knowledge.commands import jobs, scope, sources, turns
from knowledge.models import Episode, ExtractionRun, Gap, Job, JobState, Message, Proposal, Space
from knowledge.results import SYSTEM, NewMessage, SubjectRef

WALL_CLOCK = timezone.now
BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PEOPLE = (SubjectRef("user", "ana", "Ana"), SubjectRef("user", "ben", "Ben"))
# Sessions of one minute a turn, an hour apart, in each of three conversations.
TOPICS = (
    ("Lisbon", "pottery", "two cats", "Northwind"),
    ("Ulm", "climbing", "an old van", "Fabrikam"),
    ("Bern", "the cello", "a garden", "Contoso"),
)
TURNS = (
    (0, "Hi Ben, I moved to {0} last month and I love the river there."),
    (1, "Nice! I started {1} in January, I practise it every Tuesday."),
    (0, "I have {2} now, they take most of my Sundays."),
    (1, "I work for {3} as a data engineer since 2021."),
    (0, "My sister Carla visited {0} with me in 2019."),
    (1, "My brother never liked {1}, he plays chess in Graz."),
    (0, "I prefer tea over coffee, and I want to learn {1} too."),
    (1, "We are planning a trip to {0} in June."),
    # The same in each conversation and session: what joins what must not depend on who was killed.
    (0, "I am a vegetarian."),
    (1, "I live in Graz."),
)
SESSIONS = 2


def prepare(spaces: list[str]) -> None:
    """Make the tables, and the same three conversations in each of the spaces."""
    call_command("migrate", verbosity=0, interactive=False)
    for slug in spaces:
        space = scope.create_space(slug=slug, name=slug, by=SYSTEM, now=WALL_CLOCK())
        for place, topic in enumerate(TOPICS):
            sources.capture(
                space_id=space.pk,
                external_id=f"conversation-{place}",
                source="test",
                messages=_messages(topic, at=BEGAN + timedelta(days=place)),
                subjects=list(PEOPLE),
                by=SYSTEM,
                now=WALL_CLOCK(),
            )
    work(spaces[-1], 0.0)


def _messages(topic: tuple[str, ...], *, at: datetime) -> list[NewMessage]:
    return [
        NewMessage(
            f"{session}-{turn}",
            PEOPLE[who].name,
            "user_message",
            f"{text.format(*topic)} That was number {session + 1}." if "{" in text else text,
            at + timedelta(hours=session, minutes=turn),
            PEOPLE[who],
        )
        for session in range(SESSIONS)
        for turn, (who, text) in enumerate(TURNS)
    ]


def finish(spaces: list[str], ahead_s: float) -> None:
    """Work off what is left of the first space, and tell of each."""
    work(spaces[0], ahead_s)
    say({slug: found(slug) for slug in spaces})


def work(slug: str, ahead_s: float) -> None:
    """Work off a space's jobs as their turn comes, as a worker would; print when it begins."""
    timezone.now = lambda: WALL_CLOCK() + timedelta(seconds=ahead_s)
    # On a slow machine many lives in a row may be too short for a step; giving up is tested apart.
    jobs.MAX_ATTEMPTS = 100
    pipeline.default_tools().embedder.embed_passages(["It is loaded before a life is counted."])
    say({"works": slug})
    while job := _due(slug):
        tasks.run_job(job.pk)
    say({"done": slug})


def _due(slug: str) -> Job | None:
    waiting = Job.objects.filter(space__slug=slug).exclude(state__in=[JobState.DONE, JobState.DEAD])
    return waiting.exclude(pk__in=turns.all_behind(now=timezone.now())).order_by("pk").first()


def found(slug: str) -> dict[str, Any]:
    """Gather all that was made of a space's conversations, by what its words are."""
    space = Space.objects.get(slug=slug)
    proposals = Proposal.objects.filter(space=space).order_by("pk")
    episodes = Episode.objects.filter(space=space).select_related("conversation", "first", "last")
    runs = ExtractionRun.objects.filter(space=space).select_related("subject", "episode__first")
    return {
        "states": sorted(Job.objects.filter(space=space).values_list("state", flat=True)),
        "attempts": sum(Job.objects.filter(space=space).values_list("attempts", flat=True)),
        "left": Message.objects.filter(space=space, episode=None).count(),
        "proposals": sorted([one.text, *sorted(_spans(one))] for one in proposals),
        "waiting": sorted(one.text for one in proposals if one.state == "pending"),
        "joined": sorted(
            [_place(one), _place(one.joined_to)] for one in proposals if one.joined_to is not None
        ),
        "episodes": sorted(
            [one.conversation.external_id, one.first.external_id, one.last.external_id]
            for one in episodes
        ),
        "runs": sorted([one.subject.name, str(one.episode_id), one.state] for one in runs),
        "gaps": Gap.objects.filter(space=space).count(),
    }


def _place(proposal: Proposal) -> list[str | int | None]:
    """Say where a proposal came from, in words that are the same in every space."""
    assert proposal.run is not None
    first = proposal.run.episode.first
    return [
        first.conversation.external_id,
        first.external_id,
        proposal.run.subject.name,
        proposal.ordinal,
    ]


def _spans(proposal: Proposal) -> list[str]:
    return [
        f"{one.message.conversation.external_id}/{one.message.external_id}[{one.start}:{one.end}]"
        for one in proposal.evidence.select_related("message__conversation")
    ]


def say(answer: dict[str, Any]) -> None:
    """Print one line that another process reads."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


ACTS: dict[str, Callable[..., None]] = {"prepare": prepare, "work": work, "finish": finish}


def main() -> None:
    """Do the act that standard input names."""
    task = json.loads(sys.stdin.readline())
    ACTS[task.pop("act")](**task)
