"""The engine that asks a language model behind any OpenAI-compatible endpoint."""

from extraction.engines.openai.engine import OpenAIEngine

__all__ = ["OpenAIEngine"]
