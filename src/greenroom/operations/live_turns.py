"""The turn that a live world serves, and that world: what leaves with the turn waits for what keeps it (`TurnWork`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from greenroom.conversation.json_values import Json
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.documents.agent import Agent
from greenroom.operations.business_calendars import calendars_of
from greenroom.operations.context import Context
from greenroom.operations.real_calls import RealCalls
from greenroom.store.errands import Errand, Errands
from greenroom.store.partition import Partition
from greenroom.store.timers import NewTimer, Timers
from greenroom.store.turn_work import TurnWork
from greenroom.world.live.world import LiveRecords, LiveWorld, live_world
from greenroom.world.ports import Conversations

__all__ = ["LiveReminders", "LiveTurn", "world_of_turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTurn:
    """`world.live.sending.UnderWay` over the store."""

    errands: Errands
    work: TurnWork
    agent: str
    conversation: str
    identity: str
    event: str = ""

    def add(self, *, kind: str, lane: str, summary: str, body: Json, shared: bool = False) -> None:
        """Have something done outside once the turn is kept."""
        errand = Errand(
            kind=kind,
            agent=self.agent,
            summary=summary,
            lane=lane if shared else f"{self.conversation}/{lane}",
            body=body,
            conversation=self.conversation,
        )
        self.work.add(self.errands.with_turn(errand))


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveReminders:
    """`world.live.scheduling.Reminders` over the store."""

    timers: Timers
    work: TurnWork
    agent: str

    def set(self, appointment_id: str, due: Mapping[str, datetime]) -> None:
        """Once the turn is kept, remind at these moments, by name, and at no other."""
        self.cancel(appointment_id, "the appointment was moved")
        for name, moment in due.items():
            timer = NewTimer(
                kind=OwnMessageKind.REMINDER, agent=self.agent, name=name, subject=appointment_id, due_at=moment
            )
            self.work.add(self.timers.setting(timer))

    def cancel(self, appointment_id: str, why: str) -> None:
        """Once the turn is kept, remind no more."""
        self.work.add(self.timers.cancelling(OwnMessageKind.REMINDER, appointment_id, why))


def world_of_turn(
    context: Context,
    agent: Agent,
    turn: LiveTurn,
    *,
    conversations: Conversations,
    calls: RealCalls,
) -> LiveWorld:
    """The live world of a conversation; its turns are kept in `conversations`, together with what leaves with them."""
    store = context.store
    return live_world(
        agent=agent,
        clock=context.clock,
        turn=turn,
        environment=context.environment,
        webhooks=calls.webhooks,
        calendars=calendars_of(context, agent, calls.calendars),
        records=LiveRecords(
            people=store.people(Partition.LIVE),
            conversations=conversations,
            appointments=store.appointments(
                Partition.LIVE, agent=agent.id, conversation=turn.conversation, with_turn=turn.work
            ),
            reminders=LiveReminders(timers=store.timers(), work=turn.work, agent=agent.id),
        ),
    )
