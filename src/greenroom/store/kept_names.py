"""The names that things of one share are kept under, for whoever asks for one that may be wrong.

They are read whole, which takes a while of a large table: ask only when a name is known nowhere else.
"""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, select

from greenroom.store.encoding import visible
from greenroom.store.partition import Share
from greenroom.store.reader import Reader
from greenroom.store.tables import conversations, identities
from greenroom.store.world_tables import appointments, timers

__all__ = ["KeptNames"]

_MOST_NEAR = 200


class KeptNames:
    """Reads."""

    def __init__(self, *, reader: Reader, share: Share) -> None:
        self._reader = reader
        self._conversations = conversations.of(share).c
        self._appointments = appointments.of(share).c
        self._timers = timers.of(share).c
        self._identities = identities.of(share).c

    async def agents(self) -> Sequence[str]:
        """The agents that something is kept of."""
        return await self._distinct(self._conversations.agent, self._appointments.agent, self._timers.agent)

    async def representatives(self) -> Sequence[str]:
        """The keys of the representatives that appointments are with."""
        return await self._distinct(self._appointments.representative)

    async def has_appointments(self, person_id: str) -> bool:
        """Whether any appointment is somebody's, who may be on record no more."""
        query = select(self._appointments.appointment_id).where(self._appointments.person_id == visible(person_id))
        return await self._reader.read(lambda connection: connection.execute(query.limit(1)).first()) is not None

    async def identities_near(self, text: str) -> Sequence[str]:
        """Some identities that begin like this, or have this as their address."""
        bound = self._identities.identity
        begins = bound.startswith(visible(text[: max(1, 2 * len(text) // 3)]), autoescape=True)
        ends = bound.endswith(f":{visible(text)}", autoescape=True)
        query = select(bound).where(begins | ends).order_by(bound).limit(_MOST_NEAR)
        return await self._reader.read(lambda connection: tuple(connection.execute(query).scalars()))

    async def _distinct(self, *columns: ColumnElement[str]) -> Sequence[str]:
        def read(connection: Connection) -> set[str]:
            return {name for column in columns for name in connection.execute(select(column).distinct()).scalars()}

        return tuple(sorted(filter(None, await self._reader.read(read))))
