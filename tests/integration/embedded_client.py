"""A process that uses the embedded server of a home until its input ends.

It prints one JSON line once it is connected, and one more for each line it is sent:
``python -m tests.integration.embedded_client HOME [UID]``.
"""

import json
import os
import sys
from pathlib import Path

import psycopg

from workbench import embedded

IDENTITY = (
    "SELECT system_identifier::text, pg_postmaster_start_time()::text, current_user"
    " FROM pg_control_system()"
)


def main(home: str, uid: str | None = None) -> None:
    """Hold the server until standard input ends."""
    if uid is not None:
        os.setgroups([])
        os.setgid(int(uid))
        os.setuid(int(uid))
    server = embedded.server_for(Path(home), settings={"fsync": "off"})
    server.ensure()
    with psycopg.connect(
        host=str(server.socket_directory),
        port=embedded.PORT,
        user=embedded.APPLICATION,
        dbname=embedded.DATABASE,
        autocommit=True,
    ) as connection:
        while True:
            system, started, role = connection.execute(IDENTITY).fetchone() or ("", "", "")
            answer = {"system": system, "started": started, "role": role}
            places = {"data": str(server.places.data), "sockets": str(server.socket_directory)}
            sys.stdout.write(json.dumps(answer | places) + "\n")
            sys.stdout.flush()
            if not sys.stdin.readline():
                return


if __name__ == "__main__":
    main(*sys.argv[1:])
