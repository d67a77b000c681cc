"""Settings: everything that may differ between two installations comes from the environment."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF

from workbench import fingerprint_keys
from workbench.local_secrets import read_or_create_secret
from workbench.log_config import configure_structlog, logging_config

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent
WORKBENCH_HOME = Path(env.str("WORKBENCH_HOME", default=str(BASE_DIR / ".workbench"))).absolute()

# --- secrets ---------------------------------------------------------------------------------
SECRET_KEY = env.str("SECRET_KEY", default="") or read_or_create_secret(
    WORKBENCH_HOME / "secret_key"
)
# Keys the fingerprints of message texts and erased values: losing it means that erased facts
# could be learned again, so it is kept apart from SECRET_KEY, which may be rotated.
# One key, or several with their versions: 2:NEW,1:OLD. The highest writes, the others recognise.
FINGERPRINT_KEY_FILE = WORKBENCH_HOME / "fingerprint_key"
FINGERPRINT_KEY = env.str("FINGERPRINT_KEY", default="")
FINGERPRINT_KEY_IS_GIVEN = bool(FINGERPRINT_KEY)
FINGERPRINT_KEYS = fingerprint_keys.parse(
    FINGERPRINT_KEY or read_or_create_secret(FINGERPRINT_KEY_FILE)
)

DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# --- apps ------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "workbench",  # first: its `migrate` command and templates win over those of other apps
    "extraction",
    "knowledge",
    "django.contrib.admin.apps.SimpleAdminConfig",  # see workbench.admin
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "axes",
    "csp",
    "django_htmx",
    "ninja",  # installed so that its docs page serves its own files instead of a CDN's
    "pgtrigger",
    "template_partials",
    "django_q",
]

MIDDLEWARE = [
    "workbench.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "workbench.refusals.RefusalMiddleware",  # knows who asks, and sees how it ended
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",  # last, as its documentation asks
]

ROOT_URLCONF = "workbench.urls"
WSGI_APPLICATION = "workbench.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- database --------------------------------------------------------------------------------
# `owner` owns the tables and migrates; `default` serves and may only read and write rows.
EMBEDDED_DATABASE = "workbench"
OWNER_ROLE = "workbench_owner"
APPLICATION_ROLE = "workbench_app"


def database(*, url_variable: str, role: str) -> dict[str, Any]:
    """Describe one database alias: a given server, or the embedded one."""
    url = env.str(url_variable, default="") or env.str("DATABASE_URL", default="")
    if url:
        return dict(environ.Env.db_url_config(url))
    return {
        "ENGINE": "workbench.embedded_backend",
        "NAME": EMBEDDED_DATABASE,
        "USER": role,
        "HOST": "",  # filled in by the backend once the server runs
        "PORT": "",
    }


DATABASES: dict[str, dict[str, Any]] = {
    "default": database(url_variable="DATABASE_URL", role=APPLICATION_ROLE)
    | {"CONN_HEALTH_CHECKS": True, "TEST": {"MIRROR": "owner"}},
    "owner": database(url_variable="DATABASE_OWNER_URL", role=OWNER_ROLE)
    | {
        "TEST": {
            "NAME": env.str("WORKBENCH_TEST_DATABASE", default="test_workbench"),
            "DEPENDENCIES": [],  # Django's default would be to wait for `default`, its mirror
        }
    },
}
if env.bool("WORKBENCH_POOL", default=False):  # `up` sets this for the web processes only
    DATABASES["default"]["OPTIONS"] = {
        **DATABASES["default"].get("OPTIONS", {}),
        "pool": {
            "min_size": 1,
            "max_size": env.int("WORKBENCH_POOL_SIZE", default=16),
            # While the store is away every request would else hold its thread for half a minute,
            # and once it is back the pool would go on waiting as long as it had waited before.
            "timeout": 5.0,
            "reconnect_timeout": 5.0,
        },
    }
DATABASE_ROUTERS = ["workbench.routers.OwnerMigrates"]
# Extra lines for the embedded server's configuration; tests switch durability off here.
EMBEDDED_POSTGRES_SETTINGS = env.dict("WORKBENCH_POSTGRES_SETTINGS", default={})

# --- people ----------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

# Five wrong passwords for one name from one address wait a quarter of an hour. Both together,
# so that nobody can lock a colleague out from elsewhere.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_USERNAME_CALLABLE = "workbench.access.name_tried"
AXES_LOCKOUT_TEMPLATE = "429.html"
AXES_VERBOSE = False

# --- browser security ------------------------------------------------------------------------
# Secure by default. `up` serves plain HTTP on the loopback address and says so here.
SERVED_OVER_HTTPS = env.bool("WORKBENCH_HTTPS", default=True)
SECURE_SSL_REDIRECT = SERVED_OVER_HTTPS
SESSION_COOKIE_SECURE = SERVED_OVER_HTTPS
CSRF_COOKIE_SECURE = SERVED_OVER_HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if SERVED_OVER_HTTPS else 0
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # probes speak plain HTTP
if env.bool("WORKBENCH_BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Whether sibling host names may be forced to HTTPS is for whoever owns the domain to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = int(timedelta(hours=12).total_seconds())
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    },
}

# --- static files ----------------------------------------------------------------------------
STATIC_URL = "static/"
STATIC_ROOT = WORKBENCH_HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Hashed names need collected files; tests read the sources instead.
MANIFEST_STATIC = env.bool("WORKBENCH_MANIFEST_STATIC", default=True)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "whitenoise.storage.CompressedManifestStaticFilesStorage"
            if MANIFEST_STATIC
            else "django.contrib.staticfiles.storage.StaticFilesStorage"
        ),
    },
}
WHITENOISE_USE_FINDERS = not MANIFEST_STATIC
WHITENOISE_AUTOREFRESH = not MANIFEST_STATIC
WHITENOISE_MAX_AGE = 60
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024

# --- time and language -----------------------------------------------------------------------
LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# --- models ----------------------------------------------------------------------------------
# Without an address the built-in engine and embedder work, and the screens say so.
LLM_BASE_URL = env.str("LLM_BASE_URL", default="")
LLM_API_KEY = env.str("LLM_API_KEY", default="")
LLM_MODEL = env.str("LLM_MODEL", default="")
PREDICT_MODEL = env.str("PREDICT_MODEL", default="") or LLM_MODEL
# Seconds to wait for one answer, and how often one question is put again after a failure that may
# pass. Both together stay far below a task's time, see WORKER_TIMEOUT_S.
LLM_TIMEOUT_S = env.float("LLM_TIMEOUT_S", default=30.0)
LLM_ATTEMPTS = env.int("LLM_ATTEMPTS", default=3)
# Questions one process asks at the same time.
LLM_CONCURRENCY = env.int("LLM_CONCURRENCY", default=4)
# The longest answer, in tokens. Models that reason count their reasoning in.
LLM_ANSWER_TOKENS = env.int("LLM_ANSWER_TOKENS", default=4_096)
# 0 gives the steadiest answers; models that only take their own are asked without it.
LLM_TEMPERATURE = env.float("LLM_TEMPERATURE", default=0.0)
# Prices per million tokens, in the currency you think in; blank: unknown, and no cost is shown.
LLM_PRICE_INPUT = env.float("LLM_PRICE_INPUT", default=None)
LLM_PRICE_OUTPUT = env.float("LLM_PRICE_OUTPUT", default=None)
# The most one run over one episode may use; 0 tokens or a blank cost: no limit.
LLM_RUN_TOKENS = env.int("LLM_RUN_TOKENS", default=100_000)
LLM_RUN_COST = env.float("LLM_RUN_COST", default=None)
# After so many failures in a row an endpoint is left alone for a while, in seconds.
LLM_BREAKER_FAILURES = env.int("LLM_BREAKER_FAILURES", default=5)
LLM_BREAKER_S = env.float("LLM_BREAKER_S", default=60.0)
EMBEDDING_BASE_URL = env.str("EMBEDDING_BASE_URL", default="")
EMBEDDING_API_KEY = env.str("EMBEDDING_API_KEY", default="")
EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", default="")
# 0 takes what the model gives; a number is asked for, where the server can shorten vectors.
EMBEDDING_DIMENSIONS = env.int("EMBEDDING_DIMENSIONS", default=0)
# Any word; another one has everything embedded anew: for a model changed under its name.
EMBEDDING_REVISION = env.str("EMBEDDING_REVISION", default="")
# Put before a question and before what is to be found; models of the E5 kind want both.
EMBEDDING_QUERY_PREFIX = env.str("EMBEDDING_QUERY_PREFIX", default="", multiline=True)
EMBEDDING_PASSAGE_PREFIX = env.str("EMBEDDING_PASSAGE_PREFIX", default="", multiline=True)
# Cosines from which two texts may say the same, and surely do; blank: measured on known pairs.
EMBEDDING_NEAR = env.float("EMBEDDING_NEAR", default=None)
EMBEDDING_SAME = env.float("EMBEDDING_SAME", default=None)
# Texts in one request, and characters of a text; what is beyond is found by its words alone.
EMBEDDING_BATCH = env.int("EMBEDDING_BATCH", default=64)
EMBEDDING_TEXT_LIMIT = env.int("EMBEDDING_TEXT_LIMIT", default=2_000)
# Seconds for one answer; a question's is short, since without it words alone answer at once.
EMBEDDING_TIMEOUT_S = env.float("EMBEDDING_TIMEOUT_S", default=30.0)
EMBEDDING_QUERY_TIMEOUT_S = env.float("EMBEDDING_QUERY_TIMEOUT_S", default=3.0)

# --- the worker ------------------------------------------------------------------------------
# Delivery only: the Job table is the truth. `retry` must be more than twice the longest
# timeout, or a long task would be delivered a second time while it still runs.
WORKER_TIMEOUT_S = env.int("WORKER_TIMEOUT_S", default=180)
# The longest one run may ask a model. A task begins its last run within 95 seconds.
LLM_RUN_S = env.float("LLM_RUN_S", default=max(30.0, WORKER_TIMEOUT_S - 100.0))
Q_CLUSTER = {
    "name": "memory-workbench",
    "orm": "default",
    "workers": env.int("WORKER_PROCESSES", default=1),
    "timeout": WORKER_TIMEOUT_S,
    "retry": 2 * WORKER_TIMEOUT_S + 60,
    "max_attempts": 3,
    "ack_failures": True,
    "catch_up": False,
    "save_limit": 200,
    "queue_limit": 4,  # what a killed cluster had fetched waits for its next delivery
    "bulk": 1,
    "poll": 0.5,
    "guard_cycle": 1,
    "recycle": 200,
    "label": "Worker",
}

# --- the proof of the log --------------------------------------------------------------------
# Where the ends of the audit chains are written down, a file or an http address, and how often,
# in minutes (0: never). Whoever can write there can hide a cut, so a place of others is better.
AUDIT_ANCHOR = env.str("AUDIT_ANCHOR", default=str(WORKBENCH_HOME / "anchors.jsonl"))
AUDIT_ANCHOR_EVERY = env.int("AUDIT_ANCHOR_EVERY", default=60)

# --- forgetting ------------------------------------------------------------------------------
# Erasures in identifiers and keyed hashes: what a restored backup has to forget again.
ERASURE_LEDGER = env.str("ERASURE_LEDGER", default=str(WORKBENCH_HOME / "erasures.jsonl"))

# --- files that people bring -----------------------------------------------------------------
# Where they lie until they are read in: web processes and workers must both see it.
IMPORT_FOLDER = env.str("IMPORT_FOLDER", default=str(WORKBENCH_HOME / "uploads"))
IMPORT_MOST_MIB = env.int("IMPORT_MOST_MIB", default=2048)

# --- logs ------------------------------------------------------------------------------------
LOG_FORMAT = env.str("WORKBENCH_LOG_FORMAT", default="console" if DEBUG else "json")
LOG_LEVEL = env.str("WORKBENCH_LOG_LEVEL", default="INFO")
LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logging_config(log_format=LOG_FORMAT, level=LOG_LEVEL)
configure_structlog()

os.environ.setdefault("PGAPPNAME", "memory-workbench")
