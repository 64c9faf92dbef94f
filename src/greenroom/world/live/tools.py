"""Tool calls for real: every tool has its endpoint, or the agent hears that it isn't available."""

from collections.abc import Mapping

from greenroom.clock import Clock
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Tool
from greenroom.world.keys import CallKeys
from greenroom.world.tools import Asked, Errands
from greenroom.world.webhooks import Webhooks

__all__ = ["LiveTools"]


class LiveTools:
    """Calls endpoints. Mocks don't exist here."""

    def __init__(self, *, clock: Clock, environment: Mapping[str, str], webhooks: Webhooks, keys: CallKeys) -> None:
        self._clock = clock
        self._environment = environment
        self._webhooks = webhooks
        self._keys = keys
        self._errands = Errands()

    async def call(self, *, name: str, tool: Tool, call_id: str, arguments: Mapping[str, Json]) -> ToolCall:
        """Call the tool's `url`. A client tool runs in the person's client, and no channel of ours has one yet."""
        asked = Asked.of(name, tool, call_id, arguments)
        if tool.kind == "client":
            return asked.unanswered("no client is connected that could run it") if asked.waits else asked.acknowledged()
        if tool.url is None and asked.confirm_with is not None:
            return asked.confirmation()
        if tool.url is None:
            return asked.unanswered("the tool has no `url`") if asked.waits else asked.acknowledged()
        sending = self._webhooks.call(tool, arguments, self._environment, key=self._keys.next(name, arguments))
        if not asked.waits:
            self._errands.start(sending)
            return asked.sent()
        started = self._clock.monotonic()
        answer = await sending
        return asked.reached(answer, self._clock.monotonic() - started)

    async def intercept(self, *, name: str, call_id: str, arguments: Mapping[str, Json]) -> ToolCall | None:
        """Nothing stands in the way of a built-in action."""
        return None

    async def close(self) -> None:
        """Let calls that nobody waited for come to their end."""
        await self._errands.finish()
