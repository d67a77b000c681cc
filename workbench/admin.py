"""What the Django admin shows: people and groups, and nothing that was not asked for here.

Without autodiscovery no package adds pages of its own: whoever may add a schedule of the queue's
in the admin may run any function on the worker. What is changed here is in the audit log: who may
log in and with which rights is changed nowhere else.
"""

from typing import TYPE_CHECKING, Any

from django.contrib.admin import ModelAdmin, site
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from knowledge.commands import audit
from knowledge.results import Actor
from workbench.middleware import request_id_of

__all__ = ["site"]

if TYPE_CHECKING:  # generic in the stubs alone
    AnyAdmin = ModelAdmin[Any]
    PersonAdmin = UserAdmin[User]
else:
    AnyAdmin, PersonAdmin = ModelAdmin, UserAdmin


class LoggedAdmin(AnyAdmin):
    """Admin pages whose every change is an event of the system's chain, in its transaction."""

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Log that something was added."""
        self.append(request, obj, verb="create")
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Log what something has become, and which of its fields were changed."""
        self.append(request, obj, verb="change", changed=message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """Log what is about to be deleted."""
        for obj in queryset:
            self.append(request, obj, verb="delete")
        return super().log_deletions(request, queryset)

    def append(self, request: HttpRequest, obj: Any, *, verb: str, changed: Any = None) -> None:
        """Append the event of a change. Passwords are no part of what something is."""
        kind = str(self.opts.model_name)
        audit.append(
            space_id=None,
            by=Actor(
                kind="user",
                id=request.user.get_username(),
                channel="admin",
                user_id=request.user.pk,
                request_id=request_id_of(request),
            ),
            action=f"{kind}.{verb}",
            object_type=kind,
            object_id=str(obj.pk),
            payload=rights_of(obj) | ({"changed": changed} if changed else {}),
        )


class LoggedUserAdmin(LoggedAdmin, PersonAdmin):
    """People."""

    def user_change_password(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Change a password together with its event, or not at all."""
        with transaction.atomic():
            return super().user_change_password(request, *args, **kwargs)


class LoggedGroupAdmin(LoggedAdmin, GroupAdmin):
    """Groups of rights."""


def rights_of(obj: User | Group) -> dict[str, Any]:
    """Return who or what this is, and what it may do."""
    permissions = obj.permissions if isinstance(obj, Group) else obj.user_permissions
    rights: dict[str, Any] = {
        "permissions": sorted(permissions.values_list("codename", flat=True)),
    }
    if isinstance(obj, Group):
        return rights | {"name": obj.name}
    return rights | {
        "username": obj.get_username(),
        "is_active": obj.is_active,
        "is_staff": obj.is_staff,
        "is_superuser": obj.is_superuser,
        "groups": sorted(obj.groups.values_list("name", flat=True)),
    }


for model, page in ((User, LoggedUserAdmin), (Group, LoggedGroupAdmin)):
    if site.is_registered(model):  # by the very module the pages come from
        site.unregister(model)
    site.register(model, page)
