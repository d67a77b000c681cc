"""Every table of the core with its columns, constraints and guards, as a page to read."""

import inspect
import re
from collections.abc import Iterator
from itertools import groupby

import pgtrigger
from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import RunSQL

_APP = "knowledge"
_REFUSAL = re.compile(r"RAISE EXCEPTION '([^']+)'")
_BY_SQL = re.compile(r"ALTER TABLE (\w+)\s+(ADD|DROP) CONSTRAINT (\w+)([^;]*)")
_HEAD = re.compile(r'^(ALTER TABLE "\w+" ADD CONSTRAINT "\w+"|CREATE) ')
_QUOTE = '"'
_WRITTEN_FOR = 180_000  # PostgreSQL 18, as the server itself numbers it


def page() -> str:
    """Write the page. **Cost**: no query; types are named as PostgreSQL names them."""
    return "\n".join(_lines()).rstrip("\n") + "\n"


def core_models() -> list[type[models.Model]]:
    """Return the models of the core, those of one module together, in order of name."""
    found = apps.get_app_config(_APP).get_models()
    return sorted(found, key=lambda model: (model.__module__, model.__name__))


def _lines() -> Iterator[str]:
    by_sql = _constraints_by_sql()
    yield "# Tables of the core"
    yield ""
    yield "<!-- Written by `manage.py draw_diagrams` from `knowledge/models`. Do not edit. -->"
    yield ""
    yield (
        "Constraints and guards (triggers) hold for every role and every client. After each "
        "migration the guards are made `ENABLE ALWAYS` and deaf to `pgtrigger.ignore`. Keys that "
        "hold `(space_id, …)` keep a row from pointing into another space."
    )
    for module, group in groupby(core_models(), key=lambda model: model.__module__):
        yield ""
        yield f"## {module.rpartition('.')[2]}"
        for model in group:
            yield from _table(model, by_sql.get(model._meta.db_table, {}))


def _table(model: type[models.Model], by_sql: dict[str, str]) -> Iterator[str]:
    yield ""
    yield f"### {model.__name__} (`{model._meta.db_table}`)"
    yield ""
    yield " ".join(_summary(model).split())
    yield ""
    yield "| column | type | |"
    yield "| --- | --- | --- |"
    for field in model._meta.concrete_fields:
        yield f"| `{field.column}` | {_type(field)} | {_notes(field)} |"
    constraints = [
        *_constraints(model),
        *(f"`{name}`: `{rule}`" for name, rule in by_sql.items()),
    ]
    if constraints:
        yield ""
        yield "Constraints:"
        yield ""
        yield from (f"- {line}" for line in constraints)
    guards = [_guard(trigger) for trigger in getattr(model._meta, "triggers", [])]
    if guards:
        yield ""
        yield "Guards:"
        yield ""
        yield from (f"- {line}" for line in guards)


def _summary(model: type[models.Model]) -> str:
    return (inspect.getdoc(model) or "").split("\n\n")[0]


def _type(field: "models.Field[object, object]") -> str:
    return f"`{field.db_type(_without_server())}`"


def _notes(field: "models.Field[object, object]") -> str:
    notes = []
    if field.primary_key:
        notes.append("key")
    if field.null:
        notes.append("may be NULL")
    if field.unique and not field.primary_key:
        notes.append("unique")
    if isinstance(field, models.ForeignKey):
        notes.append(f"→ {field.related_model.__name__}")
    if field.choices and not isinstance(field, models.ForeignKey):
        notes.append(", ".join(f"`{value}`" for value, _ in field.flatchoices))
    return "; ".join(notes)


def _constraints(model: type[models.Model]) -> Iterator[str]:
    editor = _without_server().schema_editor(collect_sql=True)
    for constraint in model._meta.constraints:
        written = str(constraint.create_sql(model, editor))
        yield f"`{constraint.name}`: `{_HEAD.sub('', written).replace(_QUOTE, '')}`"


def _without_server() -> BaseDatabaseWrapper:
    """A connection that knows its server's version, so that writing SQL asks no server."""
    unopened = connections.create_connection(DEFAULT_DB_ALIAS)
    vars(unopened)["pg_version"] = _WRITTEN_FOR
    return unopened


def _guard(trigger: pgtrigger.Trigger) -> str:
    when = f"{trigger.when} {trigger.operation}".lower()
    late = ", at the end of the transaction" if trigger.timing == pgtrigger.Deferred else ""
    said = _REFUSAL.findall(str(trigger.func))
    refusals = "; ".join(dict.fromkeys(said)) or "stamps what it admits"
    return f"`{trigger.name}` ({when}{late}): {refusals}"


def _constraints_by_sql() -> dict[str, dict[str, str]]:
    """Collect the constraints that migrations add in SQL, which no model can declare."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    found: dict[str, dict[str, str]] = {}
    for key in loader.graph.forwards_plan(loader.graph.leaf_nodes(_APP)[0]):
        for operation in loader.graph.nodes[key].operations:
            if isinstance(operation, RunSQL) and isinstance(operation.sql, str):
                for table, verb, name, rule in _BY_SQL.findall(operation.sql):
                    if verb == "ADD":
                        found.setdefault(table, {})[name] = " ".join(rule.split())
                    else:
                        found.get(table, {}).pop(name, None)
    return found
