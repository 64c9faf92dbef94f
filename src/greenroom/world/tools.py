"""Who may answer a tool call, and what the agent hears of the answer (semantics: the world; features.md C6–C11).

The order, first that can: the case's entries, the real endpoint where it is allowed, the tool's own first mock, the
acknowledgement of a tool that nobody waits for; else the call is unanswered. `sandbox.tools` follows it; `live.tools`
have an endpoint or nothing. A tool that writes after a confirmation and has no endpoint asks for the confirmation
itself; in the sandbox a mock that says nothing else does that for it. That the tool exists and its arguments fit was
decided before.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind, name_key
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Tool
from greenroom.documents.mocks import Fault, MockStrategy
from greenroom.documents.suite import CaseWorld
from greenroom.world.mocks import Prepared
from greenroom.world.webhooks import WebhookAnswer

__all__ = [
    "ACKNOWLEDGED",
    "CALL_FAILED",
    "CAPTURED",
    "UNAVAILABLE",
    "Asked",
    "Unawaited",
    "asks_by_itself",
    "may_reach_endpoint",
]

ACKNOWLEDGED = "The call was accepted. There will be no answer."
"""All that an agent hears of a tool it doesn't wait for, whatever became of the call (features.md C8)."""
CAPTURED = "The call was captured and not made. Go on as if it had succeeded."
"""`world.no_answer: captured` (features.md A8)."""
UNAVAILABLE = "The tool is not available at the moment."
"""What an agent hears when nothing answers, live and under test (features.md C7)."""
CALL_FAILED = "The call failed."
"""All that an agent hears of a failure of a webhook tool that hides its errors (features.md C8)."""


def may_reach_endpoint(name: str, tool: Tool, world: CaseWorld, *, has_entry: bool) -> bool:
    """Whether a case lets a call that no entry answers go out to the tool's `url` (features.md C7, C13).

    Client tools never do, nor do integration tools that write but in a live test; webhook tools do where the case says
    so.
    """
    if world.live_test:
        return tool.url is not None and tool.kind != "client"
    if tool.url is None or not (tool.kind == "webhook" or (tool.kind == "integration" and tool.read_only)):
        return False
    if any(name_key(real) == name_key(name) for real in world.real):
        return True
    return world.mock is MockStrategy.NONE or (world.mock is MockStrategy.SELECTED and not has_entry)


def asks_by_itself(tool: Tool, world: CaseWorld) -> bool:
    """Whether the platform asks for the confirmation in place of a tool that has no endpoint for it (C9, C13)."""
    return world.live_test and tool.url is None and tool.kind == "integration" and tool.confirm_with is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call as the model asked for it; makes the `ToolCall` of whatever became of it."""

    call_id: str
    name: str
    arguments: Mapping[str, Json]
    kind: ToolKind
    waits: bool = True
    """False: the agent hears the acknowledgement only."""
    hides_errors: bool = False
    timeout: float | None = None
    """Seconds after which the agent's side gives up waiting; None for what has no such limit."""
    confirm_with: str | None = None
    """The tool that commits what this one only asks to have confirmed (features.md C9)."""

    @classmethod
    def of(cls, name: str, tool: Tool, call_id: str, arguments: Mapping[str, Json]) -> "Asked":
        """A call to one of the agent's own tools."""
        return cls(
            call_id=call_id,
            name=name,
            arguments=arguments,
            kind=ToolKind(tool.kind),
            waits=tool.waits or tool.kind == "integration",
            hides_errors=tool.hide_errors and tool.kind == "webhook",
            timeout=tool.timeout if tool.kind == "webhook" else None,
            confirm_with=tool.confirm_with if tool.kind == "integration" else None,
        )

    def acknowledged(self) -> ToolCall:
        """Nobody was asked, and nobody needs to know (features.md C8)."""
        return self._answer(AnsweredBy.ACKNOWLEDGED, ACKNOWLEDGED)

    def sent(self) -> ToolCall:
        """The endpoint is being called, and nobody waits for it."""
        return self._answer(AnsweredBy.REAL, ACKNOWLEDGED)

    def captured(self) -> ToolCall:
        """The call was kept and not made."""
        return self._answer(AnsweredBy.CAPTURED, CAPTURED)

    def confirmation(self) -> ToolCall:
        """The platform itself asks for the confirmation, and nothing is written yet (features.md C9)."""
        return self._answer(AnsweredBy.BUILT_IN, self._confirmation_request())

    def mocked(self, prepared: Prepared, duration_s: float) -> ToolCall:
        """A mock answered after its delay, or broke the call; one slower than the tool's timeout is a time-out (H6)."""
        broken = self._broken(prepared)
        if broken is not None:
            return self._failed(AnsweredBy.MOCK, broken, UNAVAILABLE, duration_s=duration_s)
        if not prepared.failed:
            asks = prepared.bare and self.confirm_with is not None
            told = self._confirmation_request() if asks else prepared.result
            return self._answer(AnsweredBy.MOCK, told, status=prepared.status, duration_s=duration_s)
        error = "the call failed"
        if prepared.status is not None:
            # As the endpoint would be told of; what isn't a webhook has no HTTP to answer with.
            http = self.kind is ToolKind.WEBHOOK
            error = (
                f"the endpoint answered HTTP {prepared.status}" if http else f"{error} with status {prepared.status}"
            )
        return self._failed(AnsweredBy.MOCK, error, prepared.result, status=prepared.status, duration_s=duration_s)

    def reached(self, answer: WebhookAnswer, duration_s: float) -> ToolCall:
        """The endpoint was called, with whatever came of it."""
        if answer.error is None:
            return self._answer(AnsweredBy.REAL, answer.result, status=answer.status, duration_s=duration_s)
        told = UNAVAILABLE if answer.status is None else answer.result
        return self._failed(AnsweredBy.REAL, answer.error, told, status=answer.status, duration_s=duration_s)

    def unanswered(self, why: str, missing: str | None = None) -> ToolCall:
        """Nothing could answer (features.md C10)."""
        return self._failed(AnsweredBy.NONE, why, UNAVAILABLE, missing=missing)

    def _broken(self, prepared: Prepared) -> str | None:
        """Why there is no answer at all, as an endpoint's failure would be told."""
        if prepared.fault is Fault.RESET:
            return "connection reset by peer"
        if prepared.fault is Fault.TIMEOUT or (self.timeout is not None and prepared.delay > self.timeout):
            return "no answer in time" if self.timeout is None else f"no answer within {self.timeout:g} s"
        return None

    def _confirmation_request(self) -> Json:
        return {
            "needs_confirmation": True,
            "message": f"Nothing was written yet. Ask the person to confirm, then call {self.confirm_with}.",
        }

    def _failed(
        self,
        by: AnsweredBy,
        error: str,
        told: Json,
        *,
        status: int | None = None,
        missing: str | None = None,
        duration_s: float = 0.0,
    ) -> ToolCall:
        if self.hides_errors:
            told = CALL_FAILED
        elif told is None:
            told = f"The call failed: {error}."
        return self._answer(by, told, status=status, error=error, missing=missing, duration_s=duration_s)

    def _answer(
        self,
        by: AnsweredBy,
        told: Json,
        *,
        status: int | None = None,
        error: str | None = None,
        missing: str | None = None,
        duration_s: float = 0.0,
    ) -> ToolCall:
        return ToolCall(
            call_id=self.call_id,
            tool=self.name,
            arguments=self.arguments,
            tool_kind=self.kind,
            answered_by=by,
            result=told if self.waits else ACKNOWLEDGED,
            # Whoever reads an error tells the model of it, and of a call without waiting it must not hear.
            error=error if self.waits else None,
            status=status,
            missing=missing,
            duration_s=duration_s,
        )


class Unawaited:
    """Calls that nobody waits for, while they are under way."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[WebhookAnswer]] = set()

    def start(self, call: Coroutine[None, None, WebhookAnswer]) -> None:
        """Let it run beside the conversation."""
        task = asyncio.create_task(call)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def finish(self) -> None:
        """Wait for all of them; each is bounded by its tool's timeout.

        Whoever closes because it was cancelled waits for none: what is under way is broken off, so that a stop is at
        once.
        """
        closing = asyncio.current_task()
        if closing is not None and closing.cancelling():
            for call in self._under_way:
                call.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
