"""Settings of the test run: its own home and database, nothing that could call out."""

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent

# Before the real settings are read. A developer's own home and model endpoints stay untouched.
_given = {
    name: os.environ.pop(name)
    for name in list(os.environ)
    if name in {"SECRET_KEY", "FINGERPRINT_KEY", "DEBUG", "ALLOWED_HOSTS", "WORKBENCH_POOL"}
    or name.startswith(("LLM_", "PREDICT_MODEL", "EMBEDDING_"))
}
# What `tests/verification` asks, and nothing else does: the model somebody named for this run.
VERIFIED_ENDPOINT = {
    name: value for name, value in _given.items() if name.startswith(("LLM_", "PREDICT_MODEL"))
}
# Each process of a parallel run has a home of its own, and so a database server of its own.
os.environ["WORKBENCH_HOME"] = str(
    Path(
        os.environ.get("WORKBENCH_TEST_HOME", f"{CHECKOUT}/.workbench-test"),
        os.environ.get("PYTEST_XDIST_WORKER", ""),
    )
)
os.environ["WORKBENCH_HTTPS"] = "0"
os.environ["WORKBENCH_MANIFEST_STATIC"] = "0"
os.environ["WORKBENCH_LOG_LEVEL"] = "WARNING"
# One database a run, so that two runs at once do not meet.
os.environ.setdefault("WORKBENCH_TEST_DATABASE", f"test_workbench_{os.getpid()}")
os.environ["WORKBENCH_POSTGRES_SETTINGS"] = (
    "fsync=off,synchronous_commit=off,full_page_writes=off,max_connections=200"
)

from workbench.settings import *  # noqa: E402, F403  # after the environment was laid out

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # fast, and only here
