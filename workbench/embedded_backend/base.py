"""The PostgreSQL backend that starts its own server when the first connection is wanted."""

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

from workbench import embedded


class DatabaseWrapper(base.DatabaseWrapper):
    """Connects to the embedded server of ``WORKBENCH_HOME``, starting it if nobody has."""

    def get_connection_params(self) -> dict[str, Any]:
        """Return psycopg's parameters for a server that is running."""
        server = embedded.server_for(
            settings.WORKBENCH_HOME, settings=settings.EMBEDDED_POSTGRES_SETTINGS
        )
        server.ensure()
        params: dict[str, Any] = super().get_connection_params()
        return params | {"host": str(server.socket_directory), "port": embedded.PORT}
