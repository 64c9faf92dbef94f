"""Tool calls of one case: answered by mocks, by a real endpoint where that is allowed, or not (features.md C6–C10)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from greenroom.clock import Clock
from greenroom.conversation.calls import ToolCall, ToolKind
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Tool
from greenroom.documents.data_templates import filled_data, is_template
from greenroom.documents.mocks import OwnMock
from greenroom.documents.suite import CaseWorld
from greenroom.world.keys import CallKeys
from greenroom.world.mocks import MockBook, mock_to_add
from greenroom.world.tools import Asked, Unawaited, asks_by_itself, may_reach_endpoint
from greenroom.world.webhooks import Webhooks

__all__ = ["SandboxTools", "Values"]

Values: TypeAlias = Callable[[], Awaitable[Mapping[str, Json]]]
"""What stands under `person` and `system` now."""


class SandboxTools:
    """Answers in the order of `world.tools`; counts sequences for this conversation alone (features.md H6)."""

    def __init__(
        self,
        world: CaseWorld,
        *,
        clock: Clock,
        environment: Mapping[str, str],
        webhooks: Webhooks,
        keys: CallKeys,
        values: Values,
    ) -> None:
        """The tools of one conversation; `values` are what templates in results stand for at the moment."""
        self._world = world
        self._clock = clock
        self._environment = environment
        self._webhooks = webhooks
        self._keys = keys
        self._values = values
        self._book = MockBook(world.mocks)
        self._unawaited = Unawaited()

    async def call(self, *, name: str, tool: Tool, call_id: str, arguments: Mapping[str, Json]) -> ToolCall:
        """The call with its answer, from the first that can give one."""
        asked = Asked.of(name, tool, call_id, arguments)
        if tool.kind == "client" and not asked.waits:
            return asked.acknowledged()
        entry = await self._book.fitting(name, arguments)
        if entry is not None:
            return await self._from_mock(asked, entry)
        if may_reach_endpoint(name, tool, self._world, has_entry=bool(self._book.entries(name))):
            return await self._from_endpoint(asked, tool)
        if asks_by_itself(tool, self._world):
            return asked.confirmation()
        if tool.mocks:
            return await self._from_mock(asked, tool.mocks[0])
        return self._from_nobody(asked, await self._book.why_none_fits(name, arguments))

    async def intercept(self, *, name: str, call_id: str, arguments: Mapping[str, Json]) -> ToolCall | None:
        """A case entry that answers a built-in action in its place; None when none fits."""
        entry = await self._book.fitting(name, arguments) if self._book.entries(name) else None
        if entry is None:
            return None
        asked = Asked(call_id=call_id, name=name, arguments=arguments, kind=ToolKind.BUILT_IN)
        return await self._from_mock(asked, entry)

    async def close(self) -> None:
        """Let calls that nobody waited for come to their end."""
        await self._unawaited.finish()

    async def _from_mock(self, asked: Asked, mock: OwnMock) -> ToolCall:
        prepared = self._book.next_of(mock)
        if prepared is None:
            return self._from_nobody(asked, _USED_UP, _MORE_RESULTS)
        if is_template(prepared.result):
            prepared = replace(prepared, result=filled_data(prepared.result, await self._values()))
        if not prepared.delay or not asked.waits:
            return asked.mocked(prepared, 0.0)
        started = self._clock.monotonic()
        await self._clock.sleep(min(prepared.delay, asked.timeout or prepared.delay))
        return asked.mocked(prepared, self._clock.monotonic() - started)

    async def _from_endpoint(self, asked: Asked, tool: Tool) -> ToolCall:
        sending = self._webhooks.call(
            tool, asked.arguments, self._environment, key=self._keys.next(asked.name, asked.arguments)
        )
        if not asked.waits:
            self._unawaited.start(sending)
            return asked.sent()
        started = self._clock.monotonic()
        answer = await sending
        return asked.reached(answer, self._clock.monotonic() - started)

    def _from_nobody(self, asked: Asked, why: str, advice: str | None = None) -> ToolCall:
        if not asked.waits:
            return asked.acknowledged()
        if self._world.no_answer == "captured":
            return asked.captured()
        return asked.unanswered(why, f"{why}; {advice or self._what_to_add(asked)}")

    def _what_to_add(self, asked: Asked) -> str:
        """The entries that let the call go through; a write that asks for a confirmation takes two (features.md C9)."""
        add = f"`{mock_to_add(asked.name, asked.arguments, confirm=asked.confirm_with)}`"
        if asked.confirm_with is not None and not self._book.entries(asked.confirm_with):
            add += f" and `{mock_to_add(asked.confirm_with, {})}`"
        return f"add {add} under `world.mocks` of the case"


_USED_UP = "the results of its mock are used up"
_MORE_RESULTS = "add a result to its `results`, or end them with `then: repeat-last` or `then: cycle`"
