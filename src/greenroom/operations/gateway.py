"""The gateway: events of channels in, answers out (features.md A1; interfaces: HTTP API).

An event is let in by its signature, kept once, and served by the very function that a case calls. What isn't let in
leaves no trace.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass

from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.events import Event
from greenroom.errors import GreenroomError, NotServed, TooManyWaiting
from greenroom.models.opening import Models
from greenroom.operations.context import Context
from greenroom.operations.leaving import errand_deliveries
from greenroom.operations.live_agents import ChannelNotReady, LiveAgent, LiveAgents
from greenroom.operations.live_needs import live_warnings, mail_warnings
from greenroom.operations.narrowing import among
from greenroom.operations.real_calls import real_calls
from greenroom.operations.reviews import Reviewing
from greenroom.operations.serving import Answer, EventServer
from greenroom.running.live_jobs import Deliveries, LiveJobs, Messages
from greenroom.store.inbound import Arrival, Arrived, Delivery
from greenroom.world.live.outbound import Outbound
from greenroom.world.ports import ConversationState
from greenroom.world.signing import verify

__all__ = ["Admitted", "ChannelEvent", "Gateway", "open_gateway"]

_LEFT_AFTER_S = 60.0
"""An event that has waited for so long, and whose conversation nobody holds, was left by a process that died."""
_LEFT_AT_ONCE = 8
"""So many of them are served at a time; a turn may take minutes, and other things are due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelEvent:
    """An event as a channel sends it."""

    message_id: str
    identity: str
    """What the channel knows the person by."""
    conversation: str | None
    """An id of the channel's, or one that it was told; None: the open one with this person, else a new one."""
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A way in to one agent on one channel."""

    live: LiveAgent
    channel: Channel
    delivery: Delivery


class Gateway:
    """Takes events in and answers them. Made by `open_gateway`."""

    def __init__(
        self, context: Context, live: LiveAgents, server: EventServer, jobs: LiveJobs, reviewing: Reviewing
    ) -> None:
        self._context = context
        self._inbox = context.store.inbox()
        self.live = live
        self.server = server
        self.jobs = jobs
        self.reviewing = reviewing

    async def admit(self, agent: str, channel: str, signature: str | None, body: bytes) -> Admitted:
        """Let a channel's webhook in.

        Raises:
            NotFound: there is no such agent, or it is not on this channel.
            NotLive: the agent has no live revision.
            ChannelNotReady: the channel's secret isn't there.
            NotSigned: the signature is missing, wrong, of another time, or for another agent or channel.
        """
        live = await self.live.get(agent)
        told = _channel(channel)
        verify(signature, live.signer(told, self._context.environment), body, self._context.clock.now())
        leaves = bool(live.channel(told).outbound)
        return Admitted(live=live, channel=told, delivery=Delivery.WEBHOOK if leaves else Delivery.ANSWER)

    async def deliver(self, admitted: Admitted, event: ChannelEvent) -> Answer:
        """Keep an event and serve it; a repeat gets the same answer and is served once.

        Raises:
            MessageIdTaken: another event has its message id.
            ConversationTaken: its conversation is with somebody else.
            NotServed: serving it broke off; it may be delivered again.
        """
        document, channel = admitted.live.document, admitted.channel
        identity = f"{channel}:{event.identity}"

        def begin(conversation: str) -> ConversationState:
            return ConversationState(conversation=conversation, channel=channel, identity=identity)

        arrival = Arrival(
            agent=document.id,
            message_id=event.message_id,
            named=event.conversation,
            channel=channel,
            identity=identity,
            fresh_id=self._context.clock.new_id("conversation"),
            begin=begin,
            event=event.event,
            delivery=admitted.delivery,
            close_after_s=document.close_after,
        )
        return await self.server.serve(await self._inbox.receive(arrival))

    async def warnings(self) -> Sequence[str]:
        """What stands in the way of live agents' channels, calendars and mail on this machine, a sentence each."""
        context = self._context
        found = list(mail_warnings(context.project.mail, context.environment))
        for agent in await context.store.publications.agents():
            try:
                live = await self.live.get(agent)
                found += await asyncio.to_thread(
                    live_warnings, live.document, context.project.mail, context.environment
                )
            except GreenroomError as reason:
                found.append(str(reason))
        return found

    async def send_what_can_leave_now(self) -> None:
        """Let messages that only waited for a variable be tried at once, where it is set by now.

        For the beginning of a process, since that is when variables change; what waits for its receiver goes on to.
        """
        context = self._context
        outbox = context.store.outbox()
        async for live in self.live.ready():
            agent = live.document.id
            for channel in live.ready_to_send(context.environment):
                lacked = ChannelNotReady.beginning(agent, ABILITIES[channel].config)
                await outbox.hurry(agent, channel, error=lacked)

    async def serve_left_over(self, stop: asyncio.Event) -> int:
        """Serve the events that a process left when it died; how many were begun, for after `stop` none is."""
        left = await self._inbox.left_over(older_than_s=_LEFT_AFTER_S)
        free, begun = asyncio.Semaphore(_LEFT_AT_ONCE), 0

        async def serve(arrived: Arrived) -> None:
            nonlocal begun
            async with free:
                if stop.is_set():
                    return
                begun += 1
                # What came of it is kept with the event.
                with suppress(NotServed, TooManyWaiting):
                    await self.server.serve(arrived)

        await asyncio.gather(*(serve(arrived) for arrived in left))
        return begun


@asynccontextmanager
async def open_gateway(context: Context) -> AsyncGenerator[Gateway]:
    """A gateway with all that it needs."""
    async with AsyncExitStack() as stack:
        models = await stack.enter_async_context(_models(context))
        calls = await stack.enter_async_context(real_calls())
        outbound = Outbound()
        stack.push_async_callback(outbound.close)
        live = LiveAgents(context, models)
        messages = Messages(outbound=outbound, address=live.address, clock=context.clock)
        holder = context.clock.new_id("sender")
        jobs = LiveJobs(
            messages=Deliveries(
                what="messages", queue=context.store.outbox(), send=messages.send, clock=context.clock, holder=holder
            ),
            errands=errand_deliveries(context, live.document, holder, calls=calls),
        )
        server = EventServer(context, live, calls, leaves=jobs.wake)
        yield Gateway(context, live, server, jobs, Reviewing(context, models))


def _models(context: Context) -> Models:
    # People edit a script while they try things with a server that goes on.
    return Models(context.root, context.environment, context.clock, follow_scripts=True)


def _channel(name: str) -> Channel:
    names = [channel.value for channel in ABILITIES]
    return Channel(among("channel", name, names))
