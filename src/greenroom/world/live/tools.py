"""Tool calls for real: every tool has its endpoint, or the agent hears that it isn't available.

A call whose answer the agent waits for is made at once. One that nobody waits for leaves with the turn, as what is done
outside does: a turn that isn't kept never made it, and no dead endpoint and no killed process loses it.
"""

from collections.abc import Mapping

from greenroom.clock import Clock
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Tool
from greenroom.world.keys import CallKeys
from greenroom.world.live.sending import CALL, UnderWay
from greenroom.world.tools import Asked
from greenroom.world.webhooks import Webhooks
from greenroom.world.wording import as_json

__all__ = ["LiveTools"]


class LiveTools:
    """Calls endpoints. Mocks don't exist here."""

    def __init__(self, *, clock: Clock, environment: Mapping[str, str], webhooks: Webhooks, turn: UnderWay) -> None:
        self._clock = clock
        self._environment = environment
        self._webhooks = webhooks
        self._turn = turn
        self._keys = CallKeys(turn.conversation, turn.event)

    async def call(self, *, name: str, tool: Tool, call_id: str, arguments: Mapping[str, Json]) -> ToolCall:
        """Call the tool's `url`. A client tool runs in the person's client, and no channel of ours has one yet."""
        asked = Asked.of(name, tool, call_id, arguments)
        if tool.kind == "client":
            return asked.unanswered("no client is connected that could run it") if asked.waits else asked.acknowledged()
        if tool.url is None and asked.confirm_with is not None:
            return asked.confirmation()
        if tool.url is None:
            return asked.unanswered("the tool has no `url`") if asked.waits else asked.acknowledged()
        if not asked.waits:
            body: dict[str, Json] = {"tool": name, "arguments": arguments}
            self._turn.add(kind=CALL, lane=name, summary=f"{name} {as_json(arguments)}", body=body)
            return asked.sent()
        started = self._clock.monotonic()
        key = self._keys.next(name, arguments)
        answer = await self._webhooks.call(tool, arguments, self._environment, key=key)
        return asked.reached(answer, self._clock.monotonic() - started)

    async def intercept(self, *, name: str, call_id: str, arguments: Mapping[str, Json]) -> ToolCall | None:
        """Nothing stands in the way of a built-in action."""
        return None
