"""The one way in: every write of this process goes through one connection in one thread.

Writes that come close together share a commit; each returns after that commit. When a shared transaction fails, its
writes are tried again one by one, so that one bad write takes no other with it. A write is a function of a
connection that may be called a second time after a roll-back, so it must have no effect of its own.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeAlias, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from greenroom.errors import StoreError, StoreLocked
from greenroom.store.database import Database
from greenroom.store.faults import as_store_error, was_deadlock
from greenroom.store.locks import Turn, take_turns

__all__ = ["WRITER_THREAD", "Work", "Writer"]

T = TypeVar("T")

Work: TypeAlias = Callable[[Connection], T]
"""What happens inside a transaction."""

WRITER_THREAD = "greenroom-store-writer"
"""What the thread is called."""

_LINGER_S = 0.002
"""How long a commit waits for the next write. One case's lane waits that much longer; 32 lanes share the commits."""

_TOGETHER = 64
"""Writes in one commit, at most."""


class _Write(Generic[T]):
    """One write on its way: what is done before the transaction, inside it, and whom to tell."""

    def __init__(self, prepare: Callable[[], Work[T]], turns: Sequence[Turn]) -> None:
        self._prepare = prepare
        self.turns = turns
        self._work: Work[T] | None = None
        self._result: T | None = None
        self._error: Exception | None = None
        self.loop = asyncio.get_running_loop()
        self.done: asyncio.Future[T] = self.loop.create_future()

    def prepared(self) -> bool:
        """Do what needs no database; False when nobody waits any more, or it failed."""
        if self.done.cancelled():
            return False
        try:
            self._work = self._prepare()
        # Whatever it is belongs to whoever asked for this write, not to the thread that serves everybody.
        except Exception as error:  # noqa: BLE001
            self._error = error
        return self._error is None

    def apply(self, connection: Connection) -> None:
        """Do it; told only once it is committed."""
        assert self._work is not None  # noqa: S101  - prepared first
        self._result = self._work(connection)

    def failed(self, error: Exception) -> None:
        """Nothing of it is in the database."""
        self._error = error

    def tell(self) -> None:
        """Say how it went; in the event loop."""
        if self.done.cancelled():
            return
        if self._error is not None:
            self.done.set_exception(self._error)
        else:
            self.done.set_result(cast("T", self._result))


class Writer:
    """Writes, one after the other, in a thread of its own; made by `open_store`, ended by `close`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue: SimpleQueue[_Write[Any] | None] = SimpleQueue()
        self._closed = False
        self._thread = Thread(target=self._serve, name=WRITER_THREAD, daemon=True)
        self._thread.start()

    async def write(self, work: Work[T], *turns: Turn) -> T:
        """Do this inside a transaction and return once it is committed.

        `turns` are those of the subjects whose rows it changes; it has them from the beginning on.

        A caller that is cancelled before its turn leaves nothing behind; after that the write is finished all the
        same.

        Raises:
            StoreLocked: another process held the database for too long.
            StoreFull: the disk is full.
            StoreError: it can't be reached, or this store is closed.
        """
        return await self.prepare(lambda: work, *turns)

    async def prepare(self, prepare: Callable[[], Work[T]], *turns: Turn) -> T:
        """The same, with something slow to be done first, in the writer's thread but outside the transaction."""
        if self._closed:
            raise StoreError(f"the database {self._database.where} is closed")
        write = _Write(prepare, turns)
        self._queue.put(write)
        return await write.done

    async def close(self) -> None:
        """Write what is waiting, and end the thread."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _serve(self) -> None:
        going = True
        while going:
            batch, going = self._gather()
            ready = [write for write in batch if write.prepared()]
            if ready:
                self._commit(ready)
            _tell(batch)

    def _gather(self) -> tuple[list[_Write[Any]], bool]:
        """The next writes that belong together, and whether there may be more."""
        batch: list[_Write[Any]] = []
        write = self._queue.get()
        while write is not None:
            batch.append(write)
            if len(batch) == _TOGETHER:
                return batch, True
            try:
                write = self._queue.get(timeout=_LINGER_S)
            except Empty:
                return batch, True
        return batch, False

    def _commit(self, writes: Sequence[_Write[Any]]) -> None:
        try:
            with self._database.writer.begin() as connection:
                # Before any row is held: a group of writes takes them in the order of none of its writes.
                take_turns(connection, [turn for write in writes for turn in write.turns])
                for write in writes:
                    write.apply(connection)
        # The thread serves everybody and must live: the error goes to those whose writes it stopped.
        except Exception as error:  # noqa: BLE001
            self._part(writes, self._told(error))

    def _part(self, writes: Sequence[_Write[Any]], error: Exception) -> None:
        # A lock stops all of them alike; waiting for it once for each would take minutes.
        if len(writes) == 1 or (isinstance(error, StoreLocked) and not was_deadlock(error)):
            for write in writes:
                write.failed(error)
            return
        for write in writes:
            self._commit([write])

    def _told(self, error: Exception) -> Exception:
        if isinstance(error, DBAPIError | sqlite3.Error):
            told = as_store_error(error, self._database.where)
            told.__cause__ = error
            return told
        return error


def _tell(writes: Sequence[_Write[Any]]) -> None:
    """Wake each event loop once for all its writes: waking it costs more than a row."""
    for loop in {write.loop for write in writes}:
        mine = [write for write in writes if write.loop is loop]
        # A loop that was closed in the meantime has nobody left to tell.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_tell_all, mine)


def _tell_all(writes: Sequence[_Write[Any]]) -> None:
    for write in writes:
        write.tell()
