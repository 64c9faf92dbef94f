"""Makers of requests, and a clock that remembers how long it was asked to sleep."""

import asyncio
from datetime import UTC, datetime

from greenroom.clock import FrozenClock
from greenroom.conversation.usage import Role
from greenroom.models.model import ChatMessage, ModelRequest, OutputSchema, ToolSpec, UserSays

__all__ = ["NOON", "VERDICT", "WEATHER", "CountingClock", "SteppingClock", "agent_asks", "judge_asks"]

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)

WEATHER = ToolSpec(
    name="get_weather",
    description="The weather of a day.",
    parameters={"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]},
)

VERDICT = OutputSchema(
    name="verdict",
    schema={
        "type": "object",
        "properties": {"verdict": {"type": "string"}},
        "required": ["verdict"],
        "additionalProperties": False,
    },
)


class CountingClock(FrozenClock):
    """A frozen clock; `slept` says for how long it was to sleep, each time."""

    def __init__(self) -> None:
        super().__init__(NOON)
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Remember and come back at once."""
        self.slept.append(seconds)
        await super().sleep(seconds)


class SteppingClock(FrozenClock):
    """A clock that goes on by what is slept; with `holds` a sleep begins by waiting until the test lets it go."""

    def __init__(self, *, holds: bool = False) -> None:
        super().__init__(NOON)
        self.passed = 0.0
        self.asleep = asyncio.Event()
        self.wake = asyncio.Event()
        if not holds:
            self.wake.set()

    def monotonic(self) -> float:
        """What was slept, and what the test added."""
        return self.passed

    async def until_asleep(self) -> None:
        """Somebody sleeps."""
        async with asyncio.timeout(5):
            await self.asleep.wait()

    async def sleep(self, seconds: float) -> None:
        """So much time passes."""
        self.asleep.set()
        await self.wake.wait()
        self.passed += seconds
        await asyncio.sleep(0)  # noqa: TID251 - a turn for others; no time is to pass but this clock's


def agent_asks(
    *messages: ChatMessage | str, conversation: str = "talk", system: str = "You rent boats."
) -> ModelRequest:
    """An agent's request with one tool; texts are the person's."""
    return ModelRequest(
        role=Role.AGENT,
        system=system,
        messages=tuple(UserSays(text=message) if isinstance(message, str) else message for message in messages),
        tools=(WEATHER,),
        conversation=conversation,
    )


def judge_asks(question: str = "1. The agent is polite", *, max_tokens: int | None = None) -> ModelRequest:
    """A judge's request for a structured answer."""
    return ModelRequest(
        role=Role.JUDGE,
        system="You grade.",
        messages=(UserSays(text=question),),
        output=VERDICT,
        max_tokens=max_tokens,
        conversation="talk",
    )
