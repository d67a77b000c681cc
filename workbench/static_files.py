"""Static files, collected when they changed."""

import hashlib
from importlib.metadata import version
from pathlib import Path

from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_if_changed(stamp: Path) -> bool:
    """Collect the static files unless ``stamp`` says nothing changed.

    **Cost**: looking takes some ten ms; collecting and compressing some seconds.
    """
    print_now = fingerprint_of_sources()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == print_now:
        return False
    call_command("collectstatic", verbosity=0, interactive=False)
    stamp.write_text(print_now, encoding="utf-8")
    return True


def fingerprint_of_sources() -> str:
    """Return a digest of names, sizes and times of all source files."""
    digest = hashlib.sha256(version("whitenoise").encode())
    for finder in get_finders():
        for name, storage in finder.list(ignore_patterns=[]):
            found = Path(storage.path(name)).stat()
            digest.update(f"{name}:{found.st_size}:{found.st_mtime_ns}\n".encode())
    return digest.hexdigest()
