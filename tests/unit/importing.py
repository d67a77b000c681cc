"""What the tests of importers share: writing a file, and reading what it gives."""

import json
from pathlib import Path

from extraction.importers import ImportedConversation, ImportProblem, read

GOOD = {"messages": [{"role": "user", "content": "I keep bees."}]}
OTHER = {"messages": [{"role": "user", "content": "I sold the hives."}]}
MIB = 1024 * 1024


def written(folder: Path, *lines: object, name: str = "chat.jsonl") -> Path:
    """Write each line as JSON, a text as it stands."""
    path = folder / name
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def conversations(path: Path) -> list[ImportedConversation]:
    return [item for item in read(path) if isinstance(item, ImportedConversation)]


def problems(path: Path) -> list[ImportProblem]:
    return [item for item in read(path) if isinstance(item, ImportProblem)]


def only(path: Path) -> ImportedConversation:
    (conversation,) = read(path)
    assert isinstance(conversation, ImportedConversation)
    return conversation


def chat(*messages: object, **fields: object) -> dict[str, object]:
    return {"messages": list(messages), **fields}


def said(content: object, role: str = "user", **fields: object) -> dict[str, object]:
    return {"role": role, "content": content, **fields}


def ids(path: Path) -> list[tuple[str, str]]:
    return [(c.external_id, m.external_id) for c in conversations(path) for m in c.messages]
