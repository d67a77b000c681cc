"""The original words: conversations, immutable messages, episodes."""

from django.db import models
from django.db.models import Q

from knowledge.models.erasure_guards import (
    EMPTY,
    UNNAMED,
    WHEN,
    fixed_but_for_erasure,
    message_words_guard,
)
from knowledge.models.guard_steps import keep_for_ever
from knowledge.models.scope import Space, Subject


class MessageKind(models.TextChoices):
    """Who or what a message came from."""

    USER_MESSAGE = "user_message", "User"
    AGENT_MESSAGE = "agent_message", "Agent"
    TOOL_CALL = "tool_call", "Tool call"
    TOOL_RESULT = "tool_result", "Tool result"
    USER_FEEDBACK = "user_feedback", "User feedback"
    TASK_RESULT = "task_result", "Task result"
    ENVIRONMENT_OBSERVATION = "environment_observation", "Observation"
    SYSTEM_MESSAGE = "system_message", "System"


class Conversation(models.Model):
    """A run of messages as some source holds it."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="conversations")
    external_id = models.CharField(max_length=300)
    source = models.CharField(max_length=64)
    title = models.CharField(max_length=300, blank=True)
    subjects = models.ManyToManyField(
        Subject, through="ConversationSubject", related_name="conversations"
    )
    created_at = models.DateTimeField()
    redacted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["space", "source", "external_id"], name="one_conversation_per_external_id"
            ),
            models.UniqueConstraint(fields=["space", "id"], name="conversation_in_space"),
        ]
        triggers = [
            *keep_for_ever("conversation"),
            fixed_but_for_erasure(
                "conversation",
                "id space_id external_id source title created_at redacted_at".split(),
                blanks={"external_id": UNNAMED, "title": EMPTY, "redacted_at": WHEN},
            ),
        ]

    def __str__(self) -> str:
        return self.external_id


class ConversationSubject(models.Model):
    """Whose memory a conversation feeds.

    ``proposes`` is False for a speaker who is known but whose statements were not asked for.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT)
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT)
    proposes = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "subject"], name="one_link_per_conversation_and_subject"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject_id} in {self.conversation_id}"


class Message(models.Model):
    """One original message; its words never change, and only erasure clears them.

    ``redacted_at`` says when words went: all of them, or those masked within the text.
    ``episode`` is the per-message mark of progress: set once, when a segment takes it.
    ``sent_at_known`` is False where the source gave no time and import time stands in.
    """

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="+")
    conversation = models.ForeignKey(
        Conversation, on_delete=models.PROTECT, related_name="messages"
    )
    ordinal = models.PositiveIntegerField()
    external_id = models.CharField(max_length=300)
    content_hmac = models.CharField(max_length=80)
    speaker = models.ForeignKey(Subject, null=True, on_delete=models.PROTECT, related_name="+")
    speaker_name = models.CharField(max_length=200)
    kind = models.CharField(max_length=32, choices=MessageKind.choices)
    text = models.TextField()
    sent_at = models.DateTimeField()
    sent_at_known = models.BooleanField(default=True)
    captured_at = models.DateTimeField()
    episode = models.ForeignKey(
        "knowledge.Episode", null=True, on_delete=models.PROTECT, related_name="messages"
    )
    redacted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["conversation", "ordinal"]
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "ordinal"], name="one_message_per_ordinal"
            ),
            models.UniqueConstraint(
                fields=["conversation", "external_id", "content_hmac"],
                name="one_message_per_external_id_and_content",
            ),
            models.UniqueConstraint(fields=["space", "id"], name="message_in_space"),
            models.CheckConstraint(
                condition=Q(kind__in=[kind.value for kind in MessageKind]),
                name="message_kind_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["conversation"],
                condition=Q(episode__isnull=True),
                name="messages_unprocessed",
            ),
        ]
        triggers = [
            *keep_for_ever("message"),
            fixed_but_for_erasure(
                "message",
                "id space_id conversation_id ordinal external_id content_hmac speaker_id "
                "speaker_name kind sent_at sent_at_known captured_at".split(),
                blanks={"external_id": UNNAMED, "speaker_name": EMPTY},
            ),
            message_words_guard(),
        ]

    def __str__(self) -> str:
        return f"message {self.external_id}"


class Episode(models.Model):
    """A run of messages on one topic. The narrative is for finding, never a source of facts."""

    space = models.ForeignKey(Space, on_delete=models.PROTECT, related_name="episodes")
    conversation = models.ForeignKey(
        Conversation, on_delete=models.PROTECT, related_name="episodes"
    )
    first = models.ForeignKey(Message, on_delete=models.PROTECT, related_name="+")
    last = models.ForeignKey(Message, on_delete=models.PROTECT, related_name="+")
    title = models.CharField(max_length=300, blank=True)
    narrative = models.TextField(blank=True)
    continues = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    redacted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first"], name="one_episode_per_first_message"),
            models.UniqueConstraint(fields=["space", "id"], name="episode_in_space"),
        ]
        triggers = keep_for_ever("episode")

    def __str__(self) -> str:
        return self.title or f"episode {self.pk}"
