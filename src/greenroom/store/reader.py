"""Reading, in threads and by pages. No list ever holds more than one page."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

from sqlalchemy import Connection

from greenroom.store.database import Database

__all__ = ["Reader"]

T = TypeVar("T")


class Reader:
    """Runs queries outside the event loop."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, query: Callable[[Connection], T]) -> T:
        """What the query finds.

        Raises:
            StoreError: the database can't be read.
        """
        return await asyncio.to_thread(self._now, query)

    async def pages(self, page: Callable[[Connection, T | None], Sequence[T]]) -> AsyncIterator[T]:
        """Everything, one by one: `page` reads what comes after the given row, and nothing when that was the last.

        Between two pages no transaction stays open, so that a slow consumer holds nobody up.
        """
        last: T | None = None
        while True:
            after = last
            found = await self.read(lambda connection, after=after: page(connection, after))
            for row in found:
                yield row
            if not found:
                return
            last = found[-1]

    def _now(self, query: Callable[[Connection], T]) -> T:
        with self._database.reading() as connection:
            return query(connection)
