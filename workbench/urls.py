"""Every address of the workbench."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, path

from workbench.views import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("admin/", admin.site.urls),
]
