"""What may be wrong with an installation, found by looking, each with what to do about it."""

import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connections
from django.utils import timezone

from extraction import forgetting
from extraction.endpoints import public_address
from extraction.errors import BadInput
from knowledge.queries.tombstones import standing_key_versions
from workbench.doctor_embedder import look_at_embedder
from workbench.embedded_places import EmbeddedDatabaseError
from workbench.findings import Finding
from workbench.queries import health

OLDEST_POSTGRES, NEWEST_POSTGRES = 15, 18
OLDEST_PGVECTOR = (0, 8)
EXTENSIONS = ("vector", "btree_gist", "pg_trgm", "unaccent")
ENDPOINT_TIMEOUT_S = 10.0


Probe = Callable[[], Iterator[Finding]]


def examine() -> Iterator[Finding]:
    """Look at everything, going on after a failure where that makes sense."""
    yield from look_at_home()
    yield from look_at_settings()
    try:
        yield from look_at_database()
        yield from look_at_migrations()
        yield from look_at_worker()
        yield from look_at_forgetting()
    except (DatabaseError, EmbeddedDatabaseError) as error:
        yield Finding(
            "failed",
            "database",
            str(error).strip().split("\n")[0],
            "Check DATABASE_URL and that the server runs; without DATABASE_URL an embedded one"
            " is used, whose log is server.log in its data directory.",
        )
    yield from look_at_endpoint("LLM", settings.LLM_BASE_URL, key=settings.LLM_API_KEY)
    yield from look_at_embedder()


def look_at_forgetting() -> Iterator[Finding]:
    """Look whether tombstones can still be recognised, and erasures replayed."""
    lost = sorted(set(standing_key_versions()) - set(settings.FINGERPRINT_KEYS))
    if lost:
        numbers = ", ".join(map(str, lost))
        yield Finding(
            "failed",
            "tombstones",
            f"Some were made with key {numbers}, which is not here: they stop nothing.",
            f"Add it to FINGERPRINT_KEY, as {lost[-1]}:KEY, beside the others.",
        )
    path = forgetting.ledger_path()
    try:
        missing = len(forgetting.not_in(path))
    except BadInput as error:
        yield Finding("failed", "erasures", str(error), "Put back a whole copy of it.")
        return
    if missing:
        yield Finding(
            "failed",
            "erasures",
            f"{missing} are not in the ledger {path}.",
            "A restored backup would bring them back. Run: manage.py replay_erasures",
        )
    if not lost and not missing:
        yield Finding("ok", "forgetting", "Tombstones are recognised, erasures are on file.")


def look_at_home() -> Iterator[Finding]:
    """Look at the files this installation keeps."""
    home: Path = settings.WORKBENCH_HOME
    open_files = [
        path.name
        for path in home.iterdir()
        if path.is_file()
        and path.name in {"secret_key", "fingerprint_key", "logins.txt"}
        and stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    if open_files:
        names = ", ".join(sorted(open_files))
        yield Finding(
            "failed", "home", f"Others can read {names} in {home}.", f"chmod 600 {home}/<file>"
        )
    else:
        yield Finding("ok", "home", f"{home}; secrets are private.")


def look_at_settings() -> Iterator[Finding]:
    """Run Django's own checks and those of this product."""
    for message in checks.run_checks():
        is_serious = message.level >= checks.ERROR
        yield Finding(
            "failed" if is_serious else "warning",
            "settings",
            str(message.msg),
            str(message.hint or ""),
        )


def look_at_database() -> Iterator[Finding]:
    """Look at the server, its extensions and the roles."""
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int / 10000,"
            " current_setting('server_version'), current_user::text,"
            " (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)"
        )
        major, server_version, role, is_superuser = cursor.fetchone()
        cursor.execute("SELECT extname, extversion FROM pg_extension")
        installed = dict(cursor.fetchall())
    if OLDEST_POSTGRES <= major <= NEWEST_POSTGRES:
        yield Finding("ok", "database", f"PostgreSQL {server_version}, serving as {role}.")
    else:
        yield Finding(
            "failed",
            "database",
            f"PostgreSQL {server_version} is not supported.",
            f"Use PostgreSQL {OLDEST_POSTGRES} to {NEWEST_POSTGRES}.",
        )
    if is_superuser:
        yield Finding(
            "failed",
            "roles",
            f"The serving role {role} is a superuser, whom no guard stops.",
            "Set DATABASE_URL to a role with no rights but to rows, and DATABASE_OWNER_URL to"
            " the owner of the database.",
        )
    yield from look_at_extensions(installed)


def look_at_extensions(installed: dict[str, str]) -> Iterator[Finding]:
    """Compare what is installed with what is needed."""
    missing = [name for name in EXTENSIONS if name not in installed]
    if missing:
        statements = " ".join(f"CREATE EXTENSION {name};" for name in missing)
        yield Finding(
            "failed",
            "extensions",
            f"Missing: {', '.join(missing)}.",
            f"A database administrator runs in this database: {statements}",
        )
        return
    found = tuple(int(part) for part in re.findall(r"\d+", installed["vector"])[:2])
    if found < OLDEST_PGVECTOR:
        yield Finding(
            "failed",
            "extensions",
            f"pgvector {installed['vector']} is too old.",
            "Install pgvector 0.8 or newer, then: ALTER EXTENSION vector UPDATE;",
        )
    else:
        yield Finding("ok", "extensions", f"pgvector {installed['vector']} and the others.")


def look_at_migrations() -> Iterator[Finding]:
    """Look for tables that this code expects and the database lacks."""
    pending = health.pending_migrations()
    if pending:
        yield Finding(
            "failed",
            "migrations",
            f"{len(pending)} not applied, first {pending[0]}.",
            "manage.py migrate",
        )
    else:
        yield Finding("ok", "migrations", "All applied.")


def look_at_worker() -> Iterator[Finding]:
    """Look whether work gets done."""
    if health.pending_migrations():
        return
    worker = health.worker_health(now=timezone.now())
    if worker.is_silent:
        seen = worker.seconds_since_beat
        says = "No sign of life yet." if seen is None else f"Silent for {seen} s."
        yield Finding(
            "failed", "worker", says, "Start everything with manage.py up; see logs/worker.log."
        )
    else:
        yield Finding("ok", "worker", f"Last sign of life {worker.seconds_since_beat} s ago.")


def look_at_endpoint(name: str, url: str, *, key: str) -> Iterator[Finding]:
    """Ask an OpenAI-compatible endpoint for its models."""
    if not url:
        yield Finding("ok", name.lower(), f"No {name}_BASE_URL: the built-in one is used.")
        return
    shown, key = public_address(url), key.strip()
    if not (key.isascii() and key.isprintable()):
        says = f"{name}_API_KEY holds signs that no key has."
        yield Finding("failed", name.lower(), says, f"Check {name}_API_KEY.")
        return
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        address = f"{url.strip().rstrip('/')}/models"
        answer = httpx.get(address, headers=headers, timeout=ENDPOINT_TIMEOUT_S)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        # Not in the library's words: they may hold the address with what opens it, or a header.
        says = f"{shown} cannot be reached ({type(error).__name__})."
        yield Finding("failed", name.lower(), says, f"Check {name}_BASE_URL.")
        return
    if answer.status_code in {401, 403}:
        yield Finding("failed", name.lower(), f"{shown} refuses the key.", f"Check {name}_API_KEY.")
    elif answer.status_code >= 500:
        yield Finding(
            "failed", name.lower(), f"{shown} answers {answer.status_code}.", "Look at its logs."
        )
    else:  # some servers have no list of models; that they answer is enough
        yield Finding("ok", name.lower(), f"{shown} answers.")
