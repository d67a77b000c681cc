"""Trying the engine this installation is set up with, and saying in words what it can do."""

import time
from dataclasses import dataclass

from django.conf import settings

from extraction import endpoints
from extraction.engines.metering import Call, Meter, metered
from extraction.engines.registry import LOCAL, default_name, model_engine
from extraction.errors import EngineError
from extraction.models import EndpointRole, StructuredOutput


@dataclass(frozen=True, slots=True)
class Probe:
    """What one trial of an engine showed, in sentences for a person.

    **Shape**: ``address`` and ``model`` are empty for the built-in engine; ``problem`` is empty
    where it works. **Units**: milliseconds, tokens; ``cost_micro`` millionths, None is not known.
    """

    engine: str
    works: bool
    model: str = ""
    address: str = ""
    can: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()
    problem: str = ""
    ms: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micro: int | None = None


def probe() -> tuple[Probe, ...]:
    """Try the engine with one harmless question, and its prediction model where that is another.

    No word of any conversation is sent. It is asked also while it is left alone for failing, and
    what it can do is learned anew. **Cost**: a handful of requests a model,
    within LLM_TIMEOUT_S.
    """
    if default_name() == LOCAL:
        return (_of_the_built_in(),)
    models = dict.fromkeys((settings.LLM_MODEL, settings.PREDICT_MODEL or settings.LLM_MODEL))
    return tuple(_of_a_model(model) for model in models)


def _of_the_built_in() -> Probe:
    halves = {"LLM_BASE_URL": settings.LLM_BASE_URL, "LLM_MODEL": settings.LLM_MODEL}
    unset = [name for name, value in halves.items() if not value]
    half = (
        (f"Does not ask a model: {unset[0]} is not set, and both it and its other half must be.",)
        if len(unset) == 1
        else ()
    )
    return Probe(
        engine=LOCAL,
        works=True,
        can=(
            "Finds plain statements in English by rules, on this machine, at no cost.",
            "Gives the same answer to the same words every time.",
        ),
        cannot=(*half, _UNDERSTANDS_NOTHING),
    )


_UNDERSTANDS_NOTHING = (
    "Does not understand what it reads: irony, long arguments and most other languages pass it by."
)


def _of_a_model(model: str) -> Probe:
    engine = model_engine(model=model, predict_model=model)
    address = endpoints.public_address(settings.LLM_BASE_URL)
    meter = Meter()
    began = time.monotonic()
    try:
        with metered(meter):
            is_right = engine.try_out()
    except EngineError as error:
        return Probe(
            engine=engine.name,
            works=False,
            model=model,
            address=address,
            problem=str(error),
            ms=round(1000 * (time.monotonic() - began)),
        )
    refused = endpoints.recall(
        endpoints.Endpoint(EndpointRole.CHAT, settings.LLM_BASE_URL, model)
    ).refused_parameters
    last = meter.calls[-1]
    return Probe(
        engine=engine.name,
        works=True,
        model=model,
        address=address,
        can=_can(last),
        cannot=_cannot(last, is_right=is_right, refused=refused, repaired=len(meter.calls) > 1),
        ms=round(1000 * (time.monotonic() - began)),
        input_tokens=sum(call.input_tokens for call in meter.calls),
        output_tokens=sum(call.output_tokens for call in meter.calls),
        cost_micro=meter.cost_micro,
    )


_SHAPES = {
    StructuredOutput.JSON_SCHEMA.value: "Answers in the exact shape that is asked for: the server"
    " holds the model to a schema.",
    StructuredOutput.JSON_OBJECT.value: "Answers in JSON. The exact shape is told in words, so now"
    " and then an answer has to be asked for again.",
    StructuredOutput.PROMPT.value: "Answers in JSON when it is asked to in words. Nothing holds it"
    " to that, so expect more answers that cannot be used.",
}


def _can(call: Call) -> tuple[str, ...]:
    counts = ("Says how many tokens it used.",) if call.is_measured else ()
    return (f"Answers, in {call.ms / 1000:.1f} seconds.", _SHAPES[call.mode], *counts)


def _cannot(call: Call, *, is_right: bool, refused: list[str], repaired: bool) -> tuple[str, ...]:
    said = {
        "Did not see that a sentence says the same as itself. A model that small will hardly"
        " extract anything useful.": not is_right,
        "Needed a second attempt for the shape of a very short answer.": repaired,
        "Does not take a temperature: its answers vary from time to time.": "temperature"
        in refused,
        "Does not take a limit on the length of its answers.": "max_completion_tokens" in refused,
        "Does not say how many tokens it used: runs show estimates.": not call.is_measured,
        "Has no price here (LLM_PRICE_INPUT, LLM_PRICE_OUTPUT), so runs show no cost.": (
            call.cost_micro is None
        ),
    }
    return tuple(sentence for sentence, holds in said.items() if holds)
