"""Importers: files of other makers' in, conversations out. One module per format.

Each module of this package that has an ``IMPORTER`` is a format; nothing lists them.
"""

from importlib import import_module
from pkgutil import iter_modules

from extraction.importers.base import (
    ImportedConversation,
    ImportedMessage,
    ImportedStatement,
    ImportProblem,
    LeftOut,
    Participant,
    expectations,
    in_words,
    names,
    read,
    register,
    sniff,
)
from extraction.importers.source import ReadOptions


def _register_all() -> None:
    for module in sorted(iter_modules(__path__), key=lambda one: one.name):
        importer = getattr(import_module(f"{__name__}.{module.name}"), "IMPORTER", None)
        if importer is not None:
            register(importer)


_register_all()

__all__ = [
    "ImportProblem",
    "ImportedConversation",
    "ImportedMessage",
    "ImportedStatement",
    "LeftOut",
    "Participant",
    "ReadOptions",
    "expectations",
    "in_words",
    "names",
    "read",
    "sniff",
]
