"""The model that the environment names, for tests that are run on purpose alone.

    LLM_BASE_URL=http://127.0.0.1:8080/v1 LLM_MODEL=my-model pytest tests/verification

It costs what the model costs: about a dozen questions.
"""

from urllib.parse import urlsplit

import environ
import pytest
from django.conf import settings as installed
from pytest_django import Settings
from pytest_socket import socket_allow_hosts

from extraction.engines.openai import OpenAIEngine
from extraction.engines.registry import model_engine


@pytest.fixture
def engine(settings: Settings, db: None) -> OpenAIEngine:
    """The engine that asks the model under test, set up as an installation would be."""
    given: dict[str, str] = installed.VERIFIED_ENDPOINT
    if not given.get("LLM_BASE_URL") or not given.get("LLM_MODEL"):
        pytest.skip("set LLM_BASE_URL and LLM_MODEL to the model that is to be verified")
    for name, value in given.items():
        if name in {"LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL", "PREDICT_MODEL"}:
            setattr(settings, name, value)
        elif hasattr(settings, name):
            kind = type(getattr(settings, name))
            number = kind if kind in {int, float} else float
            setattr(settings, name, environ.Env().parse_value(value, number))
    host = urlsplit(given["LLM_BASE_URL"]).hostname or ""
    socket_allow_hosts([host, "127.0.0.1", "localhost", "::1"], allow_unix_socket=True)
    settings.PREDICT_MODEL = given.get("PREDICT_MODEL") or given["LLM_MODEL"]
    return model_engine()
