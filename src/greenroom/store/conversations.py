"""What the service remembers of the conversations of one partition between two events; `world.ports.Conversations`.

The state's shape belongs to the world, which stands above: the repository is handed it, and knows only what it needs
for its columns. A turn is kept together with the state that it led to; when it answers an event of the gateway, so are
the event's end and the messages that are to leave by webhook. Whatever kills the process, all of it is there or none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import Connection, func, select

from greenroom.clock import Clock
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Opened
from greenroom.conversation.json_values import Json
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.turns import Turn
from greenroom.errors import HoldLost
from greenroom.store.encoding import decode, encode, pack, unpack, visible
from greenroom.store.locks import Turn as ProcessTurn
from greenroom.store.outbox import outbox_row
from greenroom.store.partition import Partition, Share
from greenroom.store.reader import Reader
from greenroom.store.reviews import enrol
from greenroom.store.tables import conversation_turns, conversations, inbound, outbox
from greenroom.store.times import stamp
from greenroom.store.turn_work import WORK_TURNS, TurnWork, WithTurn
from greenroom.store.world_tables import activity, reviews
from greenroom.store.writer import Work, Writer

__all__ = ["Answering", "Conversations", "Remembered", "Serving", "state_columns"]


class Remembered(Protocol):
    """What every state of a conversation tells of itself; the rest is kept as it is."""

    @property
    def conversation(self) -> str: ...

    @property
    def channel(self) -> Channel: ...

    @property
    def identity(self) -> str: ...

    @property
    def person_id(self) -> str | None: ...

    @property
    def turns(self) -> int: ...

    @property
    def ended(self) -> str | None: ...


S = TypeVar("S", bound=Remembered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Who talks in the conversations that are saved."""

    agent: str = ""
    revision: str = ""
    """The content hash of its document."""
    criteria: Sequence[str] = ()
    """What a conversation that it ends is reviewed by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A turn that is kept on the live side: it answers an event of the gateway, or the agent makes it by itself."""

    number: int | None
    """Of the event, in the order of arrival; None for a turn that the agent makes by itself."""
    holder: str | None
    """Who holds the conversation; when somebody else does by now, nothing is kept. None: it begins with this turn."""
    outgoing: Callable[[Turn], Sequence[Json]]
    """The messages of a turn that are to leave by webhook, as they are sent."""
    timer: int | None = None
    """The number of the timer that has the agent make the turn by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A turn, ready to be written."""

    row: dict[str, Any]
    outgoing: Sequence[bytes]


class Conversations(Generic[S]):
    """Keeps the state of each conversation, and its turns, each with what becomes true with it."""

    def __init__(
        self,
        shape: type[S],
        *,
        reader: Reader,
        writer: Writer,
        share: Share,
        clock: Clock,
        agent: Answering,
        serving: Serving | None = None,
        with_turn: TurnWork | None = None,
    ) -> None:
        self._shape = shape
        self._reader = reader
        self._writer = writer
        self._rows = conversations.of(share)
        self._turns = conversation_turns.of(share)
        self._inbound = inbound.of(share)
        self._outbox = outbox.of(share)
        self._reviews = reviews.of(share)
        self._activity = activity.of(share)
        self._reviewed = share.partition is Partition.LIVE
        self._clock = clock
        self._agent = agent.agent
        self._revision = agent.revision
        self._criteria = agent.criteria
        self._serving = serving
        self._with_turn = with_turn or TurnWork()

    async def load(self, conversation: str) -> S | None:
        """The state, or None for a conversation that this partition doesn't know."""
        columns = self._rows.c
        query = select(columns.state).where(columns.conversation == visible(conversation))
        state = await self._reader.read(lambda connection: connection.execute(query).scalar_one_or_none())
        return None if state is None else decode(self._shape, unpack(state))

    async def save(self, state: S, turn: Turn | None = None, record: TurnRecord | None = None) -> None:
        """Keep it, in place of what was kept before, together with the turn that led to it.

        Raises:
            HoldLost: it answers an event, and somebody else holds the conversation by now; nothing was kept.
        """
        prepared = () if turn is None else self._with_turn.prepared()
        turns = WORK_TURNS if prepared else (ProcessTurn.CONVERSATIONS,)
        await self._writer.prepare(lambda: self._saving(state, turn, record, prepared), *turns)
        self._with_turn.done(len(prepared))

    def _saving(
        self, state: S, turn: Turn | None, record: TurnRecord | None, prepared: Sequence[WithTurn]
    ) -> Work[None]:
        now = stamp(self._clock)
        named = visible(state.conversation)
        columns = {
            **state_columns(state),
            "updated_at": now,
            **self._closing(state, turn, now),
            **({"agent": self._agent} if self._agent else {}),
        }
        kept = None if turn is None else self._keeping(turn, record, now)
        active = None if turn is None else self._active(state, turn, now)
        reviewed = self._reviewed and turn is not None and turn.ended is not None and state.turns > 0

        def work(connection: Connection) -> None:
            if self._serving is not None and self._serving.holder is not None:
                self._still_held(connection, named, self._serving.holder)
            if not connection.execute(self._rows.update(columns, conversation=named)).rowcount:
                new = {"agent": self._agent, "conversation": named, "started_at": now}
                connection.execute(self._rows.insert({**columns, **new}))
            if kept is not None:
                self._keep(connection, state, kept, now)
            if active is not None:
                connection.execute(self._activity.insert(active))
            if reviewed and self._criteria:
                closed = {"conversation": named, "agent": self._agent, "closed_at": now}
                enrol(connection, self._reviews, criteria=self._criteria, **closed)
            for write in prepared:
                write(connection)

        return work

    @staticmethod
    def _closing(state: Remembered, turn: Turn | None, now: str) -> dict[str, str | None]:
        """When it was closed; what is said to somebody after the end closes nothing again."""
        if state.ended is not None and turn is not None and turn.ended is None:
            return {}
        return {"closed_at": None if state.ended is None else now}

    def _still_held(self, connection: Connection, conversation: str, holder: str) -> None:
        query = select(self._rows.c.held_by).where(self._rows.c.conversation == conversation)
        if connection.execute(query).scalar_one_or_none() != holder:
            raise HoldLost(conversation)

    def _keeping(self, turn: Turn, record: TurnRecord | None, now: str) -> _Kept:
        leaves = () if self._serving is None else self._serving.outgoing(turn)
        row = {
            "at": now,
            "revision": self._revision,
            "body": pack(encode(turn)),
            "record": None if record is None else pack(encode(record)),
        }
        return _Kept(row=row, outgoing=[pack(encode(message)) for message in leaves])

    def _active(self, state: Remembered, turn: Turn, now: str) -> dict[str, Any]:
        """What a turn adds to the statistics of its share; an event of the gateway was counted when it arrived."""
        spoke = turn.event is not None and not isinstance(turn.event, Opened)
        return {
            "at": now,
            "agent": self._agent,
            "channel": state.channel.value,
            "messages_in": int(spoke and self._serving is None),
            "messages_out": len(turn.messages),
            "duration_ms": round(turn.duration_s * 1000) if spoke else None,
        }

    def _keep(self, connection: Connection, state: S, kept: _Kept, now: str) -> None:
        conversation = visible(state.conversation)
        last = select(func.max(self._turns.c.number)).where(self._turns.c.conversation == conversation)
        number = (connection.execute(last).scalar_one() or 0) + 1
        connection.execute(self._turns.insert({**kept.row, "conversation": conversation, "number": number}))
        if self._serving is not None and self._serving.number is not None:
            served = {"status": "served", "turn": number, "error": None, "finished_at": now}
            connection.execute(self._inbound.update(served, number=self._serving.number))
        timer = None if self._serving is None else self._serving.timer
        of = {"agent": self._agent, "channel": state.channel.value, "conversation": conversation, "timer": timer}
        for position, message in enumerate(kept.outgoing):
            row = outbox_row(f"{conversation}/{number}/{position}", message, now)
            connection.execute(self._outbox.insert({**row, **of}))


def state_columns(state: Remembered) -> dict[str, Any]:
    """What the table holds of a state."""
    return {
        "channel": state.channel.value,
        "identity": visible(state.identity),
        "person_id": state.person_id,
        "ended": state.ended,
        "turns": state.turns,
        "state": pack(encode(state)),
    }
