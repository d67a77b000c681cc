"""Which alias does what: only the owner changes tables."""

from typing import Any


class OwnerMigrates:
    """Lets migrations run on `owner` only; reads and writes stay on `default`."""

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        """Say whether ``db`` may be migrated."""
        return db == "owner"

    def allow_relation(self, obj1: Any, obj2: Any, **hints: Any) -> bool | None:
        """Allow relations: both aliases are one database."""
        return True
