"""The product's source files, parsed once."""

import ast
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("workbench", "extraction", "knowledge")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(*packages: str) -> list[Path]:
    """Return the product's Python files but migrations, relative, sorted."""
    found = [
        path.relative_to(CHECKOUT)
        for package in packages or PACKAGES
        for path in (CHECKOUT / package).rglob("*.py")
        if "migrations" not in path.parts
    ]
    return sorted(found)


def templates() -> list[Path]:
    """Return the templates, relative, sorted."""
    return sorted(path.relative_to(CHECKOUT) for path in (CHECKOUT / "templates").rglob("*.html"))


def text_of(path: Path) -> str:
    """Return the text of a file of the checkout."""
    return (CHECKOUT / path).read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file of the checkout."""
    return ast.parse(text_of(path), filename=str(path))


def functions(path: Path) -> list[tuple[str, Function]]:
    """Return every function of a file with its dotted name."""
    found: list[tuple[str, Function]] = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = f"{prefix}{child.name}" if hasattr(child, "name") else prefix
            if isinstance(child, Function):
                found.append((name, child))
            visit(child, f"{name}." if hasattr(child, "name") else prefix)

    visit(tree_of(path), "")
    return found
