"""What goes on beside live conversations: sending the messages that leave by webhook, and doing errands.

Whatever is to leave stays in its queue until it has been taken for good, so a dead receiver loses none; what was sent
by a process which died before it could note that down is sent again with the same key. Tries come further and further
apart, up to an hour. Each kind is sent beside the others, so that one receiver that keeps everybody waiting makes
nothing of another kind wait.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Protocol, TypeVar

import orjson

from greenroom.clock import Clock, rest
from greenroom.conversation.channels import Channel
from greenroom.conversation.json_values import Json
from greenroom.errors import GreenroomError
from greenroom.store.errands import DueErrand
from greenroom.store.outbox import Outgoing
from greenroom.world.live.outbound import Address, Outbound
from greenroom.world.live.sending import Sending, SendingResult

__all__ = ["GIVEN_UP_AFTER_S", "LONGEST_PAUSE_S", "Deliveries", "LiveJobs", "Messages", "pause_after"]

LONGEST_PAUSE_S = 3_600.0
GIVEN_UP_AFTER_S = 259_200.0
"""Three days: an errand that could not be done for so long never is, and stands with the reason."""
_TOGETHER = 20
"""How many of one kind are under way at a time."""
_LOOK_AGAIN_S = 1.0
"""How soon it is seen that another process put something into a queue."""
_TOLD_FROM = 3
"""What fails so often, some seconds long, is told where the server runs; a blip is not."""
_TOLD_AGAIN_S = 3_600.0
"""The same reason is told so seldom."""
_ONE_TRY_S = 50.0
"""What one try may take. Less than a row is taken for (`store.queue.HOLD_S`)."""


def pause_after(tries: int, chance: float) -> float:
    """Seconds until the next try: 1, 2, 4 … up to an hour, each half as long to half as long again."""
    return min(LONGEST_PAUSE_S, 2.0 ** min(tries - 1, 20)) * (0.5 + chance)


class _Due(Protocol):
    """Something that is to leave."""

    @property
    def number(self) -> int: ...

    @property
    def conversation(self) -> str | None: ...

    @property
    def tries(self) -> int: ...

    @property
    def created_at(self) -> str: ...


T = TypeVar("T", bound=_Due)


class _Waiting(Protocol[T]):
    """Where it waits: `store.outbox.Outbox`, or the errands of a kind."""

    async def take(self, holder: str, *, limit: int) -> Sequence[T]: ...

    async def sent(self, row: T, holder: str, /) -> None: ...

    async def refused(self, row: T, holder: str, why: str, /) -> None: ...

    async def put_off(self, row: T, holder: str, why: str, /, *, seconds: float) -> None: ...


@dataclass(slots=True, kw_only=True)
class _Obstacles:
    """What keeps things of one kind from leaving, told to whoever runs the server: each reason once an hour."""

    what: str
    clock: Clock
    trouble: Callable[[str], None]
    _told: dict[str, float] = field(default_factory=dict[str, float])
    """When each reason was told last."""

    def of(self, row: _Due, why: str, *, over: bool) -> None:
        """A try that failed; after one that is `over` there is no other."""
        if not over and row.tries < _TOLD_FROM:
            return
        now = self.clock.monotonic()
        self._told = {why: at for why, at in self._told.items() if now - at < _TOLD_AGAIN_S}
        if why not in self._told:
            self._told[why] = now
            goes_on = "one is given up" if over else "they are tried again"
            where = "" if row.conversation is None else f"; see `greenroom conversations {row.conversation}`"
            self.trouble(f"{self.what} don't leave ({goes_on}): {why.rstrip('.')}{where}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliveries(Generic[T]):
    """Takes what is due of one kind and sends it."""

    what: str
    """Of what kind, in the plural, for sentences."""
    queue: _Waiting[T]
    send: Callable[[T], Awaitable[Sending]]
    """One try; whatever it raises is a failed one."""
    clock: Clock
    holder: str
    given_up_after_s: float | None = None
    """None: it is tried for ever."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    """Says that there may be something new."""

    async def deliver_due(self) -> frozenset[int]:
        """Send some of what is due, and give back the numbers of those; what can't be sent is put off."""
        due = await self.queue.take(self.holder, limit=_TOGETHER)
        await asyncio.gather(*(self._deliver(row) for row in due))
        return frozenset(row.number for row in due)

    async def deliver_all_due(self) -> int:
        """Try everything that is due, and give back how many those were.

        What is due again by then is not waited for: a dead receiver would keep this going for hours.
        """
        tried = frozenset[int]()
        while new := await self.deliver_due() - tried:
            tried |= new
        return len(tried)

    async def deliver_until(self, stop: asyncio.Event, trouble: Callable[[str], None]) -> None:
        """Send whatever becomes due until `stop`, and let what is under way then come to its end.

        Nothing waits for what is under way but the rest of its lane.
        """

        def over(done: asyncio.Task[None]) -> None:
            under_way.discard(done)
            self.wake.set()
            if not done.cancelled() and (error := done.exception()) is not None:
                tell(error)

        def tell(error: BaseException) -> None:
            nonlocal told
            text = f"{self.what} could not be delivered: {type(error).__name__}: {error}"
            if text != told:
                trouble(text)
            told = text

        # What was told last: that a database is away is told once, and not each second.
        told = ""
        obstacles = _Obstacles(what=self.what, clock=self.clock, trouble=trouble)
        under_way: set[asyncio.Task[None]] = set()
        while not stop.is_set():
            self.wake.clear()
            due: Sequence[T] = ()
            try:
                if len(under_way) < _TOGETHER:
                    due = await self.queue.take(self.holder, limit=_TOGETHER - len(under_way))
                    told = ""
            # What could not be delivered stays where it is; a delivery that stopped would never be missed.
            except Exception as error:  # noqa: BLE001
                tell(error)
            for row in due:
                task = asyncio.create_task(self._deliver(row, obstacles))
                under_way.add(task)
                task.add_done_callback(over)
            if not due:
                await rest(self.clock, _LOOK_AGAIN_S, stop, self.wake)
        await asyncio.gather(*under_way, return_exceptions=True)

    async def _deliver(self, row: T, obstacles: _Obstacles | None = None) -> None:
        sending = await self._try(row)
        over, why = sending.result is SendingResult.REFUSED, sending.why
        if sending.result is SendingResult.SENT:
            await self.queue.sent(row, self.holder)
            return
        if not over and self._given_up(row):
            over, why = True, f"given up after {row.tries} tries: {why}"
        if obstacles is not None:
            obstacles.of(row, why, over=over)
        if over:
            await self.queue.refused(row, self.holder, why)
        else:
            await self.queue.put_off(row, self.holder, why, seconds=pause_after(row.tries, self.clock.chance()))

    async def _try(self, row: T) -> Sending:
        try:
            async with asyncio.timeout(_ONE_TRY_S):
                return await self.send(row)
        except TimeoutError:
            return Sending(result=SendingResult.FAILED, why=f"it took longer than {_ONE_TRY_S:g} s")
        # One that breaks us must stand in the way of no other: it is tried again, and given up as any other is.
        except Exception as fault:  # noqa: BLE001
            return Sending(result=SendingResult.FAILED, why=f"Greenroom itself failed ({type(fault).__name__})")

    def _given_up(self, row: T) -> bool:
        if self.given_up_after_s is None:
            return False
        waited = self.clock.now() - datetime.fromisoformat(row.created_at)
        return waited.total_seconds() > self.given_up_after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveJobs:
    """Everything that leaves, kind by kind."""

    messages: Deliveries[Outgoing]
    errands: Sequence[Deliveries[DueErrand]]

    def wake(self) -> None:
        """There may be something new."""
        for one in (self.messages, *self.errands):
            one.wake.set()

    async def messages_due(self) -> int:
        """Try every message that is due; how many those were."""
        return await self.messages.deliver_all_due()

    async def errands_due(self) -> int:
        """The same with errands, the kinds beside each other."""
        return sum(await asyncio.gather(*(one.deliver_all_due() for one in self.errands)))

    async def deliver_until(self, stop: asyncio.Event, trouble: Callable[[str], None]) -> None:
        """Send whatever becomes due until `stop`, the kinds beside each other."""
        await asyncio.gather(*(one.deliver_until(stop, trouble) for one in (self.messages, *self.errands)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """Sends the messages of channels by webhook."""

    outbound: Outbound
    address: Callable[[str, Channel], Awaitable[Address]]
    """Where an agent's channel has its messages sent now; raises `GreenroomError` when it says nowhere."""
    clock: Clock

    async def send(self, message: Outgoing) -> Sending:
        """One message."""
        try:
            address = await self.address(message.agent, message.channel)
        except GreenroomError as reason:
            return Sending(result=SendingResult.FAILED, why=str(reason))
        return await self.outbound.send(address, _body(message), key=message.key, at=self.clock.now())


def _body(message: Outgoing) -> bytes:
    """The same at every try."""
    body: dict[str, Json] = {
        "id": message.key,
        "agent": message.agent,
        "channel": message.channel.value,
        "conversation": message.conversation,
        "identity": message.identity.removeprefix(f"{message.channel}:"),
        "created_at": message.created_at,
        "message": message.message,
    }
    return orjson.dumps(body)
