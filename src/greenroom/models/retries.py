"""Trying a call again: which failures are worth it, how long to wait, and for how long one try may take.

The same loop serves every kind of model, scripted ones included, so that a fault written in a script goes the same
way as a real one. Nothing here knows of HTTP.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from greenroom.clock import Clock
from greenroom.errors import ModelFault, ModelUnreachable

__all__ = ["PassingFault", "RetryPolicy", "Tried", "with_retries"]

T = TypeVar("T")


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
        again: bool = True,
        becomes: type[ModelFault] = ModelUnreachable,
    ) -> None:
        self.why = why
        self.retry_after = retry_after
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
    model: str, clock: Clock, policy: RetryPolicy, attempt: Callable[[int], Awaitable[T]]
) -> Tried[T]:
    """Call `attempt(n)`, n from 1, until it answers; faults that may pass are tried again after a wait.

    Raises:
        ModelUnreachable, ModelMalformed: the tries are used up; the message says how many there were.
        ModelRejected, ModelMalformed: as the attempt raised them, never tried again; a later try says which it was.
    """
    started = clock.monotonic()
    number = 1
    while True:
        try:
            async with asyncio.timeout(policy.try_seconds):
                value = await attempt(number)
            return Tried(value=value, attempts=number, duration_s=clock.monotonic() - started)
        except TimeoutError:
            fault = PassingFault(f"no answer within {policy.try_seconds:g} s")
        except PassingFault as raised:
            fault = raised
        except ModelFault as final:
            if number == 1:
                raise
            raise type(final)(final.model, final.why, attempts=number) from final
        asked = fault.retry_after
        if not fault.again or number >= policy.tries:
            raise fault.becomes(model, fault.why, attempts=number) from fault
        if asked is not None and asked > policy.longest_asked:
            why = f"{fault.why}; it asks to wait {asked:.0f} s, longer than the {policy.longest_asked:g} s we wait"
            raise fault.becomes(model, why, attempts=number) from fault
        await clock.sleep(_wait(policy, number, asked, clock.chance()))
        number += 1


def _wait(policy: RetryPolicy, number: int, asked: float | None, chance: float) -> float:
    """Seconds before the next try: at least what was asked for, and spread so that lanes don't march in step."""
    grown = min(policy.first_wait * 2.0 ** (number - 1), policy.longest_wait)
    spread = grown * (0.5 + chance / 2)
    return spread if asked is None else asked + spread / 2
