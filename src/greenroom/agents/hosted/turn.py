"""The tool loop of one turn: ask the model, run the calls it wants, ask again, until it has nothing more to call.

Mistakes of the model (an unknown tool, arguments against the schema, a message that can't be read) are answered as
errors and count as calls; the conversation goes on (T16). Raises `CaseFault` with cause `agent` when the bound on tool
rounds is reached or the reply is empty twice, with cause `platform` when the provider failed.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import orjson

from greenroom.agents.hosted.actions import Done, Scene, act
from greenroom.agents.hosted.asking import ask
from greenroom.agents.hosted.offer import Offer, OfferBook
from greenroom.agents.hosted.record import TurnInProgress
from greenroom.conversation.actions import Action
from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, text_message
from greenroom.conversation.reasoning import without_reasoning
from greenroom.conversation.transcript import call_words
from greenroom.conversation.turns import Entry, StopReason
from greenroom.conversation.usage import Role
from greenroom.documents.agent import ModelChoice
from greenroom.errors import CaseFault
from greenroom.models.model import AgentSays, Finish, Model, ModelAnswer, ModelRequest, RequestedCall, ToolAnswer
from greenroom.nearest import did_you_mean
from greenroom.patterns import off_loop

__all__ = ["ToolLoop"]

_OVER = "the conversation is over"
_CUT_OFF = "cut off: the turn was over before this call was answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """A call with its answer and what else is to be seen of it."""

    call: ToolCall
    entries: tuple[Entry, ...] = ()
    ended: StopReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLoop:
    """What one turn runs with."""

    model: Model
    choice: ModelChoice
    offers: OfferBook
    offer: Offer
    scene: Scene
    tool_rounds: int
    conversation: str

    async def run(self, turn: TurnInProgress) -> None:
        """Fill the turn. `turn.chat` is the conversation so far and grows with it, whole whenever the turn is cut.

        An agent that ends the conversation without a word beside it is asked once more, to take its leave: by
        words or by `send_message`. What else it calls then is refused, and seen.
        """
        rounds = 0
        taking_leave = False
        while True:
            before = len(turn.entries)
            answer = await self._reply(turn, may_be_empty=turn.spoke or taking_leave)
            if not answer.calls:
                return
            if taking_leave:
                await self._calls(answer.calls, turn, leaving=True)
                return
            rounds += 1
            if rounds > self.tool_rounds:
                raise self._looped(turn)
            await self._calls(answer.calls, turn)
            if turn.ended is not None:
                if any(isinstance(entry, Message) for entry in turn.entries[before:]):
                    return
                taking_leave = True

    async def _reply(self, turn: TurnInProgress, *, may_be_empty: bool) -> ModelAnswer:
        """The model's next answer, its words shown; asked once more when it says and calls nothing."""
        for _ in range(2):
            answer = await self._ask(turn)
            text = without_reasoning(answer.text)
            if text or answer.calls or may_be_empty:
                if text or answer.calls:
                    turn.chat.append(AgentSays(text=text, calls=answer.calls))
                if text:
                    turn.add(text_message(text))
                return answer
            if answer.finish is Finish.REFUSAL:
                raise _broke_off("the agent's model refused and said nothing")
        raise _broke_off("the agent's model answered with nothing, twice")

    async def _ask(self, turn: TurnInProgress) -> ModelAnswer:
        request = ModelRequest(
            role=Role.AGENT,
            system=turn.prompt,
            messages=tuple(turn.chat),
            tools=self.offer.specs,
            temperature=self.choice.temperature,
            max_tokens=self.choice.max_tokens,
            conversation=self.conversation,
        )
        return await ask(self.model, request, turn)

    async def _calls(self, calls: Sequence[RequestedCall], turn: TurnInProgress, *, leaving: bool = False) -> None:
        """Run them at the same time; they are told and answered in the order in which they were asked for."""
        answered: list[_Answered | None] = [None] * len(calls)
        told = 0

        async def run(position: int) -> None:
            nonlocal told
            call = calls[position]
            refused = leaving and call.tool != Action.SEND_MESSAGE
            answered[position] = self._refused(call, _OVER) if refused else await self._call(call)
            while told < len(calls) and (ready := answered[told]) is not None:
                _tell(ready, turn)
                told += 1

        try:
            if len(calls) == 1:
                await run(0)
            else:
                await _together([run(position) for position in range(len(calls))])
        finally:
            for position in range(told, len(calls)):
                _tell(answered[position] or self._cut_off(calls[position]), turn)

    async def _call(self, call: RequestedCall) -> _Answered:
        offered = self.offer.by_name.get(call.tool)
        if offered is None:
            return self._refused(call, self._not_offered(call.tool))
        fits = offered.arguments
        problem = await off_loop(fits.problem, call.arguments) if fits.takes_time else fits.problem(call.arguments)
        if problem is not None:
            return self._refused(call, problem)
        arguments = cast("Mapping[str, Json]", call.arguments)
        tools = self.scene.world.tools
        if offered.tool is not None:
            answer = await tools.call(name=call.tool, tool=offered.tool, call_id=call.call_id, arguments=arguments)
            return _told_by_world(answer)
        mocked = await tools.intercept(name=call.tool, call_id=call.call_id, arguments=arguments)
        if mocked is not None:
            return _told_by_world(mocked)
        return _acted(call, await act(Action(call.tool), arguments, self.scene))

    def _refused(self, call: RequestedCall, why: str) -> _Answered:
        kind = self.offers.kind_of(call.tool) or ToolKind.WEBHOOK
        return _Answered(
            call=ToolCall(
                call_id=call.call_id,
                tool=call.tool,
                arguments=call.arguments,
                tool_kind=kind,
                answered_by=AnsweredBy.REFUSED,
                result=f"Error: {why}",
                error=why,
            )
        )

    def _cut_off(self, call: RequestedCall) -> _Answered:
        return self._refused(call, _CUT_OFF)

    def _not_offered(self, tool: str) -> str:
        known = self.offers.kind_of(tool) is not None
        why = (
            "can't be used on this channel or in this part of the conversation" if known else "is not one of your tools"
        )
        return f"{tool!r} {why}{did_you_mean(tool, self.offer.by_name)}; there are {', '.join(self.offer.names)}"

    def _looped(self, turn: TurnInProgress) -> CaseFault:
        last = next(entry for entry in reversed(turn.entries) if isinstance(entry, ToolCall))
        failed = f", which failed: {last.error}" if last.error else ""
        why = (
            f"the agent called tools {self.tool_rounds} times in a row without coming to an end (`tool_rounds`); "
            f"the last one was {last.tool}{failed}"
        )
        if self.model.scripted:
            why += (
                f". A script is asked again after each call: above the rule that calls {last.tool} it needs one "
                f"with `when: {{answered: {last.tool}}}` that says what comes then"
            )
        return _broke_off(why)


def _broke_off(why: str) -> CaseFault:
    return CaseFault("agent", why, stopped=StopReason.AGENT_ERROR)


def _told_by_world(call: ToolCall) -> _Answered:
    """A call that was captured in place of being made is an effect too, as whatever else would have left (A8, A9)."""
    if call.answered_by is not AnsweredBy.CAPTURED:
        return _Answered(call=call)
    data = {"tool": call.tool, "arguments": call.arguments}
    return _Answered(call=call, entries=(Effect(effect=EffectKind.CAPTURED_CALL, summary=call_words(call), data=data),))


def _acted(call: RequestedCall, done: Done) -> _Answered:
    return _Answered(
        call=ToolCall(
            call_id=call.call_id,
            tool=call.tool,
            arguments=call.arguments,
            tool_kind=ToolKind.BUILT_IN,
            answered_by=AnsweredBy.BUILT_IN,
            result=done.result if done.error is None else f"Error: {done.error}",
            error=done.error,
        ),
        entries=done.entries,
        ended=done.ended,
    )


def _tell(answered: _Answered, turn: TurnInProgress) -> None:
    call = answered.call
    turn.add(call)
    turn.chat.append(
        ToolAnswer(call_id=call.call_id, tool=call.tool, text=_heard(call.result), failed=call.error is not None)
    )
    for entry in answered.entries:
        turn.add(entry)
    turn.ended = turn.ended or answered.ended


def _heard(result: Json) -> str:
    return result if isinstance(result, str) else orjson.dumps(result).decode()


async def _together(runs: Sequence[Coroutine[None, None, None]]) -> None:
    """All of them at once; when one breaks, the others have stopped before its fault goes on."""
    tasks = [asyncio.create_task(run) for run in runs]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
