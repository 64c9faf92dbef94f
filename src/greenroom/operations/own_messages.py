"""Saying what agents say by themselves: a real turn, kept with its timer and the message that leaves (features.md A8).

No model is asked and no event is served; the conversation service and the live world are those of every other turn.
Whatever kills the process, the timer is done and the message is in the outbox, or neither.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Protocol

from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.own_messages import OwnMessage
from greenroom.conversation.people import Person
from greenroom.conversation.timers import Timer
from greenroom.documents.agent import Agent
from greenroom.errors import HoldLost, PatternTimeout, StoreError
from greenroom.operations.context import Context
from greenroom.operations.gateway import Gateway
from greenroom.operations.live_agents import LiveAgent
from greenroom.operations.serving import by_webhook
from greenroom.store.conversations import Serving
from greenroom.store.speaking import OpenConversation, Whereabouts
from greenroom.store.timers import NotSaid
from greenroom.store.turn_work import TurnWork, WithTurn
from greenroom.world.people_matching import is_in_segment
from greenroom.world.ports import ConversationState

__all__ = ["Saying", "Speaker", "channels_out", "fits", "fits_now", "say_all_due", "whereabouts"]

_BROKEN = timedelta(minutes=15)
"""What broke Greenroom itself is tried again after so long."""


def channels_out(agent: Agent, wanted: Sequence[str] = ()) -> Sequence[Channel]:
    """The channels by which messages leave: those of these keys, in this order, or all of the agent's as written."""
    leaving = [key for key in wanted or agent.channels if key in agent.channels and agent.channels[key].outbound]
    # `phone` serves calls in and out; what an agent begins is a call out.
    by_key = {abilities.config: channel for channel, abilities in ABILITIES.items()}
    return [by_key[key] for key in leaving]


def whereabouts(agent: Agent, channels: Sequence[Channel], identities: Sequence[str]) -> Whereabouts | None:
    """Where somebody is reached: on the first of the channels that knows them; None when none does."""
    for channel in channels:
        for identity in identities:
            if identity.startswith(f"{channel}:"):
                return Whereabouts(agent=agent.id, channel=channel, identity=identity)
    return None


class Saying(Protocol):
    """One thing that an agent says by itself: an outreach, a follow-up, its reminders. For one pass of the tick."""

    async def due(self, room: int) -> Sequence[Timer]:
        """The timers whose time it is, so many at most; whoever is to have one by now has got it."""
        ...

    async def say(self, timer: Timer) -> None:
        """Say it, if it is still to be said. Raises `NotSaid`."""
        ...


async def say_all_due(
    context: Context,
    gateway: Gateway,
    sayings: Callable[[LiveAgent, "Speaker"], AsyncIterator[Saying]],
    *,
    again_after: timedelta,
) -> int:
    """Say of each agent what is due of its `sayings`; how many were said. At most `limits.own_messages` are tried.

    What can't be said just now is tried again after so long.
    """
    room, said = context.project.limits.own_messages, 0
    async for live in gateway.live.ready():
        speaker = Speaker(context, gateway)
        async for saying in sayings(live, speaker):
            due = await saying.due(room)
            room -= len(due)
            said += sum([await speaker.attempt(timer, saying.say(timer), again_after=again_after) for timer in due])
    return said


def fits_now(person: Person, conditions: Mapping[str, Json]) -> bool:
    """Whether all conditions hold for somebody. A pattern that takes too long fits nobody, and blocks until then."""
    with suppress(PatternTimeout):
        return is_in_segment(person, conditions)
    return False


async def fits(person: Person, conditions: Mapping[str, Json]) -> bool:
    """The same, in a thread."""
    return await asyncio.to_thread(fits_now, person, conditions)


class Speaker:
    """Says one thing at a time; made for one pass of the tick."""

    def __init__(self, context: Context, gateway: Gateway) -> None:
        self._context = context
        self._server = gateway.server
        self._inbox = context.store.inbox()
        self._timers = context.store.timers()
        self._speaking = context.store.speaking()
        self._holder = context.clock.new_id("speaker")

    async def open_with(self, live: LiveAgent, at: Whereabouts) -> OpenConversation | None:
        """The conversation that is open with somebody now."""
        alive = self._context.clock.now() - timedelta(seconds=live.document.close_after)
        return await self._speaking.open_with(at, alive=alive)

    async def attempt(self, timer: Timer, saying: Awaitable[None], *, again_after: timedelta) -> bool:
        """Whether it was said; when it wasn't, the timer ends with the reason, or waits for so long."""
        try:
            await saying
        except NotSaid as reason:
            if reason.becomes is None:
                await self._timers.put_off(timer, self._context.clock.now() + again_after)
            else:
                await self._timers.end(timer, reason.becomes, reason.why)
            return False
        except StoreError:
            raise
        # One that always breaks us must not stand in the way of all others: the next pass goes on without it.
        except Exception:
            await self._timers.put_off(timer, self._context.clock.now() + _BROKEN)
            raise
        return True

    @asynccontextmanager
    async def holding(self, conversation: str | None) -> AsyncGenerator[None]:
        """Alone with a conversation, if there is one: no event of it is served meanwhile. Raises `NotSaid`."""
        if conversation is None:
            yield
            return
        if not await self._inbox.hold(conversation, self._holder):
            raise NotSaid("the person is being answered", becomes=None)
        try:
            yield
        finally:
            await self._inbox.let_go(conversation, self._holder)

    async def say(
        self,
        live: LiveAgent,
        own: OwnMessage,
        at: Whereabouts,
        *,
        timer: Timer,
        conversation: str | None,
        only_if: Sequence[WithTurn] = (),
    ) -> None:
        """Say it, in this conversation, which is held (`holding`), or in a new one, and mark the timer done.

        `only_if` is asked by the transaction that keeps it.

        Raises:
            NotSaid: it does not hold any more, or somebody else serves the conversation; nothing was kept.
        """
        work = TurnWork()
        for write in (self._timers.firing(timer), *only_if):
            work.add(write)
        if conversation is None:
            fresh = self._context.clock.new_id("conversation")
            alive = self._context.clock.now() - timedelta(seconds=live.document.close_after)
            work.add(self._speaking.begins(fresh, at, alive=alive))
            await self._say(live, own, at, fresh, timer=timer, holder=None, work=work)
            return
        work.add(self._speaking.nothing_waits(conversation))
        try:
            await self._say(live, own, at, conversation, timer=timer, holder=self._holder, work=work)
        except HoldLost as lost:
            raise NotSaid("the person is being answered", becomes=None) from lost

    async def _say(
        self,
        live: LiveAgent,
        own: OwnMessage,
        at: Whereabouts,
        conversation: str,
        *,
        timer: Timer,
        holder: str | None,
        work: TurnWork,
    ) -> None:
        serving = Serving(number=None, holder=holder, outgoing=by_webhook(at.channel), timer=timer.number)
        world = self._server.world(live, conversation, at.identity, serving=serving, work=work)
        service = live.service(world, self._context)
        begins = ConversationState(conversation=conversation, channel=at.channel, identity=at.identity)
        delivered = await service.say(begins, own)
        await world.close()
        if not delivered.turn.messages:
            over = delivered.turn.ended is not None
            raise NotSaid("the conversation is over" if over else "nothing of it can be shown on this channel")
        self._server.spoke()
