"""Serving the events that have arrived: one conversation at a time, in the order of arrival (features.md A1).

Within this process whoever comes first is served first; between processes a conversation is held while its events are
served. An event whose server died is served by whoever comes next, or by the tick.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from greenroom.agents.in_order import InOrder
from greenroom.agents.wire import message_json
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Inbound
from greenroom.conversation.json_values import Json
from greenroom.conversation.opt_outs import consent_in
from greenroom.conversation.turns import StopReason, Turn
from greenroom.errors import GreenroomError, HoldLost, NotServed, StoreError, TooManyWaiting
from greenroom.operations.context import Context
from greenroom.operations.live_agents import LiveAgent, LiveAgents
from greenroom.operations.live_turns import LiveTurn, world_of_turn
from greenroom.operations.real_calls import RealCalls
from greenroom.store.conversations import Serving
from greenroom.store.inbound import HOLD_S, Arrived, Delivery, InboundStatus
from greenroom.store.partition import Partition
from greenroom.store.signs_of_life import signs_of_life
from greenroom.store.turn_work import TurnWork
from greenroom.world.live.world import LiveWorld
from greenroom.world.ports import ConversationState

__all__ = ["Answer", "EventServer", "by_webhook"]

_LOOK_AGAIN_S = 0.1
"""How often it is looked whether another process is done with a conversation."""
_MOST_LISTENING = 50
"""Requests for one conversation that wait in this process; repeats of an event count each."""
_OWN_FAULT = "Greenroom itself failed"
_ENDING = "the server ended before; the event is kept and will be served, and may be delivered again for its answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of an event; the same however often it is delivered."""

    conversation: str
    message_id: str
    messages: tuple[Json, ...]
    """What the agent says; empty when it leaves by webhook."""
    delivery: Delivery
    ended: StopReason | None
    """Why the agent's part of the conversation is over."""


class EventServer:
    """Serves events; made once for each process."""

    def __init__(
        self,
        context: Context,
        live: LiveAgents,
        calls: RealCalls,
        *,
        leaves: Callable[[], None],
    ) -> None:
        """`leaves` is told that something new is to leave."""
        self._context = context
        self._live = live
        self._calls = calls
        self._inbox = context.store.inbox()
        self._lists = context.store.conversation_lists(Partition.LIVE)
        self._holder = context.clock.new_id("server")
        self._lines = InOrder()
        self._under_way: dict[asyncio.Timeout, str] = {}
        self._is_ending = False
        self._leaves = leaves
        self.closed = asyncio.Event()
        """Set when an agent has ended a conversation."""

    async def serve(self, arrived: Arrived) -> Answer:
        """The answer to an event, once everything that arrived before it in its conversation has been served.

        Raises:
            NotServed: serving it broke off; it may be delivered again.
            TooManyWaiting: too many requests wait for this conversation; the event is kept all the same.
            StoreError: the database can't be used.
        """
        async with self._until_broken_off(arrived), self._line(arrived.conversation) as waited:
            if waited:
                arrived = await self._inbox.get(arrived.number)
            while True:
                if arrived.status is InboundStatus.SERVED:
                    return await self._answer(arrived)
                if arrived.status is InboundStatus.FAILED:
                    raise NotServed(arrived.message_id, arrived.error or "")
                if await self._inbox.hold(arrived.conversation, self._holder):
                    async with self._held(arrived.conversation):
                        turn = await self._serve_upto(arrived)
                    if turn is not None:
                        return _answer(arrived, turn, await self._ended(arrived, turn))
                else:
                    await self._context.clock.sleep(_LOOK_AGAIN_S)
                arrived = await self._inbox.get(arrived.number)

    def break_off(self) -> Sequence[str]:
        """Serve nothing any more, and break off what is under way as a kill would: whose conversations those are.

        Nothing of it is kept, and its events wait for whoever serves next.
        """
        self._is_ending = True
        now = asyncio.get_running_loop().time()
        for bound in self._under_way:
            bound.reschedule(now)
        return sorted(self._under_way.values())

    @asynccontextmanager
    async def _until_broken_off(self, arrived: Arrived) -> AsyncGenerator[None]:
        """Raises `NotServed` once it is."""
        if self._is_ending:
            raise NotServed(arrived.message_id, _ENDING)
        bound = asyncio.timeout(None)
        try:
            async with bound:
                self._under_way[bound] = arrived.conversation
                yield
        except TimeoutError:
            if not bound.expired():
                raise
            raise NotServed(arrived.message_id, _ENDING) from None
        finally:
            self._under_way.pop(bound, None)

    @asynccontextmanager
    async def _line(self, conversation: str) -> AsyncGenerator[bool]:
        """Alone with this conversation within this process; whether somebody was before us."""
        if self._lines.standing(conversation) >= _MOST_LISTENING:
            raise TooManyWaiting(_MOST_LISTENING)
        async with self._lines.alone(conversation) as waited:
            yield waited

    @asynccontextmanager
    async def _held(self, conversation: str) -> AsyncGenerator[None]:
        """Give signs of life until it is over, and let go of the conversation."""
        inbox, holder = self._inbox, self._holder
        try:
            async with signs_of_life(self._context.clock, lambda: inbox.hold(conversation, holder), held_for_s=HOLD_S):
                yield
        finally:
            # Also when this process is told to stop: nobody should have to wait for the hold to run out.
            await asyncio.shield(inbox.let_go(conversation, holder))

    async def _serve_upto(self, last: Arrived) -> Turn | None:
        """Serve what waits, up to this one; the turn that answers it, if one was kept here and now."""
        while (arrived := await self._inbox.next_waiting(last.conversation, upto=last.number)) is not None:
            try:
                turn = await self._serve_one(arrived)
            except HoldLost:
                # Somebody else serves it by now; whoever waits for it here looks again.
                await self._context.clock.sleep(_LOOK_AGAIN_S)
                return None
            except StoreError:
                raise
            except GreenroomError as fault:
                await self._inbox.failed(arrived.number, str(fault))
            # An event that always breaks us must not stand in the way of all that come after it.
            except Exception as fault:
                await self._inbox.failed(arrived.number, f"{_OWN_FAULT} ({type(fault).__name__})")
                raise
            else:
                if arrived.number == last.number:
                    return turn
        return None

    async def _serve_one(self, arrived: Arrived) -> Turn | None:
        """One turn: by the conversation service, in the live world, kept with all that follows from it.

        None when none was kept: the event came after the end, or a second time.
        """
        live = await self._live.get(arrived.agent)
        work = TurnWork()
        world = self._world(live, arrived, work)
        service = live.service(world, self._context)
        event = Inbound(
            conversation=arrived.conversation,
            channel=arrived.channel,
            identity=arrived.identity,
            message_id=arrived.message_id,
            event=arrived.event,
        )
        try:
            delivered = await service.deliver(event)
        finally:
            await world.close()
        if not delivered.kept:
            await self._inbox.served(arrived.number)
        if delivered.turn.ended is not None:
            self.closed.set()
        if work.kept or (delivered.turn.messages and arrived.delivery is Delivery.WEBHOOK):
            self._leaves()
        return delivered.turn if delivered.kept else None

    def _world(self, live: LiveAgent, arrived: Arrived, work: TurnWork) -> LiveWorld:
        leaves = arrived.delivery is Delivery.WEBHOOK
        outgoing = by_webhook(arrived.channel) if leaves else _by_answer
        serving = Serving(number=arrived.number, holder=self._holder, outgoing=outgoing)
        of = (arrived.conversation, arrived.identity)
        return self.world(live, *of, serving=serving, work=work, event=arrived.message_id)

    def world(
        self, live: LiveAgent, conversation: str, identity: str, *, serving: Serving, work: TurnWork, event: str = ""
    ) -> LiveWorld:
        """The live world of one conversation: its turns are kept as `serving` says, and together with `work`."""
        context = self._context
        conversations = context.store.conversations(
            ConversationState,
            Partition.LIVE,
            agent=live.document.id,
            revision=live.hash,
            criteria=live.document.review,
            serving=serving,
            with_turn=work,
        )
        turn = LiveTurn(
            errands=context.store.errands(),
            work=work,
            agent=live.document.id,
            conversation=conversation,
            identity=identity,
            event=event,
        )
        return world_of_turn(
            context,
            live.document,
            turn,
            conversations=conversations,
            calls=self._calls,
        )

    def spoke(self) -> None:
        """Something that an agent said by itself is to leave."""
        self._leaves()

    async def _answer(self, arrived: Arrived) -> Answer:
        turn = None if arrived.turn is None else await self._lists.turn(arrived.conversation, arrived.turn)
        return _answer(arrived, turn, await self._ended(arrived, turn))

    async def _ended(self, arrived: Arrived, turn: Turn | None) -> StopReason | None:
        """Why the agent's part is over. STOP and START are heeded after the end too, and don't begin it anew."""
        if turn is not None and (turn.ended is not None or consent_in(arrived.channel, arrived.event) is None):
            return turn.ended
        return (await self._lists.get(arrived.conversation)).ended


def _answer(arrived: Arrived, turn: Turn | None, ended: StopReason | None) -> Answer:
    said = () if turn is None or arrived.delivery is Delivery.WEBHOOK else _messages(turn, arrived.channel)
    return Answer(
        conversation=arrived.conversation,
        message_id=arrived.message_id,
        messages=tuple(said),
        delivery=arrived.delivery,
        ended=ended,
    )


def by_webhook(channel: Channel) -> Callable[[Turn], Sequence[Json]]:
    """What of a turn leaves by webhook on a channel that has its messages sent."""
    return lambda turn: _messages(turn, channel)


def _by_answer(_: Turn) -> Sequence[Json]:
    return ()


def _messages(turn: Turn, channel: Channel) -> list[Json]:
    return [message_json(message, channel) for message in turn.messages]
