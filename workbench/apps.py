"""The app that speaks HTTP and to terminals."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig, apps
from django.conf import settings
from django.db import connections
from django.db.models.signals import post_migrate

from knowledge import fingerprints, guards
from workbench import checks


def harden_guards(*, using: str, **kwargs: Any) -> None:
    """Make the guards of the core hold after every migration of its owner."""
    owner = connections[using]
    role = connections["default"].settings_dict["USER"]
    if using == "default" and role != owner.settings_dict["USER"]:
        return
    one_role = not role or role == owner.settings_dict["USER"]
    with owner.cursor() as cursor:
        guards.harden(cursor, quoted_role=None if one_role else owner.ops.quote_name(role))


class WorkbenchConfig(AppConfig):
    """Screens, API, keys, commands."""

    name = "workbench"
    verbose_name = "Workbench"

    def ready(self) -> None:
        """Hand the core its key and keep its guards hard."""
        keys = {version: key.encode() for version, key in settings.FINGERPRINT_KEYS.items()}
        fingerprints.install(fingerprints.Keyring(keys))
        checks.register_all()
        # Named, not imported: its models can only be loaded now.
        import_module("workbench.places").register_all()
        import_module("workbench.logins").connect()
        post_migrate.connect(harden_guards, sender=apps.get_app_config("knowledge"))
