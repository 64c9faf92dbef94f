"""Trying a call again: which failures are worth it, how long to wait, and for how long one try may take.

The same loop serves every kind of model, scripted ones included, so that a fault written in a script goes the same
way as a real one. A rate limit goes to the endpoint's pace, which holds back whoever else would ask it. Nothing here
knows of HTTP.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from greenroom.clock import Clock
from greenroom.errors import ModelFault, ModelUnreachable
from greenroom.models.pacing import Pace, Pacing, TooLong

__all__ = ["PassingFault", "RetryPolicy", "Tried", "with_retries"]

T = TypeVar("T")

_MOST_TRIES: Final = 16
"""However lively an endpoint is beside it, a call that it limits every time ends some day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How patient a model is. Times are seconds."""

    tries: int = 4
    first_wait: float = 0.5
    """Doubles with each try; half of it is left to chance."""
    longest_wait: float = 20.0
    longest_asked: float = 60.0
    """A provider that asks for a longer wait than this is not waited for."""
    try_seconds: float = 120.0
    """One try may take this long."""


class PassingFault(Exception):
    """A try failed in a way that may pass. Never leaves this package."""

    def __init__(
        self,
        why: str,
        *,
        retry_after: float | None = None,
        limits: bool = False,
        again: bool = True,
        becomes: type[ModelFault] = ModelUnreachable,
    ) -> None:
        self.why = why
        self.retry_after = retry_after
        self.limits = limits
        """The endpoint is asked too much: nobody should ask it now."""
        self.again = again
        """False: it is not the provider's refusal, and yet a second try can't help."""
        self.becomes = becomes
        """What it turns into once the tries are used up."""
        super().__init__(why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried(Generic[T]):
    """What came of it in the end."""

    value: T
    attempts: int
    duration_s: float
    """All tries and waits together."""


async def with_retries(
    model: str,
    clock: Clock,
    policy: RetryPolicy,
    attempt: Callable[[int], Awaitable[T]],
    *,
    pace: Pace | None = None,
    conversation: str = "",
) -> Tried[T]:
    """Call `attempt(n)`, n from 1, until it answers; faults that may pass are tried again after a wait.

    Each try waits until the `pace` of its endpoint lets it go, which is no part of its time. A try that was limited is
    not counted when others got through meanwhile: then the endpoint is alive and only asked too much, and whether a
    call ends well must not depend on how many are made beside it. Without a `pace` it is held back by nobody.

    Raises:
        ModelUnreachable, ModelMalformed: the tries are used up; the message says how many there were.
        ModelRejected, ModelMalformed: as the attempt raised them, never tried again; a later try says which it was.
    """
    pace = pace or Pacing(clock).of(model)
    started = clock.monotonic()
    number = counted = 1
    while True:
        answers = pace.answers
        try:
            after = await pace.enter(conversation, policy.longest_asked)
        except TooLong as closed:
            raise ModelUnreachable(model, _too_long(closed.why, closed.seconds, policy), attempts=number) from None
        got = await _tried(policy, attempt, number, pace)
        if not isinstance(got, PassingFault):
            return Tried(value=got, attempts=number, duration_s=clock.monotonic() - started)
        wait = _wait(policy, counted, got.retry_after, clock.chance())
        if got.limits:
            pace.limited(after, wait, got.why)
        lively = got.limits and pace.answers > answers and number < _MOST_TRIES
        _give_up(model, policy, got, number, pace, last=counted >= policy.tries and not lively)
        if not got.limits:
            await clock.sleep(wait)
        number += 1
        counted += not lively


async def _tried(
    policy: RetryPolicy, attempt: Callable[[int], Awaitable[T]], number: int, pace: Pace
) -> T | PassingFault:
    """One try: the answer, or what may pass. Raises what can't."""
    answered = False
    try:
        async with asyncio.timeout(policy.try_seconds):
            value = await attempt(number)
        answered = True
        return value
    except TimeoutError:
        return PassingFault(f"no answer within {policy.try_seconds:g} s")
    except PassingFault as fault:
        return fault
    except ModelFault as final:
        if number == 1:
            raise
        raise type(final)(final.model, final.why, attempts=number) from final
    finally:
        pace.leave(answered=answered)


def _give_up(model: str, policy: RetryPolicy, fault: PassingFault, number: int, pace: Pace, *, last: bool) -> None:
    """Raise what the fault becomes when no further try is made."""
    asked = fault.retry_after
    if not fault.again or last:
        raise fault.becomes(model, fault.why, attempts=number) from fault
    if asked is not None and asked > policy.longest_asked:
        why = _too_long(fault.why, asked, policy)
        if fault.limits:
            pace.shut(why)
        raise fault.becomes(model, why, attempts=number) from fault


def _too_long(why: str, seconds: float, policy: RetryPolicy) -> str:
    return f"{why}; it asks to wait {seconds:.0f} s, longer than the {policy.longest_asked:g} s we wait"


def _wait(policy: RetryPolicy, number: int, asked: float | None, chance: float) -> float:
    """Seconds before the next try: at least what was asked for, and spread so that lanes don't march in step."""
    grown = min(policy.first_wait * 2.0 ** (number - 1), policy.longest_wait)
    spread = grown * (0.5 + chance / 2)
    return spread if asked is None else asked + spread / 2
