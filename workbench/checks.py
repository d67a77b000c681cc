"""System checks: settings that contradict each other, found before anything is served."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error

SHORTEST_KEY = 32


def check_model_endpoints(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse an endpoint without the model to ask there."""
    found: list[CheckMessage] = []
    if settings.LLM_BASE_URL and not settings.LLM_MODEL:
        found.append(
            Error(
                "LLM_BASE_URL is set and LLM_MODEL is not.",
                hint="Set LLM_MODEL to a model of that endpoint, or unset LLM_BASE_URL to use"
                " the built-in engine.",
                id="workbench.E001",
            )
        )
    if settings.EMBEDDING_BASE_URL and not settings.EMBEDDING_MODEL:
        found.append(
            Error(
                "EMBEDDING_BASE_URL is set and EMBEDDING_MODEL is not.",
                hint="Set EMBEDDING_MODEL, or unset EMBEDDING_BASE_URL to use the built-in one.",
                id="workbench.E002",
            )
        )
    return found


def check_database_roles(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Look at the aliases of this installation."""
    return compare_roles(settings.DATABASES["default"], settings.DATABASES["owner"])


def compare_roles(default: dict[str, Any], owner: dict[str, Any]) -> list[CheckMessage]:
    """Warn where the serving role owns the tables."""
    if default["NAME"] != owner["NAME"] or default["HOST"] != owner["HOST"]:
        return [
            Error(
                "DATABASE_URL and DATABASE_OWNER_URL name two databases.",
                hint="They must differ in the role only.",
                id="workbench.E003",
            )
        ]
    if default["USER"] == owner["USER"]:
        return [
            checks.Warning(
                "One database role both serves and owns the tables.",
                hint="It could switch the guards off. Set DATABASE_URL to a role without rights"
                " to change tables, and DATABASE_OWNER_URL to the one that owns them.",
                id="workbench.W001",
            )
        ]
    return []


def check_fingerprint_key(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a fingerprint key that could be guessed."""
    if all(len(key) >= SHORTEST_KEY for key in settings.FINGERPRINT_KEYS.values()):
        return []
    return [
        Error(
            f"A key in FINGERPRINT_KEY is shorter than {SHORTEST_KEY} characters.",
            hint="Unset it to have one generated, or set a long random one.",
            id="workbench.E004",
        )
    ]


def register_all() -> None:
    """Add the checks of this module to Django's."""
    for check in (check_model_endpoints, check_database_roles, check_fingerprint_key):
        checks.register(check)
