"""One question until there is an answer that fits: asked, insisted, repaired once, counted."""

import json
import math
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import structlog
from django.utils import timezone
from pydantic import BaseModel

from extraction import endpoints
from extraction.engines import metering
from extraction.engines.metering import Call
from extraction.engines.openai import prompts, reading, structure
from extraction.engines.openai.config import Config
from extraction.engines.openai.failures import SET_WRONG, Failed, Trouble
from extraction.engines.openai.patience import Answered, Patience, insist
from extraction.engines.openai.reading import Fault, Unusable
from extraction.engines.openai.transport import Reply, Transport
from extraction.errors import EngineAnswerInvalid, EngineError, EngineRefused, EngineUnavailable
from extraction.models import EndpointRole, ModelEndpoint, StructuredOutput
from knowledge.texts import keepable

A = TypeVar("A", bound=BaseModel)
Mode = StructuredOutput
Messages = list[dict[str, str]]

log = structlog.get_logger(__name__)

# A schema beside ``json_object``.
_SCHEMA = "schema"
# As much of an unusable answer as the model is shown again.
_SHOWN_AGAIN = 6_000
_MAX_TOKENS, _MAX_COMPLETION_TOKENS, _TEMPERATURE = (
    "max_tokens",
    "max_completion_tokens",
    "temperature",
)


@dataclass(frozen=True, slots=True)
class Question(Generic[A]):
    """What is asked of which model, and the shape the answer must have.

    **Shape**: ``data`` is JSON-able and the only thing the model is shown besides the prompt.
    """

    prompt: prompts.Prompt
    data: dict[str, Any]
    answer: type[A]
    model: str


@dataclass(slots=True)
class _Asked:
    """A question on its way: how it is asked, and until when."""

    row: ModelEndpoint
    patience: Patience
    refused: list[str]


class Asker:
    """Asks one endpoint, for all threads of a process."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._transport = Transport(config)
        self._slots = _slots_of(config)

    def ask(self, question: Question[A], *, afresh: bool = False, within_s: float = math.inf) -> A:
        """Put a question and give the answer.

        ``afresh`` forgets what was learned and asks also an endpoint that is left alone: for a
        person who tries it. **Units**: ``within_s`` seconds for all attempts.
        **Raises**: EngineError, and BudgetExceeded before a call that would exceed the run's
        budget.
        """
        row = endpoints.recall(
            endpoints.Endpoint(EndpointRole.CHAT, self._config.base_url, question.model)
        )
        if not afresh:
            endpoints.check_rested(row, now=timezone.now())
        patience = self._patience(within_s)
        with self._slot(patience):
            asked = _Asked(row, patience, [] if afresh else list(row.refused_parameters))
            return self._answer(question, asked=asked, afresh=afresh)

    def _answer(self, question: Question[A], *, asked: _Asked, afresh: bool) -> A:
        mode, messages, reply = self._first(question, asked=asked, afresh=afresh)
        try:
            return reading.read(reply, question.answer, may_fence=mode is Mode.PROMPT)
        except Unusable as unusable:
            log.warning("answer_unusable", prompt=question.prompt.label, fault=str(unusable.fault))
            repair = [*messages, *_complaint(reply, unusable)]
        again = self._counted(question, repair, asked=asked, mode=mode, purpose="repair of ")
        try:
            return reading.read(again, question.answer, may_fence=mode is Mode.PROMPT)
        except Unusable as unusable:
            self._distrust(asked, mode=mode, fault=unusable.fault)
            raise self._verdict(question, unusable) from None

    def _first(
        self, question: Question[A], *, asked: _Asked, afresh: bool
    ) -> tuple[Mode, Messages, Reply]:
        """Ask in the way that is known to work, else in one that does."""
        stale = afresh or endpoints.is_stale(asked.row, now=timezone.now())
        known = "" if stale else asked.row.structured_output
        modes = structure.order(known)
        for mode in modes:
            messages = _messages(question, mode)
            try:
                reply = self._counted(question, messages, asked=asked, mode=mode, known=known)
            except Failed as failure:
                if failure.may_be_format and mode is not modes[-1]:
                    continue
                raise self._failed(failure, asked=asked, model=question.model) from None
            endpoints.learn(
                asked.row,
                structured_output=mode.value,
                refused_parameters=asked.refused,
                now=timezone.now(),
            )
            return mode, messages, reply
        raise AssertionError("the last way raises")

    def _counted(
        self,
        question: Question[A],
        messages: Messages,
        *,
        asked: _Asked,
        mode: Mode,
        known: str | None = None,
        purpose: str = "",
    ) -> Reply:
        """Ask once, within the budget, and count what it took.

        ``known`` is given for a first question, whose way of asking may be at fault; then Failed
        is raised as it is.
        """
        self._check_budget(messages)
        began = time.monotonic()
        try:
            answered = self._adjusting(question, messages, asked=asked, mode=mode, known=known)
        except Failed as failure:
            if known is not None:
                raise
            raise self._failed(failure, asked=asked, model=question.model) from None
        endpoints.note_answer(asked.row, now=timezone.now())
        reply = answered.reply
        input_tokens = _known_or(reply.input_tokens, _estimate(messages))
        output_tokens = _known_or(reply.output_tokens, _tokens_of(reply.content))
        call = Call(
            purpose=purpose + question.prompt.name,
            model=question.model,
            prompt=question.prompt.label,
            mode=mode.value,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_micro=self._config.prices.cost_micro(
                input_tokens=input_tokens, output_tokens=output_tokens
            ),
            ms=round(1000 * (time.monotonic() - began)),
            attempts=answered.attempts,
            temperature=None if _TEMPERATURE in asked.refused else self._config.temperature,
            is_measured=reply.input_tokens is not None and reply.output_tokens is not None,
        )
        meter = metering.current()
        if meter is not None:
            meter.add(call)
        log.info("model_asked", call=call.purpose, model=call.model, ms=call.ms)
        return reply

    def _adjusting(
        self,
        question: Question[A],
        messages: Messages,
        *,
        asked: _Asked,
        mode: Mode,
        known: str | None,
    ) -> Answered:
        """Ask, leaving out one after the other the parameters this server does not take."""
        # A way of asking that never worked here may be what a server stumbles over: no insisting.
        untried = known is not None and mode.value != known and mode is not Mode.PROMPT
        attempts = 0
        while True:
            body = self._body(question, messages, refused=asked.refused, mode=mode)
            try:
                answered = insist(
                    partial(self._send, body, untried=untried), patience=asked.patience
                )
                return replace(answered, attempts=attempts + answered.attempts)
            except Failed as failure:
                at_fault = _at_fault(failure, mode=mode)
                if not at_fault or at_fault in asked.refused:
                    raise
                asked.refused.append(at_fault)
                attempts += 1

    def _send(self, body: dict[str, Any], timeout_s: float, *, untried: bool) -> Reply:
        """Send once; a failure in a way never tried here counts against that way."""
        try:
            return self._transport.send(body, timeout_s=timeout_s)
        except Failed as failure:
            if untried and failure.trouble is Trouble.SERVER and not failure.is_away:
                failure.trouble = Trouble.REJECTED
            raise

    def _body(
        self, question: Question[A], messages: Messages, *, refused: list[str], mode: Mode
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": question.model, "messages": messages}
        if _MAX_TOKENS not in refused:
            body[_MAX_TOKENS] = self._config.answer_tokens
        elif _MAX_COMPLETION_TOKENS not in refused:
            body[_MAX_COMPLETION_TOKENS] = self._config.answer_tokens
        if _TEMPERATURE not in refused:
            body[_TEMPERATURE] = self._config.temperature
        beside = _SCHEMA not in refused
        return body | structure.response_format(mode, question.answer, beside=beside)

    def _check_budget(self, messages: Messages) -> None:
        meter = metering.current()
        if meter is None:
            return
        asked, told = _estimate(messages), self._config.answer_tokens
        cost = self._config.prices.cost_micro(input_tokens=asked, output_tokens=told)
        meter.check(tokens=asked + told, cost_micro=cost)

    def _patience(self, within_s: float) -> Patience:
        ends_at = time.monotonic() + min(self._config.run_s, within_s)
        meter = metering.current()
        if meter is not None and meter.ends_at is not None:
            ends_at = min(ends_at, meter.ends_at)
        return Patience(self._config.attempts, self._config.timeout_s, ends_at)

    @contextmanager
    def _slot(self, patience: Patience) -> Iterator[None]:
        """Wait until fewer than the allowed questions of this process are open."""
        if not self._slots.acquire(timeout=max(0.0, patience.left_s)):
            raise EngineUnavailable(
                f"{self._config.concurrency} questions to {self._config.shown_url} are open in"
                " this process and none was answered in time. Raise LLM_CONCURRENCY if the server"
                " can bear more."
            )
        try:
            yield
        finally:
            self._slots.release()

    def _failed(self, failure: Failed, *, asked: _Asked, model: str) -> EngineError:
        """Remember a failure and word it."""
        address, timeout_s = self._config.shown_url, self._config.timeout_s
        error = failure.as_error(address=address, model=model, timeout_s=timeout_s)
        now = timezone.now()
        if failure.trouble is Trouble.BUSY and failure.retry_after_s:
            endpoints.note_rest(
                asked.row, sentence=str(error), seconds=failure.retry_after_s, now=now
            )
        elif failure.may_pass or failure.trouble in SET_WRONG:
            endpoints.note_failure(
                asked.row, sentence=str(error), breaker=self._config.breaker, now=now
            )
        elif failure.trouble is not Trouble.TIME_UP:
            endpoints.note_answer(asked.row, now=now)  # it does not like the question, but is there
        return error

    def _distrust(self, asked: _Asked, *, mode: Mode, fault: Fault) -> None:
        """Next time, ask a server more loosely that does not hold its model to what it promised."""
        if mode is Mode.PROMPT or fault not in {Fault.NO_JSON, Fault.UNFIT}:
            return
        endpoints.learn(
            asked.row,
            structured_output=structure.below(mode).value,
            refused_parameters=asked.refused,
            now=timezone.now(),
        )

    def _verdict(self, question: Question[A], unusable: Unusable) -> EngineError:
        told = f"{question.model} was asked to {_TASKS[question.prompt.name]}"
        if unusable.fault is Fault.DECLINED:
            return EngineRefused(f"{told} and declined, also when it was asked again.")
        if unusable.fault is Fault.CUT_OFF:
            return EngineAnswerInvalid(
                f"{told}, and its answer does not fit, also after one repair: it was cut off. "
                f"Raise LLM_ANSWER_TOKENS, now {self._config.answer_tokens:,}, or choose a model"
                " that says less."
            )
        return EngineAnswerInvalid(
            f"{told}, and its answer does not fit, also after one repair: {unusable.problem}."
        )


def _at_fault(failure: Failed, *, mode: Mode) -> str:
    """Name the part of a request to leave out: what the server names, else what few take."""
    if failure.parameter:
        return failure.parameter
    is_refused = failure.trouble is Trouble.REJECTED and mode is Mode.JSON_OBJECT
    return _SCHEMA if is_refused else ""


def _slots_of(config: Config) -> threading.BoundedSemaphore:
    """Give the places for questions to one address, which all engines of a process share."""
    key = (os.getpid(), config.shown_url, config.concurrency)
    with _counting:
        return _slots.setdefault(key, threading.BoundedSemaphore(config.concurrency))


_slots: dict[tuple[int, str, int], threading.BoundedSemaphore] = {}
_counting = threading.Lock()

_TASKS = {
    "describe": "describe the episode",
    "segment": "find where topics change",
    "predict": "say what is to be expected",
    "calibrate": "compare what was expected with what was said",
    "cold_start": "say what is worth remembering",
    "same": "say whether two statements say the same",
}


def _messages(question: Question[A], mode: Mode) -> Messages:
    told = structure.instructions(mode, question.prompt, question.answer)
    data = json.dumps(question.data, ensure_ascii=False)
    return [{"role": "system", "content": told}, {"role": "user", "content": data}]


def _complaint(reply: Reply, unusable: Unusable) -> Messages:
    said = keepable(reply.content[:_SHOWN_AGAIN]) or "(nothing)"
    return [
        {"role": "assistant", "content": said},
        {"role": "user", "content": prompts.repair(unusable.problem)},
    ]


def _known_or(counted: int | None, estimated: int) -> int:
    return estimated if counted is None else counted


def _estimate(messages: Messages) -> int:
    return sum(4 + _tokens_of(message["content"]) for message in messages)


def _tokens_of(text: str) -> int:
    """Estimate tokens: about four Latin letters make one, and other scripts take one a sign."""
    plain = sum(character.isascii() for character in text)
    return plain // 4 + (len(text) - plain) + 1
