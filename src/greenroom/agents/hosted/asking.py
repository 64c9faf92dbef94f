"""Asking a model within a turn: the call is written down whatever comes of it (features.md A2; semantics: causes)."""

from greenroom.agents.hosted.record import TurnInProgress
from greenroom.conversation.records import ModelCall
from greenroom.conversation.turns import StopReason
from greenroom.conversation.usage import Usage
from greenroom.errors import CaseFault, ModelFault, ScriptAtFault
from greenroom.models.model import Model, ModelAnswer, ModelRequest

__all__ = ["ask"]


async def ask(model: Model, request: ModelRequest, turn: TurnInProgress) -> ModelAnswer:
    """The answer.

    Raises `CaseFault` when there is none: with cause `platform` when the provider failed after the model's own retries,
    with cause `test` when a script that plays the agent has no answer prepared.
    """
    started = turn.clock.monotonic()
    try:
        answer = await model.ask(request)
    except ModelFault as fault:
        turn.model_calls.append(
            ModelCall(
                role=request.role,
                model=model.name,
                usage=Usage(calls=fault.attempts, retries=fault.attempts - 1),
                duration_s=turn.clock.monotonic() - started,
                attempts=fault.attempts,
                finish="error",
                error=str(fault),
            )
        )
        if isinstance(fault, ScriptAtFault):
            raise CaseFault("test", str(fault), stopped=StopReason.TEST_ERROR) from fault
        raise CaseFault("platform", str(fault), stopped=StopReason.PLATFORM_ERROR) from fault
    turn.model_calls.append(
        ModelCall(
            role=request.role,
            model=answer.model or model.name,
            usage=answer.usage,
            duration_s=answer.duration_s,
            attempts=answer.attempts,
            finish=str(answer.finish),
        )
    )
    return answer
