"""One call within a turn: refused, answered by the world, or done by a built-in action; and how it is told.

The tool loop and the flows call here alike, so that mocks, unanswered calls, checks and effects are the same for both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from greenroom.agents.hosted.actions import act
from greenroom.agents.hosted.offer import Offer, OfferBook
from greenroom.agents.hosted.record import TurnInProgress
from greenroom.agents.hosted.scene import Done, Scene
from greenroom.conversation.actions import Action
from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.json_writing import json_bytes
from greenroom.conversation.transcript import call_words
from greenroom.conversation.turns import Entry, StopReason
from greenroom.models.model import RequestedCall, ToolAnswer
from greenroom.nearest import did_you_mean
from greenroom.patterns import off_loop

__all__ = ["CUT_OFF", "Answered", "Caller", "tell"]

CUT_OFF = "cut off: the turn was over before this call was answered"
"""What stands in place of the answer to a call that was under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A call with its answer and what else is to be seen of it."""

    call: ToolCall
    entries: tuple[Entry, ...] = ()
    ended: StopReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Makes the calls of one turn: what it offers, where it takes place."""

    offers: OfferBook
    offer: Offer
    scene: Scene

    async def call(self, call: RequestedCall) -> Answered:
        """Make it; what is wrong with it is its answer."""
        offered = self.offer.by_name.get(call.tool)
        if offered is None:
            return self.refused(call, self._not_offered(call.tool))
        fits = offered.arguments
        problem = await off_loop(fits.problem, call.arguments) if fits.takes_time else fits.problem(call.arguments)
        if problem is not None:
            return self.refused(call, problem)
        arguments = cast("Mapping[str, Json]", call.arguments)
        tools = self.scene.world.tools
        if offered.tool is not None:
            answer = await tools.call(name=call.tool, tool=offered.tool, call_id=call.call_id, arguments=arguments)
            return _told_by_world(answer)
        mocked = await tools.intercept(name=call.tool, call_id=call.call_id, arguments=arguments)
        if mocked is not None:
            return _told_by_world(mocked)
        return _acted(call, await act(Action(call.tool), arguments, self.scene))

    def refused(self, call: RequestedCall, why: str) -> Answered:
        """The call with an error of the platform's for an answer, which is a fact about the agent."""
        kind = self.offers.kind_of(call.tool) or ToolKind.WEBHOOK
        return Answered(
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

    def _not_offered(self, tool: str) -> str:
        known = self.offers.kind_of(tool) is not None
        why = (
            "can't be used on this channel or in this part of the conversation" if known else "is not one of your tools"
        )
        return f"{tool!r} {why}{did_you_mean(tool, self.offer.by_name)}; there are {', '.join(self.offer.names)}"


def _told_by_world(call: ToolCall) -> Answered:
    """A call that was captured in place of being made is an effect too, as whatever else would have left (A8, A9)."""
    if call.answered_by is not AnsweredBy.CAPTURED:
        return Answered(call=call)
    data = {"tool": call.tool, "arguments": call.arguments}
    return Answered(call=call, entries=(Effect(effect=EffectKind.CAPTURED_CALL, summary=call_words(call), data=data),))


def _acted(call: RequestedCall, done: Done) -> Answered:
    return Answered(
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


def tell(answered: Answered, turn: TurnInProgress) -> None:
    """Write the call, its answer and what came of it into the turn."""
    call = answered.call
    turn.add(call)
    turn.chat.append(
        ToolAnswer(call_id=call.call_id, tool=call.tool, text=_heard(call.result), failed=call.error is not None)
    )
    for entry in answered.entries:
        turn.add(entry)
    turn.ended = turn.ended or answered.ended


def _heard(result: Json) -> str:
    if isinstance(result, str):
        return result
    return json_bytes(result).decode()
