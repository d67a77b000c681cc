"""Conversations in, proposals out."""

from django.apps import AppConfig


class ExtractionConfig(AppConfig):
    """Importers, engines, grounding, gates, tasks."""

    name = "extraction"
    verbose_name = "Extraction"
