"""Messages that are to leave by webhook (features.md A8).

They are written with the turn that they belong to, and stay until their endpoint has taken them. Those of one
conversation leave in order: the next one waits for the one before. Whoever sends a message takes it for a while; when
that process dies, another one sends it after that while, with the same key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Select, func, select

from greenroom.clock import Clock
from greenroom.conversation.channels import Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.summaries import SentMessage, SentStatus
from greenroom.store.encoding import decode_json, encode, pack, unpack, visible
from greenroom.store.locks import Turn, take_turn
from greenroom.store.partition import Share
from greenroom.store.reader import Reader
from greenroom.store.tables import conversations, outbox
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["HOLD_S", "Outbox", "Outgoing", "outbox_row"]

HOLD_S = 60
"""Seconds for which a message is taken; sending one takes less."""


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
        self._conversations = conversations.of(share)
        self._clock = clock

    async def put(self, conversation: str, *, agent: str, channel: Channel, name: str, message: Json) -> None:
        """A message of its own, which belongs to no turn; `name` tells it apart from all others of its conversation.

        A second message of that name is none.
        """
        row = outbox_row(f"{visible(conversation)}/{name}", pack(encode(message)), stamp(self._clock))
        of = {"agent": agent, "channel": channel.value, "conversation": visible(conversation)}

        def work(connection: Connection) -> None:
            take_turn(connection, Turn.CONVERSATIONS)
            there = select(self._rows.c.number).where(self._rows.c.key == row["key"])
            if connection.execute(there).first() is None:
                connection.execute(self._rows.insert({**row, **of}))

        await self._writer.write(work)

    async def take(self, holder: str, *, limit: int) -> Sequence[Outgoing]:
        """The messages that are due, the first of each conversation, for this holder alone during `HOLD_S` seconds."""
        if not await self._reader.read(lambda connection: connection.execute(self._due(1)).first()):
            return ()
        return await self._writer.write(lambda connection: self._take(connection, holder, limit))

    async def sent(self, message: Outgoing, holder: str) -> None:
        """Its endpoint has it."""
        await self._finish(message, holder, SentStatus.SENT, None)

    async def refused(self, message: Outgoing, holder: str, why: str) -> None:
        """Its endpoint will never take it: it is kept, and the next one leaves."""
        await self._finish(message, holder, SentStatus.REFUSED, why)

    async def put_off(self, message: Outgoing, holder: str, why: str, *, seconds: float) -> None:
        """It could not be sent; try again after so many seconds."""
        due = (self._clock.now() + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
        values = {"due_at": due, "held_by": None, "error": visible(why)}
        later = self._rows.update(values, number=message.number, held_by=holder)
        await self._writer.write(lambda connection: connection.execute(later))

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
            )
            for row in rows
        )

    def _due(self, limit: int) -> Select[*tuple[Any, ...]]:
        columns = self._rows.c
        waiting = columns.status == SentStatus.WAITING.value
        first = select(func.min(columns.number)).where(waiting).group_by(columns.conversation)
        due = (columns.due_at <= stamp(self._clock), columns.number.in_(first))
        people = self._conversations
        return (
            select(self._rows.source, people.c.identity)
            .join(people.source, people.c.conversation == columns.conversation)
            .where(waiting, *due)
            .order_by(columns.due_at, columns.number)
            .limit(limit)
        )

    def _take(self, connection: Connection, holder: str, limit: int) -> Sequence[Outgoing]:
        take_turn(connection, Turn.CONVERSATIONS)
        until = (self._clock.now() + timedelta(seconds=HOLD_S)).isoformat(timespec="milliseconds")
        rows = connection.execute(self._due(limit)).all()
        for row in rows:
            taken = {"held_by": holder, "due_at": until, "tries": row.tries + 1}
            connection.execute(self._rows.update(taken, number=row.number))
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
            for row in rows
        )

    async def _finish(self, message: Outgoing, holder: str, status: SentStatus, error: str | None) -> None:
        values = {
            "status": status.value,
            "held_by": None,
            "error": None if error is None else visible(error),
            "finished_at": stamp(self._clock),
        }
        finished = self._rows.update(values, number=message.number, held_by=holder)
        await self._writer.write(lambda connection: connection.execute(finished))


def outbox_row(name: str, message: bytes, now: str) -> dict[str, Any]:
    """A new message, due at once. Its key follows from its name, so that the same message has the same key."""
    return {
        "key": f"msg-{sha256(name.encode()).hexdigest()[:40]}",
        "message": message,
        "status": SentStatus.WAITING.value,
        "tries": 0,
        "due_at": now,
        "created_at": now,
    }
