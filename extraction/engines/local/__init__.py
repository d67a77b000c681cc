"""The engine that needs no model: sentences, word lists and comparison, nothing learned."""

from extraction.engines.local.engine import LocalEngine

__all__ = ["LocalEngine"]
