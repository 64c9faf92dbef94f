"""Events as they arrive: each is kept once, before it is served, and those of one conversation are served in order.

An event is kept and its conversation found in one transaction, so the order of arrival is the order of the numbers,
also between several processes. Whoever serves a conversation holds it for a while and gives signs of life; when that
process dies, whoever comes next goes on with the event that it left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from greenroom.clock import Clock
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event, Opened
from greenroom.errors import ConversationTaken, MessageIdTaken, TooManyWaiting
from greenroom.store.conversations import Remembered, state_columns
from greenroom.store.encoding import decode, encode, pack, unpack, visible
from greenroom.store.locks import Turn
from greenroom.store.open_conversations import open_with
from greenroom.store.partition import Share
from greenroom.store.reader import Reader
from greenroom.store.tables import conversations, inbound
from greenroom.store.times import is_free, is_held, stamp
from greenroom.store.world_tables import activity
from greenroom.store.writer import Writer

__all__ = ["HOLD_S", "Arrival", "Arrived", "Delivery", "InboundStatus", "Inbox", "kept_event", "own_name"]

HOLD_S = 30
"""Seconds for which a conversation is held from each sign of life on."""
_MOST_WAITING = 20
"""Events of one conversation that wait; each will cost a turn."""


@dataclass(frozen=True, slots=True)
class _Event:
    """An event as it is kept: a value with a type that its reader can name."""

    event: Event


class InboundStatus(StrEnum):
    """How far an event is."""

    WAITING = "waiting"
    SERVED = "served"
    FAILED = "failed"
    """Serving it broke off; the channel may deliver it again."""


class Delivery(StrEnum):
    """How the agent's messages reach the person."""

    ANSWER = "answer"
    """They are the answer to the event."""
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """An event, before it is kept."""

    agent: str
    message_id: str
    """Makes a repeat harmless; unique for the agent and the channel."""
    named: str | None
    """The conversation that the channel names; None: the one that is open with this person, else a new one."""
    channel: Channel
    identity: str
    fresh_id: str
    """What a conversation is called that begins with it and has no name of the channel's."""
    begin: Callable[[str], Remembered]
    """The state of a conversation of this id that begins."""
    event: Event
    delivery: Delivery
    close_after_s: float
    """After so much silence a conversation counts as closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """An event as it is kept."""

    number: int
    agent: str
    channel: Channel
    message_id: str
    conversation: str
    identity: str
    event: Event
    delivery: Delivery
    status: InboundStatus
    turn: int | None
    """Number of the turn that answered it; None when there is none."""
    error: str | None


class Inbox:
    """What has arrived in one partition."""

    def __init__(self, *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = inbound.of(share)
        self._conversations = conversations.of(share)
        self._activity = activity.of(share)
        self._clock = clock

    async def receive(self, arrival: Arrival) -> Arrived:
        """Keep it, once: a repeat gives what was kept the first time, and one that failed waits again.

        Raises:
            MessageIdTaken: another event has this message id.
            ConversationTaken: the conversation that it names is somebody else's.
            TooManyWaiting: so many of its conversation wait that no more are kept.
        """
        return await self._writer.write(lambda connection: self._receive(connection, arrival), Turn.CONVERSATIONS)

    async def get(self, number: int) -> Arrived:
        """One event; it is there."""
        query = self._query().where(self._rows.c.number == number)
        return _arrived(await self._reader.read(lambda connection: connection.execute(query).one()))

    async def next_waiting(self, conversation: str, *, upto: int) -> Arrived | None:
        """The first event of a conversation that is not served yet, of those up to this number."""
        columns = self._rows.c
        query = (
            self
            ._query()
            .where(columns.conversation == visible(conversation), columns.status == InboundStatus.WAITING.value)
            .where(columns.number <= upto)
            .order_by(columns.number)
            .limit(1)
        )
        row = await self._reader.read(lambda connection: connection.execute(query).one_or_none())
        return None if row is None else _arrived(row)

    async def left_over(self, *, older_than_s: float, limit: int = 100) -> Sequence[Arrived]:
        """Events that have waited for so long while nobody holds their conversation; the oldest first."""
        columns, of = self._rows.c, self._conversations.c
        since = stamp(self._clock, after_s=-older_than_s)
        query = (
            self
            ._query()
            .where(columns.status == InboundStatus.WAITING.value, columns.received_at < since)
            .where(is_free(of.held_by, of.held_until, self._clock))
            .order_by(columns.number)
            .limit(limit)
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(_arrived(row) for row in rows)

    async def served(self, number: int) -> None:
        """It is over and left no turn, as when its conversation has ended."""
        await self._finish(number, InboundStatus.SERVED, None)

    async def failed(self, number: int, error: str) -> None:
        """Serving it broke off."""
        await self._finish(number, InboundStatus.FAILED, error)

    async def hold(self, conversation: str, holder: str) -> bool:
        """Hold a conversation, or go on holding it; False while somebody else does."""
        return await self._writer.write(
            lambda connection: self._hold(connection, visible(conversation), holder), Turn.CONVERSATIONS
        )

    async def let_go(self, conversation: str, holder: str) -> None:
        """Hold it no longer."""
        free = self._conversations.update(
            {"held_by": None, "held_until": None}, conversation=visible(conversation), held_by=holder
        )
        await self._writer.write(lambda connection: connection.execute(free), Turn.CONVERSATIONS)

    def _receive(self, connection: Connection, arrival: Arrival) -> Arrived:
        channel = arrival.channel.value
        columns = self._rows.c
        same = (
            columns.agent == arrival.agent,
            columns.channel == channel,
            columns.message_id == visible(arrival.message_id),
        )
        known = connection.execute(self._query().where(*same)).one_or_none()
        if known is not None:
            return self._again(connection, arrival, known)
        conversation = self._conversation(connection, arrival)
        self._room(connection, conversation)
        row = {
            "agent": arrival.agent,
            "channel": channel,
            "message_id": visible(arrival.message_id),
            "conversation": conversation,
            "delivery": arrival.delivery.value,
            "event": pack(encode(_Event(arrival.event))),
            "status": InboundStatus.WAITING.value,
            "received_at": stamp(self._clock),
        }
        connection.execute(self._rows.insert(row))
        if not isinstance(arrival.event, Opened):
            came = {"at": row["received_at"], "agent": arrival.agent, "channel": channel}
            connection.execute(self._activity.insert({**came, "messages_in": 1, "messages_out": 0}))
        return _arrived(connection.execute(self._query().where(*same)).one())

    def _again(self, connection: Connection, arrival: Arrival, known: Row[*tuple[Any, ...]]) -> Arrived:
        if known.event != pack(encode(_Event(arrival.event))) or known.identity != visible(arrival.identity):
            raise MessageIdTaken(arrival.message_id)
        if known.status == InboundStatus.FAILED.value:
            again = {"status": InboundStatus.WAITING.value, "error": None, "finished_at": None}
            connection.execute(self._rows.update(again, number=known.number))
            known = connection.execute(self._query().where(self._rows.c.number == known.number)).one()
        return _arrived(known)

    def _conversation(self, connection: Connection, arrival: Arrival) -> str:
        """The conversation that the event belongs to; it is there afterwards."""
        now = stamp(self._clock)
        found = self._open(connection, arrival) if arrival.named is None else self._named(connection, arrival)
        if found is not None:
            # Somebody spoke: a conversation that silence had closed goes on.
            awake = {"updated_at": now, **({"closed_at": None} if found.ended is None else {})}
            connection.execute(self._conversations.update(awake, conversation=found.conversation))
            return found.conversation
        conversation = visible(arrival.fresh_id) if arrival.named is None else _own_name(arrival)
        new = {"conversation": conversation, "agent": arrival.agent, "started_at": now, "updated_at": now}
        connection.execute(self._conversations.insert({**state_columns(arrival.begin(conversation)), **new}))
        return conversation

    def _room(self, connection: Connection, conversation: str) -> None:
        columns = self._rows.c
        waiting = (columns.conversation == conversation, columns.status == InboundStatus.WAITING.value)
        if connection.execute(select(func.count()).where(*waiting)).scalar_one() >= _MOST_WAITING:
            raise TooManyWaiting(_MOST_WAITING)

    def _open(self, connection: Connection, arrival: Arrival) -> Row[*tuple[Any, ...]] | None:
        """The newest conversation with this person that is open, or that people of the team have taken over."""
        query = open_with(
            self._conversations,
            agent=arrival.agent,
            channel=arrival.channel,
            identity=arrival.identity,
            alive=self._clock.now() - timedelta(seconds=arrival.close_after_s),
        )
        return connection.execute(query).one_or_none()

    def _named(self, connection: Connection, arrival: Arrival) -> Row[*tuple[Any, ...]] | None:
        """The conversation that the channel means: an id of ours that it was told, or one of its own."""
        of = self._conversations.c
        query = (
            select(of.conversation, of.ended, of.identity)
            .where(of.agent == arrival.agent, of.channel == arrival.channel.value)
            .where(of.conversation.in_([visible(arrival.named or ""), _own_name(arrival)]))
            .order_by(of.conversation == _own_name(arrival))
            .limit(1)
        )
        found = connection.execute(query).one_or_none()
        if found is not None and found.identity != visible(arrival.identity):
            raise ConversationTaken(arrival.named or "")
        return found

    def _hold(self, connection: Connection, conversation: str, holder: str) -> bool:
        of = self._conversations.c
        query = select(of.held_by, of.held_until).where(of.conversation == conversation)
        row = connection.execute(query).one_or_none()
        if row is None or (row.held_by not in {None, holder} and is_held(row.held_until, self._clock)):
            return False
        held = {"held_by": holder, "held_until": stamp(self._clock, after_s=HOLD_S)}
        connection.execute(self._conversations.update(held, conversation=conversation))
        return True

    async def _finish(self, number: int, status: InboundStatus, error: str | None) -> None:
        told = None if error is None else visible(error)
        values = {"status": status.value, "error": told, "finished_at": stamp(self._clock)}
        finished = self._rows.update(values, number=number)
        await self._writer.write(lambda connection: connection.execute(finished), Turn.CONVERSATIONS)

    def _query(self) -> Select[*tuple[Any, ...]]:
        of = self._conversations
        return select(self._rows.source, of.c.identity).join(of.source, of.c.conversation == self._rows.c.conversation)


def kept_event(packed: bytes) -> Event:
    """An event as it is kept in its row."""
    return decode(_Event, unpack(packed)).event


def own_name(agent: str, channel: Channel, named: str) -> str:
    """What a conversation is called that a channel has an id of its own for: those of others may be the same."""
    return visible(f"{agent}:{channel.value}:{named}")


def _own_name(arrival: Arrival) -> str:
    return own_name(arrival.agent, arrival.channel, arrival.named or "")


def _arrived(row: Row[*tuple[Any, ...]]) -> Arrived:
    return Arrived(
        number=row.number,
        agent=row.agent,
        channel=Channel(row.channel),
        message_id=row.message_id,
        conversation=row.conversation,
        identity=row.identity,
        event=kept_event(row.event),
        delivery=Delivery(row.delivery),
        status=InboundStatus(row.status),
        turn=row.turn,
        error=row.error,
    )
