"""What a figure is worthless without: the machine and the versions it was measured on."""

import os
import platform
from pathlib import Path
from typing import Any

import django
import psutil
import psycopg
from django.db import connection

CPU_INFO = Path("/proc/cpuinfo")


def machine() -> dict[str, Any]:
    """Return what the figures were measured on.

    **Units**: memory in GB.
    """
    return {
        "cpus": os.cpu_count(),
        "cpu_model": cpu_model(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
    }


def load() -> float:
    """Return the mean of runnable processes over the last minute.

    More than there are processors means that others were at work too, or the bench itself.
    """
    return round(os.getloadavg()[0], 1)


def cpu_model() -> str:
    """Return the processor's name as the system gives it."""
    if CPU_INFO.exists():
        for line in CPU_INFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Return the versions that matter to a figure. **Cost**: one query."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        row = cursor.fetchone()
    return {
        "python": platform.python_version(),
        "django": django.get_version(),
        "psycopg": psycopg.__version__,
        "postgresql": str(row[0]).split()[0] if row else "",
    }


def durability() -> dict[str, str]:
    """Return the server's settings that trade safety for speed. **Cost**: three queries."""
    found = {}
    with connection.cursor() as cursor:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            cursor.execute(f"SHOW {name}")
            row = cursor.fetchone()
            found[name] = str(row[0]) if row else ""
    return found
