"""House rules that no tool of the shelf knows."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture import source_tree

EMPTY_NAMES = re.compile(r"(^|_)(utils?|helpers?|managers?|services?)(_|\.|$)")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
BARE_SILENCER = re.compile(r"#\s*(noqa(: [A-Z0-9, ]+)?|type: ignore(\[[\w,-]+\])?)\s*$")
MACHINE_PATHS = re.compile(r"/(work|root|home/\w+)/")
FOREIGN_TO_CORE = ("django.http", "django.views", "django.shortcuts", "django.urls")
# A verb in its base form; what ends in -s, -ed or -ing tells of something else.
COMPLETES = re.compile(
    r"(?!This function)[A-Z][a-z]*(?<![a-rt-z]s)(?<!ed)(?<!ing)\b|(Embed|Need|Feed|Bring)\b"
)
CLOCKS = {"now", "utcnow", "today", "time", "localtime", "monotonic"}


def imported(path: Path) -> set[str]:
    """Return the dotted names a file imports."""
    names: set[str] = set()
    for node in ast.walk(source_tree.tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def public_functions(path: Path) -> list[tuple[str, source_tree.Function]]:
    """Return the functions that other modules may call."""
    found = source_tree.functions(path)
    inside = tuple(f"{name}." for name, _ in found)
    return [
        (name, function)
        for name, function in found
        if not name.startswith(inside) and "_" not in {part[0] for part in name.split(".")}
    ]


def test_no_module_is_named_for_nothing() -> None:
    assert [str(path) for path in source_tree.modules() if EMPTY_NAMES.search(path.stem)] == []


@pytest.mark.parametrize("pattern", [UNFINISHED, BARE_SILENCER, MACHINE_PATHS])
def test_no_line_is_unfinished_silenced_without_a_reason_or_tied_to_a_machine(
    pattern: re.Pattern[str],
) -> None:
    found = [
        f"{path}:{number}: {line.strip()}"
        for path in source_tree.modules()
        for number, line in enumerate(source_tree.text_of(path).splitlines(), start=1)
        if pattern.search(line)
    ]

    assert found == []


def test_docstrings_of_public_functions_complete_one_sentence() -> None:
    """The first line goes on from "This function will", without saying so each time."""
    wrong = []
    for path in source_tree.modules():
        for name, function in public_functions(path):
            said = ast.get_docstring(function)
            is_property = any("property" in ast.unparse(d) for d in function.decorator_list)
            if said and not is_property and not COMPLETES.match(said):
                wrong.append(f"{path}:{name}: {said.splitlines()[0]}")

    assert wrong == []


def test_the_core_reads_no_setting_but_the_name_of_the_user_model() -> None:
    read = {
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path in source_tree.modules("knowledge")
        for node in ast.walk(source_tree.tree_of(path))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "settings"
    }

    assert [line for line in read if not line.endswith("settings.AUTH_USER_MODEL")] == []


def test_the_core_does_not_know_the_web() -> None:
    seen = {
        str(path): sorted(name for name in imported(path) if name.startswith(FOREIGN_TO_CORE))
        for path in source_tree.modules("knowledge")
    }

    assert {path: names for path, names in seen.items() if names} == {}


def test_the_core_never_reads_the_clock() -> None:
    calls = [
        f"{path}:{node.lineno}: {ast.unparse(node.func)}"
        for path in source_tree.modules("knowledge")
        for node in ast.walk(source_tree.tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCKS
        and ast.unparse(node.func.value) in {"timezone", "datetime", "date", "time", "dt"}
    ]

    assert calls == []
