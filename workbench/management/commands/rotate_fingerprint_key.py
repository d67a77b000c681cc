"""`manage.py rotate_fingerprint_key`: a new key for fingerprints, beside the old ones."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from workbench import fingerprint_keys
from workbench.acting_command import ActingCommand


class Command(ActingCommand):
    """Adds a key to the file the installation keeps; every process takes it on its next start."""

    help = (
        "Write fingerprints with a new key from the next start on. Older keys stay, so that what"
        " they wrote is still recognised. Example: manage.py rotate_fingerprint_key"
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rotate, and say what is to be done.

        **Raises**: CommandError where the key comes from the environment.
        """
        if settings.FINGERPRINT_KEY_IS_GIVEN:
            newest = max(settings.FINGERPRINT_KEYS)
            raise CommandError(
                "The key comes from FINGERPRINT_KEY, so change it there: write"
                f" {newest + 1}:NEW,{newest}:OLD and start again. Keep every old key."
            )
        version = fingerprint_keys.rotate(settings.FINGERPRINT_KEY_FILE)
        self.stdout.write(
            f"Key {version} is in {settings.FINGERPRINT_KEY_FILE}. Start again to use it,"
            " and keep a copy of the file apart from backups of the database."
        )
