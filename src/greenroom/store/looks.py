"""How far people have been looked through for whom an outreach is; always live.

Somebody whom an outreach isn't for is only looked at again once they change, so that a tick costs nothing for all the
people who stay as they are. What is kept is always true: nobody up to there is still to get a timer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, select

from greenroom.clock import Clock
from greenroom.store.encoding import visible
from greenroom.store.locks import Turn
from greenroom.store.partition import Share
from greenroom.store.people_lists import Changed
from greenroom.store.reader import Reader
from greenroom.store.times import as_utc
from greenroom.store.world_tables import looks
from greenroom.store.writer import Writer

__all__ = ["Look", "Looks"]

_ANEW_AFTER = timedelta(days=1)
"""So often everybody is looked at all the same: who changed by a clock that was wrong, or past Greenroom."""
_UNSURE = timedelta(minutes=5)
"""A change that was stamped so long ago may be kept only now: writes wait for each other, and clocks differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A walk through the people in the order in which they changed."""

    agent: str
    name: str
    """Of the outreach."""
    revision: str
    """Of the agent: another one has other conditions and channels."""
    begun_at: datetime
    upto: Changed
    """Everybody up to this change has been looked at."""

    def since(self, now: datetime) -> Changed:
        """From where on to look."""
        return min(self.upto, _settled(now))

    def reached(self, upto: Changed, *, is_all: bool, now: datetime) -> "Look":
        """The look after everybody up to this change was looked at; `is_all` when nobody changed after it."""
        return replace(self, upto=max(upto, _settled(now)) if is_all else upto)


def _settled(now: datetime) -> Changed:
    """Nothing comes any more that was stamped before this."""
    return Changed(as_utc(now - _UNSURE), "")


class Looks:
    """Reads and keeps them."""

    def __init__(self, *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = looks.of(share)
        self._clock = clock

    async def current(self, agent: str, name: str, revision: str) -> Look:
        """The look that goes on, or a new one from the first person on."""
        columns = self._rows.c
        named = (columns.agent == visible(agent), columns.name == visible(name), columns.revision == revision)
        row = await self._reader.read(
            lambda connection: connection.execute(select(self._rows.source).where(*named)).one_or_none()
        )
        now = self._clock.now()
        fresh = Look(agent=agent, name=name, revision=revision, begun_at=now, upto=Changed("", ""))
        if row is None:
            return fresh
        begun_at = datetime.fromisoformat(row.begun_at)
        if not timedelta(0) <= now - begun_at < _ANEW_AFTER:
            return fresh
        return replace(fresh, begun_at=begun_at, upto=Changed(row.changed_at, row.person_id))

    async def keep(self, look: Look) -> None:
        """Remember it in place of the one before. Of two processes that look at once either may be remembered."""
        named = {"agent": visible(look.agent), "name": visible(look.name)}
        values: Mapping[str, Any] = {
            "revision": look.revision,
            "begun_at": as_utc(look.begun_at),
            "changed_at": look.upto.updated_at,
            "person_id": look.upto.person_id,
        }

        def work(connection: Connection) -> None:
            if not connection.execute(self._rows.update(values, **named)).rowcount:
                connection.execute(self._rows.insert({**named, **values}))

        await self._writer.write(work, Turn.CONVERSATIONS)
