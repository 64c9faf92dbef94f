"""The turn that a live world serves, and that world: what leaves with the turn waits for what keeps it (`TurnWork`)."""

from dataclasses import dataclass

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import full_name
from greenroom.documents.agent import Agent
from greenroom.errors import NotFound
from greenroom.operations.business_calendars import calendars_of
from greenroom.operations.context import Context
from greenroom.store.errands import Errand, Errands
from greenroom.store.partition import Partition
from greenroom.store.turn_work import TurnWork
from greenroom.world.calendars import Calendars
from greenroom.world.live.world import LiveRecords, LiveWorld, live_world
from greenroom.world.ports import Conversations
from greenroom.world.webhooks import Webhooks

__all__ = ["LiveTurn", "world_of_turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTurn:
    """`world.live.sending.UnderWay` over the store."""

    errands: Errands
    work: TurnWork
    agent: str
    conversation: str
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


def world_of_turn(
    context: Context,
    agent: Agent,
    turn: LiveTurn,
    *,
    conversations: Conversations,
    webhooks: Webhooks,
    calendars: Calendars,
) -> LiveWorld:
    """The live world of a conversation; its turns are kept in `conversations`, together with what leaves with them."""
    store, people = context.store, context.store.people(Partition.LIVE)

    async def name_of(person_id: str) -> str:
        try:
            return full_name((await people.get(person_id)).person)
        except NotFound:
            return ""

    return live_world(
        agent=agent,
        clock=context.clock,
        turn=turn,
        environment=context.environment,
        webhooks=webhooks,
        calendars=calendars_of(context, agent, calendars),
        records=LiveRecords(
            people=people,
            conversations=conversations,
            appointments=store.appointments(
                Partition.LIVE, agent=agent.id, conversation=turn.conversation, with_turn=turn.work
            ),
            name_of=name_of,
        ),
    )
