"""What the Django admin shows: people and groups, and nothing that was not asked for here.

Without autodiscovery no package adds pages of its own: whoever may add a schedule of the queue's
in the admin may run any function on the worker.
"""

from django.contrib.admin import site
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User

__all__ = ["site"]

for model, page in ((User, UserAdmin), (Group, GroupAdmin)):
    if not site.is_registered(model):
        site.register(model, page)
