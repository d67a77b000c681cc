"""What a statement is found by: derived, rebuildable, outside the immutability guard."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from pgvector.django import VectorField

from knowledge.models.decision import Decision
from knowledge.models.proposal import Proposal
from knowledge.models.scope import Space, Subject
from knowledge.models.statement import Version


class SearchSource(models.TextChoices):
    """Which words an entry indexes. Only approved text and quotes are ever served."""

    TEXT = "text", "the statement"
    QUOTE = "quote", "its quotes"
    AROUND = "around", "the words around them"


class SearchEntry(models.Model):
    """Lexemes and vector of one text a version may be found by.

    **Shape**: ``lexemes`` keeps positions (term frequency); ``length`` counts them. ``decision``
    let the words in. Before ``known_from``, the stamp of the version or of a later confirmation,
    the entry does not count, nor from ``known_to`` on (a confirmation that was undone).
    ``model`` names the embedder of ``vector`` and is empty until the embedding job has been
    here; a vector that is NULL all the same is one that this embedder cannot make.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    subject = models.ForeignKey(Subject, on_delete=models.CASCADE, related_name="+")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="search_entries")
    source = models.CharField(max_length=8, choices=SearchSource.choices)
    message_ids = ArrayField(models.BigIntegerField(), default=list)
    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="+")
    known_from = models.DateTimeField()
    known_to = models.DateTimeField(null=True)
    text = models.TextField()
    lexemes = SearchVectorField()
    length = models.PositiveIntegerField()
    model = models.CharField(max_length=200, blank=True)
    vector = VectorField(null=True)

    class Meta:
        indexes = [
            GinIndex(fields=["lexemes"], name="search_lexemes"),
            models.Index(fields=["space", "subject"], name="search_by_subject"),
            # What lacks a vector of the wanted model is found model by model, in order.
            models.Index(fields=["space", "model", "id"], name="search_by_model"),
        ]

    def __str__(self) -> str:
        return f"{self.source} of version {self.version_id}"


class ProposalVector(models.Model):
    """The embedding of a proposal's text, for finding near-duplicates: derived, rebuildable."""

    proposal = models.OneToOneField(
        Proposal, primary_key=True, on_delete=models.CASCADE, related_name="embedding"
    )
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    subject = models.ForeignKey(Subject, on_delete=models.CASCADE, related_name="+")
    model = models.CharField(max_length=200)
    vector = VectorField()

    class Meta:
        indexes = [
            models.Index(fields=["space", "subject"], name="proposal_vectors_by_subject"),
            models.Index(fields=["space", "model", "proposal"], name="proposal_vectors_by_model"),
        ]

    def __str__(self) -> str:
        return f"vector of proposal {self.proposal_id}"
