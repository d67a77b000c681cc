"""System checks: settings that contradict each other, found before anything is served."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error

from extraction.embeddings.base import MOST_DIMENSIONS

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
    return found


def check_embedding_settings(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse settings of the embedder that cannot work, before anything is embedded with them."""
    return [
        Error(says, hint=hint, id=f"workbench.E{number:03}")
        for number, is_wrong, says, hint in (
            (
                2,
                settings.EMBEDDING_BASE_URL and not settings.EMBEDDING_MODEL,
                "EMBEDDING_BASE_URL is set and EMBEDDING_MODEL is not.",
                "Set EMBEDDING_MODEL, or unset EMBEDDING_BASE_URL to use the built-in one.",
            ),
            (
                5,
                not 0 <= settings.EMBEDDING_DIMENSIONS <= MOST_DIMENSIONS,
                f"EMBEDDING_DIMENSIONS is {settings.EMBEDDING_DIMENSIONS:,}.",
                (
                    f"The database holds vectors of up to {MOST_DIMENSIONS:,} numbers; 0 takes what"
                    " the model gives."
                ),
            ),
            (
                6,
                not _are_cosines(settings.EMBEDDING_NEAR, settings.EMBEDDING_SAME),
                "EMBEDDING_NEAR and EMBEDDING_SAME are no cosines in order.",
                "0 < EMBEDDING_NEAR ≤ EMBEDDING_SAME ≤ 1; unset both to have them measured.",
            ),
            (
                7,
                settings.EMBEDDING_BATCH < 1
                or settings.EMBEDDING_TEXT_LIMIT < 1
                or settings.EMBEDDING_TIMEOUT_S <= 0
                or settings.EMBEDDING_QUERY_TIMEOUT_S <= 0,
                "A limit of the embedder is nothing or less.",
                (
                    "EMBEDDING_BATCH, EMBEDDING_TEXT_LIMIT, EMBEDDING_TIMEOUT_S and"
                    " EMBEDDING_QUERY_TIMEOUT_S are above 0."
                ),
            ),
        )
        if is_wrong
    ]


def _are_cosines(near: float | None, same: float | None) -> bool:
    found = [value for value in (near, same) if value is not None]
    return found == sorted(found) and all(0 < value <= 1 for value in found)


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
    for check in (
        check_model_endpoints,
        check_embedding_settings,
        check_database_roles,
        check_fingerprint_key,
    ):
        checks.register(check)
