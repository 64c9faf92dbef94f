"""The live side for live tests: what they book is kept, what leaves is sent once, by the agent that is run (C13)."""

from collections.abc import Sequence
from hashlib import sha256

from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent
from greenroom.operations.context import Context
from greenroom.operations.real_calls import RealCalls
from greenroom.store.errands import DueErrand
from greenroom.store.partition import Partition
from greenroom.store.times import stamp
from greenroom.store.turn_work import TurnWork
from greenroom.world.leaving import ToLeave
from greenroom.world.live.sending import Sending
from greenroom.world.policy import LiveBookings, LiveSide

__all__ = ["live_side"]


def live_side(context: Context, agent: Agent, calls: RealCalls) -> LiveSide:
    """What the live tests of an agent reach. Nothing is opened until one of them does."""
    run = context.clock.new_id("live-test")

    async def the_agent(_: str) -> Agent:
        return agent

    def appointments(conversation: str) -> LiveBookings:
        work = TurnWork()
        held = context.store.appointments(Partition.LIVE, agent=agent.id, conversation=conversation, with_turn=work)
        return LiveBookings(store=held, keep=lambda: context.store.keep(work))

    async def send(one: ToLeave, turns: Sequence[Turn]) -> Sending:
        # Loaded when something is sent: it takes 0.15 s, which every run would wait for.
        from greenroom.operations.leaving import errand_senders  # noqa: PLC0415

        async def so_far(_: str) -> Sequence[Turn]:
            return turns

        senders = errand_senders(context, the_agent, calls, so_far)
        return await senders[one.kind](_due(context, agent, one, run))

    return LiveSide(appointments=appointments, deliver=send)


def _due(context: Context, agent: Agent, one: ToLeave, run: str) -> DueErrand:
    """As whoever does it takes it from the store, where nothing of a live test is kept.

    A sample's conversation is called the same in each run, and nobody may take the mail of one run for another's.
    """
    name = sha256(f"{run}/{one.conversation}/{one.number}".encode()).hexdigest()[:40]
    return DueErrand(
        number=one.number,
        key=f"errand-{name}",
        kind=one.kind,
        agent=agent.id,
        conversation=one.conversation,
        summary=one.summary,
        body=one.body,
        tries=1,
        created_at=stamp(context.clock),
    )
