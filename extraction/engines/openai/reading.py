"""From a model's words to an answer that fits, or to what is wrong with it.

Wrong is told twice: to the model, so that it can answer once more, and to a person.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from extraction.engines.openai.transport import Reply

A = TypeVar("A", bound=BaseModel)

_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCED = re.compile(r"\A\s*```[\w-]*[ \t]*\n(?P<inside>.*)\n[ \t]*```\s*\Z", re.DOTALL)
_DECLINES = re.compile(
    r"\A\W*(?:i['\u2019]?m (?:very )?sorry|sorry|i apologi[sz]e|as an ai|unfortunately"
    r"|i (?:can(?:['\u2019]t|not)|am (?:un|not )able|won['\u2019]t|will not))",
    re.IGNORECASE,
)
# What may name a field; a model may put anything there, words of the conversation too.
_FIELD = re.compile(r"[a-z]+(?:_[a-z]+){0,3}")
_MOST_FAULTS = 5
_MOST_OF_PLACE = 80


class Fault(StrEnum):
    """What an unusable answer has wrong with it."""

    NO_JSON = "no_json"
    UNFIT = "unfit"
    CUT_OFF = "cut_off"
    EMPTY = "empty"
    DECLINED = "declined"


@dataclass(slots=True)
class Unusable(Exception):
    """An answer that cannot be used.

    **Shape**: ``problem`` says why, for the model and for a person alike; it holds places in the
    answer, never its words.
    """

    fault: Fault
    problem: str


def read(reply: Reply, answer: type[A], *, may_fence: bool) -> A:
    """Read an answer, strictly.

    ``may_fence`` allows a Markdown fence around it, for models that nothing holds to JSON: there
    it is a habit of form. Where the server promised JSON, it shows that the promise is broken.
    **Raises**: Unusable.
    """
    if reply.refusal or reply.finish_reason == "content_filter":
        raise Unusable(Fault.DECLINED, "the model declined to answer")
    text = _THOUGHT.sub("", reply.content, count=1).strip("\ufeff \t\r\n")
    if not text:
        cut = reply.finish_reason == "length"
        raise Unusable(*((Fault.CUT_OFF, _CUT) if cut else (Fault.EMPTY, "the answer is empty")))
    fenced = _FENCED.match(text) if may_fence else None
    try:
        return answer.model_validate_json(fenced["inside"] if fenced else text)
    except ValidationError as error:
        raise _unusable(error, text=text, reply=reply) from None


_CUT = (
    "the answer was cut off because it grew too long: answer with fewer and shorter entries,"
    " the most important first"
)


def _unusable(error: ValidationError, *, text: str, reply: Reply) -> Unusable:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    if faults[0]["type"] != "json_invalid":
        said = [f"{_place(fault['loc'])}: {fault['msg']}" for fault in faults[:_MOST_FAULTS]]
        more = len(faults) - len(said)
        return Unusable(Fault.UNFIT, "; ".join(said) + (f"; and {more} more" if more else ""))
    if reply.finish_reason == "length":
        return Unusable(Fault.CUT_OFF, _CUT)
    if _DECLINES.match(text):
        return Unusable(Fault.DECLINED, "the model declined to answer")
    fence = " (take the Markdown fence away)" if "```" in text else ""
    return Unusable(
        Fault.NO_JSON, f"the answer is not one JSON object{fence}: {_where(faults[0]['msg'])}"
    )


def _where(message: str) -> str:
    """Say where JSON breaks, without quoting it."""
    return message.removeprefix("Invalid JSON: ")[:120] or "it cannot be read"


def _place(loc: tuple[int | str, ...]) -> str:
    steps = (str(step) if isinstance(step, int) or _FIELD.fullmatch(step) else "…" for step in loc)
    return (".".join(steps) or "the answer")[:_MOST_OF_PLACE]
