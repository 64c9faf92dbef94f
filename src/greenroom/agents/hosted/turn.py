"""The tool loop of one turn: ask the model, run the calls it wants, ask again, until it has nothing more to call.

Mistakes of the model (an unknown tool, arguments against the schema, a message that can't be read) are answered as
errors and count as calls; the conversation goes on (T16). Raises `CaseFault` with cause `agent` when the bound on tool
rounds is reached or the reply is empty twice, with cause `platform` when the provider failed.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass

from greenroom.agents.hosted.asking import ask
from greenroom.agents.hosted.calling import CUT_OFF, Answered, Caller, tell
from greenroom.agents.hosted.record import TurnInProgress
from greenroom.conversation.actions import Action
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.messages import Message, text_message
from greenroom.conversation.reasoning import without_reasoning
from greenroom.conversation.turns import StopReason
from greenroom.conversation.usage import Role
from greenroom.documents.agent import ModelChoice
from greenroom.errors import CaseFault
from greenroom.models.model import AgentSays, Finish, Model, ModelAnswer, ModelRequest, RequestedCall

__all__ = ["ToolLoop"]

_OVER = "the conversation is over"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLoop:
    """What one turn runs with."""

    model: Model
    choice: ModelChoice
    caller: Caller
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
        cut_off = ""
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
            if answer.finish is Finish.LENGTH:
                cut_off = "; it was cut off at its limit of tokens before it said a word (`model: {max_tokens: …}`)"
        raise _broke_off(f"the agent's model answered with nothing, twice{cut_off}")

    async def _ask(self, turn: TurnInProgress) -> ModelAnswer:
        request = ModelRequest(
            role=Role.AGENT,
            system=turn.prompt,
            messages=tuple(turn.chat),
            tools=self.caller.offer.specs,
            temperature=self.choice.temperature,
            max_tokens=self.choice.max_tokens,
            conversation=self.conversation,
        )
        return await ask(self.model, request, turn)

    async def _calls(self, calls: Sequence[RequestedCall], turn: TurnInProgress, *, leaving: bool = False) -> None:
        """Run them at the same time; they are told and answered in the order in which they were asked for."""
        answered: list[Answered | None] = [None] * len(calls)
        told = 0

        async def run(position: int) -> None:
            nonlocal told
            call = calls[position]
            refused = leaving and call.tool != Action.SEND_MESSAGE
            answered[position] = self.caller.refused(call, _OVER) if refused else await self.caller.call(call)
            while told < len(calls) and (ready := answered[told]) is not None:
                tell(ready, turn)
                told += 1

        try:
            if len(calls) == 1:
                await run(0)
            else:
                await _together([run(position) for position in range(len(calls))])
        finally:
            for position in range(told, len(calls)):
                tell(answered[position] or self.caller.refused(calls[position], CUT_OFF), turn)

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


async def _together(runs: Sequence[Coroutine[None, None, None]]) -> None:
    """All of them at once; when one breaks, the others have stopped before its fault goes on."""
    tasks = [asyncio.create_task(run) for run in runs]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
