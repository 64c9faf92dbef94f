"""Real calls of webhook tools, as everybody sees them; the HTTP client behind is loaded at the first call.

A run whose tools are all mocked never pays for loading it (a sixth of a second). Not aware of mocks or strategies.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Tool

__all__ = ["WebhookAnswer", "Webhooks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookAnswer:
    """What came of a call."""

    result: Json = None
    """The body: JSON where it can be read as such, else text; None when there is none."""
    status: int | None = None
    """None when there was no answer."""
    error: str | None = None
    """Why the call failed; free of secrets."""


class _Calls(Protocol):
    async def call(
        self, tool: Tool, arguments: Mapping[str, Json], environment: Mapping[str, str], *, key: str
    ) -> WebhookAnswer: ...

    async def close(self) -> None: ...


class Webhooks:
    """Real calls over one session. Whoever opens it closes it; belongs to the event loop of its first call."""

    def __init__(self) -> None:
        self._calls: _Calls | None = None

    async def call(
        self, tool: Tool, arguments: Mapping[str, Json], environment: Mapping[str, str], *, key: str = ""
    ) -> WebhookAnswer:
        """Call the tool's endpoint and give back what it answered, or why it didn't.

        `key` tells the endpoint a call that it has had already; empty for a call without one.
        """
        if self._calls is None:
            loaded = await asyncio.to_thread(_load)
            self._calls = self._calls or loaded
        return await self._calls.call(tool, arguments, environment, key=key)

    async def close(self) -> None:
        """Close the connections; calling it again does nothing."""
        calls, self._calls = self._calls, None
        if calls is not None:
            await calls.close()


def _load() -> _Calls:
    # aiohttp is loaded by the runs that call an endpoint, and by no other.
    from greenroom.world.endpoints import EndpointCalls  # noqa: PLC0415

    return EndpointCalls()
