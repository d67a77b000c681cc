"""Importers: files of other makers' in, conversations out. One file per format."""

from extraction.importers.base import (
    ImportedConversation,
    ImportedMessage,
    ImportProblem,
    Participant,
    names,
    read,
    register,
    sniff,
)
from extraction.importers.locomo import Locomo
from extraction.importers.openai_jsonl import OpenAiJsonl

register(OpenAiJsonl())
register(Locomo())

__all__ = [
    "ImportProblem",
    "ImportedConversation",
    "ImportedMessage",
    "Participant",
    "names",
    "read",
    "sniff",
]
