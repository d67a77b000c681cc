"""What is read from the environment is what docs/configuration.md lists, with the same defaults."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source_tree import CHECKOUT, modules, text_of, tree_of

PAGE = Path("docs/configuration.md")
SETTINGS = Path("workbench/settings.py")
# How tests are run is for whoever runs them; what other files of theirs set is nobody's option.
TESTS = (Path("tests/conftest.py"), Path("tests/settings.py"))
# Set by pytest-xdist for its own processes.
OF_OTHER_PROGRAMS = {"PYTEST_XDIST_WORKER"}
READERS = {"str", "bool", "int", "float", "list", "dict", "json", "url"}
# Reads the variable that a caller names, and callers name them as literals.
NAMED_BY_CALLERS = "url_variable"

ROW = re.compile(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", re.MULTILINE)
MAKE = re.compile(r"^(\w+) \?=", re.MULTILINE)
SHELL = re.compile(r"\$\{(\w+):-")


def listed() -> dict[str, str]:
    """Give the default of each variable the page lists."""
    rows = ROW.findall(text_of(PAGE))
    assert len(rows) == len({name for name, _, _ in rows}), "a variable is listed twice"
    return {name: default for name, default, _ in rows}


def reads(path: Path) -> Iterator[tuple[str, ast.expr | None]]:
    """Give each variable a file reads from the environment, with its default."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
            if not isinstance(node.ctx, ast.Store):
                yield _name(node.slice, path), None
        elif isinstance(node, ast.keyword) and node.arg == NAMED_BY_CALLERS:
            yield _name(node.value, path), None
        elif isinstance(node, ast.Call) and _reads(node.func):
            first = node.args[0]
            if isinstance(first, ast.Name) and first.id == NAMED_BY_CALLERS:
                continue
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            yield _name(first, path), given.get("default")


def _reads(function: ast.expr) -> bool:
    called = ast.unparse(function)
    of_the_os = called in {"os.environ.get", "os.environ.setdefault", "os.getenv"}
    return of_the_os or (called.startswith("env.") and called[4:] in READERS)


def _name(node: ast.expr, path: Path) -> str:
    """Give a variable's name, which must stand where it is read, or nobody could look it up."""
    assert isinstance(node, ast.Constant), f"{path}:{node.lineno}: {ast.unparse(node)} is read"
    return str(node.value)


def all_read() -> dict[str, set[str]]:
    """Give every variable that is read, and where."""
    found: dict[str, set[str]] = {}
    for path in (*modules(), Path("manage.py"), *TESTS):
        for name, _ in reads(path):
            found.setdefault(name, set()).add(str(path))
    scripts = [("Makefile", MAKE)]
    scripts += [(str(p.relative_to(CHECKOUT)), SHELL) for p in (CHECKOUT / ".ci").iterdir()]
    for script, pattern in scripts:
        for name in pattern.findall(text_of(Path(script))):
            found.setdefault(name, set()).add(script)
    return {name: where for name, where in found.items() if name not in OF_OTHER_PROGRAMS}


def written(value: object) -> str:
    """Write a default as the page does."""
    if value is None or value in ("", [], {}):
        return "none"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:,g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def test_every_variable_that_is_read_has_a_line_and_no_other() -> None:
    found, told = all_read(), listed()
    unlisted = {name: sorted(where) for name, where in found.items() if name not in told}
    assert unlisted == {}, f"write a line for each in {PAGE}"
    assert sorted(set(told) - set(found)) == [], f"nothing reads these any more: {PAGE}"


def test_the_defaults_are_those_of_the_settings() -> None:
    told, wrong = listed(), []
    for name, default in reads(SETTINGS):
        try:
            value = ast.literal_eval(default) if default is not None else None
        except ValueError:
            continue  # worked out of other settings, and told in words
        says = told[name].replace("`", "")
        in_words = value == "" and says.startswith("the same as ")
        if default is not None and not in_words and not says.startswith(written(value)):
            wrong.append(f"{name}: the page says {says}, the settings {written(value)}")
    assert wrong == []


def test_readers_are_sent_there() -> None:
    assert "docs/configuration.md" in text_of(Path("README.md"))
