"""What goes on beside live conversations: delivering the messages that leave by webhook.

A message stays in the outbox until its endpoint has taken it, so a dead endpoint loses none; one that was sent by a
process which died before it could note that down is sent again with the same key. Tries come further and further
apart, up to an hour.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import orjson

from greenroom.clock import Clock
from greenroom.conversation.channels import Channel
from greenroom.conversation.json_values import Json
from greenroom.errors import GreenroomError
from greenroom.store.outbox import Outbox, Outgoing
from greenroom.world.live.outbound import Address, Outbound, Sending, SendingResult

__all__ = ["LONGEST_PAUSE_S", "Deliveries", "pause_after"]

LONGEST_PAUSE_S = 3_600.0
_TOGETHER = 20
"""Messages under way at a time."""
_LOOK_AGAIN_S = 1.0
"""How soon a message is seen that another process put into the outbox."""


def pause_after(tries: int, chance: float) -> float:
    """Seconds until the next try: 1, 2, 4 … up to an hour, each half as long to half as long again."""
    return min(LONGEST_PAUSE_S, 2.0 ** min(tries - 1, 20)) * (0.5 + chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliveries:
    """Takes messages from the outbox and sends them."""

    outbox: Outbox
    outbound: Outbound
    address: Callable[[str, Channel], Awaitable[Address]]
    """Where an agent's channel has its messages sent now; raises `GreenroomError` when it says nowhere."""
    clock: Clock
    holder: str

    async def deliver_due(self) -> int:
        """Send what is due, and give back how many messages that were; what can't be sent is put off."""
        due = await self.outbox.take(self.holder, limit=_TOGETHER)
        await asyncio.gather(*(self._deliver(message) for message in due))
        return len(due)

    async def deliver_until(self, stop: asyncio.Event, wake: asyncio.Event, trouble: Callable[[str], None]) -> None:
        """Send whatever becomes due until `stop`; `wake` says that there is something new."""
        while not stop.is_set():
            wake.clear()
            delivered = 0
            try:
                delivered = await self.deliver_due()
            # What could not be delivered stays where it is; a delivery that stopped would never be missed.
            except Exception as error:  # noqa: BLE001
                trouble(f"messages could not be delivered: {type(error).__name__}: {error}")
            if not delivered:
                await self._rest(stop, wake)

    async def _rest(self, stop: asyncio.Event, wake: asyncio.Event) -> None:
        waits = [asyncio.ensure_future(one) for one in (self.clock.sleep(_LOOK_AGAIN_S), stop.wait(), wake.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def _deliver(self, message: Outgoing) -> None:
        sending = await self._send(message)
        if sending.result is SendingResult.SENT:
            await self.outbox.sent(message, self.holder)
        elif sending.result is SendingResult.REFUSED:
            await self.outbox.refused(message, self.holder, sending.why)
        else:
            seconds = pause_after(message.tries, self.clock.chance())
            await self.outbox.put_off(message, self.holder, sending.why, seconds=seconds)

    async def _send(self, message: Outgoing) -> Sending:
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
