"""The core: what is believed, since when, on whose words, by whose decision."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """Store, trust, belief, lineage, audit, retrieval."""

    name = "knowledge"
    verbose_name = "Knowledge"
