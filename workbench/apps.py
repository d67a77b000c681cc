"""The app that speaks HTTP and to terminals."""

from django.apps import AppConfig


class WorkbenchConfig(AppConfig):
    """Screens, API, keys, commands."""

    name = "workbench"
    verbose_name = "Workbench"
