"""Small makers for tests of the world: an agent, a case, a tool, a sandbox, one call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from greenroom.clock import Clock, SystemClock
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.json_values import Json
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent, ModelChoice, Tool
from greenroom.documents.suite import Case
from greenroom.store.opening import Store
from greenroom.store.partition import Partition
from greenroom.store.turn_work import TurnWork
from greenroom.world.leaving import ToLeave
from greenroom.world.live.scheduling import Reminders
from greenroom.world.live.sending import Sending
from greenroom.world.live.world import LiveRecords, LiveWorld, live_world
from greenroom.world.policy import LiveBookings, LiveSide
from greenroom.world.ports import ConversationState, Tools
from greenroom.world.sandbox.world import Outside, SandboxWorld, sandbox_world
from greenroom.world.webhooks import Webhooks

__all__ = ["IDENTITY", "UnderWay", "ask", "case", "desk", "live", "live_side", "sandbox", "tool"]

IDENTITY = "sandbox:booking/saturday/1"


@dataclass(kw_only=True)
class UnderWay:
    """A turn whose errands are collected, `(kind, summary, body)` in order."""

    conversation: str = "talk-1"
    identity: str = "web:ana"
    event: str = ""
    errands: list[tuple[str, str, Mapping[str, Json]]] = field(
        default_factory=list[tuple[str, str, Mapping[str, Json]]]
    )

    def add(self, *, kind: str, lane: str, summary: str, body: Json, shared: bool = False) -> None:
        """Keep it; each errand has a lane."""
        assert lane
        self.errands.append((kind, summary, cast("Mapping[str, Json]", body)))


def desk(**written: object) -> Agent:
    """An agent without a loader, since loading reads files and tests of the world run on an event loop."""
    return Agent.model_validate({"id": "desk", "name": "The desk", "model": ModelChoice(name="script:x"), **written})


def case(**written: object) -> Case:
    """A case, with what the test writes of it."""
    return Case.model_validate({"id": "saturday", "suite": "booking", **written})


def tool(**written: object) -> Tool:
    """A tool, with what the test writes of it."""
    return Tool.model_validate(written)


def sandbox(
    start: Case | None = None,
    *,
    agent: Agent | None = None,
    clock: Clock | None = None,
    conversation: str = "booking/saturday/1",
    environment: Mapping[str, str] | None = None,
    webhooks: Webhooks | None = None,
) -> SandboxWorld:
    """A sandbox for one case."""
    return sandbox_world(
        agent=agent or desk(),
        case=start or case(),
        clock=clock or SystemClock(),
        conversation=conversation,
        identity=IDENTITY,
        outside=Outside(environment=environment or {}, webhooks=webhooks or Webhooks()),
    )


class NoReminders:
    """Nobody looks at them."""

    def set(self, appointment_id: str, due: Mapping[str, datetime]) -> None:
        """Nothing."""

    def cancel(self, appointment_id: str, why: str) -> None:
        """Nothing."""


def live_side(store: Store | None = None) -> LiveSide:
    """What live tests reach: a store's live appointments; nothing that leaves arrives anywhere."""

    def appointments(conversation: str) -> LiveBookings:
        assert store is not None, "no live test was expected here"
        kept, work = store, TurnWork()
        held = kept.appointments(Partition.LIVE, agent="desk", conversation=conversation, with_turn=work)
        return LiveBookings(store=held, keep=lambda: kept.keep(work))

    async def deliver(_: ToLeave, turns: Sequence[Turn]) -> Sending:
        raise AssertionError("nothing was expected to leave")

    return LiveSide(appointments=appointments, deliver=deliver)


def live(
    store: Store,
    webhooks: Webhooks,
    *,
    agent: Agent | None = None,
    turn: UnderWay | None = None,
    environment: Mapping[str, str] | None = None,
    clock: Clock | None = None,
    reminders: Reminders | None = None,
) -> LiveWorld:
    """The live world of one conversation of an agent, over a store."""
    talks, under_way, people = agent or desk(), turn or UnderWay(), store.people(Partition.LIVE)

    return live_world(
        agent=talks,
        clock=clock or SystemClock(),
        turn=under_way,
        environment=environment or {},
        webhooks=webhooks,
        calendars=None,
        records=LiveRecords(
            people=people,
            conversations=store.conversations(ConversationState, Partition.LIVE),
            appointments=store.appointments(Partition.LIVE, agent=talks.id, conversation=under_way.conversation),
            reminders=reminders or NoReminders(),
        ),
    )


async def ask(tools: Tools, asked: Tool, name: str = "get_order", **arguments: Json) -> ToolCall:
    """One call."""
    return await tools.call(name=name, tool=asked, call_id="call-1", arguments=arguments)
