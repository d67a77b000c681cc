"""Work to be done: the row is the truth, the queue only delivers its id."""

from django.db import models
from django.db.models import Q

from knowledge.models.scope import Space


class JobState(models.TextChoices):
    """Where a job stands."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    DEAD = "dead", "Given up"


OPEN_STATES = (JobState.QUEUED, JobState.RUNNING)


class Job(models.Model):
    """One piece of work, keyed so that it is open at most once.

    **Shape**: ``payload`` holds ids, and whether it waits for quiet. ``fence`` grows with every
    lease: whoever holds an older number may no longer complete. ``rerun`` asks for another round
    after this one.
    ``delivered_at`` keeps the queue from being handed the same id every second.
    """

    space = models.ForeignKey(Space, null=True, on_delete=models.PROTECT, related_name="jobs")
    kind = models.CharField(max_length=64)
    key = models.CharField(max_length=200)
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=JobState.choices, default=JobState.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    fence = models.PositiveIntegerField(default=0)
    rerun = models.BooleanField(default=False)
    run_after = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    progress = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "key"],
                condition=Q(state__in=OPEN_STATES),
                name="one_open_job_per_key",
            ),
        ]
        indexes = [
            models.Index(
                fields=["run_after"], condition=Q(state__in=OPEN_STATES), name="jobs_open"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
