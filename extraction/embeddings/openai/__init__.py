"""Embeddings by any endpoint that speaks OpenAI's protocol."""

from extraction.embeddings.openai.embedder import OpenAIEmbedder
from extraction.embeddings.openai.endpoint import Endpoint

__all__ = ["Endpoint", "OpenAIEmbedder"]
