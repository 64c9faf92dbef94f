"""What the service remembers of the conversations of one partition between two events; `world.ports.Conversations`.

The state's shape belongs to the world, which stands above: the repository is handed it, and knows only what it needs
for its columns.
"""

from typing import Generic, Protocol, TypeVar

from sqlalchemy import Connection, select

from greenroom.clock import Clock
from greenroom.conversation.channels import Channel
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.turns import Turn
from greenroom.store.encoding import decode, encode, pack, unpack, visible
from greenroom.store.partition import Share
from greenroom.store.reader import Reader
from greenroom.store.tables import conversations
from greenroom.store.times import stamp
from greenroom.store.writer import Work, Writer

__all__ = ["Conversations", "Remembered"]


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


class Conversations(Generic[S]):
    """Keeps the state of each conversation."""

    def __init__(self, shape: type[S], *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._shape = shape
        self._reader = reader
        self._writer = writer
        self._rows = conversations.of(share)
        self._clock = clock

    async def load(self, conversation: str) -> S | None:
        """The state, or None for a conversation that this partition doesn't know."""
        columns = self._rows.c
        query = select(columns.state).where(columns.conversation == visible(conversation))
        state = await self._reader.read(lambda connection: connection.execute(query).scalar_one_or_none())
        return None if state is None else decode(self._shape, unpack(state))

    async def save(self, state: S, turn: Turn | None = None, record: TurnRecord | None = None) -> None:
        """Keep it, in place of what was kept before. The turn that led to it has no table of its own."""
        await self._writer.prepare(lambda: self._saving(state))

    def _saving(self, state: S) -> Work[None]:
        now = stamp(self._clock)
        columns = {
            "channel": state.channel.value,
            "identity": visible(state.identity),
            "person_id": state.person_id,
            "ended": state.ended,
            "turns": state.turns,
            "state": pack(encode(state)),
            "updated_at": now,
        }

        def work(connection: Connection) -> None:
            named = visible(state.conversation)
            if connection.execute(self._rows.update(columns, conversation=named)).rowcount:
                return
            connection.execute(self._rows.insert({"conversation": named, "started_at": now, **columns}))

        return work
