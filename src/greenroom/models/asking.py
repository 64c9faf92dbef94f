"""What every kind of model does alike around one call: limits on the answer, retries, usage with its retries."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Final

from greenroom.clock import Clock
from greenroom.conversation.usage import Role
from greenroom.models.model import ModelAnswer, ModelRequest
from greenroom.models.pacing import Pace
from greenroom.models.retries import RetryPolicy, with_retries

__all__ = ["OUTPUT_TOKENS", "Manner", "asked"]

OUTPUT_TOKENS: Final = {Role.JUDGE: 4096, Role.SIMULATOR: 1024, Role.ROUTER: 256}
"""The most an answer may have when nobody said otherwise, so that no reasoning runs away (M15). An agent's answer is
limited only by what its document says; an author writes as much as it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How one model is asked: what its document says, and how patiently."""

    temperature: float | None = None
    max_tokens: int | None = None
    policy: RetryPolicy = field(default_factory=RetryPolicy)

    def applied(self, request: ModelRequest) -> ModelRequest:
        """The request with what it leaves open filled in; what it says itself stands."""
        max_tokens = request.max_tokens or self.max_tokens or OUTPUT_TOKENS.get(request.role)
        temperature = self.temperature if request.temperature is None else request.temperature
        if max_tokens == request.max_tokens and temperature == request.temperature:
            return request
        return replace(request, max_tokens=max_tokens, temperature=temperature)


async def asked(
    name: str,
    clock: Clock,
    policy: RetryPolicy,
    attempt: Callable[[int], Awaitable[ModelAnswer]],
    *,
    pace: Pace | None = None,
    conversation: str = "",
) -> ModelAnswer:
    """One answer with its retries, counted in its usage; raises as `with_retries` does."""
    tried = await with_retries(name, clock, policy, attempt, pace=pace, conversation=conversation)
    answer = tried.value
    usage = answer.usage if tried.attempts == 1 else replace(answer.usage, retries=tried.attempts - 1)
    return replace(answer, usage=usage, attempts=tried.attempts, duration_s=tried.duration_s)
