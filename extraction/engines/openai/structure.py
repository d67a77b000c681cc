"""How a server is made to answer in JSON: held to a schema, held to JSON, or asked in words.

Servers differ, and do not say what they can. The strictest way is tried first; what answered is
remembered, and another way is looked for once it answers no more.
"""

import copy
import json
from typing import Any

from pydantic import BaseModel

from extraction.engines.openai import prompts
from extraction.models import StructuredOutput

MODES = (StructuredOutput.JSON_SCHEMA, StructuredOutput.JSON_OBJECT, StructuredOutput.PROMPT)
# Words of a schema that some servers refuse; pydantic checks all of them afterwards.
_BARE = frozenset(
    "title default minLength maxLength minItems maxItems pattern minimum maximum format "
    "description exclusiveMinimum exclusiveMaximum".split()
)


def order(remembered: str) -> tuple[StructuredOutput, ...]:
    """List the ways to try: the one that worked, then the others, strictest first."""
    known = [mode for mode in MODES if mode.value == remembered]
    return (*known, *(mode for mode in MODES if mode not in known))


def below(mode: StructuredOutput) -> StructuredOutput:
    """Name the next looser way; there is none below words alone."""
    return MODES[min(MODES.index(mode) + 1, len(MODES) - 1)]


def response_format(
    mode: StructuredOutput, answer: type[BaseModel], *, beside: bool
) -> dict[str, Any]:
    """Give the part of the request that holds the server to JSON.

    ``beside`` puts the schema beside ``json_object``, to which llama.cpp and some others hold
    their models; others refuse it.
    """
    if mode is StructuredOutput.JSON_SCHEMA:
        schema = {"name": _name(answer), "strict": True, "schema": schema_of(answer)}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if mode is StructuredOutput.JSON_OBJECT:
        schema = {"schema": schema_of(answer)} if beside else {}
        return {"response_format": {"type": "json_object"} | schema}
    return {}


def instructions(mode: StructuredOutput, prompt: prompts.Prompt, answer: type[BaseModel]) -> str:
    """Give the prompt, with the schema in words where the server is not held to it."""
    if mode is StructuredOutput.JSON_SCHEMA:
        return prompt.text
    return prompts.with_schema(prompt.text, json.dumps(schema_of(answer), ensure_ascii=False))


def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """Give an answer's JSON schema in the plain form every server takes.

    **Shape**: no references, every field required, no field besides them.
    """
    schema = answer.model_json_schema()
    definitions = schema.pop("$defs", {})
    plain = _plain(schema, definitions=definitions)
    return plain if isinstance(plain, dict) else {}


def _plain(node: Any, *, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions=definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        return _plain(copy.deepcopy(definitions[name]), definitions=definitions)
    properties = node.get("properties")
    kept = {
        key: _plain(value, definitions=definitions)
        for key, value in node.items()
        if key not in _BARE and key != "properties"
    }
    if isinstance(properties, dict):
        kept["properties"] = {
            name: _plain(value, definitions=definitions) for name, value in properties.items()
        }
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    return kept


def _name(answer: type[BaseModel]) -> str:
    return answer.__name__.removesuffix("Answer").lower()
