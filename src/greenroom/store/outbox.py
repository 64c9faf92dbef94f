"""Messages that are to leave by webhook (features.md A8); a `Queue` whose lanes are the conversations.

They are written with the turn that they belong to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from greenroom.clock import Clock
from greenroom.conversation.channels import Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import SentMessage
from greenroom.store.encoding import decode_json, encode, pack, unpack, visible
from greenroom.store.locks import Turn
from greenroom.store.partition import Share
from greenroom.store.queue import Queue, add_once, new_row, next_try_at
from greenroom.store.reader import Reader
from greenroom.store.tables import conversations, outbox
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["Outbox", "Outgoing", "outbox_row"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message on its way."""

    number: int
    key: str
    """The same at every try: the receiver knows by it a message that it has had already."""
    agent: str
    channel: Channel
    conversation: str
    identity: str
    """Whom it is for."""
    message: Json
    tries: int
    """How often it has been tried, this time included."""
    created_at: str


class Outbox:
    """What waits to leave, and what has left, of one partition."""

    def __init__(self, *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = outbox.of(share)
        self._clock = clock
        people = conversations.of(share)
        shown = select(self._rows.source, people.c.identity).join(
            people.source, people.c.conversation == self._rows.c.conversation
        )
        self._queue = Queue(
            self._rows,
            lane="conversation",
            receiver=("agent", "channel"),
            shown=shown,
            reader=reader,
            writer=writer,
            clock=clock,
        )

    async def put(self, conversation: str, *, agent: str, channel: Channel, name: str, message: Json) -> None:
        """A message of its own, which belongs to no turn; `name` tells it apart from all others of its conversation.

        A second message of that name is none.
        """
        row = outbox_row(f"{visible(conversation)}/{name}", pack(encode(message)), stamp(self._clock))
        of = {"agent": agent, "channel": channel.value, "conversation": visible(conversation)}
        await self._writer.write(lambda connection: add_once(connection, self._rows, {**row, **of}), Turn.CONVERSATIONS)

    async def take(self, holder: str, *, limit: int) -> Sequence[Outgoing]:
        """The messages that are due, the first of each conversation, for this holder alone for a while."""
        return tuple(
            Outgoing(
                number=row.number,
                key=row.key,
                agent=row.agent,
                channel=Channel(row.channel),
                conversation=row.conversation,
                identity=row.identity,
                message=decode_json(unpack(row.message)),
                tries=row.tries + 1,
                created_at=row.created_at,
            )
            for row in await self._queue.take(holder, limit=limit)
        )

    async def sent(self, message: Outgoing, holder: str) -> None:
        """Its endpoint has it."""
        await self._queue.sent(message, holder)

    async def refused(self, message: Outgoing, holder: str, why: str) -> None:
        """Its endpoint will never take it: it is kept, and the next one leaves."""
        await self._queue.refused(message, holder, why)

    async def put_off(self, message: Outgoing, holder: str, why: str, *, seconds: float) -> None:
        """It could not be sent; try again after so many seconds."""
        await self._queue.put_off(message, holder, why, seconds=seconds)

    async def hurry(self, agent: str, channel: Channel, *, error: str) -> None:
        """Let messages of a channel be due at once that were put off by an error which begins so."""
        columns = self._rows.c
        put_off = select(columns.number).where(
            columns.status == SentStatus.WAITING.value,
            columns.held_by.is_(None),
            columns.agent == visible(agent),
            columns.channel == channel.value,
            columns.error.startswith(visible(error), autoescape=True),
        )
        if await self._reader.read(lambda connection: connection.execute(put_off.limit(1)).first()):
            due = self._rows.update({"due_at": stamp(self._clock)}, number=put_off)
            await self._writer.write(lambda connection: connection.execute(due), Turn.CONVERSATIONS)

    async def of_conversation(self, conversation: str) -> Sequence[SentMessage]:
        """Everything that left or waits to leave, in order."""
        columns = self._rows.c
        query = select(self._rows.source).where(columns.conversation == visible(conversation)).order_by(columns.number)
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(
            SentMessage(
                key=row.key,
                status=SentStatus(row.status),
                tries=row.tries,
                error=row.error,
                created_at=row.created_at,
                finished_at=row.finished_at,
                next_try_at=next_try_at(row),
            )
            for row in rows
        )


def outbox_row(name: str, message: bytes, now: str) -> dict[str, Any]:
    """A new message, due at once. Its key follows from its name, so that the same message has the same key."""
    return {**new_row("msg", name, now=now), "message": message}
