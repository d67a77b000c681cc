"""The version of the local engine's rules is raised when they change.

A run is not repeated by the same engine in the same version. So whoever changes a rule has to say
whether it answers otherwise now.
"""

import ast
import hashlib
from pathlib import Path

from extraction.engines.local import LocalEngine

CHECKOUT = Path(__file__).resolve().parents[2]
# Version and digest of the rules it stands for.
PINNED = ("2", "53b1082763760ed0")
# What is shared with other engines and holds no rule.
BESIDE = frozenset({"extraction.engines.base", "extraction.errors"})


def _path_of(module: str) -> Path | None:
    place = CHECKOUT.joinpath(*module.split("."))
    found = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in found if path.is_file()), None)


def _imported(tree: ast.Module) -> set[str]:
    """Name the modules of ``extraction`` that one imports."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.startswith("extraction.")}


def _code_of(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("#"))


def rules() -> dict[str, str]:
    """Give the rules' code by module: what the engine imports, layout and comments left out."""
    found: dict[str, str] = {}
    waiting = ["extraction.engines.local.engine"]
    while waiting:
        module = waiting.pop()
        path = _path_of(module)
        if path is None or module in found or module in BESIDE:
            continue
        text = path.read_text(encoding="utf-8")
        waiting.extend(sorted(_imported(ast.parse(text))))
        found[module] = _code_of(text)
    return found


def digest() -> str:
    code = rules()
    words = "\0".join(f"{module}\0{code[module]}" for module in sorted(code))
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def test_whoever_changes_the_rules_says_whether_they_answer_otherwise() -> None:
    assert (LocalEngine.prompt_version, digest()) == PINNED, (
        "The rules of the local engine changed. If it may answer otherwise, raise prompt_version "
        "in extraction/engines/local/engine.py. Then pin version and digest here."
    )


def test_the_digest_reaches_every_part_of_the_rules() -> None:
    parts = {path.stem for path in (CHECKOUT / "extraction/engines/local").glob("*.py")}
    reached = {module.rpartition(".")[2] for module in rules()}
    assert parts - {"__init__"} <= reached
    assert {"dates", "date_forms_en", "similarity", "words", "sentences"} <= reached
