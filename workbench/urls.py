"""Every address of the workbench."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path

from workbench.admin import site
from workbench.views import health

handler500 = "workbench.views.broken.broken"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("login/", LoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("api/", include("workbench.api.urls")),
    path("", include("workbench.screens")),
    path("admin/", site.urls),
]
