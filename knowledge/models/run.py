"""One attempt at one episode by one engine: what it was shown, expected and found."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from knowledge.models.erasure_guards import EMPTY, append_only_but_for_erasure
from knowledge.models.guard_steps import append_only
from knowledge.models.guards import run_guards
from knowledge.models.scope import Space, Subject
from knowledge.models.source import Episode, Message


class RunState(models.TextChoices):
    """How far a run came; only a shadow run is queued, as somebody asked for it."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class Arm(models.TextChoices):
    """Whether a run expects anything."""

    PREDICT = "predict", "predicts"
    EVERYTHING = "everything", "prediction off"


OPEN_RUNS = (RunState.QUEUED, RunState.RUNNING)


class ExtractionRun(models.Model):
    """Model, prompt version, what was shown, tokens, time: kept for ever.

    A ``shadow`` run is for comparison: it proposes nothing, and only its own page reads it.
    **Units**: ``duration_ms`` milliseconds. **Shape**: ``shown`` lists refs; ``usage`` holds every
    call to a model and their sums, also of a run that failed. ``predict_model`` is empty where the
    prediction came from ``model``. A shadow run was ``asked_by`` somebody, reads again what the
    run ``beside`` it read, and starts from what was known then.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="runs")
    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="runs")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="runs")
    engine = models.CharField(max_length=64)
    model = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=64)
    embedder = models.CharField(max_length=200, blank=True)
    predict_model = models.CharField(max_length=200, blank=True, db_default="")
    arm = models.CharField(
        max_length=16, choices=Arm.choices, default=Arm.PREDICT, db_default=Arm.PREDICT
    )
    shadow = models.BooleanField(default=False)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    beside = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="shadows")
    cold_start = models.BooleanField(default=False)
    shown = models.JSONField(default=list)
    usage = models.JSONField(default=dict)
    duration_ms = models.PositiveIntegerField(null=True)
    state = models.CharField(max_length=16, choices=RunState.choices, default=RunState.RUNNING)
    error = models.TextField(blank=True)
    started_at = models.DateTimeField()
    redacted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["episode", "subject", "engine", "model", "prompt_version"],
                condition=Q(shadow=False),
                name="one_run_per_episode_subject_and_engine",
            ),
            models.UniqueConstraint(
                fields=["beside", "engine", "model", "prompt_version", "predict_model", "arm"],
                condition=Q(shadow=True, state__in=OPEN_RUNS),
                name="one_open_shadow_run_of_a_kind",
            ),
            models.UniqueConstraint(fields=["space", "id"], name="run_in_space"),
            models.CheckConstraint(
                condition=Q(shadow=True, beside__isnull=False)
                | Q(shadow=False, arm=Arm.PREDICT, beside__isnull=True, asked_by__isnull=True)
                & ~Q(state=RunState.QUEUED),
                name="only_shadow_runs_are_asked_for",
            ),
        ]
        triggers = run_guards()

    def __str__(self) -> str:
        return f"run {self.pk}"


class PredictionOutcome(models.TextChoices):
    """What the original messages made of an expectation."""

    CONFIRMED = "confirmed", "as expected"
    NOT_MENTIONED = "not_mentioned", "not mentioned"
    SAID_OTHERWISE = "said_otherwise", "said otherwise"


class PredictedStatement(models.Model):
    """One expectation of a run, the refs it rests on, and its outcome."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(ExtractionRun, on_delete=models.PROTECT, related_name="predicted")
    ordinal = models.PositiveSmallIntegerField()
    text = models.TextField()
    rests_on = models.JSONField(default=list)
    outcome = models.CharField(max_length=16, choices=PredictionOutcome.choices)

    class Meta:
        ordering = ["run", "ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["run", "ordinal"], name="one_prediction_per_ordinal"),
        ]
        triggers = append_only_but_for_erasure(
            "predicted statement",
            "id space_id run_id ordinal text rests_on outcome".split(),
            blanks={"text": EMPTY},
        )

    def __str__(self) -> str:
        return self.text


class GapKind(models.TextChoices):
    """How the words differ from the prediction."""

    UNPREDICTED = "unpredicted", "not expected"
    REFINES = "refines", "says more than expected"
    CONTRADICTS = "contradicts", "said otherwise"


class Span(models.Model):
    """A half-open span of one message, in code points."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    message = models.ForeignKey(Message, on_delete=models.PROTECT, related_name="+")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"message {self.message_id} [{self.start}, {self.end})"


class Gap(Span):
    """Words the prediction did not cover; a gap with no proposal became nothing."""

    run = models.ForeignKey(ExtractionRun, on_delete=models.PROTECT, related_name="gaps")
    kind = models.CharField(max_length=16, choices=GapKind.choices)
    predicted = models.ForeignKey(
        PredictedStatement, null=True, on_delete=models.PROTECT, related_name="gaps"
    )

    class Meta:
        ordering = ["run", "message", "start"]
        constraints = [
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="gap_is_not_empty"),
            models.UniqueConstraint(
                fields=["run", "message", "start", "end"], name="one_gap_per_span"
            ),
        ]
        triggers = append_only("gap")


class Covered(Span):
    """Words of the subject that a prediction covered: expected, so not extracted."""

    run = models.ForeignKey(ExtractionRun, on_delete=models.PROTECT, related_name="covered")
    predicted = models.ForeignKey(
        PredictedStatement, on_delete=models.PROTECT, related_name="covered"
    )

    class Meta:
        ordering = ["run", "message", "start"]
        constraints = [
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="covered_is_not_empty"),
        ]
        triggers = append_only("covered span")
